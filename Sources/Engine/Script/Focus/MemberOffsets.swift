// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// By how much the disparities of a group's members differ from those of better ones, where both are found.
///
/// A face and its torso do not lie equally deep. If focus went to the torso's disparity whenever the face is not found, it
/// would swing with each look that the detector misses.
struct MemberOffsets {
  /// Frames on each side of a gap, in which both are found, whose median is the difference there: half a second at 30 a
  /// second.
  private static let length = 15
  /// Seconds from such a frame up to which its difference counts fully, and from which on it counts no more: what was seen
  /// together long ago tells little, and what is left of a subject that turned away is followed as it is.
  private static let (full, gone) = (1.0, 2.0)

  /// A frame in which a member is found beside the best one.
  private struct Pair {
    /// Among the frames in which any member is found.
    var index: Int
    /// The member's disparity.
    var value: Float
  }
  /// What is known of a member on one side of a gap.
  private struct Side {
    var time: Time
    var difference: Double

    /// The share of the difference that counts at a time.
    func weight(at other: Time) -> Double {
      let elapsed = abs((other - time).seconds)
      return max(0, min(1, (gone - elapsed) / (gone - full)))
    }
  }
  /// By member, in the order of frames.
  private var pairs: [UInt16: [Pair]] = [:]

  /// - Parameter index: that of the frame, of those in which any member is found; they come in order.
  mutating func note(member: UInt16, value: Float, beside index: Int) {
    pairs[member, default: []].append(Pair(index: index, value: value))
  }

  /// The disparities of the best members of frames, as if the best of all were found throughout.
  ///
  /// - Parameters:
  ///   - values, members: of the best member of each frame; the lower number is the better one.
  ///   - shots, times: of the frames. Nothing is known across shots.
  /// - Returns: as many values, inside the range of what was found.
  func applied(
    to values: [Float], members: [UInt16], shots: [Int], times: [Time]
  ) -> [Float] {
    guard !pairs.isEmpty, var low = values.min(), var high = values.max() else { return values }
    for pair in pairs.values.joined() {
      (low, high) = (min(low, pair.value), max(high, pair.value))
    }
    var alone: [UInt16: [Int]] = [:]
    for (index, member) in members.enumerated() where pairs[member] != nil {
      alone[member, default: []].append(index)
    }
    var result = values
    // The better ones first: others are measured by what stands in their frames then.
    for (member, indices) in alone.sorted(by: { $0.key < $1.key }) {
      let pairs = pairs[member] ?? []
      let differences = pairs.map { result[$0.index] - $0.value }
      /// Of those of a shot; `nil` where there is none.
      func side(_ range: Range<Int>, nearest: Int, shot: Int) -> Side? {
        let inside = range.clamped(to: pairs.indices).filter { shots[pairs[$0].index] == shot }
        guard pairs.indices.contains(nearest), inside.contains(nearest) else { return nil }
        return inside.map { differences[$0] }.median.map {
          Side(time: times[pairs[nearest].index], difference: $0)
        }
      }
      var position = 0
      /// The sides of the gap that ends at `position`, in a shot.
      var gap: (position: Int, shot: Int, before: Side?, after: Side?)?
      for index in indices {
        while position < pairs.count, pairs[position].index < index { position += 1 }
        let shot = shots[index]
        if gap?.position != position || gap?.shot != shot {
          gap = (
            position, shot,
            side((position - Self.length)..<position, nearest: position - 1, shot: shot),
            side(position..<(position + Self.length), nearest: position, shot: shot)
          )
        }
        let offset = Self.offset(at: times[index], before: gap?.before, after: gap?.after)
        result[index] = max(low, min(high, Float(Double(values[index]) + offset)))
      }
    }
    return result
  }

  /// From the difference on one side to that on the other, on a line.
  private static func offset(at time: Time, before: Side?, after: Side?) -> Double {
    let earlier = before.map { $0.weight(at: time) * $0.difference }
    let later = after.map { $0.weight(at: time) * $0.difference }
    guard let before, let after, let earlier, let later else { return earlier ?? later ?? 0 }
    let share = (time - before.time).seconds / (after.time - before.time).seconds
    return earlier + (later - earlier) * share
  }
}
