// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where a subject, a track or a group, is found in each frame, and the disparity at which focus
/// follows it.
final class SubjectTimeline: Sendable {
  /// The tracks that the subject is made of: one, or those of a group, the preferred first.
  let tracks: [DetectionTrack]
  /// The frames in which the subject is found, rising.
  let frames: [Int32]
  /// Parallel to `frames`: the position in `tracks`; empty for a single track.
  private let members: [UInt16]
  /// Parallel to `frames`: the position of the detection in its track.
  private let detections: [Int32]
  /// Parallel to `frames`: what focus is set to.
  private let focus: [Float]
  /// The first frames of shots, rising: focus does not move across them.
  private let cutFrames: [Int]
  /// The disparity of a fixed track.
  let constant: Float?

  private init(
    tracks: [DetectionTrack], frames: [Int32], members: [UInt16], detections: [Int32],
    focus: [Float], cutFrames: [Int], constant: Float?
  ) {
    self.tracks = tracks
    self.frames = frames
    self.members = members
    self.detections = detections
    self.focus = focus
    self.cutFrames = cutFrames
    self.constant = constant
  }

  /// A single track's.
  ///
  /// - Parameters:
  ///   - cutFrames: the first frames of shots, rising.
  ///   - deadZone: in disparity, see ``FocusStyle/deadZone``.
  convenience init(
    track: DetectionTrack, timeRange: TimeRange, frameTimes: FrameTimes, cutFrames: [Int],
    deadZone: Double
  ) {
    if let fixed = track as? FixedDetectionTrack {
      self.init(
        tracks: [track], frames: [], members: [], detections: [], focus: [], cutFrames: [],
        constant: fixed.focusDisparity)
      return
    }
    let times = track.samples.times
    var frames: [Int32] = []
    var detections: [Int32] = []
    let inside = track.samples.indices(in: timeRange)
    frames.reserveCapacity(inside.count)
    detections.reserveCapacity(inside.count)
    for index in inside {
      // tracks mostly have every frame: the next one is then known
      let next = frames.last.map { Int($0) + 1 } ?? 0
      let isNext = next < frameTimes.count && frameTimes[next] == times[index]
      guard let frame = isNext ? next : frameTimes.index(nearest: times[index]) else { break }
      if frames.last == Int32(frame) {
        // two detections of one frame: the nearer stays, the earlier of two as near
        let last = Int(detections[detections.count - 1])
        func distance(_ index: Int) -> Time {
          let difference = times[index] - frameTimes[frame]
          return max(difference, -difference)
        }
        if distance(index) < distance(last) { detections[detections.count - 1] = Int32(index) }
        continue
      }
      frames.append(Int32(frame))
      detections.append(Int32(index))
    }
    var follows = true
    var values = track.samples.disparities
    if let custom = track as? CustomDetectionTrack {
      values = custom.givenDisparities
      follows = custom.isSmoothed
    }
    if detections.count != values.count { values = detections.map { values[Int($0)] } }
    let focus =
      follows
      ? Self.smoothed(
        values,
        times: detections.count == times.count ? times : detections.map { times[Int($0)] },
        frames: frames, cutFrames: cutFrames, deadZone: deadZone) : values
    self.init(
      tracks: [track], frames: frames, members: [], detections: detections, focus: focus,
      cutFrames: cutFrames, constant: nil)
  }

  /// A group's: in each frame the best of the tracks that are found there. Where a better one is missing for a while, the
  /// next best stands for it at the better one's disparity, so that focus stays on the face of a subject whose torso lies
  /// deeper, though the face comes and goes.
  convenience init(
    group: [SubjectTimeline], frameTimes: FrameTimes, cutFrames: [Int], deadZone: Double
  ) {
    let ordered = group.sorted { a, b in
      let (first, second) = (a.tracks[0], b.tracks[0])
      let ranks = (first.detectionType.focusRank, second.detectionType.focusRank)
      if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
      return (first.detectionID?.rawValue ?? 0) < (second.detectionID?.rawValue ?? 0)
    }
    let discrete = ordered.filter { $0.constant == nil }.prefix(Int(UInt16.max))
    if discrete.isEmpty, let fixed = ordered.first {
      self.init(
        tracks: fixed.tracks, frames: [], members: [], detections: [], focus: [], cutFrames: [],
        constant: fixed.constant)
      return
    }
    // A frame, a member and a position have 24, 16 and 24 bits at most: of each frame, the best member comes first.
    var found: [UInt64] = []
    found.reserveCapacity(discrete.reduce(0) { $0 + $1.frames.count })
    for (member, timeline) in discrete.enumerated() {
      for (position, frame) in timeline.frames.enumerated() {
        found.append(UInt64(frame) << 40 | UInt64(member) << 24 | UInt64(position))
      }
    }
    found.sort()
    var (frames, members, detections): ([Int32], [UInt16], [Int32]) = ([], [], [])
    var values: [Float] = []
    var offsets = MemberOffsets()
    for key in found {
      let frame = Int32(key >> 40)
      let member = Int(key >> 24 & 0xFFFF)
      let detection = discrete[member].detections[Int(key & 0xFF_FFFF)]
      let track = discrete[member].tracks[0]
      let value =
        (track as? CustomDetectionTrack)?.givenDisparities[Int(detection)]
        ?? track.samples.disparities[Int(detection)]
      if frame == frames.last {
        offsets.note(member: UInt16(member), value: value, beside: frames.count - 1)
        continue
      }
      frames.append(frame)
      members.append(UInt16(member))
      detections.append(detection)
      values.append(value)
    }
    let times = frames.map { frameTimes[Int($0)] }
    let shots = frames.map { frame in cutFrames.partitionPoint { $0 <= Int(frame) } }
    let focus = Self.smoothed(
      offsets.applied(to: values, members: members, shots: shots, times: times),
      times: times, frames: frames, cutFrames: cutFrames, deadZone: deadZone)
    self.init(
      tracks: discrete.map { $0.tracks[0] }, frames: frames, members: members,
      detections: detections, focus: focus, cutFrames: cutFrames, constant: nil)
  }

  /// Disparities that are smoothed shot by shot.
  private static func smoothed(
    _ values: [Float], times: [Time], frames: [Int32], cutFrames: [Int], deadZone: Double
  ) -> [Float] {
    let smoother = DisparitySmoother(style: .standard)
    guard let first = frames.first, let last = frames.last else { return values }
    var focus: [Float] = []
    var start = 0
    for cut in cutFrames[cutFrames.partitionPoint({ $0 <= Int(first) })...] {
      guard cut <= Int(last) else { break }
      let end = frames.partitionPoint { Int($0) < cut }
      guard end > start else { continue }
      focus += smoother.smoothed(
        Array(values[start..<end]), times: Array(times[start..<end]), deadZone: deadZone)
      start = end
    }
    if start == 0 { return smoother.smoothed(values, times: times, deadZone: deadZone) }
    return focus
      + smoother.smoothed(
        Array(values[start...]), times: Array(times[start...]), deadZone: deadZone)
  }

  /// Whether there is nothing to focus on.
  var isEmpty: Bool { constant == nil && frames.isEmpty }

  /// The first frame after the subject's last one; the largest integer for a fixed track.
  var endFrame: Int {
    if constant != nil { return .max }
    return frames.last.map { Int($0) + 1 } ?? 0
  }

  /// The focus of a frame that belongs to the subject: between detections of a shot on a line, before its first and
  /// after its last as there. In a shot without any it stays as it was. Zero for an empty subject.
  func focus(atFrame frame: Int) -> Float {
    if let constant { return constant }
    guard let first = frames.first, let last = frames.last else { return 0 }
    if frame <= Int(first) { return focus[0] }
    if frame >= Int(last) { return focus[focus.count - 1] }
    let position = position(atOrBefore: frame)
    let start = Int(frames[position])
    if start == frame { return focus[position] }
    let end = Int(frames[position + 1])
    // A cut between both: the later one's shot begins at the last.
    let next = cutFrames.partitionPoint { $0 <= end }
    if next > 0, cutFrames[next - 1] > start {
      return focus[frame < cutFrames[next - 1] ? position : position + 1]
    }
    let share = Float(frame - start) / Float(end - start)
    let (from, to) = (focus[position], focus[position + 1])
    return max(min(from, to), min(max(from, to), from + (to - from) * share))
  }

  /// The subject's detection in a frame, or the latest before while the subject lasts.
  func detection(atFrame frame: Int, time: Time) -> Detection? {
    if let fixed = tracks.first as? FixedDetectionTrack { return fixed.detection(stamped: time) }
    guard let first = frames.first, frame >= Int(first), frame < endFrame else { return nil }
    return detection(at: position(atOrBefore: frame))
  }

  /// The subject's detection in just this frame; `nil` for a fixed track, which is in none.
  func detection(inFrame frame: Int) -> Detection? {
    guard let first = frames.first, frame >= Int(first), frame < endFrame else { return nil }
    let position = position(atOrBefore: frame)
    return Int(frames[position]) == frame ? detection(at: position) : nil
  }

  private func detection(at position: Int) -> Detection {
    let track = members.isEmpty ? tracks[0] : tracks[Int(members[position])]
    return track.detection(at: Int(detections[position]))
  }

  /// The position of the latest frame at or before one that is not before the first.
  private func position(atOrBefore frame: Int) -> Int {
    // tracks mostly have every frame: the position is then known
    let guess = frame - Int(frames[0])
    if guess < frames.count, Int(frames[guess]) == frame { return guess }
    return frames.partitionPoint { Int($0) <= frame } - 1
  }

  /// Every detection of the subject as a track: for a group, of the type of its best member.
  func selectedDetections() -> DetectionSamples {
    var samples = DetectionSamples()
    samples.reserveCapacity(frames.count)
    for position in frames.indices {
      let detection = detection(at: position)
      if let last = samples.times.last, detection.time <= last { continue }
      samples.append(
        time: detection.time, rect: detection.normalizedRect,
        disparity: detection.focusDisparity)
    }
    return samples
  }
}
