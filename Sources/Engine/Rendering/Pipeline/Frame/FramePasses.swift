// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The passes that make a frame: the one place where their order and the sizes of their buffers
/// stand.
///
/// unpack → refine the map → blur → pack, of the whole picture or of one window of its rows after the
/// other, as ``FrameCut`` says. Its extensions hold the middle two.
struct FramePasses {
  /// Some rows of a frame that are rendered by themselves.
  struct Tile {
    /// The rows that are packed.
    var rows: Range<Int>
    /// The surfaces behind in the whole picture, coarsely, for each of the parts; empty for a picture that
    /// is so small that its layers are always held whole.
    var backdrop: [any DeviceMemory]
  }

  /// Some rows of a picture in working memory.
  struct Window {
    var buffer: PassList.Buffer
    /// The rows that the buffer holds.
    var rows: Range<Int>
    /// The picture that it is the half of, twice its rows; `nil` of one that was not halved.
    var full: PassList.Buffer?
    /// What is put into it when it is packed; `nil` if it holds all.
    var detail: Detail?
  }

  let frame: Frame
  let cut: FrameCut
  var list = PassList()
  /// The part of the source that is being rendered.
  var part = Part.colors
  /// The rows of the source that the passes read.
  private(set) var readRows: Range<Int>?

  var size: Dimensions { frame.size }

  /// No passes yet.
  init(_ frame: Frame, cut: FrameCut) {
    self.frame = frame
    self.cut = cut
  }

  /// The passes of a frame; without `blur` it is sharp everywhere, and no map is looked at.
  ///
  /// - Parameter tile: what is rendered of it; `nil` for all.
  init(_ frame: Frame, blur: Blur?, cut: FrameCut, tile: Tile? = nil) {
    self.frame = frame
    self.cut = cut
    if let blur, let view = frame.view, view != .peaking || !blur.circles.areVisible {
      show(view, blur, tile)
    } else if let blur {
      render(blur, tile)
    } else {
      for rows in strips(of: tile?.rows ?? 0..<size.height) {
        let read = widened(rows, by: Self.packMargin + Self.chromaMargin, unit: 2)
        var pictures: [Window] = []
        for part in parts {
          self.part = part
          pictures.append(linear(read))
        }
        finish(pictures, written: read, packing: rows)
        list.cut()
      }
    }
  }

  /// The passes that add rows of the layers to what lies behind, of which tiles are made afterwards.
  ///
  /// - Parameters:
  ///   - layerRows: beginning at a multiple of ``BackPyramid/unit``.
  ///   - isLast: whether all others were added before.
  init(
    backdrop: [any DeviceMemory], addingRows layerRows: Range<Int>, isLast: Bool, _ frame: Frame,
    blur: Blur, cut: FrameCut
  ) {
    self.frame = frame
    self.cut = cut
    let map = prepareMap(blur)
    for (part, memory) in zip(parts, backdrop) {
      self.part = part
      let pyramid = BackPyramid(coarseOf: layerSize(blur), in: memory, blur)
      addBacks(layerRows, to: pyramid, map, blur)
      if isLast { pyramid.addCoarseLevels(to: &list) }
    }
  }

  /// Rows that packing reads around those that it writes: the chroma filter's two.
  static let packMargin = 2
  /// Rows at the border of a window whose chroma may not be the whole picture's.
  static let chromaMargin = 2

  func widened(_ rows: Range<Int>, by margin: Int, unit: Int = FrameCut.unit) -> Range<Int> {
    FrameCut.widened(rows, by: margin, unit: unit, height: size.height)
  }

  /// Strips of the rows, cut where no pair of chroma rows of the destination is parted.
  func strips(of rows: Range<Int>) -> [Range<Int>] {
    FrameCut.pieces(of: rows, step: cut.stripRows, phase: phase)
  }

  /// Turned by 180 degrees, an odd height has its pairs at odd rows of the source.
  var phase: Int {
    StoredPicture.isFlipped(by: frame.turn) && !frame.isHalved ? size.height % 2 : 0
  }

  /// Rows of the source in linear light, at the size that the passes work at. Rows begin at an even one.
  ///
  /// Where chroma is interpolated between rows, ``chromaMargin`` at each border of a window may
  /// differ from the whole picture's.
  mutating func linear(_ rows: Range<Int>) -> Window {
    frame.isHalved ? halved(rows) : linear(rows, at: size)
  }

  /// Rows of the source at a size, or of another picture.
  mutating func linear(
    _ rows: Range<Int>, at size: Dimensions, of other: StoredPicture? = nil
  ) -> Window {
    let source = (other ?? frame.source).dimensions
    guard size != source else {
      return Window(buffer: unpack(rows, of: other), rows: rows)
    }
    var parameters = FocalResampleParameters()
    parameters.sourceWidth = Int32(source.width)
    parameters.sourceHeight = Int32(source.height)
    parameters.width = Int32(size.width)
    parameters.height = Int32(size.height)
    parameters.scaleX = Float(source.width) / Float(size.width)
    parameters.scaleY = Float(source.height) / Float(size.height)
    parameters.reachX = max(parameters.scaleX, 1)
    parameters.reachY = max(parameters.scaleY, 1)
    parameters.inverseReachX = 1 / parameters.reachX
    parameters.inverseReachY = 1 / parameters.reachY
    // A row more than the filter reaches for its rounding, and two for chroma's interpolation.
    let scale = parameters.scaleY
    let first = Int(Float(rows.lowerBound) * scale - parameters.reachY) - 4
    let last = Int(Float(rows.upperBound) * scale + parameters.reachY) + 4
    let read = FrameCut.widened(
      max(first, 0)..<min(max(last, 1), source.height), by: 0, unit: 2, height: source.height)
    parameters.originY = Int32(rows.lowerBound)
    parameters.sourceOriginY = Int32(read.lowerBound)
    parameters.rows = Int32(rows.count)
    let unpacked = unpack(read, of: other)
    let resampled = list.buffer(of: SIMD4<Float>.self, count: size.width * rows.count)
    list.add(
      Kernel.Resample(source: .buffer(unpacked), result: .buffer(resampled)), parameters,
      over: Dimensions(width: size.width, height: rows.count))
    return Window(buffer: resampled, rows: rows)
  }

  /// Adds to the rows of the source that the passes read.
  mutating func noteRead(_ rows: Range<Int>) {
    readRows =
      readRows.map {
        min($0.lowerBound, rows.lowerBound)..<max($0.upperBound, rows.upperBound)
      } ?? rows
  }

  /// Rows of the source, or of another picture, at its own size.
  private mutating func unpack(
    _ rows: Range<Int>, of other: StoredPicture? = nil
  ) -> PassList.Buffer {
    let source = (other ?? frame.source).window(rows)
    if other == nil { noteRead(rows) }
    let width = source.dimensions.width
    let linear = unpacked(source, rows: rows.count)
    // Colours are lifted as those of the surface; alpha has none.
    if part != .coverage {
      if dividesBeforeLifting {
        let coverage = unpacked(source, rows: rows.count)
        divide(linear, byAlphaIn: coverage, width: width, rows: rows.count)
      }
      mapHighlights(linear, width: width, firstRow: 0, rows: rows.count, lifts: true)
    }
    split(linear, width: width, rows: rows.count)
    return linear
  }

  /// A picture's rows in linear light, as they are stored.
  private mutating func unpacked(_ source: StoredPicture, rows: Int) -> PassList.Buffer {
    let planes = source.planes.map { PassList.Argument.external($0) }
    let size = Dimensions(width: source.dimensions.width, height: rows)
    let linear = list.buffer(of: SIMD4<Float>.self, count: size.count)
    list.add(
      Kernel.Unpack(
        bytes: planes[0], chromaBytes: planes.count > 1 ? planes[1] : .external(.none),
        linear: .buffer(linear)),
      source.parameters, over: size)
    return linear
  }

  /// Lifts clipped light in rows of a picture, or brings it back.
  mutating func mapHighlights(
    _ light: PassList.Buffer, width: Int, firstRow: Int, rows: Int, lifts: Bool
  ) {
    guard let highlights = frame.highlights else { return }
    list.add(
      Kernel.MapHighlights(light: .buffer(light)),
      FocalMapHighlightsParameters(
        width: Int32(width), firstRow: Int32(firstRow), rows: Int32(rows), lifts: lifts ? 1 : 0,
        highlights: highlights), over: Dimensions(width: width, height: rows))
  }

  /// Brings rows of a picture to the destination's standard range, where the frame is to be mapped.
  mutating func mapTones(of picture: Window, rows: Range<Int>) {
    guard let mapping = frame.toneMapping else { return }
    list.add(
      Kernel.MapTones(light: .buffer(picture.buffer)),
      FocalMapTonesParameters(
        width: Int32(frame.fullSize.width),
        firstRow: Int32(rows.lowerBound - picture.rows.lowerBound), rows: Int32(rows.count),
        mapping: mapping),
      over: Dimensions(width: frame.fullSize.width, height: rows.count))
  }

  /// Writes `rows` of a picture, as the source is oriented, to their place in the destination.
  mutating func pack(_ picture: Window, rows: Range<Int>) {
    let parts = frame.destination.parts(
      rows, of: frame.fullSize.height, turn: frame.turn, largest: frame.largestBindingByteCount)
    for part in parts {
      var parameters = part.parameters
      parameters.originY = Int32(picture.rows.lowerBound)
      let planes = part.planes.map { PassList.Argument.external($0) }
      let columns = Int(parameters.columns)
      let lines = Int(parameters.rows)
      let chroma = Dimensions(width: (columns + 1) / 2, height: (lines + 1) / 2)
      let size = planes.count > 1 ? chroma : Dimensions(width: columns, height: lines)
      if let detail = picture.detail {
        pack(picture, detail, to: planes, parameters, over: size)
      } else if planes.count > 1 {
        list.add(
          Kernel.PackBiPlanar(
            linear: .buffer(picture.buffer), lumaBytes: planes[0], chromaBytes: planes[1]),
          parameters, over: size)
      } else {
        list.add(
          Kernel.Pack(linear: .buffer(picture.buffer), bytes: planes[0]), parameters, over: size)
      }
    }
  }
}
