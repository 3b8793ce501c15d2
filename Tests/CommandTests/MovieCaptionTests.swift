// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCaptions
import FocalCore
import FocalMedia
import Foundation
import MovieKit
import Testing

/// Captions in Cinematic movies and the films made of them.
@Suite struct MovieCaptionTests {
  private static let subRip = """
    1
    00:00:00,100 --> 00:00:00,200
    One

    2
    00:00:00,250 --> 00:00:00,350
    <b>Two</b>

    """

  /// Twelve frames, 30 a second, with captions of every kind of file.
  private static func movie(in folder: Folder) async throws {
    folder.write(Array(Self.subRip.utf8), to: "a.srt")
    for name in ["a.vtt", "a.ttml", "a.itt"] {
      try await works(["captions", "convert", "a.srt", "-o", name], in: folder)
    }
    // A pair of rows that can be sent in time needs a later start than twelve frames have: roll-up comes at once.
    folder.write(
      Array(
        "Scenarist_SCC V1.0\n\n00:00:00:00\t9425 9425 94ad 94ad 9470 9470 c8e9\n\n00:00:00:10\t942c 942c\n"
          .utf8), to: "a.scc")
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(12), size: Dimensions(width: 144, height: 96))
    try Material.numberedMaps(12, in: folder)
    try await works(
      [
        "import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", "movie.mov",
        "--captions", "a.srt", "--captions", "a.scc",
      ], in: folder)
  }

  private static func kinds(_ path: String) async throws -> [String] {
    var kinds: [String] = []
    for track in try await Asset(path: path).load(.tracks)
    where ["text", "sbtl", "subt", "clcp"].contains("\(track.mediaType.rawValue)") {
      kinds.append("\(try await track.load(.formatDescriptions).first?.format ?? "none")")
    }
    return kinds
  }

  private static func captions(
    _ path: String, _ track: Int, in folder: Folder
  ) async throws -> [(text: String, start: Double, end: Double)] {
    let told = try await works(
      ["captions", "info", path, "--track", "\(track)", "--json"], in: folder)
    let captions = try #require(told.objects().first?["captions"] as? [[String: Any]])
    return captions.compactMap { one in
      guard let text = one["text"] as? String, let start = one["start"] as? Double,
        let end = one["end"] as? Double
      else { return nil }
      return (text, (start * 1000).rounded() / 1000, (end * 1000).rounded() / 1000)
    }
  }

  @Test func tracksOfEveryKind() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    #expect(try await Self.kinds(folder.file("movie.mov")) == ["tx3g", "c608"])
    try await works(
      [
        "export", "movie.mov", "-o", "film.mp4", "--quality", "thumbnail", "--captions", "a.vtt",
        "--captions", "a.ttml",
      ], in: folder)
    // Those of the movie first, then those that are given.
    #expect(try await Self.kinds(folder.file("film.mp4")) == ["tx3g", "c608", "wvtt", "stpp"])
    for track in [1, 3, 4] {
      let captions = try await Self.captions("film.mp4", track, in: folder)
      #expect(captions.map(\.text) == ["One", "Two"], "\(track)")
      #expect(captions.map(\.start) == [0.1, 0.25] && captions.map(\.end) == [0.2, 0.35])
    }
    let line21 = try await Self.captions("film.mp4", 2, in: folder)
    #expect(line21.map(\.text) == ["Hi"])
    // QuickTime gets timed text instead of them.
    try await works(
      [
        "export", "movie.mov", "-o", "film.mov", "--quality", "thumbnail", "--captions", "a.vtt",
      ], in: folder)
    #expect(try await Self.kinds(folder.file("film.mov")) == ["tx3g", "c608", "tx3g"])
    // `apply` copies them, and the next export has them still.
    try await works(["apply", "movie.mov", "--blur-scale", "0.1", "-o", "applied.mov"], in: folder)
    #expect(try await Self.kinds(folder.file("applied.mov")) == ["tx3g", "c608"])
    #expect(try await Self.captions("applied.mov", 2, in: folder).map(\.text) == ["Hi"])
  }

  /// A part has the captions of its time; TTML of others, whose times lie in the text, is written anew.
  @Test func parts() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let document = String(decoding: folder.read("a.ttml"), as: UTF8.self)
    #expect(document.contains("begin="))
    try await works(
      [
        "export", "movie.mov", "-o", "part.mp4", "--quality", "thumbnail", "--range", "0.15-0.3",
        "--captions", "a.ttml",
      ], in: folder)
    // Line 21 has no time to send its caption within the part: there is no track of it.
    #expect(try await Self.kinds(folder.file("part.mp4")) == ["tx3g", "stpp"])
    for track in [1, 2] {
      let captions = try await Self.captions("part.mp4", track, in: folder)
      #expect(captions.map(\.text) == ["One", "Two"])
      #expect(captions.map(\.start) == [0, 0.1])
      #expect(abs((captions.last?.end ?? 0) - 0.15) < 0.002)
    }
  }

  /// The codes of CEA-608 come before their captions: what a part has no time to send is named.
  @Test func partsOfLine21() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let told = try await works(
      ["export", "movie.mov", "-o", "cut.mp4", "--quality", "thumbnail", "--range", "0.27-0.4"],
      in: folder
    ).errors
    #expect(told.contains("in captions that are cut"), "\(told)")
  }

  /// Captions that a film is too short for are named, whether they become a track or are drawn.
  @Test func captionsBeyondTheEnd() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    folder.write(
      Array(
        "1\n00:00:00,300 --> 00:00:02,000\nLong\n\n2\n00:00:02,500 --> 00:00:03,000\nGone\n".utf8),
      to: "late.srt")
    let export = ["export", "movie.mov", "--quality", "thumbnail", "--captions"]
    let imported = [
      "import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "--captions",
    ]
    let runs: [(command: [String], options: [String], film: String)] = [
      (export, ["late.srt", "-o", "a.mov"], "movie.mov"),
      (export, ["late.srt", "-o", "b.mov", "--burn-captions"], "movie.mov"),
      (imported, ["late.srt", "-o", "c.mov"], "clip.mov"),
      (["captions", "burn"], ["late.srt", "clip.mov", "-o", "burnt.mov"], "clip.mov"),
    ]
    for (command, options, film) in runs {
      let told = try await works(command + options, in: folder).errors
      #expect(told.contains("1 caption of late.srt comes after the end of \(film)"), "\(told)")
      #expect(
        told.contains("1 caption of late.srt goes on after the end of \(film), and is cut there"),
        "\(told)")
    }
    for (command, name) in [(export, "d.mov"), (imported, "e.mov")] {
      let told = try await works(command + ["a.srt", "-o", name], in: folder).errors
      #expect(!told.contains("after the end"), "\(told)")
    }
  }

  @Test func burntIn() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let export = ["export", "movie.mov", "--quality", "thumbnail", "-o"]
    try await works(export + ["plain/%04d.png"], in: folder)
    try await works(export + ["own/%04d.png", "--burn-captions"], in: folder)
    try await works(
      export + ["given/%04d.png", "--burn-captions", "--captions", "a.vtt"], in: folder)
    for number in 0..<12 {
      let name = String(format: "%04d.png", number)
      let isShown = (3..<6).contains(number) || (8..<11).contains(number)
      let plain = folder.read("plain/\(name)")
      #expect((folder.read("own/\(name)") == plain) == !isShown, "\(name)")
      #expect((folder.read("given/\(name)") == plain) == !isShown, "\(name)")
    }
    // Captions that are drawn have no track; the others stay.
    try await works(export + ["film.mp4", "--burn-captions"], in: folder)
    #expect(try await Self.kinds(folder.file("film.mp4")) == ["c608"])
    // In a part, too, at the movie's times.
    try await works(
      export + ["part/%04d.png", "--burn-captions", "--range", "8f-12f"], in: folder)
    #expect(folder.read("part/0008.png") == folder.read("own/0008.png"))
    #expect(folder.read("part/0011.png") == folder.read("own/0011.png"))
  }

  /// Captions of one of several movies are not the film's, and that is said; those that are given are.
  @Test func joinedMovies() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let export = ["export", "movie.mov", "movie.mov", "--quality", "thumbnail", "-o"]
    for (options, name, kinds) in [
      (["--captions", "a.srt"], "given.mp4", ["tx3g"]), ([], "bare.mp4", []),
    ] as [([String], String, [String])] {
      let joined = try await works(export + [name] + options, in: folder)
      let line =
        "\(name) does not keep the captions of several movies, the captions of movie.mov\n"
      #expect(joined.errors.contains(line), "\(joined.errors)")
      #expect(try await Self.kinds(folder.file(name)) == kinds)
    }
    let captions = try await Self.captions("given.mp4", 1, in: folder)
    #expect(captions.map(\.text) == ["One", "Two"])
    #expect(captions.map(\.start) == [0.1, 0.25] && captions.map(\.end) == [0.2, 0.35])
  }

  /// The track that players show is drawn, wherever it stands, and only that one has no track any more.
  @Test func burntFromTheEnabledTrack() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    var bytes = folder.read("movie.mov")
    for (handler, isEnabled) in [("sbtl", false), ("clcp", true)] {
      let place = try #require(bytes.ranges(of: Array(handler.utf8)).last)
      let header = try #require(bytes[..<place.lowerBound].ranges(of: Array("tkhd".utf8)).last)
      // The lowest bit of the flags, behind the version.
      let flags = header.upperBound + 3
      bytes[flags] = isEnabled ? bytes[flags] | 1 : bytes[flags] & 0xFE
    }
    folder.write(bytes, to: "second.mov")
    let export = ["export", "second.mov", "--quality", "thumbnail", "-o"]
    try await works(export + ["film.mp4", "--burn-captions"], in: folder)
    #expect(try await Self.kinds(folder.file("film.mp4")) == ["tx3g"])
    #expect(try await Self.captions("film.mp4", 1, in: folder).map(\.text) == ["One", "Two"])
    try await works(export + ["plain/%04d.png"], in: folder)
    try await works(export + ["own/%04d.png", "--burn-captions"], in: folder)
    // "Hi" is sent behind six other codes, one a picture, and stays until it is erased; "One" would be there before.
    for (number, isShown) in [(0, false), (3, false), (4, false), (8, true), (9, true)] {
      let name = String(format: "%04d.png", number)
      let isDrawn = folder.read("own/\(name)") != folder.read("plain/\(name)")
      #expect(isDrawn == isShown, "\(name)")
    }
  }

  /// Files of captions alone, as streams have them, are read at the same times.
  @Test func withoutPictures() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    func isCaptions(_ box: Box) -> Bool {
      guard box.type == "trak" else { return true }
      let handler = box.at("mdia", "hdlr")?.data.dropFirst(8).prefix(4)
      return handler.map { ["sbtl", "clcp"].contains(String(decoding: $0, as: UTF8.self)) } ?? false
    }
    // Samples stay where they are: they lie before the tables.
    let boxes = try Box.parse(folder.read("movie.mov")[...]).map { box -> Box in
      guard box.type == "moov" else { return box }
      var movie = box
      movie.boxes = box.boxes.filter(isCaptions)
      return movie
    }
    folder.write(boxes.flatMap(\.bytes), to: "alone.mov")
    for track in [1, 2] {
      let whole = try await Self.captions("movie.mov", track, in: folder)
      let alone = try await Self.captions("alone.mov", track, in: folder)
      #expect(alone.map(\.text) == (track == 1 ? ["One", "Two"] : ["Hi"]))
      #expect(alone.map(\.start) == whole.map(\.start) && alone.map(\.end) == whole.map(\.end))
    }
    try await works(["captions", "convert", "alone.mov", "-o", "alone.srt"], in: folder)
  }

  /// A damaged track is not a missing one: the reason is said, alone or beside tracks that can be read.
  @Test func damagedTracks() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let imported = [
      "import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "--captions", "a.srt",
    ]
    try await works(imported + ["-o", "alone.mov"], in: folder)
    for name in ["alone", "movie"] {
      var bytes = folder.read("\(name).mov")
      let handler = try #require(bytes.ranges(of: Array("sbtl".utf8)).last)
      let sizes = try #require(bytes[handler.upperBound...].firstRange(of: Array("stsz".utf8)))
      // The count, behind the version and the size that all have, is more than the box holds.
      bytes[sizes.upperBound + 8] = 0x7F
      folder.write(bytes, to: "damaged-\(name).mov")
    }
    try await refuses(
      ["captions", "info", "damaged-alone.mov"], in: folder,
      naming: ["damaged-alone.mov is damaged", "the captions of track", "stsz"])
    let told = try await works(["captions", "info", "damaged-movie.mov"], in: folder)
    #expect(told.errors.contains("damaged-movie.mov, damaged: the captions of track"), "\(told)")
    #expect(told.outputLines.contains { $0.contains("Hi") })
  }

  /// A movie with SubRip's captions in its second track and ASS in its third.
  private static func unreadMovie(_ path: String) throws {
    var file = ClipFile(
      codec: "ffv1", width: 32, height: 32, pixelFormat: AV_PIX_FMT_YUV420P,
      timeBase: AVRational(num: 1, den: 10))
    var container: ClipFile.Output?
    let texts = [
      (AV_CODEC_ID_SUBRIP, "", "Hi"),
      (AV_CODEC_ID_ASS, "[Script Info]\n", "0,0,Default,,0,0,0,,Ho"),
    ]
    file.describe = { _, _, output in
      for (codec, head, _) in texts {
        guard let stream = avformat_new_stream(output, nil),
          let parameters = stream.pointee.codecpar
        else { continue }
        stream.pointee.time_base = AVRational(num: 1, den: 1000)
        parameters.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
        parameters.pointee.codec_id = codec
        guard !head.isEmpty, let memory = av_mallocz(head.utf8.count + 64) else { continue }
        memory.copyMemory(from: Array(head.utf8), byteCount: head.utf8.count)
        parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(head.utf8.count)
      }
      container = output
    }
    try file.write(to: path, frames: 20) { picture, number in
      let planes = [picture.pointee.data.0, picture.pointee.data.1, picture.pointee.data.2]
      for (plane, data) in planes.enumerated() {
        let side = Int(plane == 0 ? picture.pointee.linesize.0 : picture.pointee.linesize.1)
        data?.update(repeating: UInt8(90 + number), count: side * (plane == 0 ? 32 : 16))
      }
      guard number == 0, let container else { return Int64(number) }
      for (index, (_, _, text)) in texts.enumerated() {
        var packet = av_packet_alloc()
        defer { av_packet_free(&packet) }
        guard let packet, av_new_packet(packet, Int32(text.utf8.count)) >= 0 else { continue }
        UnsafeMutableRawPointer(packet.pointee.data).copyMemory(
          from: Array(text.utf8), byteCount: text.utf8.count)
        packet.pointee.stream_index = Int32(index + 1)
        (packet.pointee.pts, packet.pointee.dts, packet.pointee.duration) = (100, 100, 800)
        av_interleaved_write_frame(container, packet)
      }
      return Int64(number)
    }
  }

  /// Captions that are not read are named beside those that are, and where a track is asked for that there is not.
  @Test func unreadTracks() async throws {
    let folder = Folder()
    try Self.unreadMovie(folder.file("two.mkv"))
    let told = try await works(["captions", "info", "two.mkv"], in: folder)
    #expect(told.outputLines.contains { $0.contains("Hi") })
    #expect(told.errors.contains("note: the captions of track 3"), "\(told)")
    let json = try await works(["captions", "info", "two.mkv", "--strict", "--json"], in: folder)
    let issues = try #require(json.objects().first?["issues"] as? [[String: Any]])
    #expect(issues.count == 1 && issues[0]["severity"] as? String == "note")
    try await refuses(
      ["captions", "info", "two.mkv", "--track", "2"], in: folder,
      naming: ["1 track of captions", "no track 2", "the captions of track 3", "are not read"])
  }

  @Test func refusals() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    try await works(
      [
        "import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", "bare.mov",
      ], in: folder)
    try await refuses(
      ["export", "movie.mov", "-o", "x/%04d.png", "--captions", "a.srt"], in: folder,
      naming: ["--burn-captions"])
    try await refuses(
      ["export", "bare.mov", "-o", "x.mp4", "--burn-captions"], in: folder,
      naming: ["bare.mov", "--captions"])
    try await refuses(
      ["export", "movie.mov", "-o", "x.mp4", "--captions", "clip.mov"], in: folder,
      naming: ["clip.mov"])
    try await refuses(["captions", "info", "bare.mov"], in: folder, naming: ["bare.mov"])
    try await refuses(
      ["captions", "info", "movie.mov", "--track", "3"], in: folder, naming: ["track 3"])
    try await refuses(
      ["captions", "info", "a.srt", "--track", "1"], in: folder, code: 64, naming: ["--track"])
  }
}
