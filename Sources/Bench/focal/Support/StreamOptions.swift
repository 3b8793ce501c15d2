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

extension StreamFormat {
  /// Says what of a film the stream does not carry.
  ///
  /// - Parameters:
  ///   - source: its name.
  ///   - isSteady: whether its frames are shown equally long.
  func tellLosses(of source: String, tags: ColorTags, hasSound: Bool, isSteady: Bool) {
    guard self == .y4m || self == .nut else { return }
    if hasSound { note("\(name) is written without sound: that of \(source) is left out") }
    if let unsaid = unsaid(of: tags) { note("\(unsaid): tell the program that reads it") }
    if self == .y4m, !isSteady {
      note("y4m has one frame rate, and \(source) has not: --format nut keeps the times")
    }
  }

  /// Says what of the pixels the stream does not hold.
  func tellPixels(of name: String, _ source: SourceProperties, as format: PixelFormat) {
    guard self == .y4m || self == .nut else { return }
    var lost: [String] = []
    if source.bitDepth > format.bitsPerComponent {
      lost.append("\(source.bitDepth) bits become \(format.bitsPerComponent)")
    }
    if let coded = source.codedPixels {
      switch coded.chroma {
      case .rgb: lost.append("colours become luma and chroma, 4:2:0")
      case .yuv422: lost.append("4:2:2 becomes 4:2:0")
      case .yuv444: lost.append("4:4:4 becomes 4:2:0")
      case .yuv420, .gray: break
      }
      if coded.hasAlpha { lost.append("alpha is left out") }
    }
    guard !lost.isEmpty else { return }
    note("\(self.name) does not hold all of \(name): \(lost.joined(separator: ", "))")
  }
}
