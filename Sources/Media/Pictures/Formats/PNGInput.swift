// SPDX-License-Identifier: Apache-2.0

import PNGCoding

/// A PNG file as FFmpeg gets it: without chunks that it would inflate to whatever size they have, since some hundred
/// kilobytes can become gigabytes, without words, for each of which it goes through all that came before, and without the
/// transparent gray of fewer than 8 bits, which it misreads.
struct PNGInput {
  /// The file without them.
  private(set) var bytes: [UInt8]
  /// Whether one of them is the ICC profile.
  private(set) var leavesOutProfile = false

  /// Of an ICC profile. The largest in use, tables for printing with many inks, have a few megabytes.
  static let mostProfileByteCount = 16 << 20
  /// Bytes that one byte of a deflated stream stands for at most (RFC 1951's longest match in two bits).
  static let mostBytesPerByte = 1032

  init(limiting file: [UInt8]) {
    // The header is first: it says the bits and the kind of colour.
    let isPackedGray = file.count > 25 && file[24] < 8 && file[25] == 0
    bytes = []
    // Where bytes that stay begin.
    var kept = 0
    var place = 8
    while place + 12 <= file.count {
      let end = place + 12 + Int(PNGFormat.bigEndian(file, place))
      guard end <= file.count else { break }
      let type = String(decoding: file[(place + 4)..<(place + 8)], as: UTF8.self)
      // The decoder reads no further.
      if type == "IEND" { break }
      let stays: Bool
      switch type {
      // Text is not read, or not through FFmpeg.
      case _ where PNGText.chunks.contains(type): stays = false
      case "iCCP":
        stays = !Self.isTooLarge(profile: file[(place + 8)..<(end - 4)])
        leavesOutProfile = leavesOutProfile || !stays
      case PNGTransparency.chunk: stays = !isPackedGray
      default: stays = true
      }
      if !stays {
        bytes += file[kept..<place]
        kept = end
      }
      place = end
    }
    if kept == 0 { bytes = file } else { bytes += file[kept...] }
  }

  /// - Parameter content: a name that ends in zero, the method, and a deflated stream.
  private static func isTooLarge(profile content: ArraySlice<UInt8>) -> Bool {
    guard let end = content.firstIndex(of: 0) else { return false }
    let stream = Array(content[end...].dropFirst(2))
    guard stream.count > mostProfileByteCount / mostBytesPerByte else { return false }
    var inflated = [UInt8](repeating: 0, count: mostProfileByteCount + 1)
    return focal_png_inflate(stream, stream.count, &inflated, inflated.count) == inflated.count
  }
}
