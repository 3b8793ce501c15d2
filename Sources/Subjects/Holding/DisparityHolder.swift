// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalRendering
import SubjectKernels

/// A map of disparity whose step lies at a subject's outline.
public struct HeldDisparity: Sendable {
  /// `disparityFloat` of the picture's size, as it is stored, without holes.
  public let map: PixelBuffer
  /// The description of the map that sessions need.
  public let info: DisparityMapInfo
  /// The median of the subject's disparities; `nil` where the mask is empty or the map is.
  public let subjectDisparity: Float?
}

/// Brings the edge of a coarse map of disparity to the outline of a subject's mask.
///
/// The map is brought to the picture's size as sessions do it. Along the outline, pixels of the mask whose disparity is that
/// of what is around the subject get the subject's, and pixels beside it that have the subject's get that of what is around.
/// So hair that the map does not know is held, and what leaked over the outline does not. Away from the outline nothing
/// changes. A session takes the result as it is.
///
/// ```swift
/// let mask = try observation.generateScaledMask(for: [1], scaledToImageFrom: picture)
/// let held = try DisparityHolder(renderer: renderer).held(map, of: picture, mask: mask)
/// ```
public struct DisparityHolder: Sendable {
  private let renderer: FrameRenderer

  /// The longer side of the maps in which both sides are filled.
  private static let coarseSide = 640
  /// How far maps leak, in their own cells: blurred ones, and those whose edges are steps.
  private static let blurredReach: Float = 4
  private static let sharpReach: Float = 1.5
  /// Maps of the picture's own size that are blurred: in parts of the longer side.
  private static let leastBlurredReach: Float = 1 / 160
  /// The shares of a subject's disparities below and above which they are outliers.
  private static let outliers = (0.02, 0.98)

  /// - Parameter renderer: brings maps to the picture's size, at its quality; its look is of no account.
  public init(renderer: FrameRenderer) {
    self.renderer = renderer
  }

  /// Brings a map's edge to the outline of a mask. Blocks while the renderer works.
  ///
  /// - Parameters:
  ///   - map: the picture's disparity, of any size, as the picture is stored.
  ///   - mask: 0 to 1, `disparityFloat` of any size in the picture's shape, as the picture is stored; a half and more is the
  ///     subject's.
  ///   - isFlat: whether the subject has one disparity, its median, so that all of it is as sharp.
  /// - Throws: `unsupported` for other formats, what the renderer throws, `outOfMemory`.
  public func held(
    _ map: PixelBuffer, of picture: PixelBuffer, mask: PixelBuffer, isFlat: Bool = false
  ) throws(CinematicError) -> HeldDisparity {
    let size = picture.dimensions
    let full = try PixelBuffer.map(mask.unitValues(at: size), size)
    let known = try DisparityMapInfo(of: map)
    guard let range = known.range else {
      return HeldDisparity(map: map, info: known, subjectDisparity: nil)
    }
    let result = try refined(map, of: picture, known, range)
    let info = DisparityMapInfo(range: range, hasHoles: false, hasSharpEdges: true)
    let cell = Float(size.width) / Float(map.width)
    let reach =
      known.hasSharpEdges
      ? Self.sharpReach * cell
      : max(
        Self.blurredReach * cell, Self.leastBlurredReach * Float(max(size.width, size.height)))
    guard let sides = try Sides(result, mask: full, reach: reach + 2, longer: Self.coarseSide)
    else { return HeldDisparity(map: result, info: info, subjectDisparity: nil) }
    let (low, high) =
      isFlat
      ? (sides.median, sides.median)
      : (sides.share(Self.outliers.0), sides.share(Self.outliers.1))
    sides.hold(result, mask: full, low: low, high: high)
    return HeldDisparity(map: result, info: info, subjectDisparity: sides.median)
  }

  /// The map at the picture's size, as sessions refine it.
  private func refined(
    _ map: PixelBuffer, of picture: PixelBuffer, _ info: DisparityMapInfo,
    _ range: ClosedRange<Float>
  ) throws(CinematicError) -> PixelBuffer {
    let size = picture.dimensions
    let shown = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    // Nothing is blurred, whatever the f-number.
    var attributes = RenderingSession.FrameAttributes(
      focusDisparity: range.lowerBound, fNumber: 1000)
    attributes.view = .refined
    var frame = FrameRenderer.Frame(
      number: 0, sourceImage: picture, sourceDisparity: map, attributes: attributes,
      destination: shown)
    frame.disparityInfo = info
    try renderer.finish(renderer.commit(frame))
    let result = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709, bytesPerRowAlignment: 4)
    let (low, high) = (range.lowerBound, range.upperBound)
    shown.withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        parallelFor(size.height, threads: nil) { y in
          focal_subject_shown(
            (source.baseAddress! + y * shown.planes[0].bytesPerRow)
              .assumingMemoryBound(to: Float.self), Int32(size.width), low, high,
            (target.baseAddress! + y * result.planes[0].bytesPerRow)
              .assumingMemoryBound(to: Float.self))
        }
      }
    }
    return result
  }
}

/// Both sides of a mask's outline in a map, at a size of their own.
private struct Sides {
  let size: Dimensions
  /// The subject's disparities, and those of what is around it, everywhere.
  private let inside: [Float]
  private let outside: [Float]
  private let distance: [Float]
  private let reach: Float
  /// Of the subject, sorted.
  private let known: [Float]

  var median: Float { share(0.5) }

  /// - Parameters:
  ///   - reach: how far around the outline disparities are not believed, in pixels.
  ///   - longer: of the sides' own size.
  /// - Returns: `nil` of an empty mask.
  init?(
    _ map: PixelBuffer, mask: PixelBuffer, reach: Float, longer: Int
  ) throws(CinematicError) {
    let full = map.dimensions
    let coarse = full.fitting(longerSide: longer)
    size = coarse
    let (width, height) = (Int32(coarse.width), Int32(coarse.height))
    var values = [Float](repeating: 0, count: coarse.count)
    var hard = [UInt8](repeating: 0, count: coarse.count)
    let (mapStride, maskStride) = (map.planes[0].bytesPerRow, mask.planes[0].bytesPerRow)
    map.withUnsafeBytes { map in
      mask.withUnsafeBytes { mask in
        for j in 0..<coarse.height {
          let y = (2 * j + 1) * full.height / (2 * coarse.height)
          for i in 0..<coarse.width {
            let x = (2 * i + 1) * full.width / (2 * coarse.width)
            let place = j * coarse.width + i
            values[place] = map.load(fromByteOffset: y * mapStride + 4 * x, as: Float.self)
            let share = mask.load(fromByteOffset: y * maskStride + 4 * x, as: Float.self)
            hard[place] = share >= 0.5 ? 1 : 0
          }
        }
      }
    }
    guard hard.contains(1) else { return nil }
    var distance = [Float](repeating: 0, count: coarse.count)
    try kernel(coarse) { focal_edge_distance(hard, width, height, &distance) }
    let apart = max(1, reach * Float(coarse.width) / Float(full.width))
    // Of thin subjects the middle is believed.
    let deep = min(apart, 0.6 * (distance.max() ?? 0))
    let isInside = distance.map { $0 >= deep && $0 > 0 ? UInt8(1) : 0 }
    let isOutside = distance.map { $0 < -apart ? UInt8(1) : 0 }
    known = values.indices.lazy.filter { isInside[$0] != 0 }.map { values[$0] }.sorted()
    self.distance = distance
    var inside = values
    try kernel(coarse) { focal_subject_fill(isInside, width, height, &inside) }
    self.inside = inside
    // A mask that leaves nothing around it has no leaks.
    guard isOutside.contains(1) else {
      self.reach = -.infinity
      outside = [Float](repeating: .infinity, count: coarse.count)
      return
    }
    self.reach = apart + 1
    var outside = values
    try kernel(coarse) { focal_subject_fill(isOutside, width, height, &outside) }
    self.outside = outside
  }

  /// The disparity below which so much of the subject is.
  func share(_ share: Double) -> Float { known[Int(Double(known.count - 1) * share)] }

  /// Moves the map's step to the mask's outline, in place.
  func hold(_ map: PixelBuffer, mask: PixelBuffer, low: Float, high: Float) {
    let full = map.dimensions
    inside.withUnsafeBufferPointer { inside in
      outside.withUnsafeBufferPointer { outside in
        distance.withUnsafeBufferPointer { distance in
          var hold = FocalHold()
          (hold.width, hold.height) = (Int32(size.width), Int32(size.height))
          (hold.inside, hold.outside) = (inside.baseAddress, outside.baseAddress)
          (hold.distance, hold.reach) = (distance.baseAddress, reach)
          (hold.low, hold.high) = (low, high)
          mask.withUnsafeBytes { mask_ in
            map.withUnsafeMutableBytes { map_ in
              for y in 0..<full.height {
                focal_subject_hold(
                  &hold,
                  (mask_.baseAddress! + y * mask.planes[0].bytesPerRow)
                    .assumingMemoryBound(to: Float.self), Int32(full.width), Int32(full.height),
                  Int32(y),
                  (map_.baseAddress! + y * map.planes[0].bytesPerRow)
                    .assumingMemoryBound(to: Float.self))
              }
            }
          }
        }
      }
    }
  }
}
