// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

extension FrameCase {
  /// Subjects that are put before a background, in place of a blur.
  package struct Layers: Sendable {
    package enum Background: Sendable {
      case transparent
      case kept
      case plain
      /// Another picture, of a size, a format and tags of its own.
      case picture(Dimensions, PixelFormat, ColorTags)
    }

    package var background = Background.kept
    package var cover = SubjectLayers.Cover.none
    package var gain: Float = 1
    package var grayness: Float = 0
    package var levels = 0
    package var maskSize = Dimensions(width: 41, height: 77)
  }

  /// What is put together, drawn from the seed; `nil` for a frame that is blurred.
  func makeLayers() throws(CinematicError) -> SubjectLayers? {
    guard let layers else { return nil }
    var generator = SeededGenerator(seed: seed &+ 3)
    func light() -> Float { .random(in: -0.05...4, using: &generator) }
    // Two discs and a bar, soft at the edge, so that empty, whole and half-covered pixels lie side by side.
    func alpha(_ x: Float, _ y: Float) -> Float {
      func disc(_ u: Float, _ v: Float, _ radius: Float) -> Float {
        12 * (radius - ((x - u) * (x - u) + (y - v) * (y - v)).squareRoot())
      }
      let bar = abs(x - 0.8) < 0.02 ? Float(1) : 0
      return max(0, min(1, max(disc(0.4, 0.5, 0.25), disc(0.1, 0.05, 0.2), bar)))
    }
    func values<Value>(_ size: Dimensions, _ value: (Float, Float) -> Value) -> [Value] {
      (0..<size.count).map { place in
        value(
          (Float(place % size.width) + 0.5) / Float(size.width),
          (Float(place / size.width) + 0.5) / Float(size.height))
      }
    }
    let subject = values(size) { SIMD4(max(0, light()), light(), light(), alpha($0, $1)) }
    var tags = sourceTags
    tags.transfer = .linear
    var result = SubjectLayers(
      subject: try PixelBuffer(
        dimensions: size, format: .rgbaFloat, tags: tags, values: subject),
      mask: try PixelBuffer(
        dimensions: layers.maskSize, format: .disparityFloat, tags: .linearBT709,
        values: values(layers.maskSize, alpha)))
    switch layers.background {
    case .transparent: result.background = .transparent
    case .kept: result.background = .kept
    case .plain: result.background = .plain(red: 0.1, green: 3, blue: 0.4)
    case .picture(let size, let format, let tags):
      var linear = tags
      linear.transfer = .linear
      let other = try PixelBuffer(
        dimensions: size, format: .rgbaFloat, tags: linear,
        values: values(size) { SIMD4(light(), $0, $1, 1) })
      let stored = try PixelBuffer(dimensions: size, format: format, tags: tags)
      // Rows without padding.
      try stored.store(linearRGBA: try other.linearRGBA())
      result.background = .picture(stored)
    }
    (result.cover, result.gain, result.grayness) = (layers.cover, layers.gain, layers.grayness)
    result.levels = layers.levels
    return result
  }
}

/// Frames of subjects before a background.
extension FrameCases {
  static var layered: [FrameCase] {
    let shadow = SubjectLayers.Cover.shadow(right: 3, down: -2, reach: 5, strength: 0.7)
    let wide = SubjectLayers.Cover.shadow(right: -40, down: 1, reach: 60, strength: 1)
    let cases: [(String, (inout FrameCase.Layers) -> Void)] = [
      ("kept", { _ in }),
      ("highlight", { $0.gain = 0.25 }),
      ("monochrome", { $0.grayness = 1 }),
      ("posterised", { $0.levels = 6 }),
      ("transparent", { ($0.background, $0.cover) = (.transparent, shadow) }),
      ("plain", { ($0.background, $0.cover, $0.levels) = (.plain, .outline(width: 2.3), 2) }),
      ("wide-shadow", { $0.cover = wide }),
      (
        "wide-outline",
        {
          ($0.background, $0.cover) = (.transparent, .outline(width: 30))
          $0.maskSize = Dimensions(width: 300, height: 131)
        }
      ),
      (
        "picture",
        {
          $0.background = .picture(
            Dimensions(width: 97, height: 61), .yuv420Video8, .bt709)
          $0.cover = shadow
        }
      ),
      (
        "smaller-picture",
        {
          $0.background = .picture(
            Dimensions(width: 32, height: 20), .rgbaHalf,
            ColorTags(primaries: .bt2020, transfer: .linear, matrix: .bt709))
          ($0.grayness, $0.gain) = (0.5, 0.5)
        }
      ),
      (
        "larger-picture",
        {
          $0.background = .picture(Dimensions(width: 291, height: 183), .rgba8, .sRGB)
          $0.cover = .outline(width: 0.8)
        }
      ),
    ]
    let formats: [(PixelFormat, ColorTags)] = [
      (.rgba8, .sRGB), (.yuv420Video10, .hlg), (.rgbaHalf, .linearBT709), (.gray16, .sRGB),
    ]
    return cases.enumerated().map { index, item in
      make("layers/\(item.0)") {
        var layers = FrameCase.Layers()
        item.1(&layers)
        $0.layers = layers
        ($0.sourceFormat, $0.sourceTags) = formats[index % 4]
        if index % 5 == 1 { $0.content = .bright }
        if index % 5 == 4 { ($0.sourceFormat, $0.content) = (.rgbaHalf, .broken) }
        var tags = $0.sourceTags
        tags.transfer = .linear
        $0.target =
          index % 3 == 2
          ? .picture(.yuv420Full10, index % 4 == 1 ? .hlg : .bt709) : .picture(.rgbaFloat, tags)
        if index % 4 == 3 {
          $0.turn = .clockwise90
          $0.size = Dimensions(width: 97, height: 61)
        }
      }
    }
  }
}
