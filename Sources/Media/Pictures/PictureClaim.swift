// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What a picture file's header claims, judged before memory is taken for it.
struct PictureClaim {
  let dimensions: Dimensions
  /// Of a pixel as the decoder delivers it.
  let bytesPerPixel: Int
  /// The file's name, for messages.
  let path: String

  /// Bytes of a pixel buffer's pixel at most.
  private static let mostBytesPerPixel = 16

  private var pixelCount: Int {
    let (count, isTooLarge) = dimensions.width.multipliedReportingOverflow(by: dimensions.height)
    return isTooLarge ? .max : count
  }

  /// Refuses a picture that, decoded whole and converted, takes more than the memory to work with.
  ///
  /// - Throws: `outOfMemory`.
  func checkMemory() throws(CinematicError) {
    let converted = min(Self.mostBytesPerPixel, 2 * bytesPerPixel + 4)
    let (count, isTooLarge) = pixelCount.multipliedReportingOverflow(by: bytesPerPixel + converted)
    try MemoryBudget.check(
      isTooLarge ? .max : count, for: "\(path), a picture of \(dimensions) pixels,")
  }

  /// Refuses a picture whose bytes cannot hold what it claims.
  ///
  /// - Parameters:
  ///   - byteCount: of coded pixels at most.
  ///   - most: pixels that a byte can stand for at most.
  /// - Throws: `malformed`.
  func check(_ byteCount: Int, mostPixelsPerByte most: Int) throws(CinematicError) {
    guard byteCount.multipliedReportingOverflow(by: most).overflow == false,
      byteCount * most < pixelCount
    else { return }
    throw CinematicError(
      .malformed,
      "\(path) is damaged or cut short: its \(byteCount) bytes of pixels cannot hold the \(dimensions)"
        + " that it claims", remedy: "make or copy the file again")
  }
}
