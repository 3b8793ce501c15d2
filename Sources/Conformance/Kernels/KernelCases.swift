// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

/// Frames whose dispatches are compared one by one: between them, they run every kernel, from and to every matrix and
/// curve.
package enum KernelCases {
  package static func all(seed: UInt64) -> [FrameCase] {
    others(seed)
      + RenderingQuality.allCases.flatMap { quality in
        [
          make("kernels/\(quality)/holes", quality, .holes, (24, 16), seed) {
            $0.sourceFormat = .yuv420Video10
            $0.sourceTags = [FrameCases.bt601, .bt709, .hlg, .pq][quality.rawValue % 4]
            $0.target = .picture(.yuv420Video10, $0.sourceTags)
          },
          make("kernels/\(quality)/sharp", quality, .sharp, (32, 20), seed) {
            $0.content = .bright
            $0.target = .picture(.rgba8, .sRGB)
            $0.turn = .clockwise90
          },
          make("kernels/\(quality)/whole", quality, .noise, (97, 61), seed) {
            $0.setRadius(3)
            $0.target = .picture(.rgbaHalf, .linearBT709)
          },
          make("kernels/\(quality)/scaled", quality, .blurred, (70, 44), seed) {
            $0.renderedSize = Dimensions(width: 130, height: 82)
            $0.setRadius(14)
            $0.sourceFormat = .gray16
            $0.sourceTags = .sRGB
            $0.target = .picture(.rgbaFloat, .linearBT709)
          },
        ]
      }
  }

  /// Kernels that only some frames need.
  private static func others(_ seed: UInt64) -> [FrameCase] {
    [
      make("kernels/tones", .preview, .sharp, (97, 61), seed) {
        $0.isToneMapped = true
        $0.sourceTags = .hlg
        $0.content = .bright
        $0.target = .picture(.yuv420Video8, .bt709)
      },
      make("kernels/alpha", .preview, .sharp, (97, 61), seed) {
        $0.isToneMapped = true
        $0.sourceTags = .pq
        $0.sourceAlpha = .straight
        $0.target = .picture(.rgba8, .sRGB)
        $0.destinationAlpha = .premultiplied
      },
      make("kernels/highlights", .preview, .sharp, (97, 61), seed) {
        $0.highlights = 3
        $0.sourceFormat = .rgba8
        $0.sourceTags = .sRGB
        $0.content = .bright
        $0.target = .picture(.rgba8, .sRGB)
      },
      // More blocks of lights in reach of a workgroup than it has lanes, and mirror images on all sides.
      make("kernels/lights", .export, .sharp, (97, 61), seed) {
        $0.size = Dimensions(width: 260, height: 196)
        $0.setRadius(96)
        $0.aperture = ApertureShape(bladeCount: 5, rotation: 0.2)
        $0.content = .bright
      },
      make("kernels/shapes", .export, .sharp, (97, 61), seed) {
        $0.setRadius(20)
        $0.aperture = ApertureShape(image: .sample, squeeze: 1.3)
        ($0.character.profile, $0.character.fringes, $0.character.catEye) = (0.5, 0.3, 0.7)
        $0.content = .bright
      },
      make("kernels/weights", .preview, .blurred, (70, 44), seed) {
        $0.setRadius(20)
        $0.aperture = ApertureShape(bladeCount: 5, rotation: 0.2)
        ($0.character.profile, $0.character.barnDoors, $0.character.swirl) = (-0.5, 0.6, 0.4)
        $0.content = .bright
      },
      make("kernels/views", .export, .blurred, (24, 16), seed) { $0.view = .coverage },
      make("kernels/tiles", .preview, .blurred, (12, 65), seed) {
        $0.size = Dimensions(width: 48, height: 260)
        $0.isTiled = true
      },
      make("kernels/halved", .thumbnail, .blurred, (70, 44), seed) {
        $0.size = Dimensions(width: 1151, height: 701)
        $0.setRadius(30)
        $0.target = .picture(.rgba8, .sRGB)
      },
      make("kernels/halved-film", .thumbnail, .blurred, (70, 44), seed) {
        $0.size = Dimensions(width: 1151, height: 701)
        $0.setRadius(30)
        $0.sourceFormat = .yuv420Video10
        $0.sourceTags = .hlg
        $0.target = .picture(.yuv420Video10, .hlg)
        $0.turn = .clockwise90
      },
      // Between the passes that are one elsewhere stand others.
      make("kernels/halved-alpha", .thumbnail, .blurred, (70, 44), seed) {
        $0.size = Dimensions(width: 1151, height: 701)
        $0.setRadius(30)
        $0.sourceAlpha = .straight
        $0.target = .picture(.rgbaHalf, .linearBT709)
        $0.destinationAlpha = .straight
      },
      make("kernels/shadow", .preview, .sharp, (97, 61), seed) {
        var layers = FrameCase.Layers()
        layers.background = .picture(Dimensions(width: 130, height: 82), .rgba8, .sRGB)
        layers.cover = .shadow(right: 3, down: 2, reach: 9, strength: 0.6)
        (layers.gain, layers.grayness, layers.levels) = (0.25, 0.5, 5)
        $0.layers = layers
        $0.content = .bright
        $0.target = .picture(.rgbaFloat, .linearBT709)
      },
      make("kernels/outline", .preview, .sharp, (97, 61), seed) {
        var layers = FrameCase.Layers()
        layers.cover = .outline(width: 4.5)
        $0.layers = layers
        $0.target = .picture(.rgbaFloat, .linearBT709)
      },
      make("kernels/map-texture", .preview, .blurred, (70, 44), seed) {
        $0.hasMapTexture = true
        $0.mapFormat = .disparityHalf
      },
    ]
  }

  private static func make(
    _ name: String, _ quality: RenderingQuality, _ map: MapContent, _ mapSize: (Int, Int),
    _ seed: UInt64, _ change: (inout FrameCase) -> Void
  ) -> FrameCase {
    var item = FrameCase(name)
    item.quality = quality
    item.map = map
    item.mapSize = Dimensions(width: mapSize.0, height: mapSize.1)
    item.seed = seed
    item.setRadius(8)
    change(&item)
    return item
  }
}
