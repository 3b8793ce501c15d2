// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Foundation

/// Pulls focus while a clip is being made: the automatic director's choices and the caller's, frame by frame.
///
/// It knows the past alone. Focus begins to move when a decision is made and arrives a rack later; the decision that
/// is recorded bears the time of the arrival, so that the script moves focus as it moved here.
struct FocusPuller: Sendable {
  /// An order of the caller's.
  enum Order: Sendable {
    /// A subject of ids that detections bear.
    case subject(Decision.FocusDetectionID, CinematicVideoFocusMode)
    /// A distance.
    case fixed(DetectionID, disparity: Float, CinematicVideoFocusMode)
    /// Nothing but the director.
    case automatic
  }

  /// A decision, and how long focus travels to it.
  struct Made: Sendable {
    var decision: Decision
    /// Of a fixed focus.
    var disparity: Float?
    var rack: Double
    /// When focus begins to move.
    var start: Time
  }

  /// Where focus is in a frame.
  struct Outcome: Sendable {
    var focusDisparity: Float
    var subject: Decision.FocusDetectionID
    var mode: CinematicVideoFocusMode
    /// Of the map's largest and nearest part, where that is in focus.
    var autoFocus: Float?
    var made: [Made]
    /// The decisions in force, as if they were made now: what a recording that begins here begins with.
    var standing: [Made]
  }

  /// Where focus is if nobody is there: the map's own subject.
  let autoFocusID: DetectionID

  private let style = FocusStyle.standard
  private let weights: DirectorWeights
  private var director: OnlineDirector
  /// The caller's choice in force.
  private var user: (subject: Decision.FocusDetectionID, mode: CinematicVideoFocusMode)?
  private var fixedDisparity: Float = 0
  private var automatic: Decision.FocusDetectionID?
  private var current: Decision.FocusDetectionID?
  /// When each subject that matters was seen last.
  private var lastSeen: [Decision.FocusDetectionID: Double] = [:]
  /// Where the current subject is, and the two stages of the spring that follows it.
  private var goal: Float?
  private var spring: (first: Double, second: Double)?
  private var rack: (start: Time, length: Double, from: Double)?
  private var focus: Double?
  /// Where focus was, while nobody knows where it is.
  private var lastFocus: Double?
  private var lastTime: Double?
  private var mapFocus: Float?
  /// Disparities that subjects had so far, as a script's range is of its detections.
  private var seenDisparities: ClosedRange<Double>?
  private var frameCount = 0
  /// Decisions to be told with the next frame.
  private var pending: (id: DetectionID, mode: CinematicVideoFocusMode)?

  /// Seconds that a strong choice waits for its subject: it may pass behind something.
  static let strongPatience = 3.0
  /// The map's own subject is looked for every so many frames: it moves slowly, and costs as much as a small tracker.
  private static let mapInterval = 5
  /// Rate of the spring that follows the map's own subject, a second: its rule may leap.
  private static let mapRate = 3.0

  init(weights: DirectorWeights, autoFocusID: DetectionID) {
    self.weights = weights
    self.autoFocusID = autoFocusID
    director = OnlineDirector(weights: weights)
  }

  /// Takes a frame in.
  ///
  /// - Parameters:
  ///   - detections: with ids.
  ///   - isCut: whether another scene begins with it: nothing travels there from the one before, unless a strong
  ///     choice of the caller's holds the focus.
  mutating func update(
    at time: Time, detections: [Detection], map: PixelBuffer, orders: [Order], isCut: Bool = false
  ) -> Outcome {
    let now = time.seconds
    let elapsed = max(0, now - (lastTime ?? now))
    lastTime = now
    if isCut { beginShot() }
    see(detections, now)
    // A detection that was chosen at a point is the caller's.
    _ = director.update(
      at: time, detections: detections.filter { $0.detectionType != .custom }, isCut: isCut)
    if mapFocus == nil || frameCount % Self.mapInterval == 0 {
      mapFocus = map.subjectDisparity ?? mapFocus
    }
    frameCount += 1
    widenRange(detections)
    var made: [Made] = []
    if let again = pending {
      pending = nil
      made.append(fixedAgain(again.id, again.mode, time))
    }
    decideAutomatically(now, time, detections, &made)
    obey(orders, time, detections, &made)
    dropLost(now)
    let wanted = user?.subject ?? automatic ?? .single(autoFocusID)
    goal = self.goal(of: wanted, detections) ?? (wanted == current ? goal : nil) ?? mapFocus
    pull(to: wanted, time, elapsed)
    lastFocus = focus ?? lastFocus
    return Outcome(
      focusDisparity: Float(lastFocus ?? 0), subject: wanted, mode: user?.mode ?? .weak,
      autoFocus: wanted == .single(autoFocusID) ? goal : nil, made: made, standing: standing(time))
  }

  // MARK: - Other scales

  /// Forgets where focus was: maps say distances only now.
  mutating func restart() {
    forget()
    (mapFocus, seenDisparities, lastFocus) = (nil, nil, nil)
  }

  private mutating func forget() {
    (goal, spring, rack, focus, current) = (nil, nil, nil, nil, nil)
  }

  /// Another scene: nobody of the one before is waited for, but for the caller's strong choice.
  private mutating func beginShot() {
    mapFocus = nil
    if user?.mode == .weak { user = nil }
    lastSeen = lastSeen.filter { $0.key == user?.subject }
    if user == nil { forget() }
  }

  /// Brings all disparities to another scale.
  ///
  /// - Parameter fixedID: of a focus at the same distance, if one is held: its disparity is another from now on.
  mutating func rescale(fixedID: DetectionID, _ change: (Float) -> Float) {
    func changed(_ value: Double) -> Double { Double(change(Float(value))) }
    goal = goal.map(change)
    spring = spring.map { (changed($0.first), changed($0.second)) }
    if let known = rack { rack = (known.start, known.length, changed(known.from)) }
    (focus, lastFocus) = (focus.map(changed), lastFocus.map(changed))
    mapFocus = mapFocus.map(change)
    seenDisparities = seenDisparities.map { changed($0.lowerBound)...changed($0.upperBound) }
    guard let user, lastSeen[user.subject] == .infinity else { return }
    fixedDisparity = change(fixedDisparity)
    lastSeen[.single(fixedID)] = .infinity
    if current == user.subject { current = .single(fixedID) }
    self.user = (.single(fixedID), user.mode)
    pending = (fixedID, user.mode)
  }

  /// A focus that is held, at the disparity that its distance has now. One that is still on its way takes the whole of it
  /// over.
  private func fixedAgain(
    _ id: DetectionID, _ mode: CinematicVideoFocusMode, _ time: Time
  ) -> Made {
    var (start, length) = (time, 0.0)
    if let rack, time.seconds < rack.start.seconds + rack.length {
      (start, length) = (rack.start, rack.length)
    }
    return Made(
      decision: Decision(
        time: start + Time(seconds: length, preferredTimescale: start.timescale),
        focus: .single(id), strong: mode == .strong, user: true), disparity: fixedDisparity,
      rack: length, start: start)
  }

  private func standing(_ time: Time) -> [Made] {
    func made(
      _ subject: Decision.FocusDetectionID, strong: Bool, isUser: Bool, disparity: Float? = nil
    ) -> Made {
      Made(
        decision: Decision(time: time, focus: subject, strong: strong, user: isUser),
        disparity: disparity, rack: 0, start: time)
    }
    var result = [made(automatic ?? .single(autoFocusID), strong: false, isUser: false)]
    if let user {
      result.append(
        made(
          user.subject, strong: user.mode == .strong, isUser: true,
          disparity: lastSeen[user.subject] == .infinity ? fixedDisparity : nil))
    }
    return result
  }

  private mutating func see(_ detections: [Detection], _ now: Double) {
    for detection in detections {
      if let group = detection.detectionGroupID { lastSeen[.group(group)] = now }
      if let id = detection.detectionID { lastSeen[.single(id)] = now }
    }
    lastSeen = lastSeen.filter { now - $0.value < 60 || $0.key == user?.subject }
  }

  /// The director's subject, or the map's own where it has none. A change ends a weak choice; at a cut focus is at the
  /// new subject at once.
  private mutating func decideAutomatically(
    _ now: Double, _ time: Time, _ detections: [Detection], _ made: inout [Made]
  ) {
    var chosen: Decision.FocusDetectionID = .single(autoFocusID)
    if let subject = director.focus, let seen = lastSeen[subject], now - seen <= weights.holdTime {
      chosen = subject
    }
    guard chosen != automatic else { return }
    if automatic != nil, user?.mode == .weak { user = nil }
    automatic = chosen
    made.append(
      decision(chosen, strong: false, isUser: false, time, detections, isSeen: user == nil))
  }

  private mutating func obey(
    _ orders: [Order], _ time: Time, _ detections: [Detection], _ made: inout [Made]
  ) {
    // Of several in one frame, the last is meant.
    guard let order = orders.last else { return }
    switch order {
    case .subject(let subject, let mode):
      user = (subject, mode)
      lastSeen[subject] = time.seconds
      made.append(decision(subject, strong: mode == .strong, isUser: true, time, detections))
    case .fixed(let id, let disparity, let mode):
      user = (.single(id), mode)
      fixedDisparity = disparity
      lastSeen[.single(id)] = .infinity
      var decided = decision(.single(id), strong: mode == .strong, isUser: true, time, detections)
      decided.disparity = disparity
      made.append(decided)
    case .automatic:
      user = nil
      let subject = automatic ?? .single(autoFocusID)
      made.append(decision(subject, strong: false, isUser: true, time, detections))
    }
  }

  private mutating func dropLost(_ now: Double) {
    guard let chosen = user, let seen = lastSeen[chosen.subject] else { return }
    let patience = chosen.mode == .strong ? Self.strongPatience : weights.holdTime
    if now - seen > patience { user = nil }
  }

  /// - Parameter isSeen: whether focus moves because of it.
  private func decision(
    _ subject: Decision.FocusDetectionID, strong: Bool, isUser: Bool, _ time: Time,
    _ detections: [Detection], isSeen: Bool = true
  ) -> Made {
    // A session begins in focus.
    let length = isSeen ? rackLength(to: goal(of: subject, detections) ?? mapFocus) : 0
    return Made(
      decision: Decision(
        time: time + Time(seconds: length, preferredTimescale: time.timescale),
        focus: subject, strong: strong, user: isUser), rack: length, start: time)
  }

  /// Seconds of a rack from where focus is, as long as a script's: by its share of all disparities that subjects had so
  /// far.
  private func rackLength(to goal: Float?) -> Double {
    guard let focus, let goal, goal.isFinite, let seen = seenDisparities else { return 0 }
    return style.rackDuration(
      difference: Double(goal) - focus, range: seen.upperBound - seen.lowerBound)
  }

  private mutating func widenRange(_ detections: [Detection]) {
    for disparity in detections.map(\.focusDisparity) + [mapFocus].compactMap(\.self) {
      let value = Double(disparity)
      guard value.isFinite else { continue }
      let seen = seenDisparities ?? value...value
      seenDisparities = min(seen.lowerBound, value)...max(seen.upperBound, value)
    }
  }

  private func goal(of subject: Decision.FocusDetectionID, _ detections: [Detection]) -> Float? {
    if subject == .single(autoFocusID) { return mapFocus }
    if lastSeen[subject] == .infinity { return fixedDisparity }
    let found = detections.filter { detection in
      switch subject {
      case .single(let id): detection.detectionID == id
      case .group(let id): detection.detectionGroupID == id
      }
    }
    return found.min { $0.detectionType.focusRank < $1.detectionType.focusRank }?.focusDisparity
  }

  /// Follows the subject by a critically damped spring; to another one, focus travels as a hand does.
  private mutating func pull(
    to wanted: Decision.FocusDetectionID, _ time: Time, _ elapsed: Double
  ) {
    guard let goal = goal.map(Double.init), goal.isFinite else { return }
    if wanted != current {
      if let focus { rack = (time, rackLength(to: Float(goal)), focus) }
      current = wanted
      spring = (goal, goal)
    }
    let rate = wanted == .single(autoFocusID) ? Self.mapRate : style.springRate
    let gain = 1 - exp(-rate * elapsed)
    var state = spring ?? (goal, goal)
    state.first += gain * (goal - state.first)
    state.second += gain * (state.first - state.second)
    spring = state
    let now = time.seconds
    guard let rack, now < rack.start.seconds + rack.length else {
      self.rack = nil
      focus = state.second
      return
    }
    let share = Transition.Curve.minimumJerk.value(at: (now - rack.start.seconds) / rack.length)
    focus = rack.from + share * (state.second - rack.from)
  }
}
