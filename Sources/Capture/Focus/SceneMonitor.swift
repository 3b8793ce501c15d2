// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A status of the scene that a session reports.
public enum CaptureSceneMonitoringStatus: String, Hashable, Sendable {
  /// It is too dark for good pictures and good maps: more light is needed.
  case notEnoughLight
}

/// Watches how bright the pictures are.
///
/// A scene has not enough light where even its brightest tenth is darker than a fifth of white in codes, which is
/// three hundredths in light. It has again where that tenth is brighter than a quarter. Either must last for half a
/// second, so that a blink of a lamp says nothing.
struct SceneMonitor: Sendable {
  private static let dark = 0.2
  private static let bright = 0.25
  private static let patience = 0.5
  private static let columns = 32
  private static let rows = 18

  private(set) var statuses: Set<CaptureSceneMonitoringStatus> = []
  private var since: Double?

  /// - Returns: whether the statuses changed.
  mutating func update(_ picture: PixelBuffer, at time: Time) -> Bool {
    guard let level = Self.level(of: picture) else { return false }
    let isDark = statuses.contains(.notEnoughLight)
    guard isDark ? level > Self.bright : level < Self.dark else {
      since = nil
      return false
    }
    let now = time.seconds
    let begin = since ?? now
    since = begin
    guard now - begin >= Self.patience else { return false }
    since = nil
    statuses = isDark ? [] : [.notEnoughLight]
    return true
  }

  /// The code that a tenth of a picture exceeds, 0 to 1; `nil` for a form of pixels that is not looked at.
  static func level(of picture: PixelBuffer) -> Double? {
    var levels: [Double] = []
    levels.reserveCapacity(columns * rows)
    let plane = picture.planes[0]
    let format = picture.format
    let isKnown = picture.withUnsafeBytes(ofPlane: 0) { bytes in
      for row in 0..<rows {
        let y = (2 * row + 1) * picture.height / (2 * rows)
        for column in 0..<columns {
          let x = (2 * column + 1) * picture.width / (2 * columns)
          let start = y * plane.bytesPerRow
          func byte(_ place: Int) -> Double { Double(bytes[start + place]) }
          func word(_ place: Int) -> Double {
            Double(bytes.loadUnaligned(fromByteOffset: start + place, as: UInt16.self))
          }
          switch format {
          case .yuv420Video8: levels.append((byte(x) - 16) / 219)
          case .yuv420Full8, .gray8: levels.append(byte(x) / 255)
          case .yuv420Video10: levels.append((word(2 * x) / 64 - 64) / 876)
          case .yuv420Full10: levels.append(word(2 * x) / 64 / 1023)
          case .gray16: levels.append(word(2 * x) / 65535)
          case .rgba8: levels.append(max(byte(4 * x), byte(4 * x + 1), byte(4 * x + 2)) / 255)
          case .rgbaFloat:
            let pixel = (0..<3).map {
              bytes.loadUnaligned(fromByteOffset: start + 16 * x + 4 * $0, as: Float.self)
            }
            levels.append(Double(pixel.max() ?? 0))
          case .rgbaHalf, .disparityHalf, .disparityFloat: return false
          }
        }
      }
      return true
    }
    guard isKnown else { return nil }
    levels.sort()
    return levels[levels.count * 9 / 10]
  }
}
