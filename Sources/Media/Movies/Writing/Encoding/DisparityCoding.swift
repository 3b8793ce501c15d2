// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// How disparities become luma codes of ten bits in a Cinematic movie's disparity track.
///
/// Code c of 0...1023 stands for low + (high − low) · c / 1023, at full range. Where maps have holes,
/// code 0 marks them and the disparities take the codes from 1.
public struct DisparityCoding: Hashable, Sendable {
  /// The disparity of code 0.
  public let low: Float
  /// The disparity of the largest code.
  public let high: Float
  /// Whether code 0 marks pixels without a disparity.
  public let hasHoles: Bool

  public static let bitDepth = 10
  static let maximumCode = (1 << bitDepth) - 1

  /// The coding of disparities within a range.
  ///
  /// - Throws: `invalidParameter` for a range that is not finite or has no extent.
  public init(_ range: ClosedRange<Float>, hasHoles: Bool = false) throws(CinematicError) {
    let extent = range.upperBound - range.lowerBound
    guard range.lowerBound.isFinite, range.upperBound.isFinite, extent > 0, extent.isFinite else {
      throw CinematicError(
        .invalidParameter,
        "disparities from \(range.lowerBound) to \(range.upperBound) have no extent",
        remedy: "give two different finite numbers")
    }
    high = range.upperBound
    low = hasHoles ? range.lowerBound - extent / Float(Self.maximumCode - 1) : range.lowerBound
    self.hasHoles = hasHoles
  }

  /// The description that the disparity track carries.
  var metadata: [ItemMetadata.Item] {
    [.float(CinematicKey.disparityLow, low), .float(CinematicKey.disparityHigh, high)]
      + (hasHoles ? [.unsigned(CinematicKey.disparityHole, 0)] : [])
  }

  /// The code nearest to a disparity; beyond the range the nearest end, for what is no disparity the
  /// hole's.
  func code(_ disparity: Float) -> UInt16 {
    guard abs(disparity) <= PixelBuffer.largestDisparity else { return 0 }
    let share = (Double(disparity) - Double(low)) / (Double(high) - Double(low))
    let lowest: Double = hasHoles ? 1 : 0
    let code = (share * Double(Self.maximumCode)).rounded()
    return UInt16(min(max(code, lowest), Double(Self.maximumCode)))
  }

  /// Stores the codes of a row of a map.
  func encode(
    _ map: PixelBuffer, row y: Int, into codes: UnsafeMutablePointer<UInt16>
  ) {
    guard map.format == .disparityFloat else {
      for x in 0..<map.width { codes[x] = code(map.disparity(x: x, y: y) ?? .nan) }
      return
    }
    let plane = map.planes[0]
    map.withUnsafeBytes(ofPlane: 0) { bytes in
      let values = (bytes.baseAddress! + y * plane.bytesPerRow).assumingMemoryBound(to: Float.self)
      for x in 0..<map.width { codes[x] = code(values[x]) }
    }
  }
}
