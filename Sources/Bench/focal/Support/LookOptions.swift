// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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
      The blur scale S, 0 to 16. (default: as a script that is given or carried says, else \
      \(RenderingSession.Attributes.defaultBlurScale), which suits disparities that span 0 to 1)
      """, valueName: "s"))
  var blurScale: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Straight aperture blades, 3 to 16; 0 for a disc. (default: as a script that is given or carried"
        + " says, else 0)", valueName: "n"))
  var blades: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "By how much the blades are turned, counter-clockwise.", valueName: "degrees"))
  var bladeRotation: Float?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Take light that was clipped at white to have been so many stops brighter, 0 to 8: out of focus it"
        + " makes brighter discs. (default: as a script that is given or carried says, else 0)",
      valueName: "stops"))
  var highlights: Float?
  @Option(
    help: ArgumentHelp(
      "Whether the map's edges are exact (sharp) or to be found in the picture (soft). (default: as a script that is given or carried says, else auto)",
      valueName: "kind"))
  var mapEdges: RenderingSession.Attributes.MapEdges?
  @Option(
    help: ArgumentHelp(
      "The camera's curve of the pictures: their light is blurred, and becomes the same curve's codes again. One"
        + " of \(LogCurveArgument.names.joined(separator: ", ")). (default: as a script that is given or"
        + " carried says, else none)", valueName: "curve"))
  var log: LogCurveArgument?

  func validate() throws {
    guard blades.map({ $0 == 0 || (3...16).contains($0) }) ?? true else {
      throw ValidationError("--blades takes 3 to 16, or 0 for a disc")
    }
    guard (0...RenderingSession.Attributes.maximumHighlights).contains(highlights ?? 0) else {
      throw ValidationError(
        "--highlights takes 0 to \(RenderingSession.Attributes.maximumHighlights) stops")
    }
    guard bladeRotation?.isFinite ?? true else {
      throw ValidationError("--blade-rotation takes a finite number of degrees")
    }
  }

  var look: Look {
    var look = Look()
    look.blurScale = blurScale
    look.apertureBlades = blades
    look.apertureRotation = bladeRotation.map { $0 * .pi / 180 }
    look.highlights = highlights
    look.mapEdges = mapEdges?.rawValue
    look.logCurve = log?.name
    return look
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
