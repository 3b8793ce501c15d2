// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The tracks of a Cinematic movie that an asset has.
struct CinematicTracks {
  var video: AssetTrack?
  /// Perhaps one without samples: recordings that are yet to be processed have such.
  var disparity: AssetTrack?
  /// Those with Cinematic keys, in the order of the file.
  var metadata: [AssetTrack] = []
  /// Whether something says that the movie was recorded in Cinematic mode, whatever is left of it.
  var hasTraces = false
  /// Whether there is a track whose description is gone, as after a copy that did not know it.
  var hasEmptyDescription = false
  /// Whether it is a picture file, or numbered ones.
  private let isPicture: Bool

  /// The sample entries of a disparity or depth track.
  static let disparityFormats: Set<FourCC> = ["dish", "deph"]
  /// The names that Cinematic metadata begins with: Apple's and this project's.
  static let keyPrefixes = ["com.apple.quicktime.cinematic-video", CinematicKey.prefix]

  init(_ asset: Asset) async throws(CinematicError) {
    isPicture = try await asset.container() is PictureContainer
    let tracks = try await asset.load(.tracks)
    var awaited: AssetTrack?
    for track in tracks {
      let entries = try await track.load(.formatDescriptions)
      var isEmpty = entries.isEmpty
      switch track.mediaType {
      case .video where entries.contains(where: { Self.disparityFormats.contains($0.format) }),
        .auxiliaryPicture
      where entries.contains(where: { Self.disparityFormats.contains($0.format) }):
        disparity = disparity ?? track
      case .auxiliaryPicture where try await Self.awaitsDisparity(track, entries):
        awaited = awaited ?? track
        isEmpty = false
      case .video:
        video = video ?? (isEmpty ? nil : track)
      case .metadata:
        if entries.contains(where: Self.isCinematic) {
          metadata.append(track)
        } else if entries.contains(where: { $0.format == "mebx" }) {
          hasTraces = true
        }
      default: break
      }
      // ffmpeg changes the handler of what it does not know, too.
      if isEmpty { hasEmptyDescription = true }
    }
    disparity = disparity ?? awaited
    if !metadata.isEmpty || disparity != nil { hasTraces = true }
    guard !hasTraces else { return }
    let items = try await asset.load(.metadata)
    hasTraces = items.contains { item in
      // Other containers spell keys in capitals.
      Self.keyPrefixes.contains { item.key.lowercased().hasPrefix($0) }
    }
  }

  /// Whether a track is only there for a disparity that is yet to be made: disabled and empty.
  private static func awaitsDisparity(
    _ track: AssetTrack, _ entries: [SampleEntry]
  ) async throws(CinematicError) -> Bool {
    guard entries.isEmpty, try await !track.load(.isEnabled) else { return false }
    return try await track.load(.sampleIndex).isEmpty
  }

  /// Whether a sample entry is one of Cinematic metadata, Apple's or this project's.
  static func isCinematic(_ entry: SampleEntry) -> Bool {
    guard case .metadata(let keys) = entry.details else { return false }
    return keys.contains { key in keyPrefixes.contains { key.identifier.hasPrefix($0) } }
  }

  /// Names what is missing and how people lose it; `nil` where everything is there.
  func failure(_ name: String) -> CinematicError? {
    var missing: [String] = []
    if video == nil { missing.append("video track") }
    if disparity == nil { missing.append("disparity track ('dish')") }
    if metadata.isEmpty { missing.append("Cinematic metadata track ('mebx')") }
    guard !missing.isEmpty else { return nil }
    guard !isPicture else {
      return CinematicError(
        .incomplete, "\(name) is a picture, and no Cinematic movie",
        remedy:
          "render it with \(parameter: .rendering), which takes the map of a portrait, or one that is given"
      )
    }
    func list(_ last: String) -> String {
      guard let end = missing.last, missing.count > 1 else { return missing.joined() }
      return missing.dropLast().joined(separator: ", ") + " \(last) " + end
    }
    guard hasTraces || hasEmptyDescription else {
      return CinematicError(
        .incomplete, "\(name) is no Cinematic movie: it has no \(list("or"))",
        remedy:
          "give an original recorded in Cinematic mode, or make one with \(parameter: .movieImport)"
      )
    }
    let cause =
      hasEmptyDescription
      ? "a copy by a program that does not know these tracks, such as ffmpeg -c copy, emptied them"
      : "sharing, editing and converting drop these tracks silently"
    return CinematicError(
      .incomplete, "\(name) has lost its \(list("and")): \(cause)",
      remedy: "take the original again: AirDrop with All Photos Data, Export Unmodified Original in"
        + " Photos, or the file without an E in its name (IMG_0001, not IMG_E0001)")
  }
}
