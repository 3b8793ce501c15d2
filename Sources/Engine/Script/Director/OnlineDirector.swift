// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Decides which subject is in focus while a clip is still being made: it sees only the past.
///
/// A subject takes focus when its smoothed score leads for a while: shortly for one that has just
/// appeared, longer for one that has turned to the camera, longest for any other; and not before
/// the one in focus has had its time. A subject that is lost keeps focus for a moment. At a cut the best subject of the
/// next shot takes it at once.
public struct OnlineDirector: Sendable {
  /// The costs and rewards that the director goes by.
  public let weights: DirectorWeights
  /// The subject in focus; `nil` before the first one is seen.
  public private(set) var focus: Decision.FocusDetectionID?

  private struct Subject: Sendable {
    var appeared: Double
    var lastSeen: Double
    var score: Double
    /// Its cues when it was last seen, and what they have done; smoothed.
    var cues: SubjectCues
    var course: SubjectCues.Course
    /// When it last turned to the camera.
    var turned: Double?
    /// Since when its score leads.
    var leadingSince: Double?
  }
  private var subjects: [Decision.FocusDetectionID: Subject] = [:]
  private var lastSwitch: Double?
  private var lastTime: Double?

  /// A director that has seen nothing yet.
  public init(weights: DirectorWeights = .standard) { self.weights = weights }

  /// Takes in a frame.
  ///
  /// - Parameters:
  ///   - time: after that of the last call; a frame that is not is passed over.
  ///   - detections: everything found in the frame, with ids.
  ///   - isCut: whether another shot begins with it.
  /// - Returns: a base decision when focus goes to another subject.
  public mutating func update(
    at time: Time, detections: [Detection], isCut: Bool = false
  ) -> Decision? {
    let now = time.seconds
    if let lastTime, now <= lastTime { return nil }
    let elapsed = lastTime.map { now - $0 } ?? 0
    lastTime = now
    // One in focus of which nothing is known gives way to any that is seen.
    if isCut { (subjects, lastSwitch) = ([:], nil) }
    observe(detections, now: now, elapsed: elapsed)
    guard let next = successor(now: now, isCut: isCut), next != focus else { return nil }
    focus = next
    lastSwitch = now
    for subject in subjects.keys { subjects[subject]?.leadingSince = nil }
    return Decision(time: time, focus: next, strong: false)
  }

  private mutating func observe(_ detections: [Detection], now: Double, elapsed: Double) {
    var seen: [Decision.FocusDetectionID: [Detection]] = [:]
    for detection in detections {
      if let subject = SubjectCues.subject(of: detection) {
        seen[subject, default: []].append(detection)
      }
    }
    func share(_ seconds: Double) -> Double { 1 - exp(-elapsed / seconds) }
    for (id, detections) in seen {
      guard let cues = SubjectCues(detections) else { continue }
      let facing = cues.isFacing ? 1.0 : 0.0
      guard var subject = subjects[id] else {
        let course = SubjectCues.Course(facing: facing)
        subjects[id] = Subject(
          appeared: now, lastSeen: now, score: cues.score(weights, course), cues: cues,
          course: course)
        continue
      }
      let wasFacing = subject.course.facing >= 0.5
      subject.course.facing += (facing - subject.course.facing) * share(0.2)
      if subject.course.facing >= 0.5, !wasFacing { subject.turned = now }
      if let motion = subject.cues.motion(to: cues) {
        let seconds = now - subject.lastSeen
        subject.course.speed += (motion.distance / seconds - subject.course.speed) * share(0.2)
        subject.course.growth += (motion.growth / seconds - subject.course.growth) * share(0.5)
      }
      subject.course.age = now - subject.appeared
      (subject.cues, subject.lastSeen) = (cues, now)
      let score = cues.score(weights, subject.course)
      subject.score += (score - subject.score) * share(weights.smoothingTime)
      subjects[id] = subject
    }
    // one that is long gone would come back as new
    subjects = subjects.filter { id, subject in
      id == focus || now - subject.lastSeen <= 2 * weights.holdTime
    }
  }

  private mutating func successor(now: Double, isCut: Bool) -> Decision.FocusDetectionID? {
    let present = subjects.filter { now - $0.value.lastSeen <= 0 }
    func isBetter(
      _ a: (key: Decision.FocusDetectionID, value: Subject),
      _ b: (key: Decision.FocusDetectionID, value: Subject)
    ) -> Bool {
      a.value.score != b.value.score ? a.value.score < b.value.score : b.key.precedes(a.key)
    }
    guard !isCut, let focus, let current = subjects[focus] else {
      return present.max(by: isBetter)?.key
    }
    if now - current.lastSeen > weights.holdTime {
      return present.filter { $0.key != focus }.max(by: isBetter)?.key
    }
    var ready: [(key: Decision.FocusDetectionID, value: Subject)] = []
    for (id, subject) in subjects where id != focus {
      guard subject.lastSeen == now, subject.score >= current.score + weights.lead else {
        subjects[id]?.leadingSince = nil
        continue
      }
      let since = subject.leadingSince ?? now
      subjects[id]?.leadingSince = since
      let patience =
        if now - subject.appeared < weights.noveltyTime {
          weights.entranceTime
        } else if let turned = subject.turned, now - turned < weights.noveltyTime {
          weights.facingTime
        } else { weights.patienceTime }
      if now - since >= patience { ready.append((id, subject)) }
    }
    if let lastSwitch, now - lastSwitch < weights.shortestSegment { return nil }
    return ready.max(by: isBetter)?.key
  }
}
