// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia

/// How the pictures of a movie are compressed.
struct CodingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      How a movie is compressed: automatic, h264, hevc (.mp4, .mov), av1, vp9 (.mp4, .webm); prores-proxy, -lt, -422, -422-hq, \
      -4444 or -4444-xq, dnxhr-lb, -sq, -hq, -hqx or -444, ffv1 (.mov).
      """, valueName: "codec"))
  var codec: CodecArgument?
  @Option(
    help: ArgumentHelp(
      "A movie's chroma: 420, 422, 444, rgb or gray, if the codec has it. (default: the source's, of"
        + " RGB 444, in H.264 420)", valueName: "chroma"))
  var chroma: ChromaArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A movie's bits a component, if the codec has them. (default: the source's, in H.264 8)",
      valueName: "n"))
  var bitDepth: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      How strongly a movie is compressed: the encoder's constant rate factor, 0 (no loss) to \
      51, or 63 for AV1 and VP9. (default: the preset's, else 16 for H.264, 18 for HEVC, 20 for AV1 and VP9)
      """, valueName: "n"))
  var rateFactor: Double?

  func validate() throws {
    // Where no codec is named, the file's ending settles it, and the range: see `check`.
    let codec = codec?.codec ?? .automatic
    let range = (codec == .automatic ? nil : codec.rateFactors) ?? Self.rateFactors
    guard rateFactor.map({ range.contains($0) }) ?? true else {
      throw ValidationError("--rate-factor takes a number from 0 to \(Int(range.upperBound))")
    }
  }

  /// Those of all codecs.
  private static let rateFactors: ClosedRange<Double> = 0...63

  /// The names of the options that are given.
  var given: [String] {
    [
      codec == nil ? nil : "--codec", chroma == nil ? nil : "--chroma",
      bitDepth == nil ? nil : "--bit-depth", rateFactor == nil ? nil : "--rate-factor",
    ].compactMap { $0 }
  }

  /// Puts what is given in the place of something else.
  func apply(to coding: inout FilmCoding) {
    if let codec { coding.codec = codec.codec }
    if let chroma { coding.chroma = chroma.chroma }
    if let bitDepth { coding.bitDepth = bitDepth }
  }

  /// - Throws: `invalidParameter` for a movie that does not hold a codec, a rate factor that the codec does not have, and
  ///   options that only movies have, if pictures are written or a pipe.
  func check(
    _ output: String, codec: WriterSettings.Codec, noSound: Bool = false
  ) throws(CinematicError) {
    let isPipe = PipePath.isPipe(output)
    if !isPipe, case .movie(let container) = try OutputFormat(path: output) {
      try codec.check(container, of: output)
      if let rateFactor { try codec.resolved(in: container).check(rateFactor: rateFactor) }
      return
    }
    guard let first = (given + (noSound ? ["--no-sound"] : [])).first else { return }
    throw CinematicError(
      .invalidParameter,
      isPipe
        ? "\(first) is for movies in files, and \(PipePath.outputName(output)) takes plain pictures"
        : "\(first) is for movies, and \(output) is pictures",
      remedy: "leave it out, or end the output in .mp4, .mov or .webm")
  }
}

/// A codec by its name.
struct CodecArgument: ExpressibleByArgument {
  let codec: WriterSettings.Codec

  static var allValueStrings: [String] { WriterSettings.Codec.allCases.map(\.rawValue) }

  init?(argument: String) {
    guard let codec = WriterSettings.Codec(rawValue: argument.lowercased()) else { return nil }
    self.codec = codec
  }
}

/// Chroma by its name.
struct ChromaArgument: ExpressibleByArgument {
  let chroma: CodedPixels.Chroma

  static var allValueStrings: [String] { CodedPixels.Chroma.allCases.map(\.rawValue) }

  init?(argument: String) {
    guard let chroma = CodedPixels.Chroma(rawValue: argument.lowercased()) else { return nil }
    self.chroma = chroma
  }
}
