// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia
import FocalRendering

/// A length: `50mm`, `1.8m`, `60cm`.
struct LengthArgument: Sendable {
  var metres: Double

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    let units: [(String, Double)] = [("mm", 1e-3), ("cm", 1e-2), ("m", 1)]
    guard let (unit, size) = units.first(where: { text.hasSuffix($0.0) }),
      let number = Double(text.dropLast(unit.count)), number > 0, number.isFinite
    else { throw ValidationError("write a length with its unit, such as 50mm or 1.8m") }
    metres = number * size
  }
}

/// A real lens, for metric maps.
struct ThinLensOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The focal length of a real lens, such as 50mm, for a map in metres; with --sensor and"
        + " --focus-distance.", valueName: "length"),
    transform: LengthArgument.init(parsing:))
  var lens: LengthArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The width of its sensor, such as 36mm.", valueName: "length"),
    transform: LengthArgument.init(parsing:))
  var sensor: LengthArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What it is focused on, such as 1.8m.", valueName: "length"),
    transform: LengthArgument.init(parsing:))
  var focusDistance: LengthArgument?

  func validate() throws {
    let given = [lens, sensor, focusDistance].compactMap { $0 }
    guard given.isEmpty || given.count == 3 else {
      throw ValidationError("--lens, --sensor and --focus-distance belong together")
    }
  }

  /// - Throws: for what a real lens says already.
  func check(_ focus: FocusOptions, script: String?, _ look: LookOptions) throws {
    guard lens == nil || !focus.isGiven && script == nil && look.blurScale == nil else {
      throw ValidationError(
        "--lens says focus and blur: give it without --focus, --focus-at, --script and --blur-scale"
      )
    }
  }

  /// `nil` where none is given.
  ///
  /// - Throws: `invalidParameter` for a lens that there cannot be.
  func thinLens() throws(CinematicError) -> ThinLens? {
    guard let lens, let sensor, let focusDistance else { return nil }
    return try ThinLens(
      focalLength: lens.metres, sensorWidth: sensor.metres, focusDistance: focusDistance.metres)
  }
}

/// How the edges of maps are moved before they are used.
struct ShapingOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Shrink near surfaces by so many of the map's pixels; below 0 they grow.", valueName: "n"))
  var erode: Double = 0
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Soften the map's edges over so many of its pixels.", valueName: "n"))
  var feather: Double = 0

  var shaping: MapShaping { MapShaping(erosion: erode, feather: feather) }
}
