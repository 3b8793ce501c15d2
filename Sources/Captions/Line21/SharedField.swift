// SPDX-License-Identifier: Apache-2.0

/// The frames of a field that one channel leaves to the other.
///
/// Both channels share a pair a frame, and characters belong to the channel whose control code came last: captions go
/// on where the other channel has interrupted them (47 CFR 79.101(f)(1)(ix), (f)(2)(iv) and (f)(3)(iii); CTA-608-E,
/// C.15). So the second channel sends only where the first goes on with a control code,
/// and begins each of its own stretches with one. Its planner counts the frames that it may use; this turns
/// the numbers of those into frames of the field and back.
struct SharedField {
  private struct Stretch {
    /// Frames of the field, without those that are kept for a control code.
    var start: Int
    var end: Int
    /// The number of the first one among those that may be used.
    var first: Int
  }

  private var stretches: [Stretch] = []

  /// - Parameters:
  ///   - sent: of the first channel, in order.
  ///   - controlCost: frames that a control takes.
  init(_ sent: [(frame: Int, pair: UInt16)], controlCost: Int) {
    var start = 0
    var count = 0
    func append(to end: Int) {
      let begin = stretches.isEmpty && start == 0 ? 0 : start + controlCost
      guard end > begin else { return }
      stretches.append(Stretch(start: begin, end: end, first: count))
      if end < .max { count += end - begin }
    }
    for (frame, pair) in sent {
      if frame > start {
        if Self.isControl(pair) { append(to: frame) }
      }
      start = max(start, frame + 1)
    }
    append(to: .max)
  }

  static func isControl(_ pair: UInt16) -> Bool { pair & 0x7000 == 0x1000 }

  /// The number of the first frame from one of the field on.
  func number(from frame: Int) -> Int {
    let index = min(stretches.partitionPoint { $0.end <= frame }, stretches.count - 1)
    return stretches[index].first + max(0, frame - stretches[index].start)
  }

  func frame(_ number: Int) -> Int {
    let stretch = stretches[stretch(of: number)]
    return stretch.start + max(0, number - stretch.first)
  }

  private func stretch(of number: Int) -> Int {
    max(0, stretches.partitionPoint { $0.first <= number } - 1)
  }

  /// Pairs at their frames of the field, with the control codes that lead back to the channel.
  ///
  /// - Parameter sent: in numbers of frames, in order.
  func placed(
    _ sent: [TransmissionPlanner.Sent], controlCost: Int
  ) -> [(frame: Int, pair: UInt16)] {
    var placed: [(frame: Int, pair: UInt16)] = []
    var last: (stretch: Int, sent: TransmissionPlanner.Sent)?
    var mode = CEA608.Command.resumeCaptionLoading.code
    for one in sent {
      let stretch = stretch(of: one.frame)
      let frame = frame(one.frame)
      let isControl = Self.isControl(one.pair)
      if let last, last.stretch != stretch {
        // The second of two equal codes is a code of its own if others come between.
        if isControl, controlCost == 2, last.sent.pair == one.pair,
          last.sent.frame == one.frame - 1, !Self.isSecond(placed)
        {
          continue
        }
        if !isControl {
          for back in (1...controlCost).reversed() { placed.append((frame - back, mode)) }
        }
      }
      switch CEA608.Command(rawValue: UInt8(one.pair & 0x7F)) {
      case .resumeCaptionLoading?, .resumeDirectCaptioning?, .rollUp2?, .rollUp3?, .rollUp4?:
        if one.pair & 0x7F00 == 0x1400 { mode = one.pair }
      case .endOfCaption? where one.pair & 0x7F00 == 0x1400:
        mode = CEA608.Command.resumeCaptionLoading.code
      default: break
      }
      placed.append((frame, one.pair))
      last = (stretch, one)
    }
    return placed
  }

  /// Whether the last code is the second of two.
  private static func isSecond(_ placed: [(frame: Int, pair: UInt16)]) -> Bool {
    guard placed.count > 1 else { return false }
    let (a, b) = (placed[placed.count - 2], placed[placed.count - 1])
    return a.pair == b.pair && a.frame == b.frame - 1
  }
}
