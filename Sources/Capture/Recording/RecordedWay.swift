// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How a script moves focus to a choice that was made while it was recorded.
///
/// Live, a new choice turns focus from wherever it is, also on the way to another subject. A script has the decision that
/// is left in force before it moves to the next one: one that focus had not reached by then must be over, or it would
/// come into force after the choice that replaced it.
struct RecordedWay {
  private(set) var choice: RecordingEntry.Choice
  let start: Time
  var arrival: Time
  /// Whether focus turned away before it had gone half of the way.
  private var isDropped = false
  /// Of an automatic choice that focus did not go to, since a choice of the user's was in force: it comes into force with
  /// that one, which hides it.
  private var isHidden = false

  private init(_ choice: RecordingEntry.Choice) {
    self.choice = choice
    // A rack may have begun before the recording did.
    (start, arrival) = (max(choice.start.time, .zero), max(choice.arrival.time, .zero))
  }

  /// The ways to the choices that count, in the order in which these were made. One that focus turned away from ends
  /// there if focus was nearer to its subject than to the one before; otherwise it is left out.
  static func settled(_ choices: [RecordingEntry.Choice]) -> [RecordedWay] {
    let made = choices.map(RecordedWay.init)
    let order = made.indices.sorted { a, b in
      made[a].start != made[b].start ? made[a].start < made[b].start : a < b
    }
    var ways: [RecordedWay] = []
    // The one that focus moves to, or has moved to last.
    var moving: Int?
    for position in order {
      var next = made[position]
      if let current = moving, ways[current].arrival > next.start {
        let left = ways[current].choice
        // Only a weak choice of the user's gives way to an automatic one.
        if left.isUser, left.isStrong, !next.choice.isUser {
          next.isHidden = true
          ways.append(next)
          continue
        }
        let isBehind = !left.isUser && next.choice.isUser
        ways[current].turn(at: next.start, isBehind: isBehind)
        // What a weak choice has ended stays ended: a strong one before it would hide all automatic ones again.
        if ways[current].isDropped, left.isUser, !next.choice.isUser,
          let held = ways[..<current].last(where: { !$0.isDropped && $0.choice.isUser })?.choice,
          held.isStrong
        {
          ways[current].stay(with: held)
        }
      }
      moving = ways.count
      ways.append(next)
    }
    for position in ways.indices where ways[position].isHidden { hide(position, in: &ways) }
    return ways.filter { !$0.isDropped }
  }

  private mutating func turn(at time: Time, isBehind: Bool) {
    let isNear = (time - start).seconds * 2 >= (arrival - start).seconds
    arrival = time
    if isNear { return }
    if isBehind { isHidden = true } else { isDropped = true }
  }

  /// Makes of a choice that focus turned away from a weak one of what focus was on.
  private mutating func stay(with held: RecordingEntry.Choice) {
    isDropped = false
    (choice.id, choice.isGroup, choice.disparity) = (held.id, held.isGroup, held.disparity)
    choice.isStrong = false
  }

  /// Brings an automatic choice to the user's choice that hides it; if another automatic one comes before, it is left out.
  private static func hide(_ position: Int, in ways: inout [RecordedWay]) {
    let time = ways[position].arrival
    let kept = ways.filter { !$0.isDropped && $0.choice.isUser && $0.arrival >= time }
    let target = kept.map(\.arrival).min()
    let isReplaced = ways[(position + 1)...].contains { way in
      guard !way.isDropped, !way.choice.isUser else { return false }
      return target.map { way.arrival <= $0 } ?? true
    }
    if let target, !isReplaced {
      ways[position].arrival = target
    } else {
      ways[position].isDropped = true
    }
  }
}
