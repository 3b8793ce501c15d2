// SPDX-License-Identifier: Apache-2.0

import FocalCapture
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia

/// The parts of a source that a recording does not get as they are: said before it begins.
struct CaptureNotes {
  /// The camera's name, or the file's.
  var source: String
  var properties: SourceProperties
  var recording: CaptureRecording
  /// Whether the source's own sound is recorded.
  var hearsSource: Bool

  private var movies: [String] {
    [recording.editableMovie, recording.bakedMovie].compactMap(\.self)
  }

  /// - Throws: `invalidParameter` for pictures that a movie cannot store.
  func tell() async throws(CinematicError) {
    for movie in movies {
      let pixels = try recording.pixels(for: properties, in: movie)
      try OutputNotes(
        source: source, output: movie,
        settings: WriterSettings(
          dimensions: properties.dimensions, pixelFormat: pixels.format, tags: pixels.tags),
        codingLoss: pixels.loss(of: properties.codedPixels),
        isToneMapped: ToneMapping.isNeeded(from: properties.tags, to: pixels.tags),
        clipsLight: properties.clipsLight(as: pixels.tags)
      ).tell()
    }
    if let movie = movies.first {
      SourceNotes(input: source, output: movie, options: ReadOptions())
        .tellAssumption(of: properties, in: .movie(.mov))
    }
    let lost: [String]
    do throws(CinematicError) {
      lost = try await unrecorded()
    } catch {
      note("what else is in \(source) cannot be read, and is not kept: \(error.told)")
      return
    }
    guard !lost.isEmpty else { return }
    note(
      "\(movies.joined(separator: " and ")) \(movies.count == 1 ? "does" : "do") not keep"
        + " \(lost.joined(separator: ", ")) of \(source)")
  }

  /// Keys of what is true of the file alone, such as the program that wrote it, or is named by itself.
  private static let ownKeys: Set<String> = [
    "©too", "©swr", "encoder", "major_brand", "minor_version", "compatible_brands", "duration",
    "timecode", "creation_time",
  ]

  /// The parts of a file that is played as a camera that no recording has, in words.
  private func unrecorded() async throws(CinematicError) -> [String] {
    guard properties.kind == .clip, !DeviceSource.isDevice(source) else { return [] }
    let asset = try Asset.named(source)
    var lost: [String] = []
    if hearsSource {
      let sounds = try await asset.loadTracks(withMediaType: .audio)
      if sounds.count > 1 { lost.append("\(counted(sounds.count - 1, "further track")) of sound") }
      if let heard = sounds.first {
        if let language = try await heard.load(.languageCode), language != "und" {
          lost.append("the language of the sound")
        }
        if try await goesOn(heard, of: asset) { lost.append("the sound behind the last picture") }
      }
    }
    let companions = try await FilmCompanions(
      asset, frameDuration: properties.nominalFrameDuration)
    if companions.timecode != nil { lost.append("the timecode") }
    if !companions.chapters.isEmpty { lost.append("the chapters") }
    if companions.captionTrackCount > 0 { lost.append("the captions") }
    let items = try await asset.load(.metadata)
    if items.contains(where: { !Self.ownKeys.contains($0.key.lowercased()) }) {
      lost.append("the metadata")
    }
    return lost + companions.leftOut + properties.unkeptExtras
  }

  /// Whether sound goes on when the last picture ends.
  private func goesOn(_ sound: AssetTrack, of asset: Asset) async throws(CinematicError) -> Bool {
    guard let pictures = try await asset.loadTracks(withMediaType: .video).first else {
      return false
    }
    let end = try await sound.load(.timeRange).end
    let lastEnd = try await pictures.load(.timeRange).end
    // Up to so much is what fills up a codec's last packet.
    return end - lastEnd > Time(value: 1, timescale: 20)
  }
}

extension CaptureStatistics {
  /// The pictures that were not worked on, in words.
  var leftOut: String {
    "\(droppedFrameCount) of \(arrivedFrameCount) left out"
      + (unpairedFrameCount > 0 ? ", \(unpairedFrameCount) without a partner" : "")
  }
}
