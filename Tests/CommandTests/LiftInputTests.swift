// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalScript
import Foundation
import Testing

/// What `focal lift` is given: pictures that are stored turned, and backgrounds.
@Suite struct LiftInputTests {
  private static let size = Dimensions(width: 192, height: 144)

  /// The light of a pixel of a picture file.
  private static func pixel(
    at point: NormalizedPoint, of path: String
  ) async throws -> SIMD4<Float> {
    let light = try await FrameReader.open(path).frame(number: 0).pixelBuffer.linearRGBA()
    let (x, y) = point.pixel(in: light.dimensions)
    return light.withUnsafeBytes { bytes in
      bytes.loadUnaligned(
        fromByteOffset: y * light.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
    }
  }

  /// `turned.mov`, a picture with a disc that is stored on its side, `map.png` as it is shown, and the disc's script.
  ///
  /// - Returns: the disc's middle as the picture is shown.
  private static func writeTurned(
    by turn: QuarterTurn, in folder: Folder
  ) throws -> NormalizedPoint {
    func isDisc(_ point: NormalizedPoint) -> Bool {
      let (x, y) = (point.x * Double(size.width) - 50, point.y * Double(size.height) - 40)
      return x * x + y * y < 900
    }
    func places(_ size: Dimensions) -> [NormalizedPoint] {
      (0..<size.count).map { index in
        NormalizedPoint(
          x: (Double(index % size.width) + 0.5) / Double(size.width),
          y: (Double(index / size.width) + 0.5) / Double(size.height))
      }
    }
    let time = Time(value: 1, timescale: 30)
    var settings = WriterSettings(dimensions: size, pixelFormat: .rgba8, tags: .sRGB)
    settings.codec = .h264
    settings.preferredTransform = turn
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("turned.mov"), settings: settings)
    let colors = places(size).flatMap { isDisc($0) ? [220, 130, 60, 255] : [30, 40, 70, 255] }
    try writer.append(
      PixelBuffer(
        dimensions: size, format: .rgba8, tags: .sRGB, values: colors.map { UInt8($0) }),
      time: .zero, duration: time)
    try writer.finish()
    let shown = turn.applied(to: size)
    let near = places(shown).map { UInt8(isDisc(turn.inverse.applied(to: $0)) ? 200 : 60) }
    try PictureWriter.write(
      PixelBuffer(dimensions: shown, format: .gray8, values: near), to: folder.file("map.png"))
    let rect = NormalizedRect(
      x: 20.0 / Double(size.width), y: 10.0 / Double(size.height),
      width: 60.0 / Double(size.width), height: 60.0 / Double(size.height))
    let track = try RecordedDetectionTrack(
      detectionID: DetectionID(1), detectionType: .humanFace,
      detections: [
        Detection(
          time: .zero, detectionType: .humanFace, normalizedRect: rect, focusDisparity: 0.8)
      ])
    let range = TimeRange(start: .zero, duration: time)
    let recording = try Recording(
      timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: time), fNumber: 2.8,
      detectionTracks: [track],
      decisions: [Decision(time: .zero, detectionID: DetectionID(1), strong: false)])
    folder.write([UInt8](try recording.jsonRepresentation()), to: "script.json")
    return turn.applied(to: rect.center)
  }

  /// A script's detections lie as pictures are stored, points and boxes as they are shown.
  @Test(arguments: [QuarterTurn.clockwise90, .clockwise180, .clockwise270])
  func takesAScriptsSubjectOfTurnedPictures(turn: QuarterTurn) async throws {
    let folder = Folder()
    let middle = try Self.writeTurned(by: turn, in: folder)
    for (map, output) in [(["--disparity", "map.png"], "a.png"), ([], "b.png")] {
      try await works(
        ["lift", "turned.mov", "--script", "script.json", "-o", output] + map, in: folder)
      let lifted = try await Self.pixel(at: middle, of: folder.file(output))
      #expect(lifted.w > 0.9, "\(output)")
    }
  }

  /// Of high dynamic range the subjects become standard, and that is said; masks have none.
  @Test func masksOfHighDynamicRange() async throws {
    let folder = Folder()
    _ = try Self.writeTurned(by: .identity, in: folder)
    try Material.clip(
      "hlg.mov", in: folder, times: Material.steady(1), size: Self.size, format: .yuv420Video10,
      tags: .hlg)
    let lift = ["lift", "hlg.mov", "--disparity", "map.png", "--at", "0.26,0.28"]
    for (options, isTold) in [(["-o", "a.png"], true), (["--mask", "-o", "b.png"], false)] {
      let made = try await works(lift + options, in: folder)
      let line = "high dynamic range becomes standard"
      #expect(made.errors.contains(line) == isTold, "\(made.errors)")
    }
  }

  /// The light of an OpenEXR background is multiplied by its alpha, and that once.
  @Test func premultipliedBackgrounds() async throws {
    let folder = Folder()
    _ = try Self.writeTurned(by: .identity, in: folder)
    let codes = (0..<Self.size.count).flatMap { _ in [188, 120, 60, 128] as [UInt8] }
    let straight = try PixelBuffer(dimensions: Self.size, format: .rgba8, values: codes)
    try PictureWriter.write(straight, to: folder.file("back.png"))
    let light = try straight.linearRGBA().withUnsafeBytes { bytes in
      bytes.loadUnaligned(as: SIMD4<Float>.self)
    }
    var multiplied = light * light.w
    multiplied.w = light.w
    try PictureWriter.write(
      PixelBuffer(
        dimensions: Self.size, format: .rgbaFloat, tags: .linearBT709,
        values: [SIMD4<Float>](repeating: multiplied, count: Self.size.count)),
      to: folder.file("back.exr"))
    var found: [SIMD4<Float>] = []
    for background in ["back.png", "back.exr"] {
      let output = background + ".lifted.exr"
      try await works(
        [
          "lift", "turned.mov", "--disparity", "map.png", "--background", background, "-o", output,
        ], in: folder)
      found.append(
        try await Self.pixel(at: NormalizedPoint(x: 0.9, y: 0.9), of: folder.file(output)))
    }
    for part in 0..<4 {
      #expect(abs(found[0][part] - found[1][part]) < 0.005, "\(found)")
    }
    #expect(found[0].x > 0.1)
  }

  /// A large background behind a small frame: a strip of the frame would read nearly all of it.
  @Test func largeBackgrounds() async throws {
    let folder = Folder()
    let (small, large) = (Dimensions(width: 48, height: 24), Dimensions(width: 3200, height: 1600))
    let codes = (0..<small.count).flatMap { place -> [UInt8] in
      let (x, y) = (place % small.width, place / small.width)
      let isSubject = (16..<32).contains(x) && (6..<19).contains(y)
      return isSubject ? [220, 20, 20, 255] : [20, 90, 40, 255]
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: small, format: .rgba8, values: codes), to: folder.file("in.png"))
    try PictureWriter.write(
      PixelBuffer(
        dimensions: large, format: .gray8, values: [UInt8](repeating: 200, count: large.count)),
      to: folder.file("back.png"))
    try await works(
      [
        "lift", "in.png", "--at", "0.5,0.5", "--background", "back.png", "-o", "out.png",
        "--memory-limit", "120M",
      ], in: folder)
    let corner = NormalizedPoint(x: 0.1, y: 0.1)
    let light = try await Self.pixel(at: corner, of: folder.file("out.png"))
    #expect(abs(light.x - 0.578) < 0.01 && abs(light.y - 0.578) < 0.01, "\(light)")
  }

  /// Light that goes through a picture goes through it before its own background as well.
  @Test func alphaOfThePictureItself() async throws {
    let folder = Folder().with("in").with("map")
    _ = try Self.writeTurned(by: .identity, in: folder)
    let codes = (0..<Self.size.count).flatMap { place -> [UInt8] in
      let (x, y) = (place % Self.size.width - 50, place / Self.size.width - 40)
      return x * x + y * y < 900 ? [220, 130, 60, 128] : [30, 40, 70, 128]
    }
    let picture = try PixelBuffer(dimensions: Self.size, format: .rgba8, values: codes)
    for number in 0..<2 {
      try PictureWriter.write(picture, to: folder.file("in/\(number).png"))
      Material.link("map.png", "map/\(number).png", in: folder)
    }
    let lift = ["lift", "in/%d.png", "--disparity", "map/%d.png", "--look", "mono"]
    try await works(lift + ["-o", "out%d.png"], in: folder)
    try await works(lift + ["-o", "out.mov", "--codec", "prores-4444"], in: folder)
    for output in ["out0.png", "out.mov"] {
      for place in [NormalizedPoint(x: 0.26, y: 0.28), NormalizedPoint(x: 0.9, y: 0.9)] {
        let alpha = try await Self.pixel(at: place, of: folder.file(output)).w
        #expect(abs(alpha - 128.0 / 255) < 0.01, "\(output): \(alpha)")
      }
    }
  }
}
