// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Pictures and films through standard input and output.
@Suite struct PipeTests {
  private static let maps = "--disparity maps/%04d.png"

  private static func clip(
    _ count: Int = 6, in folder: Folder, format: PixelFormat = .yuv420Video8,
    tags: ColorTags = .bt709
  ) throws {
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(count), format: format, tags: tags)
    try Material.numberedMaps(count, in: folder)
  }

  /// Times in milliseconds, as of Matroska, are of one rate, whichever command reads them.
  @Test(arguments: [
    (Time(value: 1, timescale: 60), "F60:1"), (Time(value: 1, timescale: 24), "F24:1"),
    (Time(value: 1001, timescale: 24000), "F24000:1001"),
  ])
  func roundedTimes(_ duration: Time, rate: String) async throws {
    let folder = Folder()
    let times = (0..<30).map { (duration * $0).converted(to: 1000) }
    try Material.clip("clip.mov", in: folder, times: times, last: Time(value: 17, timescale: 1000))
    try Material.numberedMaps(30, in: folder)
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", "movie.mov"],
      in: folder)
    for command in ["export movie.mov", "render clip.mov \(Self.maps)"] {
      let piped = try await Program.shell(
        "focal \(command) --f-number inf --progress none -o - > a.y4m", in: folder)
      #expect(piped.code == 0 && !piped.errors.contains("one frame rate"), "\(piped.errors)")
      let header = String(decoding: folder.read("a.y4m").prefix(80), as: UTF8.self)
      #expect(header.contains(" \(rate) "), "\(header)")
    }
  }

  /// Codes and times are those of a film without loss.
  @Test(arguments: ["y4m", "nut"]) func films(_ format: String) async throws {
    let folder = Folder()
    try Self.clip(in: folder)
    let render = "focal render clip.mov \(Self.maps) --focus 0.5 --progress none"
    let written = try await Program.shell(
      "\(render) -o - --format \(format) > a.\(format)", in: folder)
    #expect(written.code == 0 && written.errors.contains("standard output: 6 frames of 48x32"))
    #expect(
      written.errors.hasPrefix("focal: \(format) does not say that the colours are bt709"),
      "\(written.errors)")
    let film = try await Program.shell("\(render) --rate-factor 0 -o film.mov", in: folder)
    #expect(film.code == 0, "\(film.errors)")
    let piped = try await Material.frames(folder.file("a.\(format)"))
    let whole = try await Material.frames(folder.file("film.mov"))
    #expect(piped.frames.map(\.time) == whole.frames.map(\.time))
    for (a, b) in zip(piped.frames, whole.frames) {
      let isSame = (0..<2).allSatisfy {
        a.pixelBuffer.codes(ofPlane: $0) == b.pixelBuffer.codes(ofPlane: $0)
      }
      #expect(isSame, "\(a.index)")
    }
    // Everything that comes in goes out again, code for code, and with it the stream's bytes.
    let again = try await Program.shell(
      "cat a.\(format) | focal render - \(Self.maps) --f-number inf -o - --format \(format)"
        + " > b.\(format)", in: folder)
    #expect(again.code == 0, "\(again.errors)")
    let isSame = folder.read("b.\(format)") == folder.read("a.\(format)")
    #expect(isSame && folder.read("a.\(format)").count > 6 * 48 * 32)
    // A film in a file has the pipe's frames and times; the standard format is the film's.
    let filmed = try await Program.shell(
      "cat a.\(format) | focal render - \(Self.maps) --f-number inf --rate-factor 0 -o c.mov",
      in: folder)
    #expect(filmed.code == 0, "\(filmed.errors)")
    let after = try await Material.frames(folder.file("c.mov"))
    #expect(after.frames.map(\.timeRange) == whole.frames.map(\.timeRange))
    #expect(
      after.frames[3].pixelBuffer.codes() == piped.frames[3].pixelBuffer.codes())
  }

  /// Streams have no room for a film's companions, and each is named.
  @Test func companions() async throws {
    let folder = Folder()
    var companions = FilmCompanions()
    companions.timecode = Timecode("10:20:30:12", frameDuration: Time(value: 1, timescale: 30))
    companions.chapters = [Chapter(time: .zero, title: "Morning")]
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(3), companions: companions)
    try Material.numberedMaps(3, in: folder)
    for format in ["y4m", "nut"] {
      let outcome = try await Program.shell(
        "focal render clip.mov \(Self.maps) -o - --format \(format) > a", in: folder)
      #expect(
        outcome.errors.contains("standard output does not keep the timecode, the chapters"),
        "\(outcome.errors)")
    }
    let film = try await Program.shell(
      "focal render clip.mov \(Self.maps) -o film.mov", in: folder)
    #expect(film.code == 0 && !film.errors.contains("does not keep"), "\(film.errors)")
  }

  /// Odd sizes and ten bits are kept; colours that the stream does not say are named.
  @Test func depthAndColours() async throws {
    let folder = Folder()
    try Self.clip(3, in: folder, format: .yuv420Video10, tags: .hlg)
    let outcome = try await Program.shell(
      "focal render clip.mov \(Self.maps) --f-number inf -o - > a.y4m", in: folder)
    #expect(outcome.code == 0)
    #expect(outcome.errors.contains("y4m does not say") && outcome.errors.contains("hlg"))
    let head = String(decoding: folder.read("a.y4m").prefix { $0 != 10 }, as: UTF8.self)
    #expect(head.hasPrefix("YUV4MPEG2 W48 H32 F30:1 Ip") && head.contains("C420p10"), "\(head)")
    let read = try await Material.frames(
      folder.file("a.y4m"), ReadOptions(transfer: .hlg))
    let before = try await Material.frames(folder.file("clip.mov"))
    #expect(read.frames[1].pixelBuffer.codes() == before.frames[1].pixelBuffer.codes())
    try PictureWriter.write(
      Material.picture(Dimensions(width: 35, height: 21)), to: folder.file("odd.png"))
    let odd = try await Program.shell(
      "focal render odd.png --disparity maps/0000.png --disparity-fit stretch -o - --format y4m"
        + " > odd.y4m", in: folder)
    #expect(odd.code == 0 && odd.errors.contains("y4m does not hold all of odd.png"))
    let pixels = folder.read("odd.y4m")
    #expect(String(decoding: pixels.prefix(20), as: UTF8.self).hasPrefix("YUV4MPEG2 W35 H21"))
    let start = try #require(pixels.firstIndex(of: 10)) + 1
    #expect(pixels.count == start + 6 + 35 * 21 + 2 * 18 * 11)
    // Times that differ are named where one rate has to do.
    try Material.clip(
      "uneven.mov", in: folder,
      times: [0, 1, 5].map { Time(value: $0, timescale: 30) })
    let line = "focal render uneven.mov \(Self.maps) --progress none --f-number inf -o -"
    let y4m = try await Program.shell("\(line) > u.y4m", in: folder)
    #expect(y4m.errors.contains("--format nut"), "\(y4m.errors)")
    let nut = try await Program.shell("\(line) --format nut > u.nut", in: folder)
    #expect(!nut.errors.contains("one frame rate"))
    let kept = try await Material.frames(folder.file("u.nut"))
    #expect(kept.frames.map { ($0.time.seconds * 30).rounded() } == [0, 1, 5])
  }

  /// A picture in, a picture out: the bytes that a file would have.
  @Test func pictures() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try await works(
      ["render", "in.png", "--disparity", "map.png", "--focus", "0.5", "-o", "file.png"],
      in: folder)
    let options = "--focus 0.5 -o -"
    for (line, name) in [
      ("cat in.png | focal render - --disparity map.png \(options)", "a.png"),
      ("cat map.png | focal render in.png --disparity - \(options)", "b.png"),
      ("focal render <(cat in.png) --disparity <(cat map.png) \(options)", "c.png"),
    ] {
      let outcome = try await Program.shell("\(line) > \(name)", in: folder)
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("standard output: 1 frame"))
      #expect(folder.read(name) == folder.read("file.png"), "\(line)")
    }
    // Several PNG pictures follow each other, and so do maps.
    for (number, phase) in [0.0, 1, 2].enumerated() {
      try PictureWriter.write(
        Material.picture(phase: phase), to: folder.file("in\(number).png"))
    }
    try await works(
      ["render", "in%d.png", "--disparity", "in%d.png", "-o", "f%d.png"], in: folder)
    let piped = try await Program.shell(
      "cat in[0-2].png | focal render - --disparity <(cat in[0-2].png) -o - --format png > all.png",
      in: folder)
    #expect(piped.code == 0, "\(piped.errors)")
    let isSame = folder.read("all.png") == (0..<3).flatMap { folder.read("f\($0).png") }
    #expect(isSame)
  }

  /// One map and several frames: an error in files and pipes alike, unless the map is to be held.
  @Test func oneMap() async throws {
    let folder = Folder()
    for number in 0..<3 {
      try PictureWriter.write(
        Material.picture(phase: Double(number)), to: folder.file("in\(number).png"))
    }
    try PictureWriter.write(Material.map(), to: folder.file("map.png"))
    let options = "--disparity map.png --progress none"
    for (line, name) in [
      ("cat in[0-2].png | focal render - \(options)", "piped"),
      ("focal render in%d.png \(options)", "filed"),
    ] {
      let film = try await Program.shell("\(line) -o \(name).mov", in: folder)
      #expect(film.code == 1 && film.errorLines.last?.contains("map.png is one map") == true)
      #expect(film.errors.contains("--on-missing hold"), "\(film.errors)")
      #expect(!folder.names.contains("\(name).mov") && folder.unfinished.isEmpty)
      let held = try await Program.shell("\(line) --on-missing hold -o \(name)%d.png", in: folder)
      #expect(held.code == 0 && held.errors.contains("map.png is one map, and is held"))
    }
    for number in 0..<3 {
      let isSame = folder.read("piped\(number).png") == folder.read("filed\(number).png")
      #expect(isSame && !folder.read("filed\(number).png").isEmpty)
    }
    // There is nothing to hold between streams, and no number to skip.
    for line in [
      "cat in[0-2].png | focal render - --disparity <(cat in[0-2].png) --on-missing hold -o a.mov",
      "cat in[0-2].png | focal render - --disparity map.png --on-missing skip -o a.mov",
    ] {
      let refused = try await Program.shell(line, in: folder)
      #expect(refused.code == 1 && refused.errors.contains("--on-missing"), "\(refused.errors)")
    }
  }

  /// A stream's pixels that are not kept are named, and no others.
  @Test func pixelsThatStreamsLack() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let light = try Material.picture(Material.size, .rgbaFloat, tags: .linearBT709)
    light.withUnsafeMutableBytes { bytes in
      let values = bytes.bindMemory(to: Float.self)
      for index in stride(from: 3, to: values.count, by: 4) { values[index] = 0.5 }
    }
    let glass = try PixelBuffer(dimensions: Material.size, format: .rgba8, tags: .sRGB)
    try glass.store(linearRGBA: light)
    try PictureWriter.write(glass, to: folder.file("glass.png"))
    let render = "focal render glass.png --disparity map.png"
    let y4m = try await Program.shell("\(render) -o - --format y4m > a.y4m", in: folder)
    #expect(y4m.code == 0 && y4m.errors.contains("alpha is left out"), "\(y4m.errors)")
    let pfm = try await Program.shell("\(render) -o a.pfm", in: folder)
    #expect(
      pfm.code == 0
        && pfm.errors.contains("a.pfm does not hold all of glass.png: alpha is left out"))
    for name in ["a.exr", "a.png", "a.tif"] {
      let kept = try await Program.shell("\(render) -o \(name)", in: folder)
      #expect(kept.code == 0 && !kept.errors.contains("alpha"), "\(kept.errors)")
    }
    try Self.clip(3, in: folder)
    let film = try await Program.shell(
      "focal render clip.mov \(Self.maps) --codec ffv1 --chroma 444 --bit-depth 12 -o fine.mov"
        + " && focal render fine.mov \(Self.maps) -o - > b.y4m", in: folder)
    #expect(film.errors.contains("12 bits become 10, 4:4:4 becomes 4:2:0"), "\(film.errors)")
  }

  @Test func movies() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 4)
    try await works(
      ["import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "-o", "movie.mov"], in: folder
    )
    try await works(["export", "movie.mov", "--rate-factor", "0", "-o", "film.mov"], in: folder)
    let films = try await Program.shell(
      "focal export movie.mov -o - --json > a.y4m && focal thumbnail movie.mov --at 2f -o - > a.png",
      in: folder)
    #expect(films.code == 0)
    // Nothing but the result is on standard output; the rest is objects on standard error.
    let events = try films.errorObjects().compactMap { $0["event"] as? String }
    #expect(events.contains("progress") && events.contains("done"))
    let piped = try await Material.frames(folder.file("a.y4m")).frames
    let whole = try await Material.frames(folder.file("film.mov")).frames
    #expect(piped.count == 4)
    for (a, b) in zip(piped, whole) { #expect(a.pixelBuffer.codes() == b.pixelBuffer.codes()) }
    try await works(["thumbnail", "movie.mov", "--at", "2f", "-o", "b.png"], in: folder)
    #expect(folder.read("a.png") == folder.read("b.png"))
  }

  /// Scripts and changes go through pipes, too; what was done is then said on standard error.
  @Test func texts() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 4)
    let decide = "focal script decide s/script.json --at 0.1 --disparity 0.5"
    let outcome = try await Program.shell(
      "\(decide) -o - | focal script show s/script.json --changes - --at 3f", in: folder)
    #expect(outcome.code == 0 && outcome.output.contains("1 user decision"), "\(outcome)")
    #expect(outcome.errors.contains("0.100 s: weak decision"))
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "movie.mov",
      ], in: folder)
    let script = try await Program.shell(
      "focal extract movie.mov --script -o - > a.json; focal extract movie.mov --script -o b.json",
      in: folder)
    #expect(script.code == 0 && script.errors.isEmpty)
    #expect(!folder.read("a.json").isEmpty && folder.read("a.json") == folder.read("b.json"))
    let closed = try await Program.shell(
      "focal extract movie.mov --metadata -o - | true; echo ${PIPESTATUS[0]}", in: folder)
    #expect(["141\n", "0\n"].contains(closed.output) && closed.errors.isEmpty, "\(closed)")
    #expect(!folder.names.contains("-"))
  }

  /// A reader that leaves ends the program quietly, by the signal that is meant for it.
  @Test func closedPipes() async throws {
    let folder = Folder()
    try Self.clip(90, in: folder)
    for format in ["y4m", "nut", "png"] {
      let outcome = try await Program.shell(
        "focal render clip.mov \(Self.maps) --quality thumbnail --focus 0.5 --progress none -o -"
          + " --format \(format) | head -c 100 > part; echo ${PIPESTATUS[0]}", in: folder)
      let others = outcome.errors.split(separator: "\n").filter { !$0.contains("does not say") }
      #expect(outcome.output == "141\n" && others.isEmpty, "\(outcome)")
      #expect(folder.read("part").count == 100 && folder.unfinished.isEmpty)
    }
  }

  @Test(.enabled(if: access("/dev/ptmx", R_OK) == 0, "this system has no pseudo-terminals"))
  func terminals() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0)
    defer { close(master) }
    // TIOCSPTLCK and TIOCGPTN: the other end is unlocked, and has a number.
    var (isLocked, number): (Int32, UInt32) = (0, 0)
    try #require(ioctl(master, 0x4004_5431, &isLocked) == 0)
    try #require(ioctl(master, 0x8004_5430, &number) == 0)
    let terminal = "/dev/pts/\(number)"
    let render = "focal render in.png --disparity map.png --focus 0.5 -o"
    let shown = try await Program.shell("\(render) - > \(terminal)", in: folder)
    #expect(shown.code == 1 && shown.errors.contains("standard output is a terminal"))
    let typed = try await Program.shell(
      "focal render - --disparity map.png -o a.png < \(terminal)", in: folder)
    #expect(typed.code == 1 && typed.errors.contains("standard input is a terminal"))
  }

  @Test(arguments: [
    ("cat clip.mov | focal export - -o a.mp4", ["standard input", "file"]),
    ("cat in.png | focal compare in.png -", ["standard input", "file"]),
    ("focal render clip.mov MAPS -o - --codec hevc", ["--codec", "standard output"]),
    ("focal render clip.mov MAPS -o - --format exr", ["exr", "y4m"]),
    ("focal render clip.mov MAPS -o a.mov --format y4m", ["--format", "a.mov"]),
    ("focal render clip.mov MAPS -o - --picture-quality 9", ["--picture-quality"]),
    ("focal render - MAPS -o a.mov < /dev/null", ["standard input", "empty"]),
    ("cat in.png | focal render - --disparity - -o a.png", ["standard input", "named pipe"]),
    ("head -c 300 in.png | focal render - --disparity map.png -o a.png", ["standard input"]),
    (
      "echo nothing at all | focal render - --disparity map.png -o a.png",
      ["standard input", "Y4M"]
    ),
    ("cat a.y4m | focal render - MAPS --frames 1 -o a.mov", ["--frames", "standard input"]),
    ("cat a.y4m | focal render - MAPS --resume -o a%d.png", ["resumed"]),
    ("cat a.y4m | focal render - MAPS -o a.png", ["a.png", "one picture"]),
    ("head -c 5000 a.y4m | focal render - MAPS -o a.mov", ["standard input", "cut short"]),
    ("head -c 5000 a.nut | focal render - MAPS -o a.mov", ["standard input", "cut short"]),
    ("cat a.y4m | focal render - --deinterlace --layer a MAPS -o a.mov", ["layers"]),
    ("cat in.jpg in.jpg | focal render - --disparity map.png -o a.png", ["several JPEG"]),
  ])
  func refusals(_ line: String, _ names: [String]) async throws {
    let folder = Folder()
    try Self.clip(3, in: folder)
    try Material.still(in: folder)
    try PictureWriter.write(Material.picture(), to: folder.file("in.jpg"))
    let made = try await Program.shell(
      "focal render clip.mov \(Self.maps) --f-number inf -o - > a.y4m", in: folder)
    let other = try await Program.shell(
      "focal render clip.mov \(Self.maps) --f-number inf -o - --format nut > a.nut", in: folder)
    #expect(made.code == 0 && other.code == 0)
    let before = folder.contents
    let outcome = try await Program.shell(
      line.replacing("MAPS", with: "--progress none " + Self.maps), in: folder)
    let errors = outcome.errorLines.filter { $0.hasPrefix("focal: error: ") }
    #expect(outcome.code == 1 && errors.count == 1 && outcome.output.isEmpty, "\(outcome)")
    for name in names { #expect(errors.first?.contains(name) == true, "\(outcome.errors)") }
    #expect(folder.contents == before, "\(folder.names)")
  }
}
