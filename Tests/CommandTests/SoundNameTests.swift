// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Testing

@testable import FocalMedia

/// The names of tracks of sound in exports.
@Suite struct SoundNameTests {
  /// A movie of one or two tracks of sound, each with a name and what it is there for.
  private static func movie(
    _ name: String, _ choices: [TrackChoice] = [TrackChoice(), TrackChoice()],
    languages: [String] = ["fra", "fra"], labels: [TrackLabels] = Self.labels, in folder: Folder
  ) async throws {
    folder.write(Material.wave(seconds: 0.2), to: "sound.wav")
    let asset = try Asset.named(folder.file("sound.wav"))
    let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    let source = try await SoundSource(track)
    let tracks = languages.indices.map { number in
      var track = SoundTrack(
        segments: [
          SoundSegment(
            source: source,
            sourceTimeRange: TimeRange(start: .zero, duration: Time(value: 1, timescale: 5)),
            time: .zero)
        ], languageCode: languages[number])
      track.labels = labels[number]
      track.choice = choices[number]
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
      let outcome = try await works(["export"] + movies + ["-o", film, "--force"], in: folder)
      #expect(
        outcome.errors.contains("track 2 of the sound (pcm_s16le) is encoded as AAC")
          == film.hasSuffix("4"), "\(outcome.errors)")
      var found: [TrackLabels] = []
      for track in try await Asset(path: folder.file(film)).loadTracks(withMediaType: .audio) {
        found.append(try await track.labels())
        #expect(try await track.load(.languageCode) == "fra")
      }
      #expect(found == Self.labels, "\(movies.count)")
    }
  }

  /// Movies one after another share a track for each language; what is heard alone is played beside the others.
  @Test func languages() async throws {
    let folder = Folder()
    for (number, languages) in [["deu", "fra"], ["fra", "deu"], ["spa"]].enumerated() {
      let part = Folder()
      let labels = [TrackLabels(name: "One"), TrackLabels(name: "Other")]
      try await Self.movie("movie.mov", languages: languages, labels: labels, in: part)
      folder.write(part.read("movie.mov"), to: "\(number).mov")
    }
    for (movies, languages, groups) in [
      (["0.mov", "1.mov"], ["deu", "fra"], [1, 1]),
      (["0.mov", "2.mov"], ["deu", "fra", "spa"], [1, 1, 0]),
      (["2.mov", "2.mov"], ["spa"], [1]),
    ] as [([String], [String], [UInt16])] {
      try await works(["export"] + movies + ["-o", "film.mov", "--force"], in: folder)
      var (found, choices): ([String], [TrackChoice]) = ([], [])
      for track in try await Asset(path: folder.file("film.mov")).loadTracks(
        withMediaType: .audio)
      {
        found.append(try await track.load(.languageCode) ?? "")
        choices.append(try await track.choice())
      }
      #expect(found == languages)
      #expect(choices.map(\.alternateGroup) == groups)
      #expect(choices.map(\.isEnabled) == groups.indices.map { $0 == 0 || groups[$0] == 0 })
    }
  }

  /// A movie that has the language that is played goes on in it, and its own choice is said not to be kept.
  @Test func languageGoesOn() async throws {
    let folder = Folder()
    let labels = [TrackLabels(name: "One"), TrackLabels(name: "Other")]
    let off = TrackChoice(isEnabled: false)
    for (number, choices) in [[off, TrackChoice()], [TrackChoice(), off]].enumerated() {
      let part = Folder()
      try await Self.movie(
        "movie.mov", choices, languages: ["fra", "deu"], labels: labels, in: part)
      folder.write(part.read("movie.mov"), to: "\(number).mov")
    }
    let outcome = try await works(["export", "0.mov", "1.mov", "-o", "film.mov"], in: folder)
    #expect(outcome.errors.contains("1.mov plays unasked"), "\(outcome.errors)")
    var choices: [TrackChoice] = []
    let film = Asset(path: folder.file("film.mov"))
    for track in try await film.loadTracks(withMediaType: .audio) {
      choices.append(try await track.choice())
    }
    #expect(choices == [off, TrackChoice()])
  }

  /// The second language is the one to begin with; or both are played together, as of two microphones.
  @Test(arguments: [
    [TrackChoice(isEnabled: false), TrackChoice()],
    [TrackChoice(alternateGroup: 0), TrackChoice(alternateGroup: 0)],
    [TrackChoice(), TrackChoice(isEnabled: false)],
  ])
  func choices(_ choices: [TrackChoice]) async throws {
    let folder = Folder()
    try await Self.movie("movie.mov", choices, in: folder)
    try await works(["export", "movie.mov", "-o", "film.mp4"], in: folder)
    try await works(
      ["render", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", "render.mov"],
      in: folder)
    for film in ["movie.mov", "film.mp4", "render.mov"] {
      var found: [TrackChoice] = []
      for track in try await Asset(path: folder.file(film)).loadTracks(withMediaType: .audio) {
        found.append(try await track.choice())
      }
      #expect(found == choices, "\(film)")
    }
  }

  /// One track of a group is played, one is played at all, and groups of other tracks stay theirs.
  @Test func settling() {
    func settled(_ choices: [TrackChoice]) -> [TrackChoice] {
      TrackChoice.settled(choices, reserved: 2)
    }
    let off = TrackChoice(isEnabled: false)
    #expect(settled([]) == [])
    #expect(settled([TrackChoice(), TrackChoice()]) == [TrackChoice(), off])
    #expect(settled([off, off]) == [TrackChoice(), off])
    let groups = [7, 2, 7, 0].map { TrackChoice(alternateGroup: $0) }
    let expected = [
      TrackChoice(), TrackChoice(alternateGroup: 3), off, TrackChoice(alternateGroup: 0),
    ]
    #expect(settled(groups) == expected)
  }
}
