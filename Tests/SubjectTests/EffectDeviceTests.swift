// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalDevices
import FocalRendering
import FocalSample
import Testing

/// Effects as devices draw them.
@Suite struct EffectDeviceTests {
  private static let devices = DeviceCatalog().devices

  /// Subjects of a mask alone, on nothing: what lies around them is left.
  private static func cover(
    _ cover: SubjectLayers.Cover, of mask: [Float], _ size: Dimensions, on device: Device = .cpu()
  ) throws -> [Float] {
    var layers = SubjectLayers(
      subject: try PixelBuffer(
        dimensions: size, format: .rgbaFloat, tags: .linearBT709,
        values: [SIMD4<Float>](repeating: .zero, count: size.count)),
      mask: try PixelBuffer(
        dimensions: size, format: .disparityFloat, tags: .linearBT709, values: mask))
    (layers.background, layers.cover) = (.transparent, cover)
    return try drawn(layers, over: layers.subject, on: device)
  }

  private static func drawn(
    _ layers: SubjectLayers, over picture: PixelBuffer, on device: Device = .cpu(),
    limit: Int? = nil
  ) throws -> [Float] {
    var attributes = RenderingSession.Attributes()
    attributes.workingMemoryLimit = limit
    let renderer = try FrameRenderer(
      devices: [device], sessionAttributes: attributes, quality: .export)
    var tags = picture.tags
    tags.transfer = .linear
    let result = try PixelBuffer(
      dimensions: picture.dimensions, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    try renderer.finish(
      renderer.commit(
        FrameRenderer.Frame(number: 0, sourceImage: picture, layers: layers, destination: result)))
    return result.floats
  }

  private static func mask(_ size: Dimensions, seed: UInt64) -> [Float] {
    var random = SeededGenerator(seed: seed)
    var values = [Float](repeating: 0, count: size.count)
    for _ in 0..<4 {
      let x = Int.random(in: 0..<size.width, using: &random)
      let y = Int.random(in: 0..<size.height, using: &random)
      for j in max(0, y - 3)..<min(size.height, y + 3) {
        for i in max(0, x - 5)..<min(size.width, x + 4) { values[j * size.width + i] = 1 }
      }
    }
    return values
  }

  /// A shadow is the mask, moved and averaged three times over a square, as the definition says it: all sums anew.
  @Test(arguments: [0, 1, 7, 40]) func castsShadows(_ reach: Int) throws {
    let size = Dimensions(width: 75, height: 53)
    let mask = Self.mask(size, seed: 3)
    let (right, down, strength) = (6, -4, Float(0.6))
    var expected = [Float](repeating: 0, count: size.count)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (i, j) = (x - right, y - down)
        guard (0..<size.width).contains(i), (0..<size.height).contains(j) else { continue }
        expected[y * size.width + x] = strength * mask[j * size.width + i]
      }
    }
    func mean(_ values: [Float], _ x: Int, _ y: Int, _ u: Int, _ v: Int) -> Float {
      var sum: Double = 0
      for k in -reach...reach {
        let (i, j) = (x + k * u, y + k * v)
        guard (0..<size.width).contains(i), (0..<size.height).contains(j) else { continue }
        sum += Double(values[j * size.width + i])
      }
      return Float(sum / Double(2 * reach + 1))
    }
    for round in 0..<6 {
      let before = expected
      for place in expected.indices {
        expected[place] = mean(
          before, place % size.width, place / size.width, (round + 1) % 2, round % 2)
      }
    }
    let shadow = try Self.cover(
      .shadow(right: right, down: down, reach: reach, strength: strength), of: mask, size)
    let most = expected.indices.map { abs(shadow[4 * $0 + 3] - expected[$0]) }.max() ?? 1
    // Sums of up to 81 floats, six times.
    #expect(most < 1e-5, "\(most)")
    let darkest = expected.indices.map { shadow[4 * $0] }.max() ?? 1
    #expect(darkest == 0)
  }

  /// An outline is as wide in every direction, and white: by the distance to every pixel of the mask.
  @Test(arguments: [Float(0.5), 3, 12.25, 90]) func drawsOutlines(_ width: Float) throws {
    let size = Dimensions(width: 75, height: 53)
    let mask = Self.mask(size, seed: 5)
    let covered = mask.indices.filter { mask[$0] > 0.5 }
    let outline = try Self.cover(.outline(width: width), of: mask, size)
    var most: Float = 0
    for place in mask.indices {
      let nearest =
        covered.map { other -> Int in
          let (u, v) = (
            other % size.width - place % size.width, other / size.width - place / size.width
          )
          return u * u + v * v
        }.min() ?? 0
      let share = max(0, min(1, (width - Float(nearest).squareRoot()) / 1.5 + 0.5))
      most = max(most, abs(outline[4 * place + 3] - (nearest == 0 ? 1 : share)))
    }
    #expect(most < 1e-5, "\(most)")
    let white = mask.indices.filter { outline[4 * $0 + 3] > 0 }.map { outline[4 * $0 + 1] }
    let isWhite = white.allSatisfy { abs($0 - 1) < 1e-5 }
    #expect(isWhite)
  }

  /// Every device gives the processor's bits, whole and in strips, in high dynamic range.
  @Test(arguments: devices) func isTheSameEverywhere(_ device: Device) throws {
    let size = Dimensions(width: 150, height: 331)
    var random = SeededGenerator(seed: 9)
    func pixels(_ alpha: Bool) -> [SIMD4<Float>] {
      (0..<size.count).map { _ in
        SIMD4(
          Float(random.share()) * 30, Float(random.share()), Float(random.share()) * 0.1,
          alpha ? Float(random.share()) : 1)
      }
    }
    let picture = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, values: pixels(false))
    var layers = SubjectLayers(
      subject: try PixelBuffer(
        dimensions: size, format: .rgbaFloat, tags: .linearBT709, values: pixels(true)),
      mask: try PixelBuffer(
        dimensions: Dimensions(width: 90, height: 199), format: .disparityFloat,
        tags: .linearBT709, values: Self.mask(Dimensions(width: 90, height: 199), seed: 1)))
    layers.cover = .shadow(right: 2, down: 3, reach: 6, strength: 0.5)
    (layers.gain, layers.levels) = (0.25, 9)
    let other = try PixelBuffer(
      dimensions: Dimensions(width: 61, height: 135), format: .rgbaFloat,
      tags: ColorTags(primaries: .bt2020, transfer: .linear, matrix: .bt709),
      values: (0..<61 * 135).map { SIMD4(Float($0 % 61), 0.2, Float($0 % 7), 1) })
    for background in [SubjectLayers.Background.kept, .picture(other)] {
      layers.background = background
      let whole = try Self.drawn(layers, over: picture)
      let same = try Self.drawn(layers, over: picture, on: device) == whole
      let cut = try Self.drawn(layers, over: picture, on: device, limit: 300_000) == whole
      #expect(same && cut, "\(device)")
      let isBright = whole.contains { $0 > 5 }
      #expect(isBright)
    }
  }

  @Test func refusesWhatDoesNotBelong() throws {
    let size = Dimensions(width: 8, height: 6)
    let picture = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709,
      values: [SIMD4<Float>](repeating: .one, count: size.count))
    let map = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709,
      values: [Float](repeating: 0, count: size.count))
    var layers = SubjectLayers(subject: picture, mask: map)
    layers.background = .picture(map)
    #expect(throws: CinematicError.self) { try Self.drawn(layers, over: picture) }
    layers = SubjectLayers(subject: picture, mask: picture)
    #expect(throws: CinematicError.self) { try Self.drawn(layers, over: picture) }
    let large = try PixelBuffer(
      dimensions: Dimensions(width: 9, height: 6), format: .rgbaFloat, tags: .linearBT709,
      values: [SIMD4<Float>](repeating: .one, count: 54))
    layers = SubjectLayers(subject: picture, mask: map)
    #expect(throws: CinematicError.self) { try Self.drawn(layers, over: large) }
  }
}
