// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The statements of a picture file's header, judged before memory is taken for the picture.
struct PictureClaim {
  let dimensions: Dimensions
  /// Of a pixel as the decoder delivers it.
  let bytesPerPixel: Int
  /// Of a pixel that is converted: bytes of RGBA, of deep samples floats.
  private let convertedBytesPerPixel: Int
  private let path: String

  /// A command holds a few pictures side by side: two that are compared and their difference; a picture, its map and
  /// the result. Nothing counts them all, so each has a third.
  private static let share = 3

  /// - Parameters:
  ///   - bytesPerPixel: of a pixel as the decoder delivers it.
  ///   - isDeep: whether samples have more than 8 bits.
  init(_ dimensions: Dimensions, bytesPerPixel: Int, isDeep: Bool, _ request: StillRequest) {
    self.dimensions = dimensions
    self.bytesPerPixel = bytesPerPixel
    convertedBytesPerPixel = request.isConvertedWhole ? (isDeep ? 16 : 4) : 0
    path = request.path
  }

  /// A picture beside another, such as a map: it is not converted.
  init(_ dimensions: Dimensions, bytesPerPixel: Int, path: String) {
    self.dimensions = dimensions
    self.bytesPerPixel = bytesPerPixel
    convertedBytesPerPixel = 0
    self.path = path
  }

  private var pixelCount: Int { dimensions.claimedCount }

  /// Refuses a picture that takes more than a third of the memory to work with, decoded and converted.
  ///
  /// - Throws: `outOfMemory`.
  func checkMemory() throws(CinematicError) {
    let (count, isTooLarge) = pixelCount.multipliedReportingOverflow(
      by: bytesPerPixel + convertedBytesPerPixel)
    try MemoryBudget.check(
      isTooLarge ? .max : count, share: Self.share,
      for: "\(path), a picture of \(dimensions) pixels,")
  }

  /// Refuses a picture whose bytes cannot hold what it claims.
  ///
  /// - Parameters:
  ///   - byteCount: of coded pixels at most.
  ///   - most: pixels that a byte can stand for at most.
  /// - Throws: `malformed`.
  func check(_ byteCount: Int, mostPixelsPerByte most: Int) throws(CinematicError) {
    let (largest, isLarger) = byteCount.multipliedReportingOverflow(by: most)
    guard !isLarger, largest < pixelCount else { return }
    throw CinematicError(
      .malformed,
      "\(path) is damaged or cut short: its \(byteCount) bytes of pixels cannot hold the \(dimensions)"
        + " that it claims", remedy: "make or copy the file again")
  }
}

extension Dimensions {
  /// How many pixels there are by a statement of any size; the largest number where that has none.
  var claimedCount: Int {
    let (count, isTooLarge) = width.multipliedReportingOverflow(by: height)
    return isTooLarge ? .max : count
  }
}
