// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEditing
import FocalMedia
import FocalRendering
import FocalScript
import Foundation

/// A movie that is open: its edits, its pictures and its sound.
actor MovieDocument {
  nonisolated let number: Int
  nonisolated let path: String
  private let renderer: PreviewRenderer
  private let sound: MovieSound?
  private let lane: FrameLane
  private let session: EditSession
  private let send: @Sendable (Data, String?) -> Void
  private var thumbnails: Task<Thumbnails?, Never>?
  /// When each frame appears.
  private let starts: [Time]
  private var spans: [ObjectIdentifier: (track: DetectionTrack, spans: [Int])] = [:]
  private var following: (task: Int, work: Task<Void, Never>)?
  private var taskCount = 0
  private let devices: [Device]

  /// - Parameters:
  ///   - changes: the changes file; by default the movie's name with the ending `focus`.
  ///   - send: tells every client of the movie; a message of a key takes the place of an older one.
  init(
    number: Int, path: String, changes: String?, devices: [Device],
    send: @escaping @Sendable (Data, String?) -> Void
  ) async throws(CinematicError) {
    self.number = number
    self.path = path
    self.devices = devices
    self.send = send
    let asset = try Asset.named(path)
    renderer = try await PreviewRenderer(asset: asset, devices: devices)
    starts = (0..<renderer.frameCount).map { [renderer] in renderer.timeRange(ofFrame: $0).start }
    session = try EditSession(
      recording: renderer.recording,
      changesPath: changes ?? Self.changesPath(of: path))
    var failure: CinematicError?
    do throws(CinematicError) {
      sound = try await MovieSound(asset)
    } catch {
      sound = nil
      failure = error
    }
    lane = FrameLane()
    soundFailure = failure
  }

  private let soundFailure: CinematicError?

  /// `film.focus` for `film.mov`.
  static func changesPath(of movie: String) -> String {
    let url = URL(fileURLWithPath: movie)
    return url.deletingPathExtension().path + ".focus"
  }

  var isBusy: Bool { following != nil }

  func close() {
    following?.work.cancel()
    following = nil
    session.close()
  }

  // MARK: - Descriptions

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
    return Message.data(
      Message.Document(
        movie: number, name: URL(fileURLWithPath: path).lastPathComponent,
        frameCount: renderer.frameCount, frameDuration: isSteady ? step.seconds : nil,
        start: times[0].start.seconds, end: times[times.count - 1].end.seconds,
        times: isSteady ? nil : times.map(\.start.seconds), width: renderer.dimensions.width,
        height: renderer.dimensions.height, hasSound: sound != nil,
        isToneMapped: renderer.isToneMapped, device: renderer.device?.name ?? "",
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
        tracks: script.detectionTracks.map(track), racks: racks,
        canUndo: session.document.canUndo, canRedo: session.document.canRedo,
        isUnsaved: session.document.hasUnsavedEdits, journalFailure: session.journalFailure))
  }

  private func item(_ decision: Decision, _ script: Script) -> Message.State.DecisionItem {
    var tracks: [Int64] = []
    if let id = decision.detectionID { tracks = [id.rawValue] }
    if let group = decision.detectionGroupID {
      tracks = script.detectionTracks.filter { $0.detectionGroupID == group }
        .compactMap { $0.detectionID?.rawValue }
    }
    let track = script.detectionTrack(for: decision)
    return Message.State.DecisionItem(
      key: DecisionKey(decision), frame: frame(at: decision.time),
      seconds: decision.time.seconds, isStrong: decision.isStrongDecision,
      isUser: decision.isUserDecision,
      label: Detection.accessibilityLabel(for: track?.detectionType ?? .unknown), tracks: tracks)
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
    // Both are in the order of time.
    for detection in track.detections(in: renderer.recording.timeRange) {
      while frame + 1 < starts.count, starts[frame + 1] <= detection.time { frame += 1 }
      if let last = result.last, frame <= last {
        result[result.count - 1] = max(last, frame + 1)
      } else {
        result += [frame, frame + 1]
      }
    }
    return result
  }

  /// The frame that is on the screen at a time; the number of frames from the last one's end on.
  private func frame(at time: Time) -> Int {
    let last = renderer.timeRange(ofFrame: renderer.frameCount - 1)
    guard time < last.end else { return renderer.frameCount }
    return max(starts.indices.partitionPoint { starts[$0] <= time } - 1, 0)
  }

  /// When a frame appears.
  private func time(_ frame: Int?) throws(CinematicError) -> Time {
    guard let frame, (0..<renderer.frameCount).contains(frame) else {
      throw CinematicError(
        .invalidParameter, "the movie has no frame \(frame ?? -1)",
        remedy: "choose one from 0 to \(renderer.frameCount - 1)")
    }
    return renderer.timeRange(ofFrame: frame).start
  }

  /// The focus at evenly spaced frames.
  func curve(_ start: Int, _ end: Int) -> Data {
    let script = session.document.current.script
    let first = max(0, min(start, renderer.frameCount - 1))
    let last = max(first + 1, min(end, renderer.frameCount))
    let count = min(last - first, 800)
    let values = (0..<count).map { index -> Float in
      let frame = first + index * (last - first) / count
      return script.frame(shownAt: renderer.timeRange(ofFrame: frame).start)?.focusDisparity ?? .nan
    }
    let range = renderer.movie.reader.disparityRange.scale
    return Message.data(
      Message.Curve(
        movie: number, revision: session.revision, start: first, end: last, focus: values,
        low: min(range.low, range.high), high: max(range.low, range.high)))
  }

  // MARK: - Pictures

  func picture(_ wish: Wish) async throws(CinematicError) -> Reply {
    let time = try time(wish.frame)
    let state = session.document.current
    let revision = session.revision
    var settings = PreviewRenderer.Settings()
    settings.quality = wish.quality
    settings.maximumSize = wish.size
    settings.view = wish.view
    let compression = wish.purpose == .playback ? 80 : 92
    return try await lane.run(wish.purpose, line: wish.line) {
      [renderer, turn = renderer.movie.info.preferredTransform, settings]
      () async throws(CinematicError) -> Reply in
      let start = ContinuousClock.now
      let picture = try await renderer.picture(
        wish.frame, script: state.script, look: state.look, settings: settings)
      let bytes = try PictureWriter.bytes(of: picture, kind: .jpeg, quality: compression)
      let frame = state.script.frame(shownAt: time)
      return .described(
        Message.Frame(
          frame: wish.frame, revision: revision, width: picture.width, height: picture.height,
          quality: "\(wish.quality)",
          milliseconds: (ContinuousClock.now - start) / .milliseconds(1),
          focus: frame?.focusDisparity, fNumber: frame?.fNumber ?? state.script.fNumber,
          boxes: frame.map { Self.boxes($0, turn) } ?? []), Data(bytes))
    }
  }

  private static func boxes(_ frame: ScriptFrame, _ turn: QuarterTurn) -> [Message.Frame.Box] {
    let focus = frame.focusDetection
    var detections = frame.allDetections
    if let focus, focus.detectionType == .fixedFocus, focus.hasPlace { detections.append(focus) }
    return detections.filter(\.hasPlace).map { detection in
      let rect = turn.applied(to: detection.normalizedRect)
      let isInFocus = detection.detectionID == focus?.detectionID
      return Message.Frame.Box(
        id: detection.detectionID?.rawValue ?? 0, group: detection.detectionGroupID?.rawValue,
        label: Detection.accessibilityLabel(for: detection.detectionType),
        rect: [rect.x, rect.y, rect.width, rect.height], isInFocus: isInFocus,
        isStrong: isInFocus && frame.primaryDecision?.isStrongDecision == true)
    }
  }

  /// A small sharp picture of the nearest frame at which decoding can begin, for the timeline.
  func thumbnail(_ frame: Int, line: String) async throws(CinematicError) -> Reply {
    let time = try time(frame)
    if thumbnails == nil {
      thumbnails = Task { [path, devices] in
        var settings = Thumbnails.Settings()
        settings.maximumSize = Dimensions(width: 160, height: 160)
        settings.tolerance = .unlimited
        settings.outputFormat = .still(.jpeg)
        settings.overrides.fNumber = .infinity
        guard let asset = try? Asset.named(path) else { return nil }
        return try? await Thumbnails(asset: asset, devices: devices, settings: settings)
      }
    }
    guard let made = await thumbnails?.value else {
      throw CinematicError(.unreadable, "there are no thumbnails of \(path)")
    }
    let bytes = try await lane.run(.background, line: line) {
      () async throws(CinematicError) -> [UInt8] in
      let picture = try await made.image(at: time).image
      return try PictureWriter.bytes(of: picture, kind: .jpeg, quality: 80)
    }
    return .data(Data(bytes), type: "image/jpeg")
  }

  // MARK: - Sound

  struct SoundHead: Encodable {
    var rate: Int
    var isComplete: Bool
  }

  func outline() throws(CinematicError) -> Reply {
    guard let sound else { throw Self.silent }
    let (peaks, isComplete) = sound.outline()
    return .described(
      SoundHead(rate: MovieSound.peaksPerSecond, isComplete: isComplete), Data(peaks))
  }

  /// A piece of sound, in seconds that become whole samples in the same way everywhere.
  func sound(piece: Int) async throws(CinematicError) -> Reply {
    guard let sound else { throw Self.silent }
    guard (0..<1_000_000).contains(piece) else {
      throw CinematicError(.invalidParameter, "there is no piece \(piece) of the sound")
    }
    let length = Int(sound.format.sampleRate) * MovieDocument.secondsOfSound
    return .data(try await sound.wave(from: piece * length, count: length), type: "audio/wav")
  }

  static let secondsOfSound = 2

  private static let silent = CinematicError(.invalidParameter, "the movie has no sound")

  // MARK: - Edits

  /// Does what a client asks for, and tells all clients.
  func perform(_ command: Command) async throws(CinematicError) {
    switch command.name {
    case .tap: try await tap(command)
    case .fix: try await fix(command)
    case .follow: try follow(command)
    case .cancelFollowing: following?.work.cancel()
    case .undo: session.undo()
    case .redo: session.redo()
    case .save: try session.save(replace: command.replace ?? false)
    case .saveAs: try session.save(as: command.file ?? "")
    default: try session.perform(try edit(command), gesture: command.gesture)
    }
    tell()
  }

  private func tell() { send(stateDescription(), "state") }

  private func edit(_ command: Command) throws(CinematicError) -> Edit {
    let script = session.document.current.script
    func decision() throws(CinematicError) -> Decision {
      guard let key = command.decision else { throw Self.incomplete }
      return try key.decision(in: script)
    }
    switch command.name {
    case .decide:
      let (time, strong) = (try time(command.frame), command.strong ?? false)
      if let group = command.group {
        return .decide(
          Decision(time: time, detectionGroupID: DetectionGroupID(group), strong: strong))
      }
      guard let track = command.track else { throw Self.incomplete }
      return .decide(Decision(time: time, detectionID: DetectionID(track), strong: strong))
    case .strength: return .setStrength(try decision(), strong: command.strong ?? false)
    case .move: return .move(try decision(), to: try time(command.frame))
    case .takeBack: return .takeBack(try decision())
    case .removeTrack:
      guard let track = command.track else { throw Self.incomplete }
      return .removeTrack(DetectionID(track))
    case .rack:
      guard let seconds = command.seconds else { return .setRack(try decision(), nil) }
      guard seconds.isFinite, (0...3600).contains(seconds) else { throw Self.incomplete }
      var curve = Transition.Curve.minimumJerk
      if let name = command.curve {
        guard let named = Transition.Curve.allCases.first(where: { $0.description == name }) else {
          throw Self.incomplete
        }
        curve = named
      }
      return .setRack(
        try decision(),
        Transition(duration: Time(seconds: seconds, preferredTimescale: 1000), curve: curve))
    case .fNumber: return .setFNumber(command.value ?? .nan)
    case .range:
      guard let start = command.start, let end = command.end else { return .setRange(nil) }
      guard (0..<renderer.frameCount).contains(start), end > start, end <= renderer.frameCount
      else {
        throw Self.incomplete
      }
      return .setRange(
        TimeRange(
          start: renderer.timeRange(ofFrame: start).start,
          end: renderer.timeRange(ofFrame: end - 1).end))
    case .look:
      guard let values = command.look else { throw Self.incomplete }
      let look = try values.look()
      try RenderingSession.Attributes().with(look).validate()
      return .setLook(look)
    case .direct: return .direct
    case .revert: return .revert
    default: throw Self.incomplete
    }
  }

  private static let incomplete = CinematicError(
    .invalidParameter, "a command of the page is incomplete or outside its range",
    remedy: "load the page again")

  private func point(_ command: Command) throws(CinematicError) -> NormalizedPoint {
    guard let x = command.x, let y = command.y, (0...1).contains(x), (0...1).contains(y) else {
      throw Self.incomplete
    }
    return NormalizedPoint(x: x, y: y)
  }

  /// A tap: what is detected there comes into focus; the same once more, strongly. Where nothing is detected, an
  /// object is looked for and followed.
  private func tap(_ command: Command) async throws(CinematicError) {
    let point = try point(command)
    let time = try time(command.frame)
    let script = session.document.current.script
    let place = renderer.movie.info.preferredTransform.inverse.applied(to: point)
    guard let subject = script.frame(shownAt: time)?.subject(at: place) else {
      return try follow(command)
    }
    // What a user's decision has in focus already is held by the next tap.
    let inForce = script.primaryDecision(at: time)
    let isAgain = inForce?.focusDetectionID == subject && inForce?.isUserDecision == true
    if isAgain, inForce?.isStrongDecision == true { return }
    let decision = Decision(time: time, focus: subject, strong: command.strong ?? isAgain)
    if isAgain, inForce == decision.with(user: true) { return }
    try session.perform(.decide(decision))
  }

  /// Holds the disparity at a point.
  private func fix(_ command: Command) async throws(CinematicError) {
    let point = try point(command)
    let time = try time(command.frame)
    let value = try await renderer.movie.disparity(at: time, point: point)
    let place = renderer.movie.info.preferredTransform.inverse.applied(to: point)
    let detection = Detection(
      time: time, detectionType: .fixedFocus, normalizedRect: .around(place),
      focusDisparity: value)
    try session.perform(.fix(detection, strong: command.strong ?? true))
  }

  // MARK: - Following

  private func follow(_ command: Command) throws(CinematicError) {
    guard following == nil else {
      throw CinematicError(
        .invalidState, "another object is being followed",
        remedy: "wait until it is done, or cancel it")
    }
    let point = try point(command)
    let time = try time(command.frame)
    taskCount += 1
    let task = taskCount
    let work = Task { [path] in
      let result: Result<FollowedObject?, CinematicError>
      do throws(CinematicError) {
        result = .success(try await self.followed(point, from: time, path, task))
      } catch {
        result = .failure(error)
      }
      self.finishFollowing(task, result, strong: command.strong ?? false)
    }
    following = (task, work)
  }

  /// By a reader of its own, so that scrubbing and following do not take each other's place.
  private nonisolated func followed(
    _ point: NormalizedPoint, from time: Time, _ path: String, _ task: Int
  ) async throws(CinematicError) -> FollowedObject? {
    let movie = try await MovieScript(asset: Asset.named(path))
    var last = ContinuousClock.now - .seconds(1)
    return try await movie.follow(
      { () throws(CinematicError) in
        ObjectFollower(.point(point), turn: movie.info.preferredTransform)
      }, from: time, until: nil
    ) { done, total, box in
      let now = ContinuousClock.now
      guard now - last > .milliseconds(100) || done == total else { return }
      last = now
      send(
        Message.data(
          Message.Following(
            movie: number, task: task, done: done, total: total,
            rect: box?.rect.map { [$0.x, $0.y, $0.width, $0.height] }, frame: box?.frame)),
        "following")
    }
  }

  private func finishFollowing(
    _ task: Int, _ result: Result<FollowedObject?, CinematicError>, strong: Bool
  ) {
    following = nil
    var message = Message.Following(movie: number, task: task, done: 0, total: 0)
    do throws(CinematicError) {
      guard let followed = try result.get() else {
        throw CinematicError(.incomplete, "the movie has no disparity from here on")
      }
      try session.perform(.follow(followed.track, at: followed.start, strong: strong))
      let missed = followed.boxes.count { $0.rect == nil }
      message.outcome =
        "followed in \(followed.boxes.count - missed) frames"
        + (missed > 0 ? ", not found in \(missed)" : "")
    } catch {
      message.outcome =
        error.code == .cancelled
        ? "cancelled" : error.message + (error.remedy.map { "; \($0)" } ?? "")
    }
    send(Message.data(message), nil)
    tell()
  }

  // MARK: - For commands

  /// What an export needs of the present state: the changes in a file of its own, the range, the look.
  func snapshot(in folder: String) throws(CinematicError) -> (
    changes: String, options: [String], range: [String]
  ) {
    let state = session.document.current
    let path = "\(folder)/\(UUID().uuidString).focus"
    let writer = try DataWriter(path: path)
    defer { writer.cancel() }
    try writer.write([UInt8](state.changes.dataRepresentation))
    try writer.finish()
    let range = state.range.map { ["--range", "\($0.start)-\($0.end)"] } ?? []
    return (path, LookValues.options(state.look), range)
  }

  func exactTime(ofFrame frame: Int?) throws(CinematicError) -> String {
    try time(frame).description
  }
}
