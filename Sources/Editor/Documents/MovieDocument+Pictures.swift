// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Foundation

/// Pictures, thumbnails and sound.
extension MovieDocument {
  func picture(_ wish: Wish) async throws(CinematicError) -> Reply {
    let range = renderer.timeRange(ofFrame: try checked(wish.frame))
    let state = session.document.current
    let revision = session.revision
    var settings = PreviewRenderer.Settings()
    settings.quality = wish.quality
    settings.maximumSize = wish.size
    settings.view = wish.view
    settings.isGraded = wish.isGraded
    settings.fidelity = wish.fidelity
    settings.halvesThumbnails = wish.isDraft
    let compression = wish.fidelity == .exported ? 92 : 80
    return try await lane.run(wish.purpose, line: wish.line) {
      [renderer, turn = renderer.movie.info.preferredTransform, settings]
      () async throws(CinematicError) -> Reply in
      let start = ContinuousClock.now
      let picture = try await renderer.picture(
        wish.frame, script: state.script, settings: settings)
      let bytes = try PictureWriter.bytes(of: picture, kind: .jpeg, quality: compression)
      let frame = state.script.frame(ofPicture: range)
      return .described(
        Message.Frame(
          frame: wish.frame, revision: revision, width: picture.width, height: picture.height,
          quality: wish.isDraft ? Wish.draft : "\(wish.quality)",
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
      let group = detection.detectionGroupID
      // Of a person's face, head and torso one is focused on, and all are in focus.
      let isSubject = isInFocus || (group != nil && group == focus?.detectionGroupID)
      return Message.Frame.Box(
        id: detection.detectionID?.rawValue ?? 0, group: group?.rawValue,
        label: Detection.accessibilityLabel(for: detection.detectionType),
        part: part(detection.detectionType), rect: [rect.x, rect.y, rect.width, rect.height],
        isInFocus: isInFocus, isSubject: isSubject,
        isStrong: isSubject && frame.primaryDecision?.isStrongDecision == true)
    }
  }

  /// What a detection is of its subject; `nil` for the whole.
  private static func part(_ type: DetectionType) -> String? {
    switch type {
    case .humanFace: "face"
    case .humanHead, .catHead, .dogHead: "head"
    case .humanTorso, .catBody, .dogBody: "body"
    case .unknown, .sportsBall, .autoFocus, .fixedFocus, .custom: nil
    }
  }

  /// A small sharp picture for the timeline: of the nearest frame at which decoding can begin, if it is not too far.
  ///
  /// - Parameters:
  ///   - distance: how many frames are too far.
  ///   - isGraded: as ``Wish/isGraded``.
  func thumbnail(
    _ frame: Int, distance: Int, isGraded: Bool, line: String
  ) async throws(CinematicError) -> Reply {
    let time = try time(frame)
    let first = try self.time(max(frame - distance, 0))
    let last = try self.time(min(frame + distance, renderer.frameCount - 1))
    let tolerance = Thumbnails.Tolerance(before: time - first, after: last - time)
    if thumbnails == nil {
      // They are opened by the path.
      try file.check()
      thumbnails = Task { [path, devices] in
        var settings = Thumbnails.Settings()
        settings.maximumSize = Dimensions(width: 160, height: 160)
        settings.tolerance = .unlimited
        settings.outputFormat = .still(.jpeg)
        settings.isShown = true
        settings.overrides.fNumber = .infinity
        guard let asset = try? Asset.named(path) else { return nil }
        return try? await Thumbnails(asset: asset, devices: devices, settings: settings)
      }
    }
    guard let made = await thumbnails?.value else {
      throw CinematicError(.unreadable, "there are no thumbnails of \(path)")
    }
    closeThumbnailsLater()
    let bytes = try await lane.run(.background, line: line) {
      [renderer] () async throws(CinematicError) -> [UInt8] in
      let picture = try await made.image(at: time, tolerance: tolerance).image
      if isGraded { try renderer.grade(picture) }
      return try PictureWriter.bytes(of: picture, kind: .jpeg, quality: 80)
    }
    return .data(Data(bytes), type: "image/jpeg")
  }

  /// Their decoder holds as much memory as that of the pictures: it goes when none was asked for in a while.
  private func closeThumbnailsLater() {
    thumbnailCount += 1
    let count = thumbnailCount
    Task.detached { [weak self] in
      try? await Task.sleep(for: .seconds(20))
      await self?.closeThumbnails(after: count)
    }
  }

  private func closeThumbnails(after count: Int) {
    if count == thumbnailCount { thumbnails = nil }
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
}
