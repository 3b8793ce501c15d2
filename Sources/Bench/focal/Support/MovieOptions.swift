// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia

/// How a film is compressed, how large it is and whether it is heard.
struct MovieOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A choice of quality and what follows, by name.", valueName: "preset"))
  var preset: PresetArgument?
  @OptionGroup var coding: CodingOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The size at most, as 1920x1080 whichever way the movie stands; it never grows.",
      valueName: "size"), transform: SizeArgument.init(parsing:))
  var maximumSize: SizeArgument?
  @Flag(help: "Leave the sound out.")
  var noSound = false

  func validate() throws {
    guard maximumSize.map({ min($0.dimensions.width, $0.dimensions.height) >= 2 }) ?? true else {
      throw ValidationError("--maximum-size takes sides of at least 2 pixels, such as 1920x1080")
    }
  }

  /// - Throws: `invalidParameter` for options that only movies have, if pictures are written.
  func check(_ output: String) throws(CinematicError) {
    let isPipe = PipePath.isPipe(output)
    if !isPipe, try OutputFormat(path: output).stillKind == nil {
      return try coding.check(output, codec: settings.coding.codec)
    }
    let given = coding.given + [noSound ? "--no-sound" : nil].compactMap { $0 }
    guard let first = given.first else { return }
    throw CinematicError(
      .invalidParameter,
      isPipe
        ? "\(first) is for movies in files, and \(PipePath.outputName(output)) takes plain pictures"
        : "\(first) is for movies, and \(output) is pictures",
      remedy: "leave it out, or end the output in .mp4 or .mov")
  }

  /// The request, over the preset.
  var settings: ExportSession.Settings {
    var settings = preset.map { ExportSession.Settings(preset: $0.preset) } ?? .init()
    let codec = settings.coding.codec
    coding.apply(to: &settings.coding)
    // The preset's is another codec's.
    if settings.coding.codec != codec { settings.constantRateFactor = nil }
    if let rateFactor = coding.rateFactor { settings.constantRateFactor = rateFactor }
    if let maximumSize { settings.maximumSize = maximumSize.dimensions }
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
