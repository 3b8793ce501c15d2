// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Pictures of every kind in and out. Without blur, what comes out is what went in.
@Suite struct StillFormatTests {
  /// A gradient of 48x32.
  static let jpeg = [UInt8](
    Data(
      base64Encoded: """
        /9j/4AAQSkZJRgABAgAAAQABAAD/2wBDAAgyMjsyO0RERERERFFLUVRUVFFRUVFUVFRaWlpqampaWlpUVFpaZGRqan\
        N2c21tam12dn19fZaWj4+vr7XX1///xABWAAEBAQEBAAAAAAAAAAAAAAADAAUCBwEBAQEBAQAAAAAAAAAAAAAABgQF\
        AwcQAQAAAAAAAAAAAAAAAAAAAAARAQEBAQEAAAAAAAAAAAAAAAIAARED/8AAEQgAIAAwAwEiAAIRAAMRAP/aAAwDAQ\
        ACEQMRAD8A8hMUz09O1SIzFOHr0lRERyEEU5RgswxTLk6IiMrpDu723szlJJPd7//Z
        """) ?? Data())

  private static func light(_ path: String) async throws -> [Float] {
    let linear = try #require(await Material.frames(path).frames.first).pixelBuffer.linearRGBA()
    return linear.codes().withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// The largest difference of light between two pictures.
  private static func difference(
    _ a: String, _ b: String, in folder: Folder
  ) async throws -> Float {
    let pair = (try await light(folder.file(a)), try await light(folder.file(b)))
    #expect(pair.0.count == pair.1.count)
    return zip(pair.0, pair.1).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  struct Input: CustomTestStringConvertible, Sendable {
    var name: String
    var format: PixelFormat
    var tags: ColorTags
    var testDescription: String { "\(name) \(format)" }
  }

  static let inputs = [
    Input(name: "in.png", format: .rgba8, tags: .sRGB),
    Input(name: "in.png", format: .rgbaFloat, tags: .sRGB),
    Input(name: "in.tif", format: .rgba8, tags: .sRGB),
    Input(name: "in.tiff", format: .rgbaFloat, tags: .sRGB),
    Input(name: "in.pfm", format: .rgbaFloat, tags: .linearBT709),
    Input(name: "in.exr", format: .rgbaFloat, tags: .linearBT709),
  ]

  /// Every kind of input to every kind of output, at the input's depth.
  @Test(arguments: inputs, ["png", "tif", "pfm", "exr"])
  func kinds(_ input: Input, _ ending: String) async throws {
    let folder = Folder()
    try PictureWriter.write(
      Material.picture(Material.size, input.format, tags: input.tags),
      to: folder.file(input.name))
    try PictureWriter.write(Material.map(), to: folder.file("map.png"))
    try await works(
      [
        "render", input.name, "--disparity", "map.png", "-o", "out.\(ending)", "--f-number", "inf",
      ], in: folder)
    let isInteger = ending == "png" || ending == "tif"
    let depth = try await Material.frames(folder.file("out.\(ending)")).properties.bitDepth
    #expect(depth == (isInteger ? (input.format == .rgba8 ? 8 : 16) : 32))
    // 8-bit codes come out as they are; 16-bit codes are within one of 65535, times the sRGB curve's
    // slope of at most 2.3, and floats within rounding.
    let allowed: Float = input.format == .rgba8 ? 1e-6 : isInteger ? 2.3 / 65535 : 1e-5
    #expect(try await Self.difference(input.name, "out.\(ending)", in: folder) <= allowed)
  }

  @Test func jpegInput() async throws {
    let folder = Folder()
    folder.write(Self.jpeg, to: "in.jpg")
    try PictureWriter.write(Material.map(), to: folder.file("map.png"))
    try await works(
      ["render", "in.jpg", "--disparity", "map.png", "-o", "out.png", "--f-number", "inf"],
      in: folder)
    #expect(try await Self.difference("in.jpg", "out.png", in: folder) < 0.02)
    #expect(try await Material.frames(folder.file("out.png")).properties.bitDepth == 8)
  }

  /// Maps of every kind mean the same disparities.
  @Test(arguments: ["png", "tif", "pfm", "exr"])
  func maps(_ ending: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let codes = try Material.map()
    if ending == "pfm" || ending == "exr" {
      let values = try PixelBuffer(
        dimensions: Material.size, format: .rgbaFloat, tags: .linearBT709,
        bytesPerRowAlignment: 16)
      values.withUnsafeMutableBytes { bytes in
        for y in 0..<values.height {
          for x in 0..<values.width {
            let value = Float(65535 * x / (values.width - 1)) / 65535
            bytes.storeBytes(
              of: SIMD4(value, value, value, 1),
              toByteOffset: y * values.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
          }
        }
      }
      try PictureWriter.write(values, to: folder.file("other.\(ending)"))
    } else {
      try PictureWriter.write(codes, to: folder.file("other.\(ending)"))
    }
    for (map, output) in [("map.png", "a.exr"), ("other.\(ending)", "b.exr")] {
      let outcome = try await works(
        [
          "render", "in.png", "--disparity", map, "-o", output, "--focus-at", "0.25,0.5",
          "--blur-scale", "0.5", "--json",
        ], in: folder)
      let focus = try #require(outcome.objects().last?["focusDisparity"] as? Double)
      #expect(abs(focus - 0.25) < 0.02)
    }
    #expect(try await Self.difference("a.exr", "b.exr", in: folder) < 1e-3)
  }

  @Test(arguments: [(1, 1), (1, 9), (7, 1), (3, 5), (33, 17)])
  func oddSizes(_ width: Int, _ height: Int) async throws {
    let folder = Folder()
    let size = Dimensions(width: width, height: height)
    try Material.still(in: folder, size)
    for output in ["out.png", "out.exr", "out.pfm", "out.tif", "out.mp4", "out.mov"] {
      try await works(
        ["render", "in.png", "--disparity", "map.png", "-o", output, "--blur-scale", "1"],
        in: folder)
      let (properties, frames) = try await Material.frames(folder.file(output))
      #expect(frames.count == 1)
      // Movies of even sides say which part is shown.
      #expect(properties.dimensions == size)
    }
  }

  /// Highlights above display white survive in files that can hold them.
  @Test(arguments: ["pfm", "exr"]) func highlights(_ ending: String) async throws {
    let folder = Folder()
    let light = try Material.picture(Material.size, .rgbaFloat, tags: .linearBT709)
    light.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(
        of: SIMD4<Float>(40, 30, 20, 1), toByteOffset: 9 * light.planes[0].bytesPerRow + 16 * 11,
        as: SIMD4<Float>.self)
    }
    try PictureWriter.write(light, to: folder.file("in.exr"))
    try PictureWriter.write(Material.map(), to: folder.file("map.png"))
    try await works(
      ["render", "in.exr", "--disparity", "map.png", "-o", "out.\(ending)", "--f-number", "inf"],
      in: folder)
    let out = try await Self.light(folder.file("out.\(ending)"))
    #expect(abs(out[(9 * 48 + 11) * 4] - 40) < 1e-3)
  }

  @Test func numberedPicturesKeepTheirNumbers() async throws {
    let folder = Folder()
    for name in ["in", "maps", "out"] { folder.make(name) }
    for number in 7..<11 {
      let name = String(format: "%04d", number)
      try PictureWriter.write(
        Material.picture(phase: Double(number)), to: folder.file("in/\(name).png"))
      try PictureWriter.write(Material.map(), to: folder.file("maps/\(name).png"))
    }
    let render = [
      "render", "in/%04d.png", "--disparity", "maps/%04d.png", "--f-number", "inf", "-o",
    ]
    try await works(render + ["out/%d.png"], in: folder)
    #expect(
      folder.names.filter { $0.hasPrefix("out/") }
        == ["out/10.png", "out/7.png", "out/8.png", "out/9.png"])
    for number in 7..<11 {
      let name = String(format: "in/%04d.png", number)
      #expect(try await Self.difference(name, "out/\(number).png", in: folder) < 1e-6)
    }
    try await works(render + ["out/part%02d.exr", "--frames", "8-9"], in: folder)
    #expect(
      folder.names.filter { $0.hasPrefix("out/part") } == ["out/part08.exr", "out/part09.exr"])
    // To a movie, at the rate that is asked for.
    try await works(render + ["out.mp4", "--frame-rate", "30000/1001"], in: folder)
    let frames = try await Material.frames(folder.file("out.mp4")).frames
    #expect(frames.map(\.time) == (0..<4).map { Time(value: $0 * 1001, timescale: 30000) })
  }

  @Test func beforeAndAfter() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try await works(
      [
        "render", "in.png", "--disparity", "map.png", "-o", "out.png", "--f-number", "inf",
        "--before-after", "both.png",
      ], in: folder)
    let both = try await Material.frames(folder.file("both.png")).frames[0].pixelBuffer
    let sharp = try await Material.frames(folder.file("in.png")).frames[0].pixelBuffer
    let half = Material.size.width / 2
    for y in 0..<Material.size.height {
      let row = y * Material.size.width * 4
      #expect(both.codes()[row..<row + 4 * half] == sharp.codes()[row..<row + 4 * half])
      let rest = row + 4 * (half + 1)..<row + 4 * Material.size.width
      #expect(both.codes()[rest] == sharp.codes()[rest])
    }
  }
}
