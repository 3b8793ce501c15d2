// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// A Cinematic movie with the focus script that it carries.
public struct MovieScript: Sendable {
  public let info: AssetInfo
  /// Its frames, maps and rendering attributes.
  public let reader: CinematicReader
  /// The script's JSON; `nil` where the movie carries none of this project.
  public let scriptData: Data?

  /// Opens a movie.
  ///
  /// - Throws: `incomplete` where a track is missing, `malformed` for a damaged movie.
  public init(asset: Asset) async throws(CinematicError) {
    let info = try await AssetInfo(asset: asset)
    self.info = info
    // A movie of another program may have got our metadata beside its own.
    let own = try await Self.ownTrack(asset)
    reader = try await CinematicReader(
      asset: asset, videoTrack: info.cinematicVideoTrack,
      disparityTrack: info.capability == .renderable ? info.cinematicDisparityTrack : nil,
      metadataTrack: own ?? info.cinematicMetadataTrack)
    var data: Data?
    if own != nil, reader.metadataGroupCount > 0 {
      data = try await reader.metadataGroup(0)[CinematicKey.script].map { Data($0.bytes) }
    }
    scriptData = data
  }

  /// The movie's own script; `nil` where it carries none of this project.
  ///
  /// - Throws: `malformed` for a damaged one.
  public func recording() throws(CinematicError) -> Recording? {
    guard let scriptData else { return nil }
    do throws(CinematicError) {
      return try Recording(jsonRepresentation: scriptData)
    } catch {
      throw CinematicError(
        error.code, "the focus script of \(info.asset.name): \(error.message)",
        remedy: error.remedy)
    }
  }

  /// The first track of this project's metadata.
  private static func ownTrack(_ asset: Asset) async throws(CinematicError) -> AssetTrack? {
    for track in try await asset.loadTracks(withMediaType: .metadata) {
      let entries: [SampleEntry] = try await track.load(.formatDescriptions)
      if entries.contains(where: \.isOwnMetadata) { return track }
    }
    return nil
  }

  /// The movie's own script, else one that holds the focus on the subject at the centre of the first
  /// frame: the focus of another program's movie can be decided anew.
  ///
  /// - Throws: `incomplete` for a movie without script and disparity.
  public func recordingOrSteady() async throws(CinematicError) -> Recording {
    if let recording = try recording() { return recording }
    guard let map = try await reader.frame(number: 0).disparity,
      let focus = map.centreDisparity
    else {
      throw CinematicError(
        .incomplete, "\(info.asset.name) has no disparity to focus on",
        remedy: "give an original recorded in Cinematic mode")
    }
    return try .steady(
      focusDisparity: focus, fNumber: Self.defaultFNumber,
      frames: (0..<reader.frameCount).map { reader.timeRange(ofFrame: $0) })
  }

  /// The f-number of movies that say none.
  public static let defaultFNumber: Float = 2.8
}

extension Recording {
  /// A script that holds one focus from the first frame to the last.
  ///
  /// - Parameter frames: in the order of their times, at least one.
  /// - Throws: `invalidParameter` for an f-number that is not positive, or times that do not rise.
  public static func steady(
    focusDisparity: Float, fNumber: Float, frames: [TimeRange]
  ) throws(CinematicError) -> Recording {
    let start = frames.first?.start ?? .zero
    let range = TimeRange(start: start, end: frames.last?.end ?? start)
    let frameTimes = try FrameTimes(evenlySpacedOr: frames.map(\.start))
    // A script gives the track its number.
    let script = try Script(
      recording: Recording(
        timeRange: range, frameTimes: frameTimes, fNumber: fNumber, detectionTracks: [],
        decisions: []))
    let id = script.addDetectionTrack(
      try FixedDetectionTrack(focusDisparity: focusDisparity))
    return try Recording(
      timeRange: range, frameTimes: frameTimes, fNumber: fNumber,
      detectionTracks: try script.flattened().detectionTracks,
      decisions: [Decision(time: start, detectionID: id, strong: false)])
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

extension PixelBuffer {
  /// What most likely is the subject: nearer than most of what surrounds it in the middle; `nil` for
  /// a map of holes.
  public var centreDisparity: Float? {
    let side = 0.2
    let corner = (1 - side) / 2
    return disparity(
      in: NormalizedRect(x: corner, y: corner, width: side, height: side), share: 0.7)
      ?? disparity(in: NormalizedRect(x: 0, y: 0, width: 1, height: 1), share: 0.5)
  }
}
