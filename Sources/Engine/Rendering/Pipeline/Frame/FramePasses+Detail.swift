// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Frames that are worked on at half the picture's size.
///
/// The source is halved, all passes of the blur run at a quarter of the pixels, and their result is enlarged. The
/// detail that the half does not hold comes back where the picture is sharp: what is in focus keeps its
/// codes. Rows of the passes are the half's; those that are packed are the picture's.
extension FramePasses {
  /// A rendered half whose window of the picture is made when it is packed: then it need not be written and read once
  /// more.
  struct Detail {
    /// The half as it was.
    var sharp: PassList.Buffer
    var rendered: PassList.Buffer
    /// How much of its detail each pixel of the half keeps.
    var share: PassList.Buffer
    /// Of the half's window.
    var rows: Int
  }

  /// Rows of the half as rows of the picture, parted where a pair of the destination's chroma rows is not.
  func fullRows(_ rows: Range<Int>) -> Range<Int> {
    guard frame.isHalved else { return rows }
    let height = frame.fullSize.height
    let first = rows.lowerBound == 0 ? 0 : 2 * rows.lowerBound - fullPhase
    let end = rows.upperBound == size.height ? height : 2 * rows.upperBound - fullPhase
    return first..<max(first, end)
  }

  /// The rows of the passes that rows of the picture are made of.
  func workedRows(_ rows: Range<Int>) -> Range<Int> {
    guard frame.isHalved else { return rows }
    return rows.lowerBound / 2..<min((rows.upperBound + 1 + fullPhase) / 2, size.height)
  }

  /// Turned by 180 degrees, an odd height has its pairs at odd rows of the source.
  private var fullPhase: Int {
    StoredPicture.isFlipped(by: frame.turn) ? frame.fullSize.height % 2 : 0
  }

  /// Rows of the source at half its size; they begin at an even one.
  mutating func halved(_ rows: Range<Int>) -> Window {
    let full = frame.fullSize
    let read = 2 * rows.lowerBound..<min(2 * rows.upperBound, full.height)
    let result = list.buffer(of: SIMD4<Float>.self, count: size.width * rows.count)
    let halfSize = Dimensions(width: size.width, height: rows.count)
    // Nothing stands between the two passes.
    if full == frame.source.dimensions, part == .colors, frame.highlights == nil {
      noteRead(read)
      let source = frame.source.window(read)
      let planes = source.planes.map { PassList.Argument.external($0) }
      let linear = list.buffer(of: SIMD4<Float>.self, count: full.width * read.count)
      list.add(
        Kernel.UnpackHalved(
          bytes: planes[0], chromaBytes: planes.count > 1 ? planes[1] : .external(.none),
          linear: .buffer(linear), halved: .buffer(result)),
        source.parameters, over: halfSize)
      return Window(buffer: result, rows: rows, full: linear)
    }
    let picture = linear(read, at: full)
    list.add(
      Kernel.Halve(source: .buffer(picture.buffer), result: .buffer(result)),
      FocalHalveParameters(
        width: Int32(size.width), rows: Int32(rows.count), sourceWidth: Int32(full.width),
        sourceRows: Int32(picture.rows.count)),
      over: halfSize)
    return Window(buffer: result, rows: rows, full: picture.buffer)
  }

  /// The rendered half at the picture's size, in the place of the window's picture; where nothing else is done to the
  /// picture, that is left to the pass that packs it.
  ///
  /// - Parameters:
  ///   - rendered: a window like that of `surfaces`, of which `drawn` are written.
  ///   - rows: of the picture, that are made.
  mutating func addDetail(
    to rendered: PassList.Buffer, of surfaces: Surfaces, drawn: Range<Int>, rows: Range<Int>,
    _ layers: Layers, views: PassList.Buffer, _ blur: Blur
  ) -> Window {
    guard let full = surfaces.full else { return Window(buffer: rendered, rows: surfaces.rows) }
    let share = list.buffer(of: Float.self, count: size.width * surfaces.rows.count)
    list.add(
      Kernel.MeasureDetail(
        radius: .buffer(surfaces.radius), matte: .buffer(surfaces.matte), views: .buffer(views),
        share: .buffer(share)),
      FocalMeasureDetailParameters(
        width: Int32(size.width), height: Int32(surfaces.rows.count),
        firstRow: Int32(drawn.lowerBound - surfaces.rows.lowerBound), rows: Int32(drawn.count),
        layerWidth: Int32(layers.size.width), layerHeight: Int32(layers.rows.count),
        layerOriginY: Int32(
          surfaces.rows.lowerBound / Int(blur.settings.scale) - layers.rows.lowerBound),
        scale: blur.settings.scale),
      over: Dimensions(width: size.width, height: drawn.count))
    let first = 2 * surfaces.rows.lowerBound
    var window = Window(
      buffer: full, rows: first..<min(2 * surfaces.rows.upperBound, frame.fullSize.height))
    if part == .colors, frame.highlights == nil, frame.toneMapping == nil {
      window.detail = Detail(
        sharp: surfaces.picture, rendered: rendered, share: share, rows: surfaces.rows.count)
      return window
    }
    list.add(
      Kernel.AddDetail(
        sharp: .buffer(surfaces.picture), rendered: .buffer(rendered), share: .buffer(share),
        picture: .buffer(full)),
      FocalAddDetailParameters(
        width: Int32(frame.fullSize.width), firstRow: Int32(rows.lowerBound - first),
        rows: Int32(rows.count), halfWidth: Int32(size.width),
        halfRows: Int32(surfaces.rows.count)),
      over: Dimensions(width: frame.fullSize.width, height: rows.count))
    return window
  }

  /// Packs a window with its detail.
  ///
  /// - Parameters:
  ///   - planes: the destination's.
  ///   - size: pixels of one plane, or the chroma samples of two.
  mutating func pack(
    _ picture: Window, _ detail: Detail, to planes: [PassList.Argument],
    _ stored: FocalPixelParameters, over size: Dimensions
  ) {
    let parameters = FocalPackDetailParameters(
      stored: stored, rows: Int32(picture.rows.count), halfWidth: Int32(self.size.width),
      halfRows: Int32(detail.rows))
    if planes.count > 1 {
      list.add(
        Kernel.PackDetailBiPlanar(
          sharp: .buffer(detail.sharp), rendered: .buffer(detail.rendered),
          share: .buffer(detail.share), picture: .buffer(picture.buffer), lumaBytes: planes[0],
          chromaBytes: planes[1]),
        parameters, over: size)
    } else {
      list.add(
        Kernel.PackDetail(
          sharp: .buffer(detail.sharp), rendered: .buffer(detail.rendered),
          share: .buffer(detail.share), picture: .buffer(picture.buffer), bytes: planes[0]),
        parameters, over: size)
    }
  }
}

extension RenderingSession {
  /// Pictures up to this many pixels are worked on at their own size: there is little to spare.
  private static let leastHalvedPixelCount = 800_000
  /// The same where halves are asked for: the passes of smaller ones cost less than what a half adds.
  private static let leastDraftPixelCount = 40_000

  /// The size at which the blur of a picture is worked out.
  func workingSize(of size: Dimensions) -> Dimensions {
    let least =
      sessionAttributes.halvesThumbnails ? Self.leastDraftPixelCount : Self.leastHalvedPixelCount
    guard quality == .thumbnail, size.count > least else { return size }
    return Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
  }
}
