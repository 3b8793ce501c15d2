// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Foundation

/// The descriptions of the movie and its edits that clients get.
extension MovieDocument {
  func description() -> Data {
    let times = (0..<renderer.frameCount).map { renderer.timeRange(ofFrame: $0) }
    let step = times[0].duration
    let isSteady = times.dropLast().allSatisfy { $0.duration == step }
    var notes = session.notes
    if let soundFailure { notes.append("there is no sound: \(soundFailure.message)") }
    if !renderer.movie.hasRenderingAttributes {
      notes.append(
        "nothing that can be read says what is sharp: the focus is held on the largest and nearest part of"
          + " the first map")
    }
    if let curve = renderer.logCurve {
      notes.append(
        "its pictures are in \(curve.title), and are exported so; a screen's colours are shown")
    } else if hasScreenTable {
      notes.append(
        "the table given for screens is not used: nothing says that the pictures are in a camera's curve"
      )
    }
    return Message.data(
      Message.Document(
        movie: number, opening: opening, name: URL(fileURLWithPath: path).lastPathComponent,
        frameCount: renderer.frameCount, frameDuration: isSteady ? step.seconds : nil,
        start: times[0].start.seconds, end: times[times.count - 1].end.seconds,
        times: isSteady ? nil : times.map(\.start.seconds), width: renderer.dimensions.width,
        height: renderer.dimensions.height, pixelAspect: pixelAspect, hasSound: sound != nil,
        isToneMapped: renderer.isToneMapped, logCurve: renderer.logCurve?.title,
        device: renderer.device?.name ?? "",
        changes: URL(fileURLWithPath: session.changesPath).lastPathComponent,
        recordedFNumber: renderer.recording.fNumber,
        look: LookValues(renderer.recording.look), notes: notes))
  }

  func stateDescription() -> Data {
    let state = session.document.current
    let script = state.script
    let tracks = TrackTable(script)
    let racks = script.focusTransitions.map { rack in
      Message.State.Rack(
        to: DecisionKey(rack.to), start: rack.timeRange.start.seconds,
        end: rack.timeRange.end.seconds,
        curve: (script.transition(for: rack.to)?.curve ?? .minimumJerk).description,
        wanted: script.transition(for: rack.to)?.duration.seconds)
    }
    return Message.data(
      Message.State(
        movie: number, revision: session.revision, fNumber: script.fNumber,
        range: state.range.map { [frame(at: $0.start), frame(at: $0.end)] },
        look: LookValues(state.look),
        decisions: script.decisions(in: script.timeRange).map { item($0, script, tracks) },
        removed: script.removedBaseDecisions.map { item($0, script, tracks) },
        tracks: tracks.all.map(track), racks: racks, focus: focus(script, tracks),
        canUndo: session.document.canUndo, canRedo: session.document.canRedo,
        isUnsaved: session.isUnsaved, journalFailure: session.journalFailure))
  }

  private func item(
    _ decision: Decision, _ script: Script, _ tracks: TrackTable
  ) -> Message.State.DecisionItem {
    let transition = script.transition(for: decision)
    return Message.State.DecisionItem(
      key: DecisionKey(decision), frame: firstFrame(of: decision.time),
      seconds: decision.time.seconds, isStrong: decision.isStrongDecision,
      isUser: decision.isUserDecision,
      isMoved: !decision.isUserDecision && !recorded.contains(decision),
      label: Detection.accessibilityLabel(
        for: tracks.preferred(of: decision)?.detectionType ?? .unknown),
      tracks: tracks.ids(of: decision), wanted: transition?.duration.seconds,
      curve: transition?.curve.description)
  }

  private func focus(_ script: Script, _ tracks: TrackTable) -> [Message.State.Focus] {
    let parts = script.decisionsInForce
    return parts.indices.compactMap { index in
      guard let decision = parts[index].decision else { return nil }
      let end =
        index + 1 < parts.count ? firstFrame(of: parts[index + 1].start) : renderer.frameCount
      return Message.State.Focus(
        tracks: tracks.ids(of: decision), start: firstFrame(of: parts[index].start), end: end)
    }
  }

  private func track(_ track: DetectionTrack) -> Message.State.Track {
    let known = spans[ObjectIdentifier(track)]
    let found = known?.spans ?? spans(of: track)
    spans[ObjectIdentifier(track)] = (track, found)
    return Message.State.Track(
      id: track.detectionID?.rawValue ?? 0, group: track.detectionGroupID?.rawValue,
      label: Detection.accessibilityLabel(for: track.detectionType),
      isAdded: track.isUserCreated, isFixed: !track.isDiscrete, spans: found)
  }

  private func spans(of track: DetectionTrack) -> [Int] {
    guard track.isDiscrete else { return [0, renderer.frameCount] }
    var result: [Int] = []
    var frame = 0
    // Both are in the order of time. A script finds a detection in the nearest frame.
    for detection in track.detections(in: renderer.recording.timeRange) {
      while frame + 1 < scriptStarts.count,
        scriptStarts[frame + 1] - detection.time < detection.time - scriptStarts[frame]
      {
        frame += 1
      }
      if let last = result.last, frame <= last {
        result[result.count - 1] = max(last, frame + 1)
      } else {
        result += [frame, frame + 1]
      }
    }
    return result
  }

  /// The frame that is on the screen at a time; the number of frames from the last one's end on.
  func frame(at time: Time) -> Int {
    let last = renderer.timeRange(ofFrame: renderer.frameCount - 1)
    guard time < last.end else { return renderer.frameCount }
    return max(starts.partitionPoint { $0 <= time } - 1, 0)
  }

  /// The first frame in which a decision of a time of the script's is in force: that at the time or, between two frames, the next
  /// one; the number of frames behind the last one's start.
  func firstFrame(of time: Time) -> Int { scriptStarts.partitionPoint { $0 < time } }

  /// When a frame appears.
  func time(_ frame: Int?) throws(CinematicError) -> Time {
    renderer.timeRange(ofFrame: try checked(frame)).start
  }

  /// The same in the script's times: a decision at it comes into force with the frame.
  func decisionTime(_ frame: Int?) throws(CinematicError) -> Time {
    scriptStarts[try checked(frame)]
  }

  func checked(_ frame: Int?) throws(CinematicError) -> Int {
    guard let frame, (0..<renderer.frameCount).contains(frame) else {
      throw CinematicError(
        .invalidParameter, "the movie has no frame \(frame ?? -1)",
        remedy: "choose one from 0 to \(renderer.frameCount - 1)")
    }
    return frame
  }

  /// The focus at evenly spaced frames.
  func curve(_ start: Int, _ end: Int) -> Data {
    let script = session.document.current.script
    let first = max(0, min(start, renderer.frameCount - 1))
    let last = max(first + 1, min(end, renderer.frameCount))
    let count = min(last - first, 800)
    let values = (0..<count).map { index -> Float in
      let frame = first + index * (last - first) / count
      return script.frame(ofPicture: renderer.timeRange(ofFrame: frame))?.focusDisparity ?? .nan
    }
    let range = renderer.movie.reader.disparityRange.scale
    return Message.data(
      Message.Curve(
        movie: number, revision: session.revision, start: first, end: last, focus: values,
        low: min(range.low, range.high), high: max(range.low, range.high)))
  }
}

/// The tracks of a script by what decisions name them by, for a state with many decisions.
private struct TrackTable {
  let all: [DetectionTrack]
  private var byID: [DetectionID: DetectionTrack] = [:]
  private var byGroup: [DetectionGroupID: [DetectionTrack]] = [:]

  init(_ script: Script) {
    all = script.detectionTracks
    for track in all {
      if let id = track.detectionID { byID[id] = track }
      if let group = track.detectionGroupID { byGroup[group, default: []].append(track) }
    }
  }

  /// The tracks that a decision can focus on.
  func ids(of decision: Decision) -> [Int64] {
    if let id = decision.detectionID { return [id.rawValue] }
    guard let group = decision.detectionGroupID else { return [] }
    return byGroup[group]?.compactMap { $0.detectionID?.rawValue } ?? []
  }

  /// The first choice among them.
  func preferred(of decision: Decision) -> DetectionTrack? {
    if let id = decision.detectionID { return byID[id] }
    guard let group = decision.detectionGroupID else { return nil }
    return byGroup[group]?.min { $0.detectionType.focusRank < $1.detectionType.focusRank }
  }
}
