// SPDX-License-Identifier: Apache-2.0

extension PixelBuffer {
  /// The cells of a map of floats, row by row without gaps.
  ///
  /// - Precondition: `disparityFloat`.
  package var cells: [Float] {
    get {
      [Float](unsafeUninitializedCapacity: dimensions.count) { cells, count in
        count = dimensions.count
        withUnsafeBytes { bytes in
          let target = UnsafeMutableRawBufferPointer(cells)
          for y in 0..<height {
            UnsafeMutableRawBufferPointer(rebasing: target[(y * width * 4)...]).copyBytes(
              from: bytes[(y * planes[0].bytesPerRow)...].prefix(width * 4))
          }
        }
      }
    }
    set {
      newValue.withUnsafeBytes { source in
        withUnsafeMutableBytes { bytes in
          for y in 0..<height {
            UnsafeMutableRawBufferPointer(rebasing: bytes[(y * planes[0].bytesPerRow)...])
              .copyBytes(
                from: source[(y * width * 4)..<((y + 1) * width * 4)])
          }
        }
      }
    }
  }
}
