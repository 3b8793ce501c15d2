// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options of `render` and `import` about pictures and maps in files, which a Cinematic movie holds already: refused
/// with the reason, where an unknown option would be no help.
struct RefusedOptions: ParsableArguments {
  @Option(help: .hidden) var lens: String?
  @Option(help: .hidden) var sensor: String?
  @Option(help: .hidden) var focusDistance: String?
  @Option(help: .hidden) var transfer: String?
  @Option(help: .hidden) var lut: String?
  @Option(help: .hidden) var layer: String?
  @Option(parsing: .unconditional, help: .hidden) var disparityRange: String?
  @Option(help: .hidden) var disparityKind: String?

  func validate() throws {
    let lengths = [("--lens", lens), ("--sensor", sensor), ("--focus-distance", focusDistance)]
    if let given = lengths.first(where: { $0.1 != nil })?.0 {
      throw ValidationError(
        "\(given) needs a map in metres, and a movie's says no unit: give it to focal import, which"
          + " stores blur and focus in the movie")
    }
    let meanings = [
      ("--transfer", transfer), ("--lut", lut), ("--layer", layer),
      ("--disparity-range", disparityRange), ("--disparity-kind", disparityKind),
    ]
    if let given = meanings.first(where: { $0.1 != nil })?.0 {
      throw ValidationError(
        "\(given) says what files mean, and a movie says that itself: give it to focal import")
    }
  }
}
