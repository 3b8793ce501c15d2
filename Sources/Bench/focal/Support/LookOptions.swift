// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// The lens apart from focus and f-number: what movies and scripts carry as their look. A part that is not
/// given stays as they have it.
struct LookOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      The blur scale S, 0 to 16. (default: \(RenderingSession.Attributes.defaultBlurScale), which \
      suits disparities that span 0 to 1, or what the script says in commands that read one)
      """, valueName: "s"))
  var blurScale: Float?
  @OptionGroup var shape: ShapeOptions
  @Option(
    help: ArgumentHelp(
      "A picture of the aperture in place of blades, bright where it is open, as a highlight behind the focus"
        + " looks; or none.", valueName: "picture"))
  var apertureImage: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Take light that was clipped at white to have been so many stops brighter, 0 to 8: out of focus it"
        + " makes brighter discs. (default: 0, or what the script says in commands that read one)",
      valueName: "stops"))
  var highlights: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The linear light from which on --highlights lifts it, 0.1 to 0.99; white is 1. (default:"
        + " \(RenderingSession.Attributes.defaultHighlightThreshold), or what the script says in commands that read one)",
      valueName: "light"))
  var highlightThreshold: Float?
  @Option(
    help: ArgumentHelp(
      "Whether the map's edges are exact (sharp) or to be found in the picture (soft). (default: auto, or what the script says in commands that read one)",
      valueName: "kind"))
  var mapEdges: RenderingSession.Attributes.MapEdges?
  @Option(
    help: ArgumentHelp(
      "The camera's curve of the pictures: their light is blurred, and becomes the same curve's codes again. One"
        + " of \(LogCurveArgument.names.joined(separator: ", ")). (default: none,"
        + " or what the script says in commands that read one)", valueName: "curve"))
  var log: LogCurveArgument?

  func validate() throws {
    guard (0...RenderingSession.Attributes.maximumHighlights).contains(highlights ?? 0) else {
      throw ValidationError(
        "--highlights takes 0 to \(RenderingSession.Attributes.maximumHighlights) stops")
    }
    let thresholds = RenderingSession.Attributes.highlightThresholds
    guard highlightThreshold.map(thresholds.contains) ?? true else {
      throw ValidationError(
        "--highlight-threshold takes \(thresholds.lowerBound) to \(thresholds.upperBound)")
    }
    guard apertureImage == nil || apertureImage == Look.absent || (shape.blades ?? 0) == 0
    else {
      throw ValidationError("give --blades or --aperture-image, not both")
    }
  }

  /// The files that are read.
  var inputs: [String?] { apertureImage == Look.absent ? [] : [apertureImage] }

  /// Whether no option is given.
  var isEmpty: Bool { apertureImage == nil && values.isEmpty }

  /// The values given, without the image.
  private var values: Look {
    var look = Look()
    look.blurScale = blurScale
    look.apertureBlades = shape.blades
    look.apertureRotation = shape.bladeRotation.map { $0 * .pi / 180 }
    look.apertureRoundness = shape.bladeRoundness
    look.apertureSqueeze = shape.squeeze
    look.nearStrength = shape.nearStrength
    look.farStrength = shape.farStrength
    look.bokehProfile = shape.profile
    look.colorFringes = shape.fringes
    look.catEye = shape.catEye
    look.barnDoors = shape.barnDoors
    look.swirl = shape.swirl
    look.highlights = highlights
    look.highlightThreshold = highlightThreshold
    look.mapEdges = mapEdges?.rawValue
    look.logCurve = log?.name
    return look
  }

  /// The values given, with the picture of the aperture read.
  ///
  /// - Throws: `unreadable` and so on for a picture that cannot be read, `invalidParameter` for a black one.
  func look() throws(CinematicError) -> Look {
    var look = values
    if let apertureImage, apertureImage != Look.absent {
      look.apertureImage = try Self.image(apertureImage).text
      look.apertureBlades = 0
    } else if apertureImage != nil || shape.blades != nil {
      look.apertureImage = Look.absent
    }
    return look
  }

  /// - Throws: `invalidParameter` for options that have no effect in a look that they are part of.
  func check(_ look: Look) throws(CinematicError) {
    for name in look.idleNames where values[name] != nil {
      let (option, remedy) = Self.idle(name)
      throw CinematicError(.invalidParameter, "\(option) alone has no effect", remedy: remedy)
    }
  }

  /// The option of a value that has no effect, and what would give it one.
  static func idle(_ name: String) -> (option: String, remedy: String) {
    switch name {
    case Look.Name.apertureRotation: ("--blade-rotation", "give --blades or --aperture-image")
    case Look.Name.apertureRoundness: ("--blade-roundness", "give --blades")
    default: ("--highlight-threshold", "give --highlights")
    }
  }

  /// The opening that a picture shows, as it is shown: its luminance, as far as it is not transparent.
  private static func image(_ path: String) throws(CinematicError) -> ApertureImage {
    let (picture, turn) = try waiting {
      () async throws(CinematicError) -> (PixelBuffer, QuarterTurn) in
      let reader = try await FrameReader.open(path)
      guard reader.properties.kind == .still, let frame = try await reader.next() else {
        throw CinematicError(
          .unsupported, "\(path) is no picture", remedy: "give a picture of the aperture")
      }
      return (frame.pixelBuffer, reader.properties.preferredTransform)
    }
    let size = turn.applied(to: picture.dimensions)
    var transmission: [Float] = []
    transmission.reserveCapacity(size.count)
    // All light at once would take four times as much.
    for first in stride(from: 0, to: size.height, by: 64) {
      let rows = first..<min(size.height, first + 64)
      let band = picture.stored(shownAs: rows, turn)
      var light = try band.part.linearRGBA()
      if turn != .identity { light = try light.turnedPixels(by: turn) }
      light.part(rows: band.rows).withUnsafeBytes { bytes in
        for place in 0..<rows.count * size.width {
          // Rows are without padding.
          let pixel = bytes.loadUnaligned(fromByteOffset: 16 * place, as: SIMD4<Float>.self)
          let luminance = 0.2126 * pixel.x + 0.7152 * pixel.y + 0.0722 * pixel.z
          transmission.append(max(luminance, 0) * (picture.format.hasAlpha ? pixel.w : 1))
        }
      }
    }
    do {
      return try ApertureImage(transmission: transmission, width: size.width)
    } catch {
      throw error.replacing(message: "\(path): \(error.message)")
    }
  }
}

extension RenderingSession.Attributes.MapEdges: ExpressibleByArgument {}

/// A camera's curve by its name, or none.
struct LogCurveArgument: ExpressibleByArgument {
  static let names = LogCurve.allCases.map(\.rawValue) + ["none"]
  static var allValueStrings: [String] { names }
  let name: String

  init?(argument: String) {
    guard Self.names.contains(argument) else { return nil }
    name = argument
  }
}
