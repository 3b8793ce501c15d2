// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

extension RenderingSession.Attributes {
  /// These attributes with the values of a look in place of their own. Values that this version does
  /// not know have no effect; those outside their ranges are refused by the renderer.
  public func with(_ look: Look) -> RenderingSession.Attributes {
    var result = self
    if let version = look.renderingVersion { result.renderingVersion = version }
    if let scale = look.blurScale { result.blurScale = scale }
    if let count = look.apertureBlades { result.apertureShape.bladeCount = count }
    if let rotation = look.apertureRotation { result.apertureShape.rotation = rotation }
    if let stops = look.highlights { result.highlights = stops }
    if let edges = look.mapEdges.flatMap({ MapEdges(rawValue: $0) }) { result.mapEdges = edges }
    return result
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
    highlights = attributes.highlights
    mapEdges = attributes.mapEdges.rawValue
  }
}
