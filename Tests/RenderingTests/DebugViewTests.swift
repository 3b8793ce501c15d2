// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Foundation
import Testing

/// Views show the numbers that the blur was made of.
@Suite struct DebugViewTests {
  private static let size = Dimensions(width: 160, height: 90)

  /// A near square of disparity 0.75 before a ground of 0.25, in front of a gray and dark chequer.
  private static func scene(focus: Float, hasHole: Bool = false) throws -> RenderCase {
    let source = try PixelBuffer.linear(size.width, size.height) { x, y in
      SIMD3(repeating: (x / 4 + y / 4) % 2 == 0 ? 0.5 : 0.02)
    }
    let map = try PixelBuffer.disparity(size.width, size.height) { x, y in
      if hasHole, x < 8, y < 8 { return .nan }
      return isNear(x, y) ? 0.75 : 0.25
    }
    return RenderCase(
      source: source, disparity: map, focusDisparity: focus, fNumber: 1, blurScale: 0.11)
  }

  private static func isNear(_ x: Int, _ y: Int) -> Bool {
    (60..<100).contains(x) && (30..<60).contains(y)
  }

  private static func shown(
    _ view: RenderingSession.DebugView?, _ item: RenderCase
  ) throws -> (Int, Int) -> SIMD3<Float> {
    var item = item
    item.frame.view = view
    let picture = try item.render(on: .cpu(), format: .rgbaFloat, tags: .linearBT709)
    let bytes = picture.pixelBytes()
    return { x, y in
      let o = 16 * (y * size.width + x)
      return bytes.withUnsafeBytes {
        SIMD3(
          $0.loadUnaligned(fromByteOffset: o, as: Float.self),
          $0.loadUnaligned(fromByteOffset: o + 4, as: Float.self),
          $0.loadUnaligned(fromByteOffset: o + 8, as: Float.self))
      }
    }
  }

  /// Black is the least disparity of the map, white the greatest; a hole of the map as given is magenta, and
  /// the refined map has none.
  @Test func disparity() throws {
    let item = try Self.scene(focus: 0.25, hasHole: true)
    let given = try Self.shown(.disparity, item)
    #expect(given(80, 45) == SIMD3(1, 1, 1))
    #expect(given(20, 45) == SIMD3(0, 0, 0))
    #expect(given(2, 2) == SIMD3(1, 0, 1))
    let refined = try Self.shown(.refined, item)
    #expect(refined(80, 45) == SIMD3(1, 1, 1))
    #expect(refined(2, 2) == SIMD3(0, 0, 0))
  }

  /// The diameter is width * S / N * |d - focus|: 8.8 pixels before the focus or behind it. Screens show codes of sRGB.
  @Test func circles() throws {
    let view = RenderingSession.DebugView.circles
    let before = try Self.shown(view, try Self.scene(focus: 0.25))
    let behind = try Self.shown(view, try Self.scene(focus: 0.75))
    let names = [
      "8 px wide in front": before(80, 45), "8 px wide behind": behind(20, 45),
    ]
    for (name, light) in names {
      let entry = try #require(view.legend.first { $0.meaning == name })
      let colour = SIMD3(entry.red, entry.green, entry.blue)
      for channel in 0..<3 {
        let code = Double(colour[channel])
        let shown = code > 0.04045 ? pow((code + 0.055) / 1.055, 2.4) : code / 12.92
        #expect(abs(shown - Double(light[channel])) < 1e-4, "\(name): \(light)")
      }
    }
    #expect(before(20, 45) == SIMD3(1, 1, 1))
    #expect(behind(80, 45) == SIMD3(1, 1, 1))
  }

  /// Sharp parts keep their light; the rest has no colour and is dark.
  @Test func focus() throws {
    let item = try Self.scene(focus: 0.75)
    let light = try Self.shown(.focus, item)
    #expect(light(80, 45) == SIMD3(repeating: (80 / 4 + 45 / 4) % 2 == 0 ? 0.5 : 0.02))
    #expect(light(20, 45).max() < 0.1)
  }

  /// Detail is marked in what is sharp and nowhere else; without a blur the whole picture is.
  @Test func peaking() throws {
    let item = try Self.scene(focus: 0.75)
    let plain = try Self.shown(nil, item)
    let marked = try Self.shown(.peaking, item)
    // At a corner of the chequer, and within a field of it.
    #expect(marked(79, 45).x > plain(79, 45).x + 0.2)
    #expect(marked(79, 45).z < plain(79, 45).z)
    #expect(marked(20, 10) == plain(20, 10))
    var sharp = item
    sharp.frame.fNumber = .infinity
    #expect(try Self.shown(.peaking, sharp)(19, 10).x > 0.8)
  }

  /// An edge of the map belongs to the nearer surface inside and to the farther one outside.
  @Test func coverage() throws {
    let light = try Self.shown(.coverage, try Self.scene(focus: 0.25))
    #expect(light(60, 45).y > 0.8, "\(light(60, 45))")
    #expect(light(59, 45).x > 0.8, "\(light(59, 45))")
    #expect(light(10, 10).x == light(10, 10).y)
  }

  @Test(arguments: RenderingSession.DebugView.allCases)
  func cutsHoldTheSameBits(_ view: RenderingSession.DebugView) throws {
    var item = try CutScene.renderCase(.blurred, .export)
    item.frame.view = view
    let whole = LimitedBackend(.cpu())
    let bytes = try item.render(on: whole.device).pixelBytes()
    var cuts = 0
    for divisor in [4, 8, 16, 32] where cuts == 0 {
      let cut = LimitedBackend(.cpu(), largestBinding: whole.largestBinding / divisor)
      let others = try item.render(on: cut.device).pixelBytes()
      #expect(zip(bytes, others).count { $0 != $1 } == 0)
      cuts = cut.submissionCount > 1 ? 1 : 0
    }
    #expect(cuts == 1, "the frame was not cut")
  }

  @Test func mapsWithoutDisparity() throws {
    var item = try Self.scene(focus: 0.25)
    item.disparity = try PixelBuffer.disparity(4, 4) { _, _ in .nan }
    item.frame.view = .circles
    #expect(throws: CinematicError.self) { try item.render(on: .cpu()) }
  }
}
