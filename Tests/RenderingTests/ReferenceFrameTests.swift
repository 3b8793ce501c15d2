// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import FocalSample
import Foundation
import Testing

/// Small frames that were looked at once and must not change unnoticed.
///
/// `make references` makes them anew after a change that is meant.
@Suite struct ReferenceFrameTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("References")
  static let isUpdating = ProcessInfo.processInfo.environment["FOCAL_UPDATE_REFERENCES"] == "1"

  enum Map: String, CaseIterable {
    case exact
    case blurred
  }

  @Test(arguments: RenderingQuality.allCases, Map.allCases)
  func framesStayAsTheyAre(_ quality: RenderingQuality, _ map: Map) throws {
    let scene = try LayeredScene(seed: 3, dimensions: Dimensions(width: 96, height: 54))
    let disparity =
      map == .exact
      ? try scene.disparity()
      : try scene.blurredDisparity(size: Dimensions(width: 24, height: 14))
    // Three times the scene's own blur: radii of 5 pixels at this size.
    let rendered = try RenderCase(
      source: scene.image(), disparity: disparity,
      focusDisparity: Float(LayeredScene.focusDisparity), fNumber: Float(LayeredScene.fNumber),
      blurScale: 3 * Float(LayeredScene.blurScale), quality: quality
    ).render(on: .cpu(), format: .rgba8, tags: .sRGB)
    let pixels = rendered.pixelBytes()
    let file = Self.folder.appendingPathComponent("\(quality)-\(map).ppm")
    let header = Data("P6 96 54 255\n".utf8)
    let rgb = Data(pixels.enumerated().filter { $0.offset % 4 != 3 }.map(\.element))
    if Self.isUpdating {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try (header + rgb).write(to: file)
      return
    }
    let reference = try #require(
      try? Data(contentsOf: file), "there is no \(file.lastPathComponent); run make references")
    #expect(reference.prefix(header.count) == header)
    let expected = reference.dropFirst(header.count)
    try #require(expected.count == rgb.count)
    let largest = zip(rgb, expected).map { abs(Int($0) - Int($1)) }.max() ?? 0
    // The kernels give the same bits everywhere; the scene's own drawing may round differently.
    #expect(largest <= 1, "off by up to \(largest) codes")
  }
}
