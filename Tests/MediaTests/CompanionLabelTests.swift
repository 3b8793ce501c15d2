// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// Names, roles and languages of tracks, and what user data say.
@Suite struct CompanionLabelTests {
  /// Names and roles of captions come back, and of several tracks one is shown unasked.
  @Test(arguments: ["a.mov", "a.mp4"]) func labels(_ name: String) async throws {
    let folder = ScratchFolder()
    var companions = try CompanionTests.companions()
    companions.texts[0].labels = TrackLabels(name: "Für Gehörlose", roles: ["caption"])
    companions.texts.append(companions.texts[0])
    companions.texts[1].labels = TrackLabels(
      name: "Signs", roles: ["forced-subtitle", "description"])
    companions.texts.append(companions.texts[0])
    companions.texts[2].labels = TrackLabels()
    companions.pictureLabels = TrackLabels(name: "Kamera A")
    companions.pictureLanguageCode = "deu"
    try CompanionTests.write(companions, to: folder.file(name), folder: folder)
    let found = try await CompanionTests.read(folder.file(name))
    #expect(found.texts.map(\.labels) == companions.texts.map(\.labels))
    #expect(found.texts.map(\.isEnabled) == [true, false, false])
    #expect(found.pictureLabels == companions.pictureLabels)
    #expect(found.pictureLanguageCode == "deu")
    #expect(found.leftOut.isEmpty)
    // A track that is not to be shown stays so.
    companions.texts[0].isEnabled = false
    try CompanionTests.write(companions, to: folder.file("b.mov"), folder: folder)
    let other = try await CompanionTests.read(folder.file("b.mov"))
    #expect(other.texts.map(\.isEnabled) == [false, true, false])
  }

  /// A commentary of another container is one in a movie file, and in a copy of that.
  @Test func labelsOfSound() async throws {
    let folder = ScratchFolder()
    var sound = SoundFile()
    sound.container = "matroska"
    sound.title = "Director’s commentary"
    sound.disposition = AV_DISPOSITION_COMMENT
    try sound.write(to: folder.file("a.mkv"), seconds: 0.5)
    let labels = TrackLabels(name: "Director’s commentary", roles: ["commentary"])
    var source = "a.mkv"
    for name in ["b.mp4", "c.mov", "d.mp4"] {
      var settings = WriterSettings(
        dimensions: Dimensions(width: 32, height: 32), pixelFormat: .yuv420Video8, tags: .bt709)
      settings.encoderPreset = "ultrafast"
      settings.temporaryFiles = folder.temporaryFiles
      settings.sound = try await AssetSound(Asset.named(folder.file(source))).map { .asset($0) }
      let writer = try FrameWriter.create(folder.file(name), settings: settings)
      try writer.append(
        Scene.smooth(32, 32, .yuv420Video8), time: .zero, duration: Time(value: 1, timescale: 2))
      try writer.finish()
      let track = try #require(
        try await Asset(path: folder.file(name)).loadTracks(withMediaType: .audio).first)
      #expect(try await track.labels() == labels, "\(name)")
      source = name
    }
  }

  /// Three pictures, which nobody decodes.
  private static func storedPictures() -> MovieLayout.Track {
    MovieLayout.Track(
      "vide", timescale: 600, entry: Entry.visual("hvc1", width: 64, height: 48, []),
      samples: (0..<3).map { MovieLayout.Sample([UInt8($0), 1, 2], duration: 24) })
  }

  /// A handler's name is the track's where nothing else names it and programs do not give it every track. It is the name
  /// in films of the film.
  @Test(
    arguments: [
      ("Kamera links", "Kamera links"), ("  Ton \u{0}", "Ton"), ("\u{3}Oma", "Oma"),
      ("Video", nil), ("VideoHandler", nil), ("Core Media Video", nil), ("", nil), ("\u{0}", nil),
      ("Apple Sound Media Handler", nil), ("\u{1F}Mainconcept Video Media Handler", nil),
      ("ISO Media file produced by Google Inc.", nil), ("264@GPAC1.0", nil), ("SoundHandle", nil),
    ] as [(String, String?)])
  func namesOfHandlers(_ handler: String, _ name: String?) async throws {
    #expect(TrackLabels.name(ofHandler: handler) == name)
    var layout = MovieLayout([Self.storedPictures()])
    layout.tracks[0].handlerName = handler
    let user = Box("udta", [Box("abcd", data: [1, 2])])
    layout.tracks[0].extras = [user]
    let source = MemorySource(layout.bytes())
    let found = try await FilmCompanions(
      Asset(source: source), frameDuration: Time(value: 1, timescale: 25))
    #expect(found.pictureLabels == TrackLabels(name: name))
    // Beside what the user data say.
    let written = found.pictureDescriptions(in: .mp4)
    #expect(written.count == 1 && TrackLabels(written) == found.pictureLabels)
    let types = try Box.prefix(written[0].bytes[...].dropFirst(8), count: .max).map(\.type)
    #expect(types == (name == nil ? ["abcd"] : ["abcd", "name"]))
  }

  /// What user data say of a track goes before its handler's name; of the roles, those are added that are missing.
  @Test func addedLabels() {
    let labels = TrackLabels(name: "Ton", roles: ["dub", "caption"])
    let said = TrackLabels(name: "Ton", roles: ["caption"]).boxes
    let result = labels.added(to: said)
    #expect(result.count == 1 && Set(TrackLabels(result).roles) == Set(labels.roles))
    #expect(TrackLabels(result).name == "Ton" && labels.added(to: labels.boxes) == labels.boxes)
    // Damaged user data stay as they are.
    let damaged = Box("udta", data: [0, 0, 0, 9])
    #expect(labels.added(to: [damaged]) == [damaged] + labels.boxes)
  }

  /// Keys of phones are in the user data of an MP4, too, where most programs look for them: once, however often the film
  /// is written.
  @Test func keysInUserData() async throws {
    let folder = ScratchFolder()
    let keys = ["make": "Apple", "model": "iPhone 15", "software": "17.1"]
    let items = keys.sorted { $0.key < $1.key }.map {
      ItemMetadata.Item(
        key: "com.apple.quicktime.\($0.key)", dataType: 1, value: Array($0.value.utf8))
    }
    let own: [UInt8] = [0, 1, 0x55, 0xC4, 0x78]
    var companions = FilmCompanions()
    companions.boxes = [
      .metadata(items),
      Box("udta", data: Box("\u{A9}mod", data: own).bytes + [0, 0, 0, 0]),
    ]
    try CompanionTests.write(companions, to: folder.file("a.mp4"), folder: folder)
    let first = try await CompanionTests.read(folder.file("a.mp4"))
    try CompanionTests.write(first, to: folder.file("b.mp4"), folder: folder)
    try CompanionTests.write(first, to: folder.file("c.mov"), folder: folder)
    for name in ["a.mp4", "b.mp4"] {
      let boxes = try await CompanionTests.read(folder.file(name)).boxes
      #expect(boxes.count { $0.type == "meta" } == 1)
      let userData = boxes.filter { $0.type == "udta" }
      #expect(userData.count == 1)
      let texts = try Box.prefix(userData.flatMap(\.data)[...], count: .max)
      #expect(texts.map(\.type) == ["\u{A9}mod", "\u{A9}mak", "\u{A9}swr"])
      // What was there stays.
      try #require(texts.count == 3)
      #expect(Array(texts[0].data) == own)
      #expect(Array(texts[1].data.dropFirst(4)) == Array("Apple".utf8))
    }
    let movie = try await CompanionTests.read(folder.file("c.mov"))
    #expect(movie.unnamedDescriptions == first.unnamedDescriptions)
    #expect(!movie.unnamedDescriptions.contains { $0.contains("\u{A9}") })
    var without = companions
    without.boxes = [.metadata(items)]
    #expect(without.descriptions(in: .quickTime).map(\.type) == ["meta"])
    #expect(without.descriptions(in: .mp4).map(\.type) == ["meta", "udta"])
  }

  /// Boxes that are no labels, or damaged, are none.
  @Test func otherUserData() {
    for bytes in [[], [0, 0, 0, 9], [0, 0, 0, 8], Array("\0\0\0\u{0C}kind\0\0\0\0".utf8)]
      as [[UInt8]]
    {
      #expect(TrackLabels([Box("udta", data: bytes)]) == TrackLabels())
    }
    let other = Box("kind", version: 0, flags: 0) { writer in
      writer.append("urn:example\0main\0".utf8)
    }
    #expect(TrackLabels([Box("udta", [other]), Box("meta", data: [1])]) == TrackLabels())
    #expect(TrackLabels().boxes.isEmpty)
  }
}
