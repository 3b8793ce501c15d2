// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia
import FocalSample
import Foundation

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Measure how far a picture or clip is from another.",
    discussion: """
      Values are compared as shown: 0 to 1 after the sRGB curve, display white at 1, light above it \
      cut off (--linear compares light itself). Codes of pictures and movies of standard range are \
      compared as they are. Clips are compared frame by frame. Equal pictures \
      have a PSNR of inf; in JSON, that is the text "inf".
      """)

  @Argument(help: "The picture or clip to judge.")
  var actual: String
  @Argument(help: "What it should be.")
  var reference: String
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the amplified difference as a picture; of a clip, the worst frame's.", valueName: "png"
    ))
  var output: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How much the difference is amplified.", valueName: "n"))
  var amplify: Double = 8
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Rows and columns along the edges to leave out.", valueName: "px"))
  var border: Int = 0
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Compare linear light, unclipped.")
  var linear = false
  @Flag(help: "Print a line of JSON for every frame.")
  var json = false
  @Flag(help: "Replace an existing output.")
  var force = false

  func validate() throws {
    guard amplify > 0, amplify.isFinite else {
      throw ValidationError("--amplify takes a number above 0")
    }
    guard border >= 0 else { throw ValidationError("--border takes 0 or more") }
  }

  /// One comparison, as printed.
  private struct Row: Encodable {
    var frame: Int
    var psnr: Double
    var ssim: Double
    var largestDifference: Double
    var x: Int
    var y: Int
    var notFinite: Int
  }

  func run() throws {
    try interruptible(writing: [output]) { try waiting { try await compare() } }
  }

  private func compare() async throws {
    let difference = try output.map { try differenceWriter($0) }
    defer { difference?.cancel() }
    let actualReader = try await FrameReader.open(actual)
    let referenceReader = try await FrameReader.open(reference)
    guard actualReader.properties.dimensions == referenceReader.properties.dimensions else {
      throw CinematicError(
        .incompatible,
        "\(actual) is \(actualReader.properties.dimensions) where \(reference) is"
          + " \(referenceReader.properties.dimensions)", remedy: "compare pictures of one size")
    }
    var rows: [Row] = []
    var worst: (row: Row, actual: PixelBuffer, reference: PixelBuffer)?
    while let a = try await actualReader.next() {
      guard let b = try await referenceReader.next() else {
        throw CinematicError(
          .incompatible, "\(reference) ends before frame \(rows.count) of \(actual)",
          remedy: "compare clips of one length")
      }
      let pictures = try shown(a.pixelBuffer, b.pixelBuffer)
      let result = try PictureComparison(pictures.0, reference: pictures.1, border: border)
      let row = Row(
        frame: rows.count, psnr: result.psnr, ssim: result.ssim,
        largestDifference: result.largestDifference, x: result.largestDifferenceX,
        y: result.largestDifferenceY, notFinite: result.nonFiniteCount)
      rows.append(row)
      if json {
        try printJSON(row)
      } else {
        printLine(line("frame \(row.frame)", row))
      }
      if worst.map({ !(row.psnr >= $0.row.psnr) }) ?? true {
        worst = (row, pictures.0, pictures.1)
      }
    }
    if try await referenceReader.next() != nil {
      throw CinematicError(
        .incompatible, "\(actual) ends before frame \(rows.count) of \(reference)",
        remedy: "compare clips of one length")
    }
    if rows.count > 1, !json, let worst {
      let mean = rows.reduce(0) { $0 + $1.psnr } / Double(rows.count)
      printLine(String(format: "mean of %@: PSNR %.2f dB", counted(rows.count, "frame"), mean))
      printLine(line("worst, frame \(worst.row.frame)", worst.row))
    }
    if let difference, let worst {
      let picture = try PictureComparison.differencePicture(
        worst.actual, reference: worst.reference, amplification: amplify)
      try difference.append(picture, time: .zero, duration: .zero)
      try difference.finish()
    }
  }

  private func line(_ name: String, _ row: Row) -> String {
    var text = String(
      format: "%@: PSNR %.2f dB, SSIM %.4f, largest difference %.5f at %d,%d", name, row.psnr,
      row.ssim, row.largestDifference, row.x, row.y)
    if row.notFinite > 0 { text += ", \(row.notFinite) pixels are not finite" }
    return text
  }

  private func shown(
    _ actual: PixelBuffer, _ reference: PixelBuffer
  ) throws(CinematicError) -> (PixelBuffer, PixelBuffer) {
    var actual = actual
    let (mine, other) = (actual.tags.transfer, reference.tags.transfer)
    if !linear, mine != other, mine.isStandardRange, other.isStandardRange {
      // A movie's code and a picture's look the same: one curve for both.
      var tags = actual.tags
      tags.transfer = other
      actual = actual.tagged(tags)
    }
    let light = (try actual.linearRGBA(), try reference.linearRGBA())
    if linear { return light }
    return (
      try PictureComparison.displayPicture(ofLinear: light.0),
      try PictureComparison.displayPicture(ofLinear: light.1)
    )
  }

  /// Says at once, and not after a long clip, whether the difference can be written.
  private func differenceWriter(_ path: String) throws(CinematicError) -> FrameWriter {
    guard case .still = try OutputFormat(path: path) else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of one picture",
        remedy: "end it in \(StillKind.endings)")
    }
    // A single picture takes its size and format from what is appended.
    var settings = WriterSettings(
      dimensions: Dimensions(width: 1, height: 1), pixelFormat: .rgbaFloat, tags: .sRGB)
    settings.overwrite = force
    return try FrameWriter.create(path, settings: settings)
  }
}
