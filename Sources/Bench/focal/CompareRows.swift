// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalMedia
import FocalSample
import Foundation

/// One frame's comparison, as `focal compare` prints it.
protocol ComparisonRow: Encodable {
  var frame: Int { get }
  /// The larger, the nearer; not a number where it cannot be told.
  var likeness: Double { get }
  /// The measures in words.
  var text: String { get }
  /// The first measure in the mean of several rows, in words.
  static func mean(of rows: [Self]) -> String
}

extension ComparisonRow {
  /// Whether the frame is less like what it should be than another's; one of which it cannot be told is the worst.
  func isWorse(than other: Self) -> Bool {
    !other.likeness.isNaN && !(likeness >= other.likeness)
  }
}

struct PictureRow: ComparisonRow {
  var frame: Int
  var psnr: Double
  var meanSquaredError: Double
  var ssim: Double
  var largestDifference: Double
  var x: Int
  var y: Int
  var largestAlphaDifference: Double
  var notFinite: Int

  init(_ frame: Int, _ result: PictureComparison) {
    self.frame = frame
    (psnr, meanSquaredError) = (result.psnr, result.meanSquaredError)
    ssim = result.ssim
    largestDifference = result.largestDifference
    (x, y) = (result.largestDifferenceX, result.largestDifferenceY)
    largestAlphaDifference = result.largestAlphaDifference
    notFinite = result.nonFiniteCount
  }

  var likeness: Double { psnr }

  var text: String {
    let text = String(
      format: "PSNR %.2f dB, SSIM %.4f, largest difference %.5f at %d,%d", psnr, ssim,
      largestDifference, x, y)
    let alpha =
      largestAlphaDifference > 0
      ? String(format: ", alpha differs by up to %.5f", largestAlphaDifference) : ""
    return text + alpha + notFiniteText(notFinite)
  }

  static func mean(of rows: [PictureRow]) -> String {
    // Of decibels, a frame without a difference would be all that counts.
    let error = rows.reduce(0) { $0 + $1.meanSquaredError } / Double(rows.count)
    return String(
      format: "PSNR %.2f dB", PictureComparison.psnr(ofMeanSquaredError: error))
  }
}

struct MaskRow: ComparisonRow {
  var frame: Int
  var overlap: Double
  var meanAbsoluteError: Double
  var sumOfAbsoluteErrors: Double
  var notFinite: Int

  init(
    _ frame: Int, _ actual: PixelBuffer, _ reference: PixelBuffer, border: Int
  ) throws(CinematicError) {
    let result = try MaskComparison(actual, reference: reference, border: border)
    self.frame = frame
    overlap = result.overlap
    meanAbsoluteError = result.meanAbsoluteError
    sumOfAbsoluteErrors = result.sumOfAbsoluteErrors
    notFinite = result.nonFiniteCount
  }

  var likeness: Double { overlap }

  var text: String {
    let text = String(
      format: "overlap %.4f, alpha differs by %.5f in the mean, by %.1f pixels in all", overlap,
      meanAbsoluteError, sumOfAbsoluteErrors)
    return text + notFiniteText(notFinite)
  }

  static func mean(of rows: [MaskRow]) -> String {
    String(format: "overlap %.4f", rows.reduce(0) { $0 + $1.overlap } / Double(rows.count))
  }
}

private func notFiniteText(_ count: Int) -> String {
  count > 0 ? ", \(counted(count, "pixel")) \(count == 1 ? "is" : "are") not finite" : ""
}

/// The frames of one of two clips to compare.
protocol ComparedFrames {
  /// As shown.
  var dimensions: Dimensions { get }
  /// Width to height of a pixel, as shown.
  var pixelShape: PixelAspectRatio { get }
  /// - Returns: `nil` behind the last frame.
  func next() async throws(CinematicError) -> PixelBuffer?
}

struct ComparedPictures: ComparedFrames {
  private let reader: FrameReader
  /// From pictures as stored to pictures as shown.
  let turn: QuarterTurn
  let primaries: ColorTags.Primaries
  /// Whether they are only assumed.
  let assumesPrimaries: Bool

  init(_ path: String, _ options: ReadOptions) async throws(CinematicError) {
    reader = try await FrameReader.open(path, options: options)
    turn = reader.properties.preferredTransform
    primaries = reader.properties.tags.primaries
    assumesPrimaries = reader.properties.pictureMetadata.assumesPrimaries
  }

  var dimensions: Dimensions { turn.applied(to: reader.properties.dimensions) }
  var pixelShape: PixelAspectRatio { reader.properties.shownPixelAspectRatio }

  /// - Returns: as stored.
  func next() async throws(CinematicError) -> PixelBuffer? { try await reader.next()?.pixelBuffer }
}

/// Masks of subjects: gray pictures, or the alpha of those whose first frame is not opaque throughout.
struct ComparedMasks: ComparedFrames {
  private let reader: FrameReader

  init(_ path: String, _ options: ReadOptions) async throws(CinematicError) {
    var options = options
    options.content = .mask
    reader = try await FrameReader.open(path, options: options)
    guard !reader.properties.pictureMetadata.isColoredMap else {
      throw CinematicError(
        .unsupported, "\(path) is coloured and has no alpha: it is no mask",
        remedy: "give a gray picture, as focal lift --mask writes it, or one with alpha")
    }
  }

  private var turn: QuarterTurn { reader.properties.preferredTransform }

  var dimensions: Dimensions { turn.applied(to: reader.properties.dimensions) }
  var pixelShape: PixelAspectRatio { reader.properties.shownPixelAspectRatio }

  /// - Returns: `disparityFloat`, as shown.
  func next() async throws(CinematicError) -> PixelBuffer? {
    try await reader.next()?.pixelBuffer.turnedDisparity(by: turn)
  }
}

extension PixelBuffer {
  /// RGBA floats as shown: themselves where nothing turns.
  func asShown(_ turn: QuarterTurn) throws(CinematicError) -> PixelBuffer {
    turn == .identity ? self : try turnedPixels(by: turn)
  }

  /// Makes not-a-numbers of this picture's values, RGBA floats, where those of a stored picture are not finite. Its light,
  /// of which this is made, has a number everywhere: what a rendering broke would be compared as black or as white.
  func markNotFinite(in picture: PixelBuffer) {
    switch picture.format {
    // All bits of the exponent are set.
    case .rgbaHalf: mark(picture, as: UInt16.self) { $0 & 0x7C00 == 0x7C00 }
    case .rgbaFloat: mark(picture, as: UInt32.self) { $0 & 0x7F80_0000 == 0x7F80_0000 }
    default: break
    }
  }

  private func mark<Bits: BitwiseCopyable>(
    _ picture: PixelBuffer, as type: Bits.Type, where isNotFinite: (Bits) -> Bool
  ) {
    let (from, to) = (picture.planes[0].bytesPerRow, planes[0].bytesPerRow)
    picture.withUnsafeBytes { source in
      withUnsafeMutableBytes { target in
        for y in 0..<height {
          for component in 0..<4 * width
          where isNotFinite(
            source.loadUnaligned(
              fromByteOffset: y * from + component * MemoryLayout<Bits>.stride, as: type))
          {
            target.storeBytes(
              of: Float.nan, toByteOffset: y * to + component * MemoryLayout<Float>.stride,
              as: Float.self)
          }
        }
      }
    }
  }

  /// A mask of floats as a gray picture, RGBA floats.
  func grayPicture() throws(CinematicError) -> PixelBuffer {
    try PixelBuffer(
      dimensions: dimensions, format: .rgbaFloat,
      values: cells.map { SIMD4(SIMD3(repeating: $0), 1) })
  }
}
