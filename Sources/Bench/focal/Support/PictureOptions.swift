// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia

/// `--transfer`: the input's transfer function, if not the file's own.
enum TransferArgument: String, ExpressibleByArgument, CaseIterable {
  case auto, srgb, bt709, hlg, pq, linear

  var transfer: ColorTags.Transfer? {
    switch self {
    case .auto: nil
    case .srgb: .srgb
    case .bt709: .bt709
    case .hlg: .hlg
    case .pq: .pq
    case .linear: .linear
    }
  }
}

/// The meaning of the input's codes, and where in a file the picture is.
struct PictureReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The input's transfer function, where the file says nothing or is wrong.",
      valueName: "function"))
  var transfer: TransferArgument = .auto
  @OptionGroup var workingSpace: WorkingSpaceOptions
  @Option(
    help: ArgumentHelp(
      "The layer of an OpenEXR file that holds the picture.", valueName: "name"))
  var layer: String?

  /// The files that are read.
  var inputs: [String?] { [workingSpace.lut] }

  /// Whether what is read has other codes, or another meaning, than the file says.
  var changesCodes: Bool { transfer != .auto || workingSpace.lut != nil }

  /// - Parameters:
  ///   - curve: that the look names.
  ///   - decodesCurve: whether what is read is light by the curve, and not its codes.
  /// - Throws: `invalidParameter` for a transfer function or a table beside a camera's curve, and what reading the
  ///   table throws.
  func apply(
    to options: inout ReadOptions, _ curve: LogCurve? = nil, decodesCurve: Bool = false
  ) throws(CinematicError) {
    guard curve == nil || transfer == .auto else {
      throw CinematicError(
        .invalidParameter, "a camera's curve does not go with --transfer",
        remedy: "leave that out, or give --log none")
    }
    options.transfer = transfer.transfer
    options.layer = layer
    options.workingSpace = try workingSpace.table(curve).map { .table($0) }
    if decodesCurve, let curve { options.workingSpace = .log(curve) }
  }
}

/// How strongly written pictures are compressed.
struct PictureQualityOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The quality of .jpg, .heic and .avif, 1 to 100. (default: 92 for .jpg, else 90)",
      valueName: "q"))
  var pictureQuality: Int?

  func validate() throws {
    let qualities = StillKind.qualities
    guard let pictureQuality, !qualities.contains(pictureQuality) else { return }
    throw ValidationError(
      "--picture-quality takes \(qualities.lowerBound) to \(qualities.upperBound)")
  }

  /// - Throws: `invalidParameter` for a quality of what has none.
  static func check(
    _ quality: Int?, _ format: OutputFormat, _ output: String
  ) throws(CinematicError) {
    guard quality != nil, format.stillKind?.isLossy != true else { return }
    throw CinematicError(
      .invalidParameter,
      "--picture-quality is for .jpg, .heic and .avif, and \(PipePath.outputName(output)) is none",
      remedy: "leave it out, or choose another kind of file")
  }
}
