// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@Suite struct BoxTypeTests {
  /// Values that are dropped leave the others as they were, in all their languages.
  @Test func metadataWithoutSomeNames() throws {
    func value(_ locale: Int, _ text: String) -> Box {
      Box.of("data") { builder in
        builder.u32(1)
        builder.u32(locale)
        builder.text(text)
      }
    }
    var meta = try #require(
      try Box.parse(
        Entry.items([("a.gone", 1, [1]), ("b.stays", 1, []), ("c.empty", 1, [])]).bytes[...]
      )
      .first)
    let texts = [value(0x5553_15C7, "Hello"), value(0x4652_1A41, "Bonjour")]
    meta.boxes = meta.boxes.map { box in
      guard box.type == "ilst" else { return box }
      let entry = Box(FourCC(rawValue: 2), data: texts.flatMap(\.bytes))
      return Box("ilst", [box.boxes[0], entry])
    }
    meta.boxes.append(Box("ctry", data: [0, 0, 0, 0, 0, 0, 0, 0]))
    let left = try #require(meta.droppingItems { $0.hasSuffix("gone") })
    let parsed = try #require(try Box.parse(left.bytes[...]).first)
    #expect(parsed.boxes.map(\.type) == meta.boxes.map(\.type))
    #expect(try ItemMetadata(parsed).items.map(\.key) == ["b.stays", "b.stays"])
    #expect(parsed["ilst"]?.boxes.first?.data.elementsEqual(texts.flatMap(\.bytes)) == true)
    #expect(meta.droppingItems { $0.contains(".") } == nil)
  }

  let moov: Box
  init() throws {
    let boxes = try Box.parse(PhoneMovie.layout().bytes()[...])
    moov = try #require(boxes.first { $0.type == "moov" })
  }

  @Test func movieAndTrackHeaders() throws {
    let movie = try MovieHeader(try #require(moov["mvhd"]).data)
    #expect(movie.timescale == 600)
    #expect(movie.duration == 240)
    #expect(movie.nextTrackID == 5)
    let tracks = try moov.all("trak").map { try TrackHeader(try #require($0["tkhd"]).data) }
    #expect(tracks.map(\.trackID) == [1, 2, 3, 4])
    #expect(tracks[0].dimensions == Dimensions(width: 1920, height: 1080))
    #expect(tracks[0].matrix.quarterTurn == .clockwise90)
    #expect(tracks[1].matrix.quarterTurn == .identity)
    #expect(tracks[0].isEnabled)
    let handlers = try moov.all("trak").map {
      try HandlerReference(try #require($0.at("mdia", "hdlr")).data)
    }
    #expect(handlers.map(\.handler) == ["vide", "auxv", "soun", "meta"])
    #expect(handlers.map(\.name) == ["Video", "Video", "Video", "Video"])
    let media = try MediaHeader(try #require(moov.all("trak")[2].at("mdia", "mdhd")).data)
    #expect(media.timescale == 44100)
    #expect(media.languageCode == "und")
  }

  /// 16.16 fixed point of what fits and of what does not.
  @Test func fixedPoint() {
    var writer = ByteWriter()
    for value in [Double.nan, -1, 1.5, 65536, .infinity] { writer.fixed(value) }
    let none: [UInt8] = [0, 0, 0, 0]
    let half: [UInt8] = [0, 1, 128, 0]
    let most: [UInt8] = [255, 255, 255, 255]
    let expected = Array([none, none, half, most, most].joined())
    #expect(writer.bytes == expected)
  }

  @Test func sixtyFourBitHeaders() throws {
    let header = Box.full("mvhd", version: 1) { builder in
      builder.u64(1)
      builder.u64(2)
      builder.u32(90000)
      builder.u64(1 << 40)
    }
    let clock = try MovieHeader.duration(header.data)
    #expect(clock.timescale == 90000)
    #expect(clock.duration == 1 << 40)
    // All ones stand for an unknown duration.
    let unknown = Box.full("mvhd") { builder in
      builder.u64(0)
      builder.u32(90000)
      builder.u32(UInt32.max)
    }
    #expect(try MovieHeader.duration(unknown.data).duration == nil)
  }

  /// QuickTime files number languages.
  @Test(
    arguments: [
      (0, "eng"), (1, "fra"), (2, "deu"), (33, "zho"), (94, "epo"), (128, "cym"), (138, "jav"),
      (95, nil), (0x3FF, nil), (0x7FFF, nil), (0x55C4, "und"),
    ] as [(UInt16, String?)])
  func languages(_ number: UInt16, code: String?) throws {
    let header = Box.full("mdhd") { builder in
      builder.u64(0)
      builder.u32(600)
      builder.u32(0)
      builder.u16(number)
      builder.u16(0)
    }
    #expect(try MediaHeader(header.data).languageCode == code)
  }

  @Test func sampleEntries() throws {
    let tracks = moov.all("trak")
    func entry(_ track: Int, _ handler: FourCC) throws -> SampleEntry {
      let stsd = try #require(tracks[track].at("mdia", "minf", "stbl", "stsd"))
      return try #require(
        try SampleEntry.entries(stsd.bytes.dropFirst(8), handler: handler).first)
    }
    let video = try entry(0, "vide")
    #expect(video.format == "hvc1")
    #expect(video.dimensions == Dimensions(width: 1920, height: 1080))
    #expect(video.extensions.map(\.type) == ["hvcC", "colr", "dvvC", "amve"])
    // Nothing of an entry gets lost, known or not.
    let stored = try #require(tracks[0].at("mdia", "minf", "stbl", "stsd")?.boxes.first)
    #expect(video.box == stored)
    #expect(try entry(1, "auxv").dimensions == Dimensions(width: 320, height: 180))
    guard case .audio(let sound) = try entry(2, "soun").details else {
      Issue.record("no sound")
      return
    }
    #expect(sound.channelCount == 2 && sound.sampleRate == 44100)
    guard case .metadata(let keys) = try entry(3, "meta").details else {
      Issue.record("no keys")
      return
    }
    #expect(keys.map(\.identifier) == Entry.appleKeys.map(\.0))
    #expect(keys.map(\.localID) == [1, 2])
    #expect(keys.allSatisfy { $0.dataType == .wellKnown(0) && $0.namespace == "mdta" })
  }

  @Test func metadataSamples() throws {
    let items = try TimedMetadata.items(PhoneMovie.payload(5)[...])
    #expect(items.map(\.localID) == [1, 2])
    #expect(items[1].value == [UInt8](repeating: 0xC0, count: 2)[...])
    #expect(try TimedMetadata.items([]).isEmpty)
    for size in [0, 7, 9, 1000, UInt32.max] as [UInt32] {
      var builder = ByteBuilder()
      builder.u32(size)
      builder.u32(1)
      let error = failure { () throws(CinematicError) in
        _ = try TimedMetadata.items(builder.bytes[...])
      }
      #expect(error?.code == .malformed, "\(size)")
    }
  }

  @Test func itemMetadata() throws {
    let items = try ItemMetadata(try #require(moov["meta"])).items
    #expect(
      items.map(\.key) == ["com.apple.quicktime.make", "com.apple.quicktime.cinematic-video"])
    #expect(items[0].value.elementsEqual("Apple".utf8))
    #expect(items[0].dataType == 1)
    #expect(items[1].value.isEmpty)
  }

  @Test func editsAndReferences() throws {
    let edits = try EditList(try #require(moov.at("trak", "edts", "elst")).data)
    #expect(edits.edits == [EditList.Edit(duration: 240, mediaTime: 0)])
    let tref = try #require(moov.all("trak")[3]["tref"])
    #expect(try TrackReferences(tref.bytes.dropFirst(8)).tracks == ["cdsc": [1]])
    let wide = Box.full("elst", version: 1) { builder in
      builder.u32(1)
      builder.u64(1 << 35)
      builder.u64(-1 as Int64)
      builder.u32(0x1_0000)
    }
    let edit = try #require(try EditList(wide.data).edits.first)
    #expect(edit.isEmpty && edit.duration == 1 << 35)
  }

  /// A copy by ffmpeg leaves a description that claims an entry and has none.
  @Test func emptiedDescriptions() throws {
    for count in [1, UInt32.max] {
      let box = Box.full("stsd") { $0.u32(count) }
      #expect(try SampleEntry.entries(box.data, handler: "auxv").isEmpty)
    }
  }

  /// A table that claims more than it holds is an error, and nothing is allocated for the claim.
  @Test(arguments: ["elst", "keys"]) func claimedCounts(_ name: String) {
    let box = Box.full("free") { $0.u32(UInt32.max) }
    let error = failure { () throws(CinematicError) in
      switch name {
      case "elst": _ = try EditList(box.data)
      default: _ = try ItemMetadata(Box("meta", [Box("keys", data: box.data), Box("ilst", [])]))
      }
    }
    #expect(error?.message.contains("elements") == true)
  }
}
