// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// The meaning of the codes of a movie's disparity track.
public struct DisparityRange: Hashable, Sendable {
  /// From codes to disparities. Movies that do not say it have 0 at black and 1 at white: relative
  /// disparities may be scaled at will, as long as the focus is.
  public var scale: DisparityScale
  /// The luma code that marks pixels without a disparity.
  public var holeCode: UInt32?

  public static let unit = DisparityRange(scale: .unit, holeCode: nil)

  public init(scale: DisparityScale, holeCode: UInt32?) {
    self.scale = scale
    self.holeCode = holeCode
  }

  /// The range as a disparity track states it.
  ///
  /// - Throws: `malformed` for a range without extent, and what loading throws.
  init(_ track: AssetTrack) async throws(CinematicError) {
    self = .unit
    var values: [String: Double] = [:]
    let items = try await track.load(.metadata)
    let keys = [
      CinematicKey.disparityLow, CinematicKey.disparityHigh, CinematicKey.disparityHole,
    ]
    for item in items where keys.contains(item.key) {
      let value = try await item.load(.value)
      switch value {
      case .number(let number): values[item.key] = number
      case .integer(let integer): values[item.key] = Double(integer)
      default: break
      }
    }
    if let low = values[CinematicKey.disparityLow], let high = values[CinematicKey.disparityHigh] {
      let stated = DisparityScale(low: Float(low), high: Float(high))
      guard (try? stated.validate()) != nil else {
        throw CinematicError(
          .malformed, "\(track.assetName): its disparity reaches from \(low) to \(high)",
          remedy: "make the movie again")
      }
      scale = stated
    }
    if let hole = values[CinematicKey.disparityHole], (0...65535).contains(hole) {
      holeCode = UInt32(hole)
    }
  }
}

extension PixelBuffer {
  /// Marks the pixels of a luma code as holes.
  ///
  /// - Parameter frame: what the map of floats was made from.
  func dropDisparity(ofCode hole: UInt32, in frame: PictureFrame) {
    guard let layout = PixelLayout(frame.pixelFormat), !layout.isFloatingPoint, !layout.isOpaque
    else { return }
    var codes = [UInt32](repeating: 0, count: width)
    withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        let row = bytes.baseAddress! + y * planes[0].bytesPerRow
        let values = row.assumingMemoryBound(to: Float.self)
        codes.withUnsafeMutableBufferPointer { codes in
          layout.readCodes(frame, component: 0, row: y, count: width, into: codes.baseAddress!)
          for x in 0..<width where codes[x] == hole { values[x] = .nan }
        }
      }
    }
  }
}
