// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia

/// How large pictures are at most.
struct MaximumSizeOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The size at most, as 1920x1080 whichever way the movie stands, or 640 for the longer side; it"
        + " never grows.", valueName: "size"), transform: MaximumSizeArgument.init(parsing:))
  var maximumSize: MaximumSizeArgument?
}

/// How a film is compressed, how large it is and whether it is heard.
struct MovieOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A choice of quality and what follows, by name; of pictures, quality and size only.",
      valueName: "preset"))
  var preset: PresetArgument?
  @OptionGroup var coding: CodingOptions
  @OptionGroup var size: MaximumSizeOptions
  @Flag(help: "Leave the sound out.")
  var noSound = false

  /// - Throws: `invalidParameter` for options that only movies have, if pictures are written.
  func check(_ output: String) throws(CinematicError) {
    try coding.check(output, codec: settings.coding.codec, noSound: noSound)
  }

  /// The request, over the preset.
  var settings: ExportSession.Settings {
    var settings = preset.map { ExportSession.Settings(preset: $0.preset) } ?? .init()
    let codec = settings.coding.codec
    coding.apply(to: &settings.coding)
    // The preset's is another codec's.
    if settings.coding.codec != codec { settings.constantRateFactor = nil }
    if let rateFactor = coding.rateFactor { settings.constantRateFactor = rateFactor }
    if let maximumSize = size.maximumSize { settings.maximumSize = maximumSize.dimensions }
    settings.copiesSound = !noSound
    return settings
  }
}

/// A preset by its name.
struct PresetArgument: ExpressibleByArgument {
  let preset: ExportSession.Preset

  static var allValueStrings: [String] { ExportSession.Preset.allCases.map(\.name) }

  init?(argument: String) {
    guard let preset = ExportSession.Preset(named: argument) else { return nil }
    self.preset = preset
  }
}
