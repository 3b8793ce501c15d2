// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The work that each quality spends on the blur, for a picture of some size.
///
/// The changes of PSNR in the comments, in dB, are measured as `focal_blur.h` says: bench, sample, traced.
struct BlurSettings {
  /// Picture pixels to a pixel of the blurred layers: 1, 2, 4 or 8.
  var scale: Int32
  /// Lens points of a tile by its largest radius. Half of them at export quality: traced -0.22, sample
  /// -0.35. Twice as many: traced +0.07, sample +0.10.
  var lensCounts: [Int]
  /// Half width of the window in which colours are told apart at edges, in pixels. At export 1 instead of
  /// 2: traced +0.05. 3: traced -0.29.
  var matteWindow: Int32
  /// Four times the variance that sampling adds, in layer pixels squared: rounding, and below the
  /// picture's resolution the cell's mean and the linear enlargement. Circles are drawn that much
  /// smaller.
  var samplingVariance: Float
  /// The radius from which on slices lie twice as far apart, in layer pixels. 12 instead of 6 at export:
  /// sample +0.12; at preview quality a near disc is up to a twelfth off where it is a twentieth. 3: traced
  /// -0.29, sample -0.16.
  var knee: Float
  /// Side of the cells whose light is drawn as one disc, 4, 8 or 16 pixels: two lights in one become one
  /// that is as wide as both. 8 at preview quality: traced -0.13, with the phone's maps -0.09, rungs along bright bars,
  /// and a tenth less time.
  var lightCell: Int32

  /// Largest radii of the first three lens sets, in layer pixels; the last has no limit. A circle of
  /// 0.3 lies within its pixel, so one point shows it; the others trade dots in small lights for
  /// time. 0.6: no difference. 2 and 5: traced +0.03. 8 and 20: traced -0.05, sample -0.13.
  static let lensRadii: [Float] = [0.3, 4, 10, 1e9]
  /// Near surfaces pass from the focus plate to the blurred layers between these radii, far ones
  /// likewise; in picture pixels. The plate's circles reach FOCAL_COMPOSITE_APRON pixels, which bounds
  /// them from above; layers of a half and a quarter of the resolution cannot draw circles of a pixel
  /// or two, which bounds them from below. The width hides the change from one to the other. 1...2:
  /// sample +0.10; 1...4: +0.03; 3...4 and 3...5: no difference.
  static let nearRange: ClosedRange<Float> = 2...4
  static let farRange: ClosedRange<Float> = 2...4
  /// Far surfaces are in the layers from this radius on. Half: no difference. Twice: sample +0.09.
  static let farthestFocus: Float = 1
  /// Radii up to this are sharp, in pixels: a disc of that radius lies within its own pixel. From half
  /// to four times the picture does not change by more than 0.02; sharp pixels are copied.
  static let smallestRadius: Float = 0.2
  /// A step of radius above this is an edge, in pixels. Lower: slanted surfaces count as edges and
  /// cost time, for half no difference; higher: weak edges bleed, for twice traced -0.22.
  static let edge: Float = 0.8
  /// A change of radius over a distance, both in the same pixels, above which two places are not of
  /// one surface. It trades as `edge` does, in the coarse levels of what lies behind. Half and twice: no
  /// difference.
  static let steepestSlant: Float = 0.25
  /// How much the scatter of colours weakens an edge's alpha; the weight of pixels at the edge in the
  /// colours of its sides. Alpha is a projection on the line between two mean colours, at a distance
  /// D; with the scatter S of both sides it is trusted by D / (D + trust · S). Higher: the map decides
  /// in textured places; lower: texture passes for coverage. A trust of 0: traced -0.86, sample +0.11;
  /// half: traced -0.03; twice: traced +0.03, bench -0.08. An impurity of half: traced -0.11, sample
  /// -0.04; of 1, so the same weight: traced +0.06, sample +0.11.
  static let matteTrust: Float = 4
  static let matteImpurity: Float = 0.5
  /// Slices a layer pixel of radius, up to the knee; half as many beyond. A surface between two slices
  /// is divided between them, so its radius is right in the mean; what is left is the difference
  /// between one disc and two whose radii differ by a slice, which weighs less the larger the disc is.
  /// Half as many: traced -0.89, sample -2.27. Twice as many: traced -0.05, sample +0.12.
  static let slicesPerPixel: Float = 1
  /// The most slices between a frame's largest radii: with one more on either side, the focus' own, and
  /// both ends rounded up, they fit into FOCAL_MAXIMUM_SLOTS.
  static let mostSlices: Float = 58
  /// Bytes that the slices of the tiles in work at once may take on any graphics device.
  static let leastPoolByteCount = 512 << 20
  /// The same on a device with so much memory of its own (`nil` where it is the host's): a sixteenth of that, four
  /// gigabytes at the most. In half a gigabyte the tiles of a 4K frame at export-high quality go in 76 batches, each
  /// too small to fill a large device.
  static func poolByteCount(ofMemory memoryByteCount: Int?) -> Int {
    min(max((memoryByteCount ?? 0) / 16, leastPoolByteCount), 4 << 30)
  }
  /// Side of a tile in layer pixels.
  static let tileSide: Int32 = 64
  /// Largest radius in layer pixels: what tiles are made for.
  static let largestLayerRadius: Float = 64
  /// The coarsest layers: radii of 512 pixels, as 8K at f/1 has them.
  static let largestScale: Int32 = 8

  /// Cells of a block of lights.
  var lightCells: Int { Int(FOCAL_LIGHT_BLOCK * FOCAL_LIGHT_BLOCK / (lightCell * lightCell)) }

  /// Larger radii are clamped, picture pixels.
  var maximumRadius: Float { Self.largestLayerRadius * Float(scale) }
  /// Which radii the focus plate draws.
  static var focusRange: FocalFocusRange {
    FocalFocusRange(
      smallest: smallestRadius, farLimit: -farRange.upperBound, nearLimit: nearRange.upperBound)
  }

  /// - Parameters:
  ///   - size: that the passes work at.
  ///   - isHalved: whether it is half the picture's.
  ///   - largestRadius: of the frame, in pixels of that size.
  init(
    _ quality: RenderingQuality, size: Dimensions, isHalved: Bool = false, largestRadius: Float
  ) {
    // Fewer pixels leave room for finer layers: small pictures are judged at full size.
    let isSmall = size.count <= 800_000
    let isLarge = size.count > 5_000_000
    matteWindow = 2
    lightCell = 4
    knee = 12
    switch quality {
    case .thumbnail:
      scale = isHalved ? 2 : 4
      lensCounts = [1, 8, 12, 16]
      matteWindow = 1
      lightCell = isHalved ? 4 : 8
      knee = 6
    case .preview:
      scale = isSmall ? 2 : 4
      lensCounts = [1, 12, 24, 32]
      knee = 6
    case .export:
      scale = isSmall ? 1 : isLarge ? 4 : 2
      lensCounts = [1, 48, 96, 128]
    case .exportHigh:
      // Layers at the picture's resolution, for four times the work: sample +0.27, bench -0.24.
      scale = isSmall ? 1 : 2
      lensCounts = [1, 96, 256, 512]
    }
    // Tiles are made for radii up to a limit: larger circles need no finer layers.
    while scale < Self.largestScale, largestRadius > Self.largestLayerRadius * Float(scale) {
      scale *= 2
    }
    // Cells of the largest circles are as wide as a slice can be spread at the most.
    let largest = min(largestRadius / Float(scale), Self.largestLayerRadius)
    while largest * (Float.pi / Float(lensCounts[3])).squareRoot() > FOCAL_WIDEST_SPREAD {
      lensCounts[3] *= 2
    }
    // Rounding a shift to whole pixels adds 1/12 along each axis: 4/12 = 0.33. Layers coarser than
    // the picture add the cell's mean, a box with another 1/12, and the linear enlargement, a triangle
    // with 1/6: 4 (1/12 + 1/12 + 1/6) = 1.33. 1.2 of it is taken off; 0.8, 1.2 and 1.33
    // differ by less than 0.03 (0.04 at preview quality). At preview quality none gives bench +0.18, but
    // sample with the small map -0.11; 2 gives bench -0.25, with lights far above white -0.49, and sample
    // -0.16. At scale 1 none gives traced -0.17, twice -0.22.
    samplingVariance = scale == 1 ? 0.33 : 1.2
  }
}
