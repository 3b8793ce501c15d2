// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Subjects before a background.
///
/// The layer between them is drawn once, at the mask's size. Everything else looks at single pixels, and goes strip by strip.
extension FramePasses {
  /// - Parameter tags: of the source, whose primaries the result has.
  init(_ frame: Frame, layers: SubjectLayers, tags: ColorTags, cut: FrameCut) {
    self.init(frame, cut: cut)
    let cover = makeCover(layers)
    for rows in strips(of: 0..<size.height) {
      let read = widened(rows, by: Self.packMargin + Self.chromaMargin, unit: 2)
      let picture = linear(read)
      var behind: PassList.Buffer?
      if case .picture(let other) = layers.background {
        behind = linear(read, at: size, of: StoredPicture(other, access: .read)).buffer
      }
      compose(layers, in: picture, behind, cover, tags)
      finish([picture], written: read, packing: rows)
      list.cut()
    }
  }

  /// What lies between subjects and background, at the mask's size.
  private mutating func makeCover(_ layers: SubjectLayers) -> PassList.Buffer? {
    let size = layers.mask.dimensions
    let (width, height) = (Int32(size.width), Int32(size.height))
    let stride = Int32(layers.mask.planes[0].bytesPerRow / MemoryLayout<Float>.stride)
    let mask = PassList.Argument.external(.pixels(layers.mask, plane: 0, access: .read))
    switch layers.cover {
    case .none: return nil
    case .shadow(let right, let down, let reach, let strength):
      let cover = list.buffer(of: Float.self, count: size.count)
      list.add(
        Kernel.MoveMask(mask: mask, moved: .buffer(cover)),
        FocalMoveMaskParameters(
          width: width, height: height, stride: stride, right: Int32(right), down: Int32(down),
          strength: strength), over: size)
      guard reach > 0 else { return cover }
      let between = list.buffer(of: Float.self, count: size.count)
      for _ in 0..<3 {
        let share = 1 / Float(2 * reach + 1)
        blur(
          cover, to: between,
          FocalBlurMaskParameters(
            lines: height, lineStep: width, count: width, step: 1, reach: Int32(reach),
            share: share))
        blur(
          between, to: cover,
          FocalBlurMaskParameters(
            lines: width, lineStep: 1, count: height, step: width, reach: Int32(reach),
            share: share))
      }
      return cover
    case .outline(let lineWidth):
      let reach = Int32(SubjectLayers.Cover.reach(ofOutline: lineWidth))
      let ways = list.buffer(of: Int32.self, count: size.count)
      list.add(
        Kernel.ReachDown(mask: mask, ways: .buffer(ways)),
        FocalReachMaskParameters(
          width: width, height: height, stride: stride, reach: reach, from: 0.5),
        over: Dimensions(width: size.width, height: Self.runs(size.height)))
      let outline = list.buffer(of: Float.self, count: size.count)
      list.add(
        Kernel.OutlineMask(ways: .buffer(ways), outline: .buffer(outline)),
        FocalOutlineMaskParameters(
          width: width, height: height, reach: reach, lineWidth: lineWidth,
          perSoftness: 1 / SubjectLayers.Cover.outlineSoftness), over: size)
      return outline
    }
  }

  private static func runs(_ count: Int) -> Int {
    (count + Int(FocalMaskRun) - 1) / Int(FocalMaskRun)
  }

  private mutating func blur(
    _ mask: PassList.Buffer, to blurred: PassList.Buffer, _ parameters: FocalBlurMaskParameters
  ) {
    list.add(
      Kernel.BlurMask(mask: .buffer(mask), blurred: .buffer(blurred)), parameters,
      over: Dimensions(width: Int(parameters.lines), height: Self.runs(Int(parameters.count))))
  }

  private mutating func compose(
    _ layers: SubjectLayers, in picture: Window, _ behind: PassList.Buffer?,
    _ cover: PassList.Buffer?, _ tags: ColorTags
  ) {
    let subject = layers.subject.part(columns: 0..<size.width, rows: picture.rows)
    var p = FocalComposeSubjectsParameters()
    p.width = Int32(size.width)
    p.rows = Int32(picture.rows.count)
    p.originY = Int32(picture.rows.lowerBound)
    p.subjectStride = Int32(subject.planes[0].bytesPerRow / MemoryLayout<Float>.stride)
    switch layers.background {
    case .transparent: p.background = Int32(FocalBackgroundNone)
    case .kept: p.background = Int32(FocalBackgroundKept)
    case .plain(let red, let green, let blue):
      p.background = Int32(FocalBackgroundPlain)
      (p.plainRed, p.plainGreen, p.plainBlue) = (red, green, blue)
    case .picture(let other):
      p.background = Int32(FocalBackgroundPicture)
      if other.tags.primaries != tags.primaries {
        p.convertsPrimaries = 1
        let rows = PrimariesConversion(from: other.tags.primaries, to: tags.primaries).rows
        let (red, green, blue) = (
          SIMD3<Float>(rows[0]), SIMD3<Float>(rows[1]), SIMD3<Float>(rows[2])
        )
        (p.redFromRed, p.redFromGreen, p.redFromBlue) = (red.x, red.y, red.z)
        (p.greenFromRed, p.greenFromGreen, p.greenFromBlue) = (green.x, green.y, green.z)
        (p.blueFromRed, p.blueFromGreen, p.blueFromBlue) = (blue.x, blue.y, blue.z)
      }
    }
    let weights = SIMD3<Float>(PrimariesConversion.luminanceWeights(of: tags.primaries))
    (p.luminanceRed, p.luminanceGreen, p.luminanceBlue) = (weights.x, weights.y, weights.z)
    (p.gain, p.grayness) = (layers.gain, layers.grayness)
    if layers.levels > 1 {
      p.steps = Float(layers.levels - 1)
      p.perStep = 1 / p.steps
    }
    if cover != nil {
      p.isCovered = 1
      if case .outline = layers.cover { (p.coverRed, p.coverGreen, p.coverBlue) = (1, 1, 1) }
      let mask = layers.mask.dimensions
      (p.coverWidth, p.coverHeight) = (Int32(mask.width), Int32(mask.height))
      p.coverScaleX = Float(mask.width) / Float(size.width)
      p.coverScaleY = Float(mask.height) / Float(size.height)
    }
    list.add(
      Kernel.ComposeSubjects(
        subject: .external(.pixels(subject, plane: 0, access: .read)),
        behind: behind.map { .buffer($0) } ?? .external(.none),
        cover: cover.map { .buffer($0) } ?? .external(.none), picture: .buffer(picture.buffer)),
      p, over: Dimensions(width: size.width, height: picture.rows.count))
  }
}
