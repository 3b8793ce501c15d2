// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

/// The frames that every device has to render alike. The same seed gives the same frames.
package enum FrameCases {
  /// - Parameter randomCount: how many cases are drawn from the seed in whole, beside the fixed ones.
  package static func all(seed: UInt64, randomCount: Int = 24) -> [FrameCase] {
    let fixed = qualitiesAndFormats + destinations + turns + sizes + radii + lenses + maps + others
    let drawn = (0..<randomCount).map { random(seed: seed, $0) }
    // Behind those that are drawn, so that each of them keeps its seed.
    let later = toneMapped + mapTextures + translucent + shapes + views + halved + layered
    let settings = lifted + edges + drafts + cut + queuedChroma + large + detail
    let all = fixed + drawn + later + settings
    return all.enumerated().map { index, item in
      var item = item
      item.seed = seed &+ UInt64(index) &* 7919
      return item
    }
  }

  /// The codes of older movies.
  static let bt601 = ColorTags(primaries: .smpte170m, transfer: .bt709, matrix: .bt601)

  /// The tags under which a format is used, others by turns.
  static func tags(_ format: PixelFormat, _ turn: Int = 0) -> ColorTags {
    switch format {
    case .rgbaHalf, .rgbaFloat: [.linearBT709, .linearBT709, .pq, .sRGB][turn % 4]
    case .yuv420Video10, .yuv420Full10: [.hlg, .pq, .bt709, bt601][turn % 4]
    case .yuv420Video8, .yuv420Full8: [.bt709, bt601, .sRGB, .bt709][turn % 4]
    default: [.sRGB, .bt709, .sRGB, .linearBT709][turn % 4]
    }
  }

  static func make(
    _ name: String, _ change: (inout FrameCase) -> Void
  ) -> FrameCase {
    var item = FrameCase(name)
    item.setRadius(9)
    change(&item)
    return item
  }

  /// Every format from and to itself at every quality.
  private static var qualitiesAndFormats: [FrameCase] {
    RenderingQuality.allCases.flatMap { quality in
      RenderingSession.sourcePixelFormats.enumerated().map { index, format in
        make("formats/\(quality)/\(format)") {
          $0.quality = quality
          $0.sourceFormat = format
          $0.sourceTags = tags(format, quality.rawValue)
          $0.target = .picture(format, $0.sourceTags)
          $0.map = index % 2 == 0 ? .blurred : .sharp
          $0.padding = index % 3
        }
      }
    }
  }

  /// Other destinations than the source, pictures and textures.
  private static var destinations: [FrameCase] {
    let formats = RenderingSession.destinationPixelFormats
    let pictures = formats.enumerated().map { index, format in
      let source = formats[(index + 4) % formats.count]
      return make("destinations/\(source)-to-\(format)") {
        $0.sourceFormat = source
        $0.sourceTags = tags(source)
        $0.target = .picture(format, tags(format, index))
        $0.content = index % 3 == 0 ? .bright : .shapes
      }
    }
    let textures: [(String, FrameCase.Target)] = [
      ("rgba8", .rgbaTexture(.rgba8Unorm, .srgb)),
      ("rgba16Float", .rgbaTexture(.rgba16Float, .linear)),
      ("rgba32Float", .rgbaTexture(.rgba32Float, .pq)),
      ("luma-chroma-8", .lumaChromaTextures(deep: false)),
      ("luma-chroma-10", .lumaChromaTextures(deep: true)),
    ]
    return pictures
      + textures.map { name, target in
        make("textures/\(name)") {
          $0.sourceFormat = .yuv420Video10
          $0.sourceTags = .bt709
          $0.target = target
        }
      }
  }

  private static var turns: [FrameCase] {
    QuarterTurn.allCases.flatMap { turn in
      [PixelFormat.rgba8, .yuv420Video8].map { format in
        make("turns/\(turn.rawValue)/\(format)") {
          $0.turn = turn
          $0.size = Dimensions(width: 75, height: 43)
          $0.sourceFormat = format
          $0.sourceTags = tags(format)
          $0.target = .picture(format, tags(format))
          $0.quality = .preview
        }
      }
    }
  }

  /// One pixel, odd sizes, and sizes around what kernels work on at once.
  private static var sizes: [FrameCase] {
    let list: [(Int, Int)] = [
      (1, 1), (2, 1), (1, 2), (3, 5), (7, 1), (1, 40), (15, 17), (16, 16), (31, 4), (33, 5),
      (63, 64), (64, 16), (65, 17), (127, 33), (128, 128), (129, 65), (130, 34), (257, 21),
      (19, 263),
    ]
    return list.enumerated().flatMap { index, size in
      RenderingQuality.allCases.map { quality in
        make("sizes/\(size.0)x\(size.1)/\(quality)") {
          $0.size = Dimensions(width: size.0, height: size.1)
          $0.quality = quality
          $0.mapSize = Dimensions(width: max(1, size.0 / 4), height: max(1, size.1 / 4))
          $0.map = index % 3 == 0 ? .sharp : .blurred
          $0.setRadius(6)
          if index % 2 == 0 {
            $0.sourceFormat = .yuv420Video8
            $0.sourceTags = .bt709
            $0.target = .picture(.yuv420Full10, .bt709)
          }
        }
      }
    }
  }

  private static var radii: [FrameCase] {
    let list: [Float] = [0, 0.19, 0.21, 0.6, 1, 2, 4.5, 16, 40, 130, 5000]
    return list.flatMap { radius in
      RenderingQuality.allCases.map { quality in
        make("radii/\(radius)/\(quality)") {
          $0.quality = quality
          $0.setRadius(radius)
          $0.map = .sharp
          $0.mapSize = Dimensions(width: 48, height: 30)
        }
      }
    }
  }

  private static var lenses: [FrameCase] {
    let numbers: [Float] = [0.1, 0.95, 22, 1e30, .infinity]
    let shapes = [(3, Float(0)), (5, 0.3), (6, -1.2), (16, 100)]
    return numbers.map { number in
      make("f-numbers/\(number)") {
        $0.fNumber = number
        $0.blurScale = 0.3
        $0.quality = .preview
      }
    }
      + shapes.map { shape in
        make("blades/\(shape.0)") {
          $0.aperture = ApertureShape(bladeCount: shape.0, rotation: shape.1)
        }
      }
      + [Float(0), 1, -3, 40].map { focus in
        make("focus/\(focus)") { $0.focus = focus }
      }
  }

  private static var maps: [FrameCase] {
    let sizes: [(String, Dimensions)] = [
      ("tiny", Dimensions(width: 1, height: 1)), ("small", Dimensions(width: 24, height: 16)),
      ("whole", Dimensions(width: 97, height: 61)), ("large", Dimensions(width: 210, height: 140)),
    ]
    return MapContent.allCases.enumerated().flatMap { index, content in
      sizes.enumerated().map { place, size in
        make("maps/\(content)/\(size.0)") {
          $0.map = content
          $0.mapSize = size.1
          $0.mapFormat = (index + place) % 3 == 0 ? .disparityHalf : .disparityFloat
          $0.quality = RenderingQuality.allCases[(index + place) % 4]
        }
      }
    }
  }

  /// Light far from white, other rendered sizes, several frames in flight.
  private static var others: [FrameCase] {
    let contents = PictureContent.allCases.flatMap { content in
      RenderingQuality.allCases.map { quality in
        make("light/\(content)/\(quality)") {
          $0.content = content
          $0.quality = quality
          $0.sourceFormat = .rgbaFloat
          $0.target = .picture(.rgbaFloat, .linearBT709)
        }
      }
    }
    let scaled = [(40, 25), (96, 61), (194, 122), (251, 158)].map { width, height in
      make("scaled/\(width)x\(height)") {
        $0.renderedSize = Dimensions(width: width, height: height)
        $0.quality = .preview
        $0.setRadius(6)
      }
    }
    let queued = RenderingQuality.allCases.map { quality in
      make("in-flight/\(quality)") {
        $0.framesInFlight = 4
        $0.quality = quality
      }
    }
    return contents + scaled + queued
  }

  /// Frames in flight whose planes are copied apart.
  private static var queuedChroma: [FrameCase] {
    [
      make("in-flight/\(PixelFormat.yuv420Video10)") {
        $0.framesInFlight = 4
        $0.sourceFormat = .yuv420Video10
        $0.sourceTags = .hlg
        $0.target = .picture(.yuv420Video8, .bt709)
      }
    ]
  }

  /// High dynamic range in pictures of standard range: turned, scaled, in all layouts, sharp and blurred.
  private static var toneMapped: [FrameCase] {
    let targets: [(PixelFormat, ColorTags)] = [
      (.rgba8, .sRGB), (.yuv420Video8, .bt709), (.rgbaHalf, .sRGB), (.gray16, .sRGB),
      (.yuv420Full10, .bt709), (.rgbaFloat, .sRGB),
    ]
    return targets.enumerated().map { index, target in
      make("tone-mapped/\(target.0)") {
        $0.isToneMapped = true
        $0.sourceFormat = index % 2 == 0 ? .yuv420Video10 : .rgbaHalf
        $0.sourceTags = index % 3 == 0 ? .hlg : .pq
        $0.content = index % 2 == 0 ? .shapes : .bright
        $0.target = .picture(target.0, target.1)
        $0.turn = QuarterTurn.allCases[index % 4]
        $0.quality = RenderingQuality.allCases[index % 4]
        if index == 4 { $0.fNumber = .infinity }
        if index == 5 { $0.renderedSize = Dimensions(width: 131, height: 82) }
      }
    }
  }

  /// Pictures with alpha, stored in either way.
  private static var translucent: [FrameCase] {
    let formats: [PixelFormat] = [.rgba8, .rgbaHalf, .rgbaFloat]
    return RenderingQuality.allCases.enumerated().map { index, quality in
      make("alpha/\(quality)") {
        $0.quality = quality
        $0.sourceFormat = formats[index % 3]
        $0.sourceTags = tags($0.sourceFormat)
        $0.sourceAlpha = index % 2 == 0 ? .straight : .premultiplied
        $0.target = .picture(formats[(index + 1) % 3], index == 1 ? .sRGB : .linearBT709)
        $0.destinationAlpha = index > 1 ? .straight : .premultiplied
        if index == 1 {
          ($0.sourceTags, $0.isToneMapped) = (.pq, true)
        }
        if index == 3 { $0.fNumber = .infinity }
      }
    }
  }

  /// Maps that the device measures.
  private static var mapTextures: [FrameCase] {
    MapContent.allCases.enumerated().map { index, content in
      make("map-textures/\(content)") {
        $0.hasMapTexture = true
        $0.map = content
        $0.mapSize = Dimensions(width: 24 + 65 * (index % 3), height: 16 + 3 * index)
        $0.mapFormat = index % 2 == 0 ? .disparityHalf : .disparityFloat
        $0.quality = .preview
      }
    }
  }

  /// A case all of whose values are drawn.
  private static func random(seed: UInt64, _ index: Int) -> FrameCase {
    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(index))
    func any<Value>(_ values: [Value]) -> Value { values.randomElement(using: &generator)! }
    func size(_ most: Int) -> Dimensions {
      Dimensions(
        width: .random(in: 1...most, using: &generator),
        height: .random(in: 1...most, using: &generator))
    }
    var item = FrameCase("random/\(index)")
    item.size = size(170)
    item.sourceFormat = any(RenderingSession.sourcePixelFormats)
    item.sourceTags = tags(item.sourceFormat, .random(in: 0..<4, using: &generator))
    let format = any(RenderingSession.destinationPixelFormats)
    item.target = .picture(format, tags(format, .random(in: 0..<4, using: &generator)))
    item.content = any([.shapes, .shapes, .noise, .bright])
    item.map = any(MapContent.allCases)
    item.mapSize = size(90)
    item.mapFormat = any([.disparityHalf, .disparityFloat])
    item.quality = any(RenderingQuality.allCases)
    item.turn = any(QuarterTurn.allCases)
    item.focus = .random(in: 0...1, using: &generator)
    item.aperture = any([.disc, .disc, ApertureShape(bladeCount: 5, rotation: 0.7)])
    item.padding = .random(in: 0...9, using: &generator)
    item.setRadius(any([0.5, 2, 5, 12, 30]))
    return item
  }
}
