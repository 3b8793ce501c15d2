// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Foundation

extension RenderingSession.Attributes {
  /// These attributes with the values of a look in place of their own. Values that this version does
  /// not know have no effect; those outside their ranges are refused by the renderer.
  ///
  /// - Throws: `unsupported` for edges of maps that this version does not know, `invalidParameter` for an
  ///   aperture that is no table.
  public func with(_ look: Look) throws(CinematicError) -> RenderingSession.Attributes {
    var result = self
    if let version = look.renderingVersion { result.renderingVersion = version }
    if let scale = look.blurScale { result.blurScale = scale }
    if let text = look.apertureImage { result.apertureShape.image = try ApertureImage(text: text) }
    if let count = look.apertureBlades { result.apertureShape.bladeCount = count }
    if let rotation = look.apertureRotation { result.apertureShape.rotation = rotation }
    if let roundness = look.apertureRoundness { result.apertureShape.roundness = roundness }
    if let squeeze = look.apertureSqueeze { result.apertureShape.squeeze = squeeze }
    if let strength = look.nearStrength { result.nearStrength = strength }
    if let strength = look.farStrength { result.farStrength = strength }
    if let profile = look.bokehProfile { result.lensCharacter.profile = profile }
    if let fringes = look.colorFringes { result.lensCharacter.fringes = fringes }
    if let catEye = look.catEye { result.lensCharacter.catEye = catEye }
    if let doors = look.barnDoors { result.lensCharacter.barnDoors = doors }
    if let swirl = look.swirl { result.lensCharacter.swirl = swirl }
    if let stops = look.highlights { result.highlights = stops }
    if let threshold = look.highlightThreshold { result.highlightThreshold = threshold }
    if let name = look.mapEdges {
      guard let edges = MapEdges(rawValue: name) else {
        throw CinematicError(
          .unsupported,
          "the look says that its maps' edges are \(name), which this version does not know",
          remedy: "give one of \(MapEdges.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      result.mapEdges = edges
    }
    return result
  }
}

extension ApertureImage {
  /// The table as text: its codes in base 64.
  public var text: String { Data(codes).base64EncodedString() }

  /// The table of a text; `nil` for `Look.absent`.
  fileprivate init?(text: String) throws(CinematicError) {
    guard text != Look.absent else { return nil }
    guard text.utf8.count <= 2 * Self.side * Self.side, let data = Data(base64Encoded: text) else {
      throw CinematicError(
        .invalidParameter, "the look's aperture is no table in base 64",
        remedy: "give a picture of it again")
    }
    try self.init(codes: [UInt8](data))
  }
}

extension Look {
  /// The curve of the pictures' codes; `nil` if their tags say all.
  ///
  /// - Throws: `unsupported` for a name that is no ``FocalMedia/LogCurve``'s.
  public func cameraCurve() throws(CinematicError) -> LogCurve? {
    guard let logCurve, logCurve != "none" else { return nil }
    guard let curve = LogCurve(rawValue: logCurve) else {
      throw CinematicError(
        .unsupported,
        "the look names the camera curve \(logCurve), which this version does not know",
        remedy: "give one of \(LogCurve.allCases.map(\.rawValue).joined(separator: ", ")), or none")
    }
    return curve
  }

  /// A look that gives just these attributes.
  public init(_ attributes: RenderingSession.Attributes) {
    self.init()
    renderingVersion = attributes.renderingVersion
    blurScale = attributes.blurScale
    apertureBlades = attributes.apertureShape.bladeCount
    apertureRotation = attributes.apertureShape.rotation
    apertureRoundness = attributes.apertureShape.roundness
    apertureSqueeze = attributes.apertureShape.squeeze
    apertureImage = attributes.apertureShape.image?.text ?? Look.absent
    nearStrength = attributes.nearStrength
    farStrength = attributes.farStrength
    bokehProfile = attributes.lensCharacter.profile
    colorFringes = attributes.lensCharacter.fringes
    catEye = attributes.lensCharacter.catEye
    barnDoors = attributes.lensCharacter.barnDoors
    swirl = attributes.lensCharacter.swirl
    highlights = attributes.highlights
    highlightThreshold = attributes.highlightThreshold
    mapEdges = attributes.mapEdges.rawValue
  }
}
