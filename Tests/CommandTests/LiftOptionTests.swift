// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalScript
import Foundation
import Testing

/// Options of `focal lift` that go together, and what it says that it has written.
@Suite struct LiftOptionTests {
  static let size = Dimensions(width: 192, height: 144)

  /// A bright disc before a dark wall, or the wall alone, with its map.
  static func write(
    _ picture: String, _ map: String, tags: ColorTags = .sRGB, isThere: Bool = true,
    in folder: Folder
  ) throws {
    var codes: [UInt8] = []
    var near: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (u, v) = (x - 90, y - 70)
        let isInside = isThere && u * u + v * v < 1600
        codes += isInside ? [220, UInt8(120 + (x * 7 + y * 5) % 20), 60, 255] : [30, 40, 70, 255]
        near.append(isInside ? 200 : 60)
      }
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .rgba8, tags: tags, values: codes),
      to: folder.file(picture))
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .gray8, values: near), to: folder.file(map))
  }

  /// `back/0000.png`, dark, and `back/0001.png`, bright.
  private static func writeBackgrounds(in folder: Folder) throws {
    folder.make("back")
    for (number, code) in [UInt8(40), 200].enumerated() {
      let picture = try PixelBuffer(
        dimensions: size, format: .gray8, values: [UInt8](repeating: code, count: size.count))
      try PictureWriter.write(picture, to: folder.file("back/000\(number).png"))
    }
  }

  static func light(_ path: String) async throws -> PixelBuffer {
    try await FrameReader.open(path).frame(number: 0).pixelBuffer.linearRGBA()
  }

  static func pixel(_ x: Int, _ y: Int, of light: PixelBuffer) -> SIMD4<Float> {
    light.withUnsafeBytes { bytes in
      bytes.loadUnaligned(
        fromByteOffset: y * light.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
    }
  }

  /// How many pixels of a picture are not transparent.
  private static func visibleCount(_ path: String) async throws -> Int {
    let light = try await light(path)
    var count = 0
    for y in 0..<light.height {
      for x in 0..<light.width where pixel(x, y, of: light).w > 0.02 { count += 1 }
    }
    return count
  }

  /// A number below zero is a value, and not the next option.
  @Test func numbersBelowZero() async throws {
    let folder = Folder()
    try Self.write("in.png", "map.png", in: folder)
    let lift = ["lift", "in.png", "--disparity", "map.png"]
    let boxed = try await works(lift + ["--box", "-0.1,0.1,0.85,0.75", "--json"], in: folder)
    let subjects = try boxed.objects().last?["subjects"] as? [[String: Any]]
    #expect(subjects?.count == 1, "\(boxed.output)")
    try await refuses(lift + ["--at", "-0.1,0.5"], in: folder, code: 64, naming: ["0 to 1"])
    try await refuses(
      lift + ["--mask-model", "m.onnx", "--mask-every", "-1"], in: folder, code: 64,
      naming: ["1 to 50"])
  }

  /// What lies around a subject is part of the picture that is cut to it.
  @Test(arguments: ["outline", "shadow"]) func tightAccents(_ accent: String) async throws {
    let folder = Folder()
    try Self.write("in.png", "map.png", in: folder)
    let lift = ["lift", "in.png", "--disparity", "map.png", "--accent", accent]
    try await works(lift + ["-o", "whole.png"], in: folder)
    try await works(lift + ["--tight", "-o", "tight.png"], in: folder)
    let whole = try await Self.visibleCount(folder.file("whole.png"))
    let tight = try await Self.visibleCount(folder.file("tight.png"))
    // Dithering begins at another corner: pixels that are barely visible may be on either side.
    #expect(abs(tight - whole) <= 8, "\(tight) of \(whole)")
    let part = try await FrameReader.open(folder.file("tight.png")).properties.dimensions
    #expect(part.width < Self.size.width && part.height < Self.size.height, "\(part)")
  }

  /// Options that would do nothing beside others.
  @Test func refusesWhatDoesNothing() async throws {
    let folder = Folder()
    try Self.write("in.png", "map.png", in: folder)
    let cases: [([String], String)] = [
      (["--all", "--at", "0.5,0.5"], "--all"), (["--all", "--box", "0.2,0.2,0.5,0.5"], "--all"),
      (["--background", "#808080", "--bokeh"], "--bokeh"),
      (["--background", "#808080", "--bokeh-size", "0.05"], "--bokeh"),
    ]
    for (arguments, words) in cases {
      try await refuses(
        ["lift", "in.png", "--disparity", "map.png", "-o", "out.png"] + arguments, in: folder,
        code: 64, naming: [words])
    }
    try await works(
      ["lift", "in.png", "--disparity", "map.png", "-o", "out.png", "--background", "#808080"]
        + ["--halo", "0.5"], in: folder)
  }

  /// A picture that is cut to a subject lies somewhere in its source.
  @Test func tellsWhereThePartLies() async throws {
    let folder = Folder()
    try Self.write("in.png", "map.png", in: folder)
    let lift = ["lift", "in.png", "--disparity", "map.png", "--force"]
    let made = try await works(lift + ["--tight", "-o", "tight.png", "--json"], in: folder)
    let report = try #require(try made.objects().last)
    let part = try #require(report["part"] as? [String: Int], "\(made.output)")
    let width = try #require(report["width"] as? Int)
    let (x, y) = (try #require(part["x"]), try #require(part["y"]))
    #expect(part["sourceWidth"] == 192 && part["sourceHeight"] == 144, "\(part)")
    // Of a disc around 90,70 with a radius of 40.
    #expect((44...52).contains(x) && (24...32).contains(y), "\(part)")
    #expect(abs(x + width / 2 - 90) <= 2, "\(part) \(width)")
    let told = try await works(lift + ["--tight", "-o", "tight.png"], in: folder)
    #expect(told.output.contains("at \(x),\(y) of 192x144"), "\(told.output)")
    let whole = try await works(lift + ["-o", "whole.png", "--json"], in: folder)
    #expect(try whole.objects().last?["part"] == nil)
  }

  /// Face and torso of one subject are looked for together, where no map makes a point enough.
  @Test func takesAllOfAScriptsSubject() async throws {
    let folder = Folder()
    try Self.write("in.png", "map.png", in: folder)
    func track(
      _ id: Int64, _ type: DetectionType, _ left: Double, _ top: Double, _ right: Double,
      _ bottom: Double
    ) throws -> RecordedDetectionTrack {
      let (width, height) = (Double(Self.size.width), Double(Self.size.height))
      let rect = NormalizedRect(
        x: left / width, y: top / height, width: (right - left) / width,
        height: (bottom - top) / height)
      return try RecordedDetectionTrack(
        detectionID: DetectionID(id), detectionGroupID: DetectionGroupID(1), detectionType: type,
        detections: [
          Detection(time: .zero, detectionType: type, normalizedRect: rect, focusDisparity: 0.8)
        ])
    }
    let duration = Time(value: 1, timescale: 30)
    let range = TimeRange(start: .zero, duration: duration)
    let recording = try Recording(
      timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: duration),
      fNumber: 2.8,
      detectionTracks: [
        track(1, .humanFace, 72, 34, 108, 58), track(2, .humanTorso, 52, 50, 128, 108),
      ],
      decisions: [Decision(time: .zero, detectionID: DetectionID(1), strong: false)])
    folder.write([UInt8](try recording.jsonRepresentation()), to: "script.json")
    try await works(["lift", "in.png", "--script", "script.json", "-o", "out.png"], in: folder)
    let visible = try await Self.visibleCount(folder.file("out.png"))
    // The disc has 5026 pixels, the face 864.
    #expect(visible > 3500, "\(visible)")
  }

  /// Numbered pictures behind a movie have the rate that is given.
  @Test func ratesOfBackgrounds() async throws {
    let folder = Folder().with("maps")
    try Material.clip("clip.mp4", in: folder, times: Material.steady(5), size: Self.size)
    for number in 0..<5 { try Self.write("\(number).png", "maps/000\(number).png", in: folder) }
    try Self.writeBackgrounds(in: folder)
    let lift = ["lift", "clip.mp4", "--disparity", "maps/%04d.png", "--frame-rate", "10"]
    try await works(
      lift + ["--background", "back/%04d.png", "-o", "out/%04d.png"], in: folder)
    for (number, isBright) in [(0, false), (1, false), (3, true)] {
      let light = try await Self.light(folder.file("out/000\(number).png"))
      let corner = Self.pixel(2, 2, of: light).x
      #expect((corner > 0.2) == isBright, "\(number): \(corner)")
    }
    try await refuses(
      lift + ["--background", "back/0000.png", "-o", "no/%04d.png"], in: folder,
      naming: ["--frame-rate", "neither clip.mp4 nor back/0000.png"])
    try await refuses(
      lift + ["--background", "#ff0000", "-o", "no/%04d.png"], in: folder,
      naming: ["--frame-rate", "clip.mp4 is none"])
  }

  /// One frame of a clip has the background that the first of several would have.
  @Test func oneFrameBeforeAClip() async throws {
    let folder = Folder().with("in").with("maps")
    for number in 0..<3 {
      try Self.write("in/000\(number).png", "maps/000\(number).png", in: folder)
    }
    try Self.writeBackgrounds(in: folder)
    let lift = [
      "lift", "in/%04d.png", "--disparity", "maps/%04d.png", "--background", "back/%04d.png",
    ]
    try await works(lift + ["--frames", "1-2", "-o", "range/%04d.png"], in: folder)
    try await works(lift + ["--frames", "1", "-o", "one.png"], in: folder)
    let (range, one) = (
      try await Self.light(folder.file("range/0001.png")),
      try await Self.light(folder.file("one.png"))
    )
    #expect(Self.pixel(2, 2, of: one) == Self.pixel(2, 2, of: range))
    try await refuses(
      [
        "lift", "in/0001.png", "--disparity", "maps/0001.png", "--background", "back/%04d.png",
        "-o", "no.png",
      ], in: folder, naming: ["back/%04d.png is a clip, and in/0001.png is one picture"])
  }

  /// A subject that comes after the first frame was written, and is told.
  @Test func tellsLateSubjects() async throws {
    let folder = Folder().with("in").with("maps")
    for number in 0..<2 {
      try Self.write(
        "in/\(number).png", "maps/\(number).png", isThere: number > 0, in: folder)
    }
    let made = try await works(
      ["lift", "in/%d.png", "--disparity", "maps/%d.png", "-o", "out/%d.png", "--json"],
      in: folder)
    let report = try #require(try made.objects().last)
    #expect((report["subjects"] as? [Any])?.isEmpty == true, "\(made.output)")
    #expect(report["taken"] as? [Int] == [1], "\(made.output)")
  }

  /// A colour is the same before pictures of other primaries.
  @Test(arguments: [ColorTags.Primaries.bt709, .displayP3])
  func coloursOfBackgrounds(_ primaries: ColorTags.Primaries) async throws {
    let folder = Folder()
    try Self.write(
      "in.png", "map.png",
      tags: ColorTags(primaries: primaries, transfer: .srgb, matrix: .bt709), in: folder)
    try await works(
      ["lift", "in.png", "--disparity", "map.png", "--background", "#ff0000", "-o", "out.png"],
      in: folder)
    let light = try await Self.light(folder.file("out.png"))
    #expect(light.tags.primaries == primaries)
    let corner = Self.pixel(2, 2, of: light)
    let conversion = PrimariesConversion(from: light.tags.primaries, to: .bt709)
    let color = conversion.applied(
      to: SIMD3(Double(corner.x), Double(corner.y), Double(corner.z)))
    #expect(abs(color.x - 1) < 0.02, "\(color)")
    #expect(abs(color.y) < 0.02 && abs(color.z) < 0.02, "\(color)")
  }
}
