// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalScript

/// Cuts that are told from moves and flashes.
struct SceneThumbnailTests {
  private static let size = Dimensions(width: 320, height: 180)
  private static let grass = SIMD3<Float>(0.6, 0.9, 0.5)
  private static let sand = SIMD3<Float>(0.95, 0.7, 0.45)

  /// A bright sky above dark ground, which pictures out of doors have in common, with patches of their own.
  private static func picture(
    seed: UInt64, _ color: SIMD3<Float>, light: Float = 1, shift: Int = 0
  ) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: seed)
    let patches = (0..<480).map { _ in Float.random(in: -60...60, using: &generator) }
    let buffer = try PixelBuffer(dimensions: size, format: .rgba8)
    let rowBytes = buffer.planes[0].bytesPerRow
    buffer.withUnsafeMutableBytes { bytes in
      for row in 0..<size.height {
        let sky = 200 - 120 * Float(row) / Float(size.height)
        for column in 0..<size.width {
          let patch = patches[row / 15 * 40 + (column + shift) / 16]
          let codes = color * (light * (sky + patch))
          for channel in 0..<3 {
            let code = max(0, min(255, codes[channel]))
            bytes[row * rowBytes + 4 * column + channel] = UInt8(code)
          }
          bytes[row * rowBytes + 4 * column + 3] = 255
        }
      }
    }
    return buffer
  }

  private static func thumbnail(_ picture: PixelBuffer) throws -> SceneThumbnail {
    SceneThumbnail(try #require(PicturePlanes(picture)))
  }

  /// Brightness correlates by about .6, as that of two clips of sports does.
  @Test func scenesOfLikeBrightnessDiffer() throws {
    for seed in 0..<8 as Range<UInt64> {
      let one = try Self.thumbnail(Self.picture(seed: seed, Self.grass))
      let other = try Self.thumbnail(Self.picture(seed: seed + 100, Self.sand))
      #expect(one.isCut(to: other) && other.isCut(to: one), "seed \(seed)")
    }
  }

  @Test func movesAndFlashesAreNoCuts() throws {
    for seed in 0..<8 as Range<UInt64> {
      let one = try Self.thumbnail(Self.picture(seed: seed, Self.grass))
      let flash = try Self.thumbnail(Self.picture(seed: seed, Self.grass, light: 1.4))
      let moved = try Self.thumbnail(Self.picture(seed: seed, Self.grass, shift: 6))
      #expect(!one.isCut(to: one), "seed \(seed)")
      #expect(!one.isCut(to: flash) && !flash.isCut(to: one), "seed \(seed)")
      #expect(!one.isCut(to: moved), "seed \(seed)")
    }
  }

  /// What is followed is not taken for a thing of the next scene, in which it is looked for.
  @Test func trackerLosesTheObjectAtACut() throws {
    var tracker = CorrelationTracker()
    let place = NormalizedRect(x: 0.4, y: 0.4, width: 0.15, height: 0.2)
    let before = try Self.picture(seed: 1, Self.grass)
    let after = try Self.picture(seed: 101, Self.sand)
    let isStarted = tracker.start(within: place, sourceImage: before, sourceDisparity: nil)
    #expect(isStarted)
    var found: [Bool] = []
    for frame in 0..<14 {
      let picture = (3..<13).contains(frame) ? after : before
      found.append(tracker.next(sourceImage: picture, sourceDisparity: nil) != nil)
    }
    #expect(found[..<3].allSatisfy { $0 })
    #expect(found[3..<13].allSatisfy { !$0 })
    #expect(found[13])
  }
}
