// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import OpenEXRKit
import Testing

/// OpenEXR files of several layers.
@Suite struct LayerTests {
  /// Two layers of even colours: `diffuse` is a quarter of the light of white, `spec` half of it.
  private static func write(_ path: String) throws {
    let (width, height) = (16, 12)
    var part = KitPart()
    part.display = (0, 0, Int32(width), Int32(height))
    part.data = part.display
    let names = ["diffuse.B", "diffuse.G", "diffuse.R", "spec.B", "spec.G", "spec.R"]
    part.channelCount = Int32(names.count)
    let planes = names.map { name in
      let plane = UnsafeMutablePointer<Float>.allocate(capacity: width * height)
      plane.update(repeating: name.hasPrefix("spec") ? 0.5 : 0.25, count: width * height)
      return plane
    }
    defer { for plane in planes { plane.deallocate() } }
    for index in names.indices {
      withUnsafeMutableBytes(of: &part.types) { $0.bindMemory(to: Int32.self)[index] = 2 }
      withUnsafeMutableBytes(of: &part.planes) {
        $0.bindMemory(to: UnsafePointer<Float>?.self)[index] = UnsafePointer(planes[index])
      }
    }
    // A file of one part has no name for it.
    let text = ([""] + names).joined(separator: "\n")
    try #require(kit_write_exr(path, [part], 1, text) != 0)
  }

  @Test func infoListsThem() async throws {
    let folder = Folder()
    try Self.write(folder.file("a.exr"))
    let told = try await works(["info", "a.exr"], in: folder).output
    #expect(told.contains("a.exr: picture") && told.contains("16x12"), "\(told)")
    #expect(told.contains("layers: diffuse, spec; --layer chooses one"), "\(told)")
    let json = try await works(["info", "a.exr", "--json"], in: folder)
    #expect(try json.objects().first?["layers"] as? [String] == ["diffuse", "spec"])
  }

  /// Of two files the layer is asked of the one that has several.
  @Test func compareTakesOne() async throws {
    let folder = Folder()
    try Self.write(folder.file("a.exr"))
    for (name, light) in [("quarter.exr", 0.25), ("half.exr", 0.5)] as [(String, Float)] {
      let picture = try PixelBuffer(
        dimensions: Dimensions(width: 16, height: 12), format: .rgbaFloat, tags: .linearBT709,
        values: (0..<192).flatMap { _ in [light, light, light, 1] })
      try PictureWriter.write(picture, to: folder.file(name))
    }
    for (layer, name) in [("diffuse", "quarter.exr"), ("spec", "half.exr")] {
      for pair in [["a.exr", name], [name, "a.exr"]] {
        let told = try await works(["compare"] + pair + ["--layer", layer], in: folder).output
        #expect(told.contains("PSNR inf"), "\(told)")
      }
    }
    let same = try await works(
      ["compare", "a.exr", "a.exr", "--layer", "spec"], in: folder)
    #expect(same.output.contains("PSNR inf"))
    try await refuses(
      ["compare", "half.exr", "quarter.exr", "--layer", "spec"], in: folder,
      naming: ["half.exr", "layers"])
    try await refuses(["compare", "a.exr", "half.exr"], in: folder, naming: ["--layer"])
    try await refuses(
      ["compare", "a.exr", "half.exr", "--layer", "none"], in: folder, naming: ["“none”"])
  }
}
