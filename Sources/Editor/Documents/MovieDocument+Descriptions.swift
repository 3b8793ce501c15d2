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
        movie: number, name: URL(fileURLWithPath: path).lastPathComponent,
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
        decisions: script.decisions(in: script.timeRange).map { item($0, script) },
        removed: script.removedBaseDecisions.map { item($0, script) },
        tracks: script.detectionTracks.map(track), racks: racks, focus: focus(script),
        canUndo: session.document.canUndo, canRedo: session.document.canRedo,
        isUnsaved: session.isUnsaved, journalFailure: session.journalFailure))
  }

  private func item(_ decision: Decision, _ script: Script) -> Message.State.DecisionItem {
    let track = script.detectionTrack(for: decision)
    let transition = script.transition(for: decision)
    return Message.State.DecisionItem(
      key: DecisionKey(decision), frame: scriptedFrame(at: decision.time),
      seconds: decision.time.seconds, isStrong: decision.isStrongDecision,
      isUser: decision.isUserDecision,
      isMoved: !decision.isUserDecision && !recorded.contains(decision),
      label: Detection.accessibilityLabel(for: track?.detectionType ?? .unknown),
      tracks: tracks(of: decision, script), wanted: transition?.duration.seconds,
      curve: transition?.curve.description)
  }

  /// The tracks that a decision can focus on.
  private func tracks(of decision: Decision, _ script: Script) -> [Int64] {
    if let id = decision.detectionID { return [id.rawValue] }
    return script.detectionTracks.filter { $0.detectionGroupID == decision.detectionGroupID }
      .compactMap { $0.detectionID?.rawValue }
  }

  private func focus(_ script: Script) -> [Message.State.Focus] {
    let parts = script.decisionsInForce
    return parts.indices.compactMap { index in
      guard let decision = parts[index].decision else { return nil }
      let end =
        index + 1 < parts.count ? scriptedFrame(at: parts[index + 1].start) : renderer.frameCount
      return Message.State.Focus(
        tracks: tracks(of: decision, script), start: scriptedFrame(at: parts[index].start), end: end
      )
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

  /// The frame that is on the screen at a time of the script's.
  func scriptedFrame(at time: Time) -> Int {
    guard time < renderer.recording.timeRange.end else { return renderer.frameCount }
    return max(scriptStarts.partitionPoint { $0 <= time } - 1, 0)
  }

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
