// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia

/// A format of pipes by its name.
struct StreamArgument: ExpressibleByArgument {
  let stream: StreamFormat

  static var allValueStrings: [String] { StreamFormat.all.map(\.name) }

  init?(argument: String) {
    guard let stream = StreamFormat(named: argument) else { return nil }
    self.stream = stream
  }

  /// The help of an option that takes a format.
  ///
  /// - Parameters:
  ///   - output: the option that sends it to standard output.
  ///   - usual: the format that is written where none is given, in words.
  static func help(_ output: String = "-o -", usual: String) -> ArgumentHelp {
    ArgumentHelp(
      "What goes to standard output (\(output)). (default: \(usual))", valueName: "format")
  }

  /// The format for an output that is a pipe; `nil` for a file.
  ///
  /// - Throws: `invalidParameter` for a format where the name's ending says it.
  static func stream(
    _ format: StreamFormat?, to output: String, default usual: StreamFormat
  ) throws(CinematicError) -> StreamFormat? {
    guard PipePath.isPipe(output) else {
      guard format != nil else { return nil }
      throw CinematicError(
        .invalidParameter, "--format is for standard output, and \(output) is a file",
        remedy: "leave it out: the name's ending says what to write")
    }
    return format ?? usual
  }
}

/// A format of one picture by its name.
struct PictureStreamArgument: ExpressibleByArgument {
  let stream: StreamFormat

  static var allValueStrings: [String] {
    StreamFormat.all.filter { $0.stillKind != nil }.map(\.name)
  }

  init?(argument: String) {
    guard let stream = StreamFormat(named: argument), stream.stillKind != nil else { return nil }
    self.stream = stream
  }
}
