// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// A movie as `focal info` describes it.
struct MovieDescription: Encodable {
  struct Track: Encodable {
    var id: UInt32
    var mediaType: String
    var format: String
    var width: Int?
    var height: Int?
    var frames: Int
    /// Pictures that are no frames because they are shown for no time, in words.
    var unseen: String?
    var start: Double
    var duration: Double
    var framesPerSecond: Double
    var isEnabled: Bool
    var primaries: String?
    var transfer: String?
    /// Whether they are of Dolby Vision, too; only where they are.
    var isDolbyVision: Bool?
    /// The profile, and behind a point what its base layer is compatible with: 5, 8.4.
    var dolbyVisionProfile: String?
    /// Of pictures: chroma and depth, and which field of interlaced ones is shown first.
    var pixels: String?
    var fieldOrder: String?
    /// The track's part in a Cinematic movie.
    var role: String?
    /// Of timed metadata.
    var keys: [String]?
  }

  struct ScriptSummary: Encodable {
    var frames: Int
    var detectionTracks: Int
    var baseDecisions: Int
    var userDecisions: Int
    var fNumber: Float
    /// The lens that the movie was meant for: values as JSON, by their names.
    var look: [String: String]
  }

  var name: String
  var fileType: String?
  var isFragmented: Bool
  var duration: Double
  var width: Int?
  var height: Int?
  /// Degrees clockwise from stored to shown.
  var rotation: Int?
  var capability: String
  var isCinematic: Bool
  /// The missing parts and the reasons; of a movie that is not Cinematic, or whose pictures cannot be shown.
  var missing: String?
  var tracks: [Track]
  var metadata: [String: String]
  var script: ScriptSummary?
  /// Where the focus comes from: the movie's script, its metadata, or, as of a phone's original, nothing
  /// that can be read; `nil` of a movie that is not Cinematic.
  var focus: String?
  /// The doubt about the file's end.
  var doubt: String?

  init(_ asset: Asset) async throws(CinematicError) {
    name = asset.name
    let (length, all, items) = try await asset.load(.duration, .tracks, .metadata)
    let (type, fragmented) = try await asset.load(.fileType, .containsFragments)
    duration = length.seconds
    doubt = await asset.doubtfulEnd()
    fileType = type.map { "\($0.majorBrand)" }
    isFragmented = fragmented
    metadata = [:]
    for item in items {
      let text = try await item.load(.stringValue)
      metadata[item.key] = text ?? counted(item.byteCount, "byte")
    }
    capability = try await AssetInfo.capability(for: asset).description
    var roles: [UInt32: String] = [:]
    do throws(CinematicError) {
      let info = try await AssetInfo(asset: asset)
      isCinematic = true
      (width, height) = (info.preferredSize.width, info.preferredSize.height)
      rotation = info.preferredTransform.rawValue
      roles = [
        info.cinematicVideoTrack.trackID: "picture",
        info.cinematicDisparityTrack.trackID:
          info.capability == .renderable ? "disparity" : "for the disparity to be made",
      ]
      for track in info.cinematicMetadataTracks {
        roles[track.trackID] =
          track === info.cinematicMetadataTrack ? "rendering metadata" : "more metadata"
      }
      do throws(CinematicError) {
        (script, focus) = try await Self.script(info)
      } catch {
        // Pictures that cannot be shown are described all the same.
        guard error.code == .unsupported else { throw error }
        missing = error.told
      }
    } catch {
      guard error.code == .incomplete else { throw error }
      isCinematic = false
      missing = error.told
      if let pictures = all.first(where: { $0.mediaType == .video }) {
        rotation = (try? await pictures.quarterTurn)?.rawValue
      }
    }
    tracks = []
    for track in all { tracks.append(try await Self.describe(track, role: roles[track.trackID])) }
  }

  private static func describe(
    _ track: AssetTrack, role: String?
  ) async throws(CinematicError) -> Track {
    let (entries, size, range, timeline) = try await track.load(
      .formatDescriptions, .naturalSize, .timeRange, .timeline)
    let (rate, isEnabled) = try await track.load(.nominalFrameRate, .isEnabled)
    var keys: [String]?
    if case .metadata(let declared) = entries.first?.details { keys = declared.map(\.identifier) }
    let color = entries.first?.color
    // A track that cannot be decoded is described as far as it can be.
    let pictures = track.mediaType == .video ? try? await track.load(.videoFormat) : nil
    return Track(
      id: track.trackID, mediaType: track.mediaType.description,
      format: entries.first.map { "\($0.format)" } ?? "no description",
      width: size.width > 0 ? size.width : nil, height: size.height > 0 ? size.height : nil,
      frames: timeline.count,
      unseen: timeline.unseenPictures.first, start: range.start.seconds,
      duration: range.duration.seconds, framesPerSecond: rate, isEnabled: isEnabled,
      primaries: color.flatMap { Self.name($0.primaries, in: Self.primaries, "primaries") },
      transfer: color.flatMap { Self.name($0.transfer, in: Self.transfers, "transfer") },
      isDolbyVision: entries.first?.isDolbyVision == true ? true : nil,
      dolbyVisionProfile: entries.first?.dolbyVision?.description,
      pixels: pictures?.codedPixels.description, fieldOrder: pictures?.fieldOrder?.rawValue,
      role: role, keys: keys)
  }

  /// A colour code in words; 2 says nothing.
  private static func name(_ code: UInt16, in names: [UInt16: String], _ kind: String) -> String? {
    code == 2 ? nil : names[code] ?? "\(kind) \(code)"
  }

  /// ITU-T H.273's codes in words.
  private static let primaries: [UInt16: String] = [
    1: "BT.709", 5: "BT.601 (625)", 6: "BT.601 (525)", 9: "BT.2020", 11: "DCI-P3", 12: "Display P3",
  ]
  private static let transfers: [UInt16: String] = [
    1: "BT.709", 6: "BT.601", 8: "linear", 13: "sRGB", 14: "BT.2020", 16: "PQ", 18: "HLG",
  ]

  /// The script that the movie carries, `nil` for a phone's, which only its maker reads; and where its
  /// focus comes from.
  private static func script(
    _ info: AssetInfo
  ) async throws(CinematicError) -> (script: ScriptSummary?, focus: String) {
    let movie = try await MovieScript(info)
    guard let recording = try movie.recording() else {
      return (nil, movie.hasRenderingAttributes ? "metadata" : "unreadable")
    }
    let script = try Script(recording: recording)
    let range = script.timeRange
    let summary = ScriptSummary(
      frames: recording.frameTimes.count, detectionTracks: script.detectionTracks.count,
      baseDecisions: script.baseDecisions(in: range).count,
      userDecisions: script.userDecisions(in: range).count, fNumber: script.fNumber,
      look: Dictionary(
        uniqueKeysWithValues: recording.look.fields.map { ($0.name, $0.json) }))
    return (summary, "script")
  }

  /// Whether nothing tells a movie: pictures are one track without a file type.
  var mayBePicture: Bool { !isCinematic && fileType == nil && tracks.count == 1 }

  // MARK: - For people

  var lines: [String] {
    var lines = ["\(name): \(headline)"]
    var general = String(format: "  %.3f s", duration)
    if let width, let height { general += ", \(width)x\(height)" }
    if let rotation, rotation != 0 {
      general +=
        width == nil
        ? ", stored turned, shown by \(rotation) degrees" : Self.turned(by: rotation)
    }
    if let fileType { general += ", type '\(fileType)'" }
    if isFragmented { general += ", fragmented" }
    lines.append(general)
    for track in tracks { lines.append("  " + line(track)) }
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(key): \(value.isEmpty ? "(empty)" : value)")
    }
    if let script {
      lines.append(
        "  script: \(counted(script.frames, "frame")),"
          + " \(counted(script.detectionTracks, "detection track")),"
          + " \(ScriptShowCommand.decisions(base: script.baseDecisions, user: script.userDecisions)),"
          + " f/\(script.fNumber)"
          + script.look.sorted { $0.key < $1.key }.map { Self.lookText($0.key, $0.value) }
          .joined())
    }
    if focus == "unreadable" {
      lines.append(
        "  its focus cannot be read: exports hold it on the largest and nearest part, unless --focus,"
          + " --focus-at, --script or --changes say otherwise")
    }
    if let missing { lines.append("  \(missing)") }
    if let doubt { lines.append("  \(name) \(doubt)") }
    return lines
  }

  /// How what is shown lies in the file, behind its size.
  static func turned(by rotation: Int) -> String {
    rotation == 0 ? "" : " (stored turned, shown by \(rotation) degrees)"
  }

  /// A value of a look; a table is no line's worth.
  static func lookText(_ name: String, _ json: String) -> String {
    name == Look.Name.apertureImage && json.utf8.count > 100
      ? ", \(name) of \(json.utf8.count) characters" : ", \(name) \(json)"
  }

  private var headline: String {
    switch capability {
    case "renderable": "Cinematic movie, can be rendered"
    case "needsPreprocessing": "Cinematic movie without disparity yet"
    default: "movie, not Cinematic"
    }
  }

  private func line(_ track: Track) -> String {
    var text = "track \(track.id): \(track.mediaType) '\(track.format)'"
    if let role = track.role { text += " (\(role))" }
    if let width = track.width, let height = track.height { text += ", \(width)x\(height)" }
    text += String(
      format: ", %@, %.3f s, %.3f a second", counted(track.frames, "sample"), track.duration,
      track.framesPerSecond)
    if let unseen = track.unseen { text += ", and \(unseen)" }
    if let primaries = track.primaries, let transfer = track.transfer {
      text += ", \(primaries) \(transfer)"
    }
    if track.isDolbyVision == true {
      text += ", Dolby Vision" + (track.dolbyVisionProfile.map { " profile \($0)" } ?? "")
    }
    if let pixels = track.pixels { text += ", \(pixels)" }
    if let order = track.fieldOrder.flatMap(FieldOrder.init) {
      text += ", interlaced, \(order.title)"
    }
    if !track.isEnabled { text += ", disabled" }
    if let keys = track.keys { text += ", keys \(keys.joined(separator: " "))" }
    return text
  }
}
