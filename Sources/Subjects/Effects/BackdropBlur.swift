// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalRendering
import SubjectKernels

/// Renders what is behind subjects out of focus. The subjects are not in it: their place has the light of what is around
/// them, and its disparity.
struct BackdropBlur {
  let blur: SubjectEffect.LensBlur
  let renderer: FrameRenderer

  /// The longer side of the map that is rendered with: its own edges are found again by the picture.
  private static let mapSide = 640
  /// How far around the subjects the map is not believed, in its cells.
  private static let reach: Float = 4
  /// A backdrop whose disparity is less than this from the subject's, in parts of the map's range, is taken for flat.
  private static let leastStep: Float = 0.05
  /// The farthest cells of the backdrop, up to this share of them, are outliers.
  private static let farShare = 0.02

  /// - Parameters:
  ///   - backdrop: light as it is shown, `rgbaFloat`; changed where the subjects are.
  ///   - subject: light and alpha of the same size.
  ///   - matte: of the subjects; its light of what is behind is used if the backdrop is the subjects' own picture.
  ///   - disparity: of the backdrop, as shown; `nil` for one that is far as a whole.
  func blurred(
    _ backdrop: PixelBuffer, behind subject: PixelBuffer, matte: SubjectMatte, isOwn: Bool,
    disparity: PixelBuffer?
  ) throws(CinematicError) -> PixelBuffer {
    let size = backdrop.dimensions
    try cutOut(backdrop, subject, matte, isOwn: isOwn)
    let longer = Float(max(size.width, size.height))
    // A diameter of width * S / N * |d - focus|.
    let scale = Float(size.width) * renderer.sessionAttributes.blurScale / (blur.diameter * longer)
    var map = try PixelBuffer.map([Float](repeating: 0, count: 64), Dimensions(width: 8, height: 8))
    var (focus, fNumber) = (Float(1), scale)
    if isOwn, let disparity, let known = try depths(of: disparity, matte) {
      (map, focus, fNumber) = (known.map, known.focus, scale * known.step)
    }
    guard blur.diameter > 0, fNumber.isFinite else { return backdrop }
    let result = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: backdrop.tags, bytesPerRowAlignment: 16)
    let frame = FrameRenderer.Frame(
      number: 0, sourceImage: backdrop, sourceDisparity: map,
      attributes: RenderingSession.FrameAttributes(
        focusDisparity: focus, fNumber: max(0.1, fNumber)), destination: result)
    try renderer.finish(renderer.commit(frame))
    return result
  }

  private func cutOut(
    _ backdrop: PixelBuffer, _ subject: PixelBuffer, _ matte: SubjectMatte, isOwn: Bool
  ) throws(CinematicError) {
    let (size, back) = (backdrop.dimensions, matte.dimensions)
    let behind = isOwn ? try matte.colours.sides().back : []
    let (from, to) = (subject.planes[0].bytesPerRow, backdrop.planes[0].bytesPerRow)
    subject.withUnsafeBytes { subject in
      backdrop.withUnsafeMutableBytes { light in
        behind.withUnsafeBufferPointer { colours in
          for y in 0..<size.height {
            focal_subject_behind(
              (subject.baseAddress! + y * from).assumingMemoryBound(to: Float.self),
              isOwn ? colours.baseAddress : nil, Int32(back.width), Int32(back.height),
              Int32(size.width), Int32(size.height), Int32(y), blur.halo,
              (light.baseAddress! + y * to).assumingMemoryBound(to: Float.self))
          }
        }
      }
    }
  }

  /// The map without the subjects, their own disparity, and how far what is farthest is from it.
  ///
  /// - Returns: `nil` of a map in which the subjects do not stand out.
  private func depths(
    of disparity: PixelBuffer, _ matte: SubjectMatte
  ) throws(CinematicError) -> (map: PixelBuffer, focus: Float, step: Float)? {
    let own = disparity.dimensions
    let size = own.fitting(longerSide: Self.mapSide)
    let cells = disparity.disparityValues
    var values = (0..<size.count).map { place -> Float in
      let x = (2 * (place % size.width) + 1) * own.width / (2 * size.width)
      let y = (2 * (place / size.width) + 1) * own.height / (2 * size.height)
      return cells[y * own.width + x]
    }
    let (width, height) = (Int32(size.width), Int32(size.height))
    let hard = try PixelBuffer.map(matte.alpha, matte.dimensions).resizedMap(to: size)
      .cells.map { $0 > 0.5 ? UInt8(1) : 0 }
    var distance = [Float](repeating: 0, count: size.count)
    try kernel(size) { focal_edge_distance(hard, width, height, &distance) }
    let deep = 0.5 * (distance.max() ?? 0)
    var (subject, rest): ([Float], [Float]) = ([], [])
    var known = [UInt8](repeating: 0, count: size.count)
    for place in values.indices where !values[place].isNaN {
      if distance[place] > 0, distance[place] >= min(deep, Self.reach) {
        subject.append(values[place])
      } else if distance[place] < -Self.reach {
        rest.append(values[place])
        known[place] = 1
      }
    }
    guard !subject.isEmpty, !rest.isEmpty else { return nil }
    subject.sort()
    rest.sort()
    let focus = subject[subject.count / 2]
    let step = focus - rest[Int(Double(rest.count - 1) * Self.farShare)]
    let range = max(subject[subject.count - 1], rest[rest.count - 1]) - min(subject[0], rest[0])
    guard step > Self.leastStep * range else { return nil }
    try kernel(size) { [known] in focal_subject_fill(known, width, height, &values) }
    return (try .map(values, size), focus, step)
  }
}
