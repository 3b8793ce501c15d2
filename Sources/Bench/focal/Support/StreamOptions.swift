// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia

/// The format of a pipe.
struct StreamOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What goes to standard output (-o -): \(StreamArgument.allValueStrings.joined(separator: ", "))."
        + " (default: y4m for films, png for one picture)", valueName: "format"))
  var format: StreamArgument?

  /// The format for an output that is a pipe; `nil` for a file.
  ///
  /// - Throws: `invalidParameter` for a format where the name's ending says it.
  func stream(
    to output: String, default usual: StreamFormat
  ) throws(CinematicError) -> StreamFormat? {
    guard PipePath.isPipe(output) else {
      guard format != nil else { return nil }
      throw CinematicError(
        .invalidParameter, "--format is for standard output, and \(output) is a file",
        remedy: "leave it out: the name's ending says what to write")
    }
    return format?.stream ?? usual
  }
}

/// A format by its name.
struct StreamArgument: ExpressibleByArgument {
  let stream: StreamFormat

  static var allValueStrings: [String] { StreamFormat.all.map(\.name) }

  init?(argument: String) {
    guard let stream = StreamFormat(named: argument) else { return nil }
    self.stream = stream
  }
}
