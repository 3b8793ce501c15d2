// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// A Cinematic movie with the focus that it carries.
public struct MovieScript: Sendable {
  public let info: AssetInfo
  /// Its frames, maps and rendering attributes.
  public let reader: CinematicReader
  /// The script's JSON, of a movie that its edit lists trim that of the part; `nil` where the movie carries none of this
  /// project, or ``isScriptCut``.
  public let scriptData: Data?
  /// Whether the movie carries a script that its edit lists cut to several parts, play at another speed, or cut away: it
  /// is not made use of, and neither is the look in it.
  public let isScriptCut: Bool
  /// Whether the movie carries rendering attributes of this project. Those of others cannot be read.
  public let hasRenderingAttributes: Bool

  /// Opens a movie.
  ///
  /// - Throws: `incomplete` where a track is missing, `malformed` for a damaged movie.
  public init(asset: Asset) async throws(CinematicError) {
    try await self.init(AssetInfo(asset: asset))
  }

  /// Opens a movie.
  ///
  /// - Throws: `malformed` for a damaged movie.
  public init(_ info: AssetInfo) async throws(CinematicError) {
    self.info = info
    // A movie of another program may have got our metadata beside its own.
    let own = try await Self.ownTrack(info.asset)
    reader = try await CinematicReader(
      asset: info.asset, videoTrack: info.cinematicVideoTrack,
      disparityTrack: info.capability == .renderable ? info.cinematicDisparityTrack : nil,
      metadataTrack: own ?? info.cinematicMetadataTrack)
    hasRenderingAttributes = own != nil && reader.metadataGroupCount > 0
    guard hasRenderingAttributes, let own else {
      (scriptData, isScriptCut) = (nil, false)
      return
    }
    if let cut = try await CutScript(own) {
      scriptData = try cut.shown()
      isScriptCut = scriptData == nil
    } else {
      scriptData = try await reader.metadataGroup(0)[CinematicKey.script].map { Data($0.bytes) }
      isScriptCut = false
    }
  }

  /// The movie's own script; `nil` where it carries none of this project. Where its tracks span no disparities, racks are
  /// measured by those that the codes of the maps can say.
  ///
  /// - Throws: `malformed` for a damaged one.
  public func recording() throws(CinematicError) -> Recording? {
    guard let scriptData else { return nil }
    do throws(CinematicError) {
      return try Recording(jsonRepresentation: scriptData).measured(byCodes: codedDisparities)
    } catch {
      throw error.replacing(
        message: "the focus script of \(info.asset.name): \(error.message)")
    }
  }

  /// The disparities that the codes of the movie's maps can say: the measure of racks in a movie whose script has nothing
  /// but one held focus.
  private var codedDisparities: ClosedRange<Float> {
    let scale = reader.disparityRange.scale
    return min(scale.low, scale.high)...max(scale.low, scale.high)
  }

  /// The first track of this project's metadata.
  private static func ownTrack(_ asset: Asset) async throws(CinematicError) -> AssetTrack? {
    for track in try await asset.loadTracks(withMediaType: .metadata) {
      let entries: [SampleEntry] = try await track.load(.formatDescriptions)
      if entries.contains(where: \.isOwnMetadata) { return track }
    }
    return nil
  }

  // MARK: - Disparity

  /// The map of the frame that is on the screen at a time, as stored.
  ///
  /// - Throws: `invalidParameter` for a time at which nothing is shown, `incomplete` for a frame without
  ///   a map.
  public func disparity(at time: Time) async throws(CinematicError) -> PixelBuffer {
    let range = reader.timeRange
    guard range.contains(time) else {
      throw CinematicError(
        .invalidParameter, "\(info.asset.name) shows nothing at \(time.secondsText) s",
        remedy: "choose a time from \(range.start.secondsText) to before \(range.end.secondsText) s"
      )
    }
    let number = frameNumber(at: time)
    guard let map = try await reader.disparity(number: number) else { throw lacksDisparity(time) }
    return map
  }

  /// The disparity of what is seen at a point of the picture as shown.
  ///
  /// - Throws: as ``disparity(at:)``; `malformed` for a place without valid disparities.
  public func disparity(
    at time: Time, point: NormalizedPoint
  ) async throws(CinematicError) -> Float {
    try FocusChoice.point(point).resolve(
      in: try await disparity(at: time), turn: info.preferredTransform)
  }

  /// The frame that is on the screen at a time; the first or the last beyond them. A time that was rounded to a little
  /// before a frame, as a script's may be, is that frame's.
  public func frameNumber(at time: Time) -> Int {
    let number = max(
      (0..<reader.frameCount).partitionPoint { reader.timeRange(ofFrame: $0).start <= time } - 1, 0)
    guard number + 1 < reader.frameCount else { return number }
    let rest = reader.timeRange(ofFrame: number + 1).start - time
    return reader.timeRange(ofFrame: number).isSliver(rest) ? number + 1 : number
  }

  /// The first frame's map that has valid disparities: what a focus for the whole movie is settled in.
  ///
  /// - Throws: `incomplete` where there is none.
  public func firstMap() async throws(CinematicError) -> PixelBuffer { try await first().map }

  /// The first map that has valid disparities, and that of the subject in it.
  private func first() async throws(CinematicError) -> (map: PixelBuffer, subject: Float) {
    for number in 0..<reader.frameCount {
      if let map = try await reader.disparity(number: number), let subject = map.subjectDisparity {
        return (map, subject)
      }
    }
    throw lacksDisparity(reader.timeRange.start)
  }

  /// A choice of focus, settled once for the whole movie: in its first map, whichever part is rendered.
  ///
  /// - Throws: `incomplete` for a movie without disparity, `malformed` for a point without one.
  public func disparity(of choice: FocusChoice) async throws(CinematicError) -> Float {
    switch choice {
    case .disparity(let value): value
    case .subject: try await first().subject
    case .point: try choice.resolve(in: try await firstMap(), turn: info.preferredTransform)
    }
  }

  private func lacksDisparity(_ time: Time) -> CinematicError {
    CinematicError(
      .incomplete,
      info.capability == .needsPreprocessing
        ? "\(info.asset.name) has no disparity yet"
        : "\(info.asset.name) has no disparity at \(time.secondsText) s",
      remedy:
        "give an original recorded in Cinematic mode, or make a movie with \(parameter: .movieImport)"
    )
  }

  // MARK: - Scripts

  /// The movie's own script, else one that says what the movie's rendering attributes say, else one
  /// that holds the focus on the subject of its first map: any movie's focus can be decided anew.
  ///
  /// - Throws: `incomplete` for a movie without script, attributes and disparity.
  public func recordingOrSteady() async throws(CinematicError) -> Recording {
    if let recording = try recording() { return recording }
    let frames = (0..<reader.frameCount).map { reader.timeRange(ofFrame: $0) }
    if hasRenderingAttributes, let recording = try await attributes(frames) { return recording }
    let (map, subject) = try await first()
    return try Recording.steady(
      focusDisparity: subject, fNumber: Self.defaultFNumber,
      frames: frames, disparityRange: map.measureOfRacks
    ).measured(byCodes: codedDisparities)
  }

  /// A script that says what the metadata of each frame say; `nil` where they say nothing.
  private func attributes(_ frames: [TimeRange]) async throws(CinematicError) -> Recording? {
    var detections: [Detection] = []
    var fNumber: Float?
    for number in 0..<reader.metadataGroupCount {
      let group = try await reader.metadataGroup(number)
      guard let attributes = group.renderingAttributes else { continue }
      fNumber = fNumber ?? attributes.fNumber
      detections.append(
        Detection(
          time: group.timeRange.start, detectionType: .autoFocus,
          normalizedRect: NormalizedRect(x: 0, y: 0, width: 1, height: 1),
          focusDisparity: attributes.focusDisparity))
    }
    guard !detections.isEmpty else { return nil }
    return try Recording.following(
      CustomDetectionTrack(detections: detections, smooth: false),
      fNumber: fNumber ?? Self.defaultFNumber, frames: frames
    ).measured(byCodes: codedDisparities)
  }

  /// The f-number of movies that say none.
  public static let defaultFNumber: Float = 2.8
}

extension PixelBuffer {
  /// The disparities of a map but for a fiftieth at either end: the measure of racks where nothing is detected. `nil` for a
  /// map without valid disparities.
  package var measureOfRacks: ClosedRange<Float>? {
    let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    guard let low = disparity(in: whole, share: 0.02), let high = disparity(in: whole, share: 0.98)
    else { return nil }
    return low...high
  }
}

extension Recording {
  /// A script that holds one focus from the first frame to the last.
  ///
  /// - Parameters:
  ///   - frames: in the order of their times, at least one.
  ///   - disparityRange: what racks are measured by when the focus is decided anew.
  /// - Throws: `invalidParameter` for an f-number that is not positive, or times that do not rise.
  public static func steady(
    focusDisparity: Float, fNumber: Float, frames: [TimeRange],
    disparityRange: ClosedRange<Float>? = nil, look: Look = Look()
  ) throws(CinematicError) -> Recording {
    try following(
      FixedDetectionTrack(focusDisparity: focusDisparity), fNumber: fNumber, frames: frames,
      disparityRange: disparityRange, look: look)
  }

  /// A script that follows one track from the first frame to the last.
  ///
  /// - Parameter cuts: when other shots begin.
  package static func following(
    _ track: DetectionTrack, fNumber: Float, frames: [TimeRange],
    disparityRange: ClosedRange<Float>? = nil, cuts: [Time] = [], look: Look = Look()
  ) throws(CinematicError) -> Recording {
    let start = frames.first?.start ?? .zero
    let range = TimeRange(start: start, end: frames.last?.end ?? start)
    let frameTimes = try FrameTimes(evenlySpacedOr: frames.map(\.start))
    // A script gives the track its number.
    let script = try Script(
      recording: Recording(
        timeRange: range, frameTimes: frameTimes, fNumber: fNumber, detectionTracks: [],
        decisions: []))
    let id = script.addDetectionTrack(track)
    return try Recording(
      timeRange: range, frameTimes: frameTimes, fNumber: fNumber,
      detectionTracks: try script.flattened().detectionTracks,
      decisions: [Decision(time: start, detectionID: id, strong: false)],
      disparityRange: disparityRange, cuts: cuts, look: look)
  }
}

extension FrameTimes {
  /// Times as a rate where they have one, else as a list.
  ///
  /// - Throws: `invalidParameter` for times that do not rise, `unsupported` for too many.
  public init(evenlySpacedOr times: [Time]) throws(CinematicError) {
    if times.count > 1, let first = times.first {
      let step = times[1] - first
      if times.indices.allSatisfy({ times[$0] == first + step * $0 }),
        let regular = try? FrameTimes(
          range: TimeRange(start: first, duration: step * times.count), frameDuration: step),
        regular.count == times.count
      {
        self = regular
        return
      }
    }
    try self.init(times)
  }
}
