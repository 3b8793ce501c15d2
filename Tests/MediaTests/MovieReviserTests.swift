// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Testing

@testable import FocalMedia

/// Movies with other metadata: unknown boxes must survive.
@Suite struct MovieReviserTests {
  private static let script = Array("{\"format\":\"focal-script\",\"version\":1}".utf8)

  /// A movie as a phone writes it: its own metadata keys with opaque payloads, a Dolby
  /// Vision box in the video's entry, boxes of unknown types, turned by a quarter.
  private static func phoneMovie(
    _ name: String, in folder: ScratchFolder, indexFirst: Bool
  ) async throws -> String {
    let source = try MovieWriterTests.clip(
      "clip.mov", in: folder,
      times: MovieWriterTests.steady(40, Time(value: 1001, timescale: 30000)), timescale: 30000,
      .yuv420Video10, tags: .hlg, turn: .clockwise270)
    let clip = try #require(try await CodedClip(path: source))
    let plain = folder.file("plain.mov")
    try MovieWriterTests.write(.copied(clip), to: plain, in: folder, frames: clip.frames)
    let bytes = folder.read("plain.mov")
    let boxes = try Box.parse(bytes[...])
    var movie = try #require(boxes.last)
    #expect(movie.type == "moov")
    movie.boxes = try movie.boxes.map { box in
      guard box.type == "trak" else { return box }
      var track = box
      try edit(&track, "mdia", "minf", "stbl", "stsd") { entries in
        entries.boxes = entries.boxes.map { entry in
          switch entry.type {
          case "mebx":
            return TimedMetadata.sampleEntry(
              CinematicMetadata.keys.enumerated().map { index, key in
                MetadataKey(
                  localID: key.localID,
                  name: "com.apple.quicktime.cinematic-video."
                    + ["rendering", "cinematography", "x"][index],
                  dataType: .wellKnown(0))
              })
          case "hvc1":
            return Box("hvc1", data: Array(entry.data) + Box("dvvC", data: [1, 2, 3, 4, 5]).bytes)
          default: return entry
          }
        }
      }
      track.boxes.append(Box("xyzw", data: [9, 8, 7]))
      return track
    }
    movie.boxes.append(Box("csgm", data: [UInt8](0..<50)))
    let unknown = Box("qqqq", data: [UInt8](repeating: 0x5A, count: 77))
    var result: [UInt8] = []
    if indexFirst {
      // The data move behind the index, and the offsets with them.
      let front = boxes[0].size + movie.size + unknown.size
      let shift = front - boxes[0].size
      movie.boxes = try movie.boxes.map { box in
        guard box.type == "trak" else { return box }
        var track = box
        try edit(&track, "mdia", "minf", "stbl", "stco") { table in
          var reader = ByteReader(table.data, box: "stco")
          try reader.skip(4)
          let count = try reader.u32()
          table = Box("stco", version: 0) { writer in
            writer.u32(count)
            for _ in 0..<count { writer.u32((try? reader.u32()).map { $0 + UInt32(shift) } ?? 0) }
          }
        }
        return track
      }
      result = boxes[0].bytes + movie.bytes + unknown.bytes + boxes[1].bytes
    } else {
      result = boxes[0].bytes + boxes[1].bytes + unknown.bytes + movie.bytes
    }
    folder.write(result, to: name)
    return folder.file(name)
  }

  /// Changes the box at the end of a path.
  private static func edit(
    _ box: inout Box, _ path: FourCC..., change: (inout Box) throws -> Void
  ) throws {
    func descend(_ box: inout Box, _ path: ArraySlice<FourCC>) throws {
      guard let next = path.first else {
        try change(&box)
        return
      }
      let index = try #require(box.boxes.firstIndex { $0.type == next })
      try descend(&box.boxes[index], path.dropFirst())
    }
    try descend(&box, path[...])
  }

  private static func frames(_ path: String) async throws -> [MovieReviser.Frame] {
    let reader = try await CinematicReader(AssetInfo(asset: Asset(path: path)))
    return (0..<reader.frameCount).map { index in
      MovieReviser.Frame(
        timeRange: reader.timeRange(ofFrame: index), focusDisparity: Float(index) / 40,
        fNumber: 1 + Float(index))
    }
  }

  /// The track of this project's keys.
  private static func ownTracks(_ asset: Asset) async throws -> [AssetTrack] {
    var found: [AssetTrack] = []
    for track in try await asset.loadTracks(withMediaType: .metadata) {
      let entries = try await track.load(.formatDescriptions)
      if entries.contains(where: { entry in
        guard case .metadata(let keys) = entry.details else { return false }
        return keys.contains { $0.identifier == CinematicKey.focusDisparity }
      }) {
        found.append(track)
      }
    }
    return found
  }

  @Test(arguments: [false, true])
  func everythingElseStays(_ indexFirst: Bool) async throws {
    let folder = ScratchFolder()
    let source = try await Self.phoneMovie("phone.mov", in: folder, indexFirst: indexFirst)
    // What other pictures lose.
    #expect(try await FrameReader.open(source).properties.unkeptExtras == ["Dolby Vision"])
    let pictures = try await Asset(path: source).loadTracks(withMediaType: .video)
    let track = try #require(pictures.first)
    let format = try await track.load(.videoFormat)
    #expect(format.unkeptExtras == ["Dolby Vision"])
    let original = folder.read("phone.mov")
    let frames = try await Self.frames(source)
    #expect(frames.count == 40)
    let revised = folder.file("revised.mov")
    try MovieReviser.write(
      source, to: revised, frames: frames, script: Self.script,
      temporaryFiles: folder.temporaryFiles)
    #expect(folder.read("phone.mov") == original)
    let bytes = folder.read("revised.mov")

    // Every byte but the old index's lies where it lay.
    let before = try Box.parse(original[...])
    var offset = 0
    for box in before {
      if box.type == "moov" {
        if indexFirst {
          #expect(Array(bytes[(offset + 4)..<(offset + 8)]) == Array("free".utf8))
        }
      } else {
        let isSame = bytes[offset..<(offset + box.size)].elementsEqual(box.bytes)
        #expect(isSame, "\(box.type)")
      }
      offset += box.size
    }
    // The index has everything that it had, and one track more.
    let oldMovie = try #require(before.first { $0.type == "moov" })
    let newMovie = try #require(try Box.parse(bytes[...]).first { $0.type == "moov" })
    #expect(newMovie.boxes.count == oldMovie.boxes.count + 1)
    let added = newMovie.boxes.filter { !oldMovie.boxes.contains($0) }
    #expect(added.map(\.type) == ["mvhd", "trak"])
    #expect(try MovieHeader(added[0].data).nextTrackID == 5)
    #expect(
      try added[0].data.dropLast(4)
        == #require(oldMovie["mvhd"]).data.dropLast(4))
    #expect(try TrackHeader(#require(added[1]["tkhd"]).data).trackID == 4)

    // And it reads: pictures and maps as before, payloads as they were, attributes for every frame.
    let asset = Asset(path: revised)
    let info = try await AssetInfo(asset: asset)
    let own = try #require(try await Self.ownTracks(asset).first)
    let references: [FourCC: [UInt32]] = try await own.load(.references)
    #expect(references == ["cdsc": [info.cinematicVideoTrack.trackID]], "\(references)")
    let old = try await CinematicReader(AssetInfo(asset: Asset(path: source)))
    let theirs = try await CinematicReader(info)
    let ours = try await CinematicReader(
      asset: asset, videoTrack: info.cinematicVideoTrack,
      disparityTrack: info.cinematicDisparityTrack, metadataTrack: own)
    for (index, frame) in frames.enumerated() {
      let a = try await old.frame(number: index)
      let b = try await theirs.frame(number: index)
      let c = try await ours.frame(number: index)
      #expect(b.timeRange == a.timeRange)
      #expect(b.metadata?.rawSample == a.metadata?.rawSample)
      #expect(b.image.packedBytes() == a.image.packedBytes())
      #expect(b.disparity?.packedBytes() == a.disparity?.packedBytes())
      #expect(c.metadata?.timeRange == a.timeRange)
      let attributes = try #require(c.metadata?.renderingAttributes)
      #expect(attributes == (frame.focusDisparity, frame.fNumber))
      #expect(
        c.metadata?[CinematicKey.script]?.bytes == (index == 0 ? Self.script : nil))
    }
  }

  /// A second revision replaces the first one's track.
  @Test func revisedAgain() async throws {
    let folder = ScratchFolder()
    let source = try await Self.phoneMovie("phone.mov", in: folder, indexFirst: false)
    var frames = try await Self.frames(source)
    try MovieReviser.write(
      source, to: folder.file("one.mov"), frames: frames, script: Self.script,
      temporaryFiles: folder.temporaryFiles)
    for index in frames.indices { frames[index].fNumber = 16 }
    // In its own place, too.
    try MovieReviser.write(
      folder.file("one.mov"), to: folder.file("one.mov"), frames: frames, script: Self.script,
      overwrite: true, temporaryFiles: folder.temporaryFiles)
    let asset = Asset(path: folder.file("one.mov"))
    let own = try await Self.ownTracks(asset)
    #expect(own.map(\.trackID) == [4])
    #expect(try await asset.load(.tracks).count == 4)
    let reader = try await CinematicReader(
      asset: asset, videoTrack: AssetInfo(asset: asset).cinematicVideoTrack,
      metadataTrack: own[0])
    for index in frames.indices {
      #expect(try await reader.metadataGroup(index).renderingAttributes?.fNumber == 16)
    }
    #expect(folder.names.allSatisfy { !$0.hasSuffix(".tmp") })
  }

  @Test func badInput() async throws {
    let folder = ScratchFolder()
    let source = try await Self.phoneMovie("phone.mov", in: folder, indexFirst: false)
    let bytes = folder.read("phone.mov")
    let frames = [
      MovieReviser.Frame(
        timeRange: TimeRange(start: .zero, duration: Time(value: 1, timescale: 30)),
        focusDisparity: 0, fNumber: 2)
    ]
    func code(
      _ source: String, _ frames: [MovieReviser.Frame] = frames
    ) -> CinematicError.Code? {
      failure { () throws(CinematicError) in
        try MovieReviser.write(
          source, to: folder.file("out.mov"), frames: frames, script: [],
          temporaryFiles: folder.temporaryFiles)
      }?.code
    }
    #expect(code(folder.file("missing.mov")) == .unreadable)
    folder.write("no movie at all, only text", to: "text.mov")
    #expect(code(folder.file("text.mov")) == .unsupported)
    folder.write(Array(bytes.prefix(bytes.count * 2 / 3)), to: "cut.mov")
    #expect([.malformed, .incomplete].contains(code(folder.file("cut.mov"))))
    #expect(code(source, []) == .incomplete)
    #expect(code(source, frames + frames) == .invalidParameter)
    // A reader of the movie would refuse them.
    let numbers: [(focus: Float, fNumber: Float)] = [
      (.nan, 2), (.infinity, 2), (0, .nan), (0, 0), (0, -1), (0, .infinity),
    ]
    for (focus, fNumber) in numbers {
      let wrong = MovieReviser.Frame(
        timeRange: frames[0].timeRange, focusDisparity: focus, fNumber: fNumber)
      #expect(code(source, [wrong]) == .invalidParameter, "\(focus) \(fNumber)")
    }
    // Times at both ends of what 64 bits hold.
    let ends: [(start: Int64, duration: Int64)] = [
      (.min, .max), (.max, 1), (.max, .max), (0, .max),
    ]
    for (start, duration) in ends {
      let range = TimeRange(
        start: Time(value: start, timescale: 30), duration: Time(value: duration, timescale: 30))
      let wrong = MovieReviser.Frame(timeRange: range, focusDisparity: 0, fNumber: 2)
      #expect(code(source, [wrong]) == .unsupported, "\(range)")
    }
    #expect(!folder.names.contains("out.mov"))
    #expect(folder.names.allSatisfy { !$0.hasSuffix(".tmp") })
  }
}
