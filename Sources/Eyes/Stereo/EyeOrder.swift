// SPDX-License-Identifier: Apache-2.0

/// Signs of which eye is which, in pairs whose disparities fit either way.
///
/// Between a far thing and a nearer one to its right, the left eye sees a strip that the right eye does not: a strip
/// of the far thing, which the near one hides from the right eye. Of exchanged eyes the disparities are inverted, so
/// that such a strip seems to continue the nearer side. Each row of each strip whose sides differ is a sign.
struct EyeOrder: Sendable {
  /// Strips that continue their farther side, as they do of eyes in order.
  private(set) var inOrder = 0
  /// Strips that continue their nearer side.
  private(set) var exchanged = 0
  /// Pairs that were looked at.
  private(set) var pairCount = 0

  /// Fewer signs say nothing.
  private static let leastSigns = 100
  /// Pixels between disparities of both sides; smaller steps have no strips that can be told from noise.
  private static let leastStep: Float = 2
  /// Pixels next to a strip that may show its other side: codes of the neighbourhood spread edges so far.
  private static let blur = 4
  /// Pixels of each side that are compared with the strip.
  private static let reach = 4
  /// Codes by which both sides must differ.
  private static let leastContrast: Float = 16

  /// Whether there are enough signs to say anything.
  var isKnown: Bool { inOrder + exchanged >= Self.leastSigns }

  /// Whether the signs say that the eyes are exchanged. Of pictures that were shifted by their maps, eyes in order have
  /// 12 to 47 % of such signs; exchanged ones have 40 to 85 %, so that half of those are told, and no others.
  var isExchanged: Bool {
    isKnown && Float(exchanged) > 1.3 * Float(inOrder)
  }

  /// What is said of exchanged eyes.
  var note: String {
    "the eyes seem to be exchanged: of \(inOrder + exchanged) places that one eye alone sees, \(exchanged) look like"
      + " the nearer side, and not the farther one"
  }

  /// Adds the signs of one pair.
  ///
  /// - Parameters:
  ///   - luma: the left picture, 0 to 255, rows of `width` pixels.
  ///   - disparities: of it, in pixels; not a number where both directions of the comparison do not agree.
  mutating func add(luma: [UInt8], disparities: [Float], width: Int) {
    pairCount += 1
    for start in stride(from: 0, to: luma.count, by: width) {
      var last: Int?
      for x in 0..<width where !disparities[start + x].isNaN {
        defer { last = x }
        guard let left = last, x - left > 1 else { continue }
        let step = disparities[start + x] - disparities[start + left]
        // What the near thing hides is as wide as the step.
        guard step >= Self.leastStep, abs(Float(x - left - 1) - step) <= max(2, 0.5 * step) else {
          continue
        }
        add(luma[start..<start + width], from: left, to: x)
      }
    }
  }

  /// Adds the sign of the strip between two columns.
  private mutating func add(_ row: ArraySlice<UInt8>, from left: Int, to right: Int) {
    let (far, near) = (left - Self.blur, right + Self.blur)
    guard far - Self.reach >= 0, near + Self.reach <= row.count else { return }
    func mean(_ columns: Range<Int>) -> Float {
      let codes = row[row.startIndex + columns.lowerBound..<row.startIndex + columns.upperBound]
      return Float(codes.reduce(0) { $0 + Int($1) }) / Float(codes.count)
    }
    let (farther, nearer) = (mean(far - Self.reach..<far), mean(near..<near + Self.reach))
    guard abs(farther - nearer) >= Self.leastContrast else { return }
    let strip = mean(left + 1..<right)
    if abs(strip - farther) < abs(strip - nearer) { inOrder += 1 } else { exchanged += 1 }
  }
}
