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
      compared as they are; pictures of other primaries and turned ones by what they show, \
      those that do not say their primaries by the other's. Alpha that differs is \
      told, and counts in no other figure. Clips are compared frame by frame; the PSNR of all frames is that of the mean \
      of their mean squared errors, which --json prints for each (meanSquaredError). Equal pictures \
      have a PSNR of inf; in JSON, that is the text "inf". Pixels with a value that is not finite, in either picture, are \
      counted, and the frame has no other figure: nan.

      With --masks, masks of subjects are compared, as focal lift --mask writes them, or the alpha of its pictures: by \
      their overlap (the pixels above a half in both, in parts of those in either) and by the differences of alpha.
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
    help: ArgumentHelp(
      "How much the difference is amplified. (default: \(defaultAmplification))", valueName: "n"))
  var amplify: Double?
  private static let defaultAmplification = 8.0
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Rows and columns along the edges to leave out.", valueName: "px"))
  var border: Int = 0
  @Option(
    help: ArgumentHelp(
      "The layer to compare, of OpenEXR files that hold several.", valueName: "name"))
  var layer: String?
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Compare masks, or the alpha of pictures.")
  var masks = false
  @Flag(help: "Compare linear light, unclipped.")
  var linear = false
  @Flag(help: "Print a line of JSON for every frame.")
  var json = false
  @OptionGroup var overwriting: OverwriteOptions

  func validate() throws {
    if let amplify, !(amplify > 0 && amplify.isFinite) {
      throw ValidationError("--amplify takes a number above 0")
    }
    if output == nil, amplify != nil || overwriting.force {
      throw ValidationError(
        "\(amplify == nil ? "--force needs" : overwriting.force ? "--amplify and --force need" : "--amplify needs")"
          + " --output: without it no picture is written")
    }
    guard border >= 0 else { throw ValidationError("--border takes 0 or more") }
    if masks, linear {
      throw ValidationError("masks hold no light: give --masks or --linear, not both")
    }
  }

  func run() throws {
    if let output { try KeptInputs.check(output, inputs: [actual, reference]) }
    try interruptible(writing: [output], onlyPrints: output == nil) {
      try waiting {
        let (myOptions, otherOptions) = try await options()
        if masks {
          try await compare(
            try await ComparedMasks(actual, myOptions),
            try await ComparedMasks(reference, otherOptions)
          ) {
            try MaskRow($0, $1, $2, border: border)
          } pair: { actual, reference in
            ComparedPair(size: actual.dimensions) { rows throws(CinematicError) in
              let mine = try actual.part(rows: rows).grayPicture()
              return (mine, try reference.part(rows: rows).grayPicture())
            }
          }
        } else {
          let (mine, other) = (
            try await ComparedPictures(actual, myOptions),
            try await ComparedPictures(reference, otherOptions)
          )
          // Colours that are only assumed to be others are no difference.
          let isKnown = !mine.assumesPrimaries && !other.assumesPrimaries
          if !isKnown, mine.primaries != other.primaries {
            note(
              "\(mine.assumesPrimaries ? actual : reference) does not say its primaries, which are taken for the other's"
            )
          }
          func pair(_ actual: PixelBuffer, _ reference: PixelBuffer) -> ComparedPair {
            ComparedPair(size: mine.turn.applied(to: actual.dimensions)) {
              rows throws(CinematicError) in
              let first = actual.stored(shownAs: rows, mine.turn)
              let second = reference.stored(shownAs: rows, other.turn)
              let (a, b) = try compared(
                first.part, mine.turn, second.part, other.turn, byPrimaries: isKnown)
              return (a.part(rows: first.rows), b.part(rows: second.rows))
            }
          }
          try await compare(mine, other) { frame, actual, reference in
            PictureRow(frame, try pair(actual, reference).comparison(border: border))
          } pair: {
            pair($0, $1)
          }
        }
      }
    }
  }

  /// How both are read: the layer is asked of files that hold several.
  ///
  /// - Throws: `invalidParameter` for a layer where neither does.
  private func options() async throws(CinematicError) -> (ReadOptions, ReadOptions) {
    var result = (ReadOptions(), ReadOptions())
    guard let layer else { return result }
    if try await Asset.named(actual).pictureLayers().count > 1 { result.0.layer = layer }
    if try await Asset.named(reference).pictureLayers().count > 1 { result.1.layer = layer }
    guard result.0.layer != nil || result.1.layer != nil else {
      throw CinematicError(
        .invalidParameter, "neither \(actual) nor \(reference) has several layers",
        remedy: "leave out --layer")
    }
    return result
  }

  /// - Parameters:
  ///   - measure: of a frame's number and both pictures.
  ///   - pair: both as RGBA floats, whose difference is written.
  private func compare<Frames: ComparedFrames, Row: ComparisonRow>(
    _ actualFrames: Frames, _ referenceFrames: Frames,
    measure: (Int, PixelBuffer, PixelBuffer) throws -> Row,
    pair: (PixelBuffer, PixelBuffer) -> ComparedPair
  ) async throws {
    let difference = try output.map { try differenceWriter($0) }
    defer { difference?.cancel() }
    guard actualFrames.dimensions == referenceFrames.dimensions else {
      throw CinematicError(
        .incompatible,
        "\(actual) is \(actualFrames.dimensions) where \(reference) is"
          + " \(referenceFrames.dimensions)", remedy: "compare pictures of one size")
    }
    let (mine, other) = (actualFrames.pixelShape, referenceFrames.pixelShape)
    if Int64(mine.horizontal) * Int64(other.vertical)
      != Int64(other.horizontal) * Int64(mine.vertical)
    {
      note(
        "the pixels of \(actual) are shown \(mine.horizontal):\(mine.vertical), those of \(reference)"
          + " \(other.horizontal):\(other.vertical); they are compared one by one, whatever their shape"
      )
    }
    if output != nil {
      // Floats, and what is coded of them.
      try MemoryBudget.check(
        16 * actualFrames.dimensions.count, share: 2,
        for: "the difference of \(actual), a picture of \(actualFrames.dimensions) pixels,")
    }
    var rows: [Row] = []
    var worst: (row: Row, pair: ComparedPair?)?
    while let a = try await actualFrames.next() {
      guard let b = try await referenceFrames.next() else {
        throw CinematicError(
          .incompatible, "\(reference) ends before frame \(rows.count) of \(actual)",
          remedy: "compare clips of one length")
      }
      let row = try measure(rows.count, a, b)
      rows.append(row)
      if json {
        try printJSON(row)
      } else {
        printLine("frame \(row.frame): \(row.text)")
      }
      if worst.map({ row.isWorse(than: $0.row) }) ?? true {
        // Pictures are held for their difference alone.
        worst = (row, difference == nil ? nil : pair(a, b))
      }
    }
    if try await referenceFrames.next() != nil {
      throw CinematicError(
        .incompatible, "\(actual) ends before frame \(rows.count) of \(reference)",
        remedy: "compare clips of one length")
    }
    if rows.count > 1, !json, let worst {
      printLine("mean of \(counted(rows.count, "frame")): \(Row.mean(of: rows))")
      printLine("worst, frame \(worst.row.frame): \(worst.row.text)")
    }
    if let difference, let pair = worst?.pair {
      let picture = try pair.difference(amplification: amplify ?? Self.defaultAmplification)
      try difference.append(picture, time: .zero, duration: .zero)
      try difference.finish()
    }
  }

  /// - Parameters:
  ///   - mine: from the picture as stored to the picture as shown.
  ///   - other: the same of the reference.
  ///   - byPrimaries: whether pictures of other primaries have other colours.
  /// - Returns: RGBA floats, as shown.
  private func compared(
    _ actual: PixelBuffer, _ mine: QuarterTurn, _ reference: PixelBuffer, _ other: QuarterTurn,
    byPrimaries: Bool
  ) throws(CinematicError) -> (PixelBuffer, PixelBuffer) {
    var actual = actual
    let (curve, wanted) = (actual.tags.transfer, reference.tags.transfer)
    if !linear, curve != wanted, curve.isStandardRange, wanted.isStandardRange {
      // A movie's code and a picture's look the same: one curve for both.
      var tags = actual.tags
      tags.transfer = wanted
      actual = actual.tagged(tags)
    }
    var light = (try actual.linearRGBA(), try reference.linearRGBA())
    let (from, to) = (actual.tags.primaries, reference.tags.primaries)
    if byPrimaries, from != to {
      light.0 = try PrimariesConversion(from: from, to: to)
        .convert(light.0, to: to, least: -.infinity)
    }
    light.0.markNotFinite(in: actual)
    light.1.markNotFinite(in: reference)
    light = (try light.0.asShown(mine), try light.1.asShown(other))
    if linear { return light }
    return (
      try PictureComparison.displayPicture(ofLinear: light.0),
      try PictureComparison.displayPicture(ofLinear: light.1)
    )
  }

  /// Says at once, and not after a long clip, whether the difference can be written.
  private func differenceWriter(_ path: String) throws(CinematicError) -> FrameWriter {
    try OutputFormat.checkFile(path, endings: StillKind.endings)
    guard case .still = try OutputFormat(path: path) else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of one picture",
        remedy: "end it in \(StillKind.endings)")
    }
    // A single picture takes its size and format from what is appended.
    var settings = WriterSettings(
      dimensions: Dimensions(width: 1, height: 1), pixelFormat: .rgbaFloat, tags: .sRGB)
    settings.overwrite = overwriting.force
    return try FrameWriter.create(path, settings: settings)
  }
}
