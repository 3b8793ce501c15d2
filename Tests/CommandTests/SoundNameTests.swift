// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// The names of tracks of sound in exports.
@Suite struct SoundNameTests {
  /// A movie of two tracks of sound, each with a name and what it is there for.
  private static func movie(_ name: String, in folder: Folder) async throws {
    folder.write(Material.wave(seconds: 0.2), to: "sound.wav")
    let asset = try Asset.named(folder.file("sound.wav"))
    let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    let source = try await SoundSource(track)
    let tracks = labels.map { label in
      var track = SoundTrack(
        segments: [
          SoundSegment(
            source: source,
            sourceTimeRange: TimeRange(start: .zero, duration: Time(value: 1, timescale: 5)),
            time: .zero)
        ], languageCode: "fra")
      track.labels = label
      return track
    }
    var settings = WriterSettings(
      dimensions: Material.size, pixelFormat: .yuv420Video8, tags: .bt709)
    settings.encoderPreset = "ultrafast"
    settings.sound = .tracks(tracks)
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    for number in 0..<6 {
      try writer.append(
        Material.picture(Material.size, .yuv420Video8, tags: .bt709),
        time: Time(value: Int64(number), timescale: 30), duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
    try Material.numberedMaps(6, in: folder)
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", name],
      in: folder)
  }

  private static let labels = [
    TrackLabels(name: "Version française"),
    TrackLabels(name: "The director’s commentary", roles: ["commentary"]),
  ]

  @Test(arguments: ["film.mov", "film.mp4"]) func exports(_ film: String) async throws {
    let folder = Folder()
    try await Self.movie("movie.mov", in: folder)
    for movies in [["movie.mov"], ["movie.mov", "movie.mov"]] {
      try await works(["export"] + movies + ["-o", film, "--force"], in: folder)
      var found: [TrackLabels] = []
      for track in try await Asset(path: folder.file(film)).loadTracks(withMediaType: .audio) {
        found.append(try await track.labels())
        #expect(try await track.load(.languageCode) == "fra")
      }
      #expect(found == Self.labels, "\(movies.count)")
    }
  }
}
