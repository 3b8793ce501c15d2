// SPDX-License-Identifier: Apache-2.0

extension PixelBuffer {
  /// The planes that a caller describes, checked against the format and the memory.
  ///
  /// - Throws: `invalidParameter`, naming the plane and the rule that it breaks.
  static func layouts(
    dimensions: Dimensions, format: PixelFormat, byteCount: Int,
    given: [(offset: Int, bytesPerRow: Int)], baseAddress: UnsafeMutableRawPointer
  ) throws(CinematicError) -> [Layout] {
    let expected = format.planes
    guard given.count == expected.count else {
      throw CinematicError(
        .invalidParameter,
        "a picture of format \(format) has \(expected.count) planes, not \(given.count)")
    }
    var layouts: [Layout] = []
    for (index, plane) in expected.enumerated() {
      let (offset, bytesPerRow) = given[index]
      let size = plane.dimensions(of: dimensions)
      let rowBytes = size.width * plane.bytesPerElement
      func refuse(_ reason: String, remedy: String? = nil) -> CinematicError {
        CinematicError(
          .invalidParameter,
          "plane \(index) of a \(dimensions) picture of format \(format) \(reason)", remedy: remedy)
      }
      guard offset >= 0 else { throw refuse("cannot start at byte \(offset)") }
      guard bytesPerRow >= rowBytes, bytesPerRow <= maximumBytesPerRow else {
        throw refuse(
          "cannot have \(bytesPerRow) bytes a row",
          remedy: "its rows need \(rowBytes) to \(maximumBytesPerRow) bytes")
      }
      let unit = format.bytesPerComponent
      guard (Int(bitPattern: baseAddress) &+ offset) % unit == 0, bytesPerRow % unit == 0 else {
        throw refuse(
          "starts at byte \(offset) with \(bytesPerRow) bytes a row, which is not aligned",
          remedy: "its rows must start at multiples of \(unit) bytes in memory")
      }
      // The last row may lack its padding.
      let needed = bytesPerRow * (size.height - 1) + rowBytes
      guard offset <= byteCount, needed <= byteCount - offset else {
        throw refuse(
          "takes \(needed) bytes from byte \(offset) on, but the memory has \(byteCount)")
      }
      for (other, earlier) in layouts.enumerated() {
        let earlierEnd =
          earlier.byteCount - earlier.bytesPerRow
          + earlier.dimensions.width * earlier.bytesPerElement + earlier.offset
        guard offset >= earlierEnd || earlier.offset >= offset + needed else {
          throw refuse("overlaps plane \(other)")
        }
      }
      layouts.append(
        Layout(
          offset: offset, bytesPerRow: bytesPerRow, dimensions: size,
          bytesPerElement: plane.bytesPerElement))
    }
    return layouts
  }

  /// Kernels count bytes of a row in 32 bits.
  static let maximumBytesPerRow = Int(Int32.max)
}
