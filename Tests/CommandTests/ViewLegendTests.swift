// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// The legends of views (`focal render --show`).
@Suite struct ViewLegendTests {
  /// Beside the sharp half a view has its legend in the other one. But for that, that half is the view.
  @Test func besideTheSharpHalf() async throws {
    let folder = Folder()
    let size = Dimensions(width: 640, height: 360)
    try Material.still(in: folder, size)
    try await works(
      [
        "render", "in.png", "--disparity", "map.png", "--focus", "0.5", "--show", "coc", "-o",
        "view.png", "--before-after", "both.png",
      ], in: folder)
    let view = try #require(try await Material.frames(folder.file("view.png")).frames.first)
      .pixelBuffer.linearRGBA()
    let both = try #require(try await Material.frames(folder.file("both.png")).frames.first)
      .pixelBuffer.linearRGBA()
    func differing(_ rows: Range<Int>) -> Int {
      rows.reduce(0) { count, y in
        count
          + (size.width / 2 + 4..<size.width).count { x in
            let difference: SIMD4<Float> =
              LiftOptionTests.pixel(x, y, of: view) - LiftOptionTests.pixel(x, y, of: both)
            return max(difference.max(), -difference.min()) > 0.1
          }
      }
    }
    #expect(differing(0..<40) == 0)
    #expect(differing(size.height / 2..<size.height) > 500)
  }
}
