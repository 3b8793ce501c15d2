// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The gray that is transparent in a PNG of fewer than 8 bits (PNG, third edition, 11.3.1.1). FFmpeg reads it right of 8
/// bits and more alone, and does not get it (``PNGInput``).
struct PNGTransparency {
  static let chunk = "tRNS"

  private let code: Int
  private let bits: Int

  /// `nil` for a chunk that says something else.
  ///
  /// - Parameters:
  ///   - header: of the file's chunks.
  init?(_ content: ArraySlice<UInt8>, header: ArraySlice<UInt8>) {
    let (header, content) = (Array(header), Array(content))
    guard header.count == 13, header[9] == 0, [1, 2, 4].contains(header[8]), content.count == 2
    else { return nil }
    bits = Int(header[8])
    // The lowest bits count, as of the pixels.
    code = (Int(content[0]) << 8 | Int(content[1])) & (1 << bits - 1)
  }

  /// The same picture with alpha.
  ///
  /// - Throws: `outOfMemory`.
  func applied(to frame: PictureFrame, path: String) throws(CinematicError) -> PictureFrame {
    let isPacked = frame.pixelFormat == AV_PIX_FMT_MONOBLACK
    guard isPacked || frame.pixelFormat == AV_PIX_FMT_GRAY8 else { return frame }
    guard let result = PictureFrame(AV_PIX_FMT_YA8, frame.dimensions) else {
      throw .outOfMemory(for: path)
    }
    av_frame_copy_props(result.pointer, frame.pointer)
    // The decoder spreads codes over 8 bits.
    let transparent = code * (255 / (1 << bits - 1))
    for y in 0..<frame.dimensions.height {
      let from = frame.row(y, ofPlane: 0).assumingMemoryBound(to: UInt8.self)
      let to = result.row(y, ofPlane: 0).assumingMemoryBound(to: UInt8.self)
      for x in 0..<frame.dimensions.width {
        let gray = isPacked ? (from[x / 8] >> (7 - x % 8) & 1) * 255 : from[x]
        to[2 * x] = gray
        to[2 * x + 1] = Int(gray) == transparent ? 0 : 255
      }
    }
    return result
  }
}
