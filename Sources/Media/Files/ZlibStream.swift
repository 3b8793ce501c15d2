// SPDX-License-Identifier: Apache-2.0

import PNGCoding

/// Streams of zlib (RFC 1950), in which PNG files have words and old movies their index.
enum ZlibStream {
  /// What a stream holds, as far as it makes sense, whatever its sum says.
  ///
  /// - Parameter most: how many bytes it may hold; no more are made.
  /// - Returns: `nil` for a stream that holds more, or nothing.
  static func inflated(_ stream: ArraySlice<UInt8>, most: Int) -> [UInt8]? {
    guard !stream.isEmpty, most > 0 else { return nil }
    let (largest, isHuge) = stream.count.multipliedReportingOverflow(by: PNGInput.mostBytesPerByte)
    let capacity = isHuge ? most + 1 : min(largest, most + 1)
    let content = [UInt8](unsafeUninitializedCapacity: capacity) { room, count in
      count = stream.withUnsafeBufferPointer { bytes in
        guard let first = bytes.baseAddress, let place = room.baseAddress else { return 0 }
        return focal_png_inflate(first, bytes.count, place, capacity)
      }
    }
    return content.isEmpty || content.count > most ? nil : content
  }
}
