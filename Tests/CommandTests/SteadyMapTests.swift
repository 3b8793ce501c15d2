// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Whether commands take the flicker out of maps, and leave it in when they are told to.
@Suite struct SteadyMapTests {
  private static let count = 8

  /// A slope from far to near, with noise of about 0.012.
  private static func map(_ random: inout SeededNoise, isNoisy: Bool) throws -> PixelBuffer {
    let size = Material.size
    let map = try PixelBuffer(dimensions: size, format: .gray16, tags: .linearBT709)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let slope = 0.1 + 0.8 * Double(x) / Double(size.width - 1)
        let value = slope + (isNoisy ? 0.012 * random.next() : 0)
        map.withUnsafeMutableBytes { bytes in
          bytes.storeBytes(
            of: UInt16(65535 * value), toByteOffset: y * map.planes[0].bytesPerRow + 2 * x,
            as: UInt16.self)
        }
      }
    }
    return map
  }

  /// About normally distributed.
  private struct SeededNoise {
    var state: UInt64 = 7
    mutating func next() -> Double {
      (0..<12).reduce(-6.0) { sum, _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return sum + Double(state >> 11) / 9_007_199_254_740_992
      }
    }
  }

  private static func codes(_ name: String, in folder: Folder) async throws -> [UInt8] {
    let picture = try #require(try await Material.frames(folder.file(name)).frames.first)
    return picture.pixelBuffer.codes()
  }

  /// The mean difference of codes.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Double {
    let sum = zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(max(1, a.count))
  }

  /// Maps that are steady are those of a film without noise, nearly; the others are not, in every command.
  @Test func everyCommandSteadiesMapsUnlessToldNotTo() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(Self.count))
    folder.make("clean")
    folder.make("noisy")
    var random = SeededNoise()
    for number in 0..<Self.count {
      try PictureWriter.write(
        Self.map(&random, isNoisy: false), to: folder.file("clean/000\(number).png"))
      try PictureWriter.write(
        Self.map(&random, isNoisy: true), to: folder.file("noisy/000\(number).png"))
    }
    let view = ["--show", "disparity"]
    let focus = ["--focus", "0.5", "--f-number", "1.4"]
    func render(_ maps: String, _ output: String, _ options: [String] = []) async throws {
      try await works(
        ["render", "clip.mp4", "--disparity", "\(maps)/%04d.png", "-o", output] + focus + view
          + options, in: folder)
    }
    try await render("clean", "clean%02d.png")
    try await render("noisy", "rs%02d.png")
    try await render("noisy", "ru%02d.png", ["--no-steady-maps"])
    try await works(
      ["import", "clip.mp4", "--disparity", "noisy/%04d.png", "-o", "movie.mov"] + focus,
      in: folder)
    for (options, name) in [([String](), "s"), (["--no-steady-maps"], "u")] {
      try await works(
        ["export", "movie.mov", "-o", "e\(name)%02d.png"] + view + options, in: folder)
      try await works(
        ["thumbnail", "movie.mov", "--at", "4f", "-o", "t\(name)04.png"] + view + options,
        in: folder)
    }
    let clean = try await Self.codes("clean04.png", in: folder)
    for command in ["r", "e", "t"] {
      let steady = try await Self.codes("\(command)s04.png", in: folder)
      let unsteady = try await Self.codes("\(command)u04.png", in: folder)
      let (near, far) = (Self.distance(steady, clean), Self.distance(unsteady, clean))
      // 1.9 and 5.0 codes when this was written.
      #expect(near < 0.6 * far, "\(command): \(near) and \(far)")
      #expect(far > 3, "\(command): \(far)")
    }
  }
}
