// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// A real lens, clipped light and the edges of maps through the program.
@Suite struct RealLensTests {
  private static let lens = ["--lens", "50mm", "--sensor", "36mm", "--focus-distance", "2m"]

  /// A depth in metres, and the same as disparities that are named.
  private static func material(in folder: Folder) throws {
    try PictureWriter.write(Material.picture(), to: folder.file("in.png"))
    let size = Material.size
    let depths = (0..<size.count).map { 1 + 4 * Float($0 % size.width) / Float(size.width - 1) }
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .disparityFloat, tags: .linearBT709, values: depths),
      to: folder.file("depth.exr"))
    try PictureWriter.write(
      PixelBuffer(
        dimensions: size, format: .disparityFloat, tags: .linearBT709, values: depths.map { 1 / $0 }
      ),
      to: folder.file("disparity.exr"))
    try PictureWriter.write(Material.map(), to: folder.file("relative.png"))
  }

  @Test func metricMaps() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    let depth = [
      "render", "in.png", "--disparity", "depth.exr", "--disparity-kind", "depth", "--f-number",
      "1.4",
    ]
    try await works(depth + Self.lens + ["-o", "a.png"], in: folder)
    // S = f² s / ((s - f) w) = 0.0025 · 2 / (1.95 · 0.036); the focus is half a dioptre.
    try await works(
      depth + ["--blur-scale", "0.0712250712", "--focus", "0.5", "-o", "b.png"], in: folder)
    #expect(folder.read("a.png") == folder.read("b.png"))
    try await works(
      [
        "render", "in.png", "--disparity", "disparity.exr", "--disparity-range", "0,1",
        "--f-number", "1.4", "-o", "c.png",
      ] + Self.lens, in: folder)
    try await works(
      [
        "render", "in.png", "--disparity", "relative.png", "--disparity-kind", "depth",
        "--disparity-range", "0.5,8", "-o", "d.png",
      ] + Self.lens, in: folder)
  }

  /// Floats keep their values, so a range that is given is a statement, and has to be true.
  @Test func rangesOfFloats() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    let render = ["render", "in.png", "--focus", "0.5", "-o", "out.png", "--force", "--disparity"]
    try await works(render + ["disparity.exr", "--disparity-range", "0.2,1"], in: folder)
    try await works(
      render + ["depth.exr", "--disparity-kind", "depth", "--disparity-range", "1,5"], in: folder)
    for (map, range) in [
      (["disparity.exr"], "1,5"), (["disparity.exr"], "0,0.9"),
      (["depth.exr", "--disparity-kind", "depth"], "0,1"),
    ] {
      let outcome = try await Program.focal(
        render + map + ["--disparity-range", range], in: folder)
      #expect(outcome.code == 1 && outcome.errors.contains(map[0]), "\(outcome.errors)")
      #expect(
        outcome.errors.contains("holds floats") && outcome.errors.contains("--disparity-range"))
      let lens = try await Program.focal(
        ["render", "in.png", "-o", "out.png", "--force", "--disparity"] + map
          + ["--disparity-range", range] + Self.lens, in: folder)
      #expect(lens.code == 1 && lens.errors.contains("holds floats"), "\(lens.errors)")
    }
  }

  @Test func refusals() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    for map in [
      ["relative.png"], ["disparity.exr"], ["relative.png", "--disparity-kind", "depth"],
    ] {
      try await refuses(
        ["render", "in.png", "-o", "out.png", "--disparity"] + map + Self.lens, in: folder,
        naming: [map[0], "metres", "--disparity-range"])
    }
    let exact = ["render", "in.png", "--disparity", "relative.png", "-o", "out.png"]
    try await refuses(
      exact + ["--lens", "50mm"], in: folder, code: 64, naming: ["--focus-distance"])
    try await refuses(exact + ["--lens", "50"], in: folder, code: 64, naming: ["50mm"])
    try await refuses(
      exact + Self.lens + ["--focus", "1"], in: folder, code: 64, naming: ["--focus"])
    try await refuses(
      exact + ["--lens", "50mm", "--sensor", "36mm", "--focus-distance", "4cm"], in: folder,
      naming: ["focal length"])
    try await refuses(
      exact + ["--highlights", "9"], in: folder, code: 64, naming: ["--highlights"])
    try await refuses(exact + ["--erode", "1000"], in: folder, naming: ["256"])
    try await refuses(
      exact + ["--map-edges", "round"], in: folder, code: 64, naming: ["--map-edges"])
    try PictureWriter.write(
      Material.picture(Material.size, .rgbaFloat, tags: .linearBT709), to: folder.file("in.exr"))
    try await refuses(
      [
        "render", "in.exr", "--disparity", "relative.png", "-o", "out.exr", "--highlights", "2",
      ], in: folder, naming: ["in.exr", "--highlights"])
  }

  /// Each option changes the picture.
  @Test(arguments: [
    ["--highlights", "3"], ["--erode", "3"], ["--erode", "-3"], ["--feather", "4"],
    ["--map-edges", "soft"],
  ]) func options(_ options: [String]) async throws {
    let folder = Folder()
    let size = Dimensions(width: 96, height: 64)
    let picture = try Material.picture(size)
    // Clipped windows.
    picture.withUnsafeMutableBytes { bytes in
      for y in 20..<24 {
        for x in 60..<66 {
          bytes.storeBytes(
            of: 0xFFFF_FFFF, toByteOffset: y * picture.planes[0].bytesPerRow + 4 * x,
            as: UInt32.self)
        }
      }
    }
    try PictureWriter.write(picture, to: folder.file("in.png"))
    let values = (0..<size.count).map { index -> Float in
      let (x, y) = (index % size.width, index / size.width)
      return (20..<44).contains(x) && (12..<50).contains(y) ? 0.9 : 0.2
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .disparityFloat, tags: .linearBT709, values: values),
      to: folder.file("map.exr"))
    let render = [
      "render", "in.png", "--disparity", "map.exr", "--focus", "0.9", "--f-number", "1",
    ]
    try await works(render + ["-o", "plain.png"], in: folder)
    try await works(render + options + ["-o", "out.png"], in: folder)
    #expect(folder.read("plain.png") != folder.read("out.png"))
  }
}
