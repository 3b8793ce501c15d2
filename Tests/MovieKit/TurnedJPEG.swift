// SPDX-License-Identifier: Apache-2.0

/// A JPEG that says how its pixels lie, 1 to 8: behind its first two bytes a segment of EXIF with one entry.
public func turnedJPEG(_ bytes: [UInt8], to orientation: Int) -> [UInt8] {
  let exif: [UInt8] =
    [
      0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(orientation), 0, 0,
      0,
    ]
    + [0, 0, 0, 0]
  let content = Array("Exif\0\0".utf8) + exif
  let segment = [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content
  return bytes.prefix(2) + segment + bytes.dropFirst(2)
}
