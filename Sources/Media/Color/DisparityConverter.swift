// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

extension PictureFrame {
  /// Whether pixels have colours beyond what codecs make of gray: a photograph, or a map in false colours.
  ///
  /// Looked for in 64 rows.
  var isColored: Bool {
    guard let layout = PixelLayout(pixelFormat) else { return false }
    var scaler: Scaler?
    if layout.isOpaque { return unpacked(by: &scaler)?.isColored ?? false }
    guard layout.isRGB || layout.isYUV else { return false }
    let width = layout.isRGB ? dimensions.width : dimensions.width / layout.chromaColumns
    let height = layout.isRGB ? dimensions.height : dimensions.height / layout.chromaRows
    guard width > 0, height > 0 else { return false }
    // Of the whole range; and one pixel in twenty, since a stamp or a legend may stand in a map.
    let (least, share): (Float, Int) = (0.08 * extent(layout), 20)
    var (colored, all) = (0, 0)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * width) { rows in
      let (red, green, blue) = (
        rows.baseAddress!, rows.baseAddress! + width, rows.baseAddress! + 2 * width
      )
      for y in stride(from: 0, to: height, by: max(1, height / 64)) {
        // Of luma and chroma, the last two.
        let first = layout.isRGB ? 0 : 1
        for (index, row) in [red, green, blue].prefix(3 - first).enumerated() {
          layout.readValues(self, component: first + index, row: y, count: width, into: row)
        }
        for x in 0..<width {
          let distance =
            layout.isRGB
            ? max(red[x], green[x], blue[x]) - min(red[x], green[x], blue[x])
            : 2 * max(abs(red[x] - 0.5), abs(green[x] - 0.5))
          if distance > least { colored += 1 }
          all += 1
        }
      }
    }
    return colored * share > all
  }

  /// Whether a pixel is not opaque.
  var isTranslucent: Bool {
    guard let layout = PixelLayout(pixelFormat) else { return false }
    var scaler: Scaler?
    if layout.isOpaque { return unpacked(by: &scaler)?.isTranslucent ?? false }
    guard let alpha = layout.alpha else { return false }
    let width = dimensions.width
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { row in
      for y in 0..<dimensions.height {
        layout.readValues(
          self, component: alpha, row: y, count: width, into: row.baseAddress!)
        for x in 0..<width where row[x] < 1 { return true }
      }
      return false
    }
  }

  /// The range of values: that of floats is the one that they have in 64 rows.
  private func extent(_ layout: PixelLayout) -> Float {
    guard layout.isFloatingPoint else { return 1 }
    var (low, high) = (Float.infinity, -Float.infinity)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: dimensions.width) { row in
      for y in stride(from: 0, to: dimensions.height, by: max(1, dimensions.height / 64)) {
        for component in layout.components.indices where component != layout.alpha {
          layout.readValues(
            self, component: component, row: y, count: dimensions.width, into: row.baseAddress!)
          for value in row where value.isFinite {
            (low, high) = (min(low, value), max(high, value))
          }
        }
      }
    }
    return max(high - low, 1e-20)
  }

  /// Palettes and packed bits as RGBA; `nil` for pixels that cannot be taken out.
  ///
  /// - Parameter scaler: used again where it fits.
  fileprivate func unpacked(by scaler: inout Scaler?) -> PictureFrame? {
    let from = Scaler.Side(
      format: pixelFormat, matrix: .bt709, isFullRange: true, siting: .center)
    let to = Scaler.Side(
      format: AV_PIX_FMT_RGBA, matrix: .bt709, isFullRange: true, siting: .center)
    if scaler?.source != from || scaler?.dimensions != dimensions {
      scaler = Scaler(from: from, to: to, dimensions: dimensions)
    }
    guard let scaler, let result = PictureFrame() else { return nil }
    result.pointer.pointee.format = AV_PIX_FMT_RGBA.rawValue
    result.pointer.pointee.width = pointer.pointee.width
    result.pointer.pointee.height = pointer.pointee.height
    guard av_frame_get_buffer(result.pointer, 0) == 0,
      scaler.convert(
        self, to: [(result.row(0, ofPlane: 0), Int(result.pointer.pointee.linesize.0))])
    else { return nil }
    return result
  }
}

/// Turns decoded frames into disparity maps.
///
/// - Luma is taken from gray and from luma-chroma frames, BT.709's weighted sum from RGB.
/// - A full-range code c of b bits becomes LO + (HI − LO) · c / (2^b − 1). Luma of video range, which
///   luma-chroma streams have unless they say otherwise, becomes LO + (HI − LO) · (c − 16·2^(b−8)) /
///   (219·2^(b−8)): black is LO and white HI there too. Gray formats are always full range.
/// - Floats keep their values.
/// - Of masks the alpha is taken in place of all that; frames without any are opaque.
final class DisparityConverter {
  private let scale: DisparityScale
  private let container: ContainerColor?
  private let takesAlpha: Bool
  private var row: [Float] = []
  private var scaler: Scaler?

  init(
    _ scale: DisparityScale, container: ContainerColor?, takesAlpha: Bool = false
  ) throws(CinematicError) {
    try scale.validate()
    self.scale = scale
    self.container = container
    self.takesAlpha = takesAlpha
  }

  /// The frame as a new `disparityFloat` buffer.
  func convert(_ frame: PictureFrame, path: String) throws(CinematicError) -> PixelBuffer {
    guard let layout = PixelLayout(frame.pixelFormat) else { throw Self.unsupported(frame, path) }
    if layout.isOpaque {
      guard let unpacked = frame.unpacked(by: &scaler) else { throw Self.unsupported(frame, path) }
      return try convert(unpacked, path: path)
    }
    let buffer = try PixelBuffer(
      dimensions: frame.dimensions, format: .disparityFloat, tags: .linearBT709)
    let width = buffer.width
    if takesAlpha {
      Self.takeAlpha(frame, layout, into: buffer)
      return buffer
    }
    let isVideoRange =
      layout.isYUV && !layout.isFloatingPoint
      && !FrameColor.isFullRange(frame, container: container)
    if row.count < 2 * width { row = [Float](repeating: 0, count: 2 * width) }
    row.withUnsafeMutableBufferPointer { scratch in
      buffer.withUnsafeMutableBytes { bytes in
        for y in 0..<buffer.height {
          let start = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow
          let values = start.assumingMemoryBound(to: Float.self)
          layout.readValues(frame, component: 0, row: y, count: width, into: values)
          if layout.isRGB {
            Self.weigh(frame, layout, row: y, count: width, scratch.baseAddress!, values)
          }
          if isVideoRange {
            let maximum = Float(layout.maximum)
            let black = Float(UInt32(16) << UInt32(layout.depth - 8)) / maximum
            let extent = Float(UInt32(219) << UInt32(layout.depth - 8)) / maximum
            for x in 0..<width { values[x] = (values[x] - black) / extent }
          }
          if !layout.isFloatingPoint {
            let extent = scale.high - scale.low
            for x in 0..<width { values[x] = scale.low + extent * values[x] }
          }
          if scale.kind == .depth {
            for x in 0..<width {
              let depth = values[x]
              // Where nothing was hit, a depth is infinite: disparity 0, and no hole.
              values[x] = depth > 0 ? 1 / depth : .nan
            }
          }
        }
      }
    }
    return buffer
  }

  private static func takeAlpha(
    _ frame: PictureFrame, _ layout: PixelLayout, into buffer: PixelBuffer
  ) {
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<buffer.height {
        let start = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow
        let values = start.assumingMemoryBound(to: Float.self)
        if let alpha = layout.alpha {
          layout.readValues(frame, component: alpha, row: y, count: buffer.width, into: values)
        } else {
          values.update(repeating: 1, count: buffer.width)
        }
      }
    }
  }

  /// BT.709's luma of RGB, red in `values` and luma after; `scratch` has room for two rows. Equal
  /// components keep their value exactly, as gray maps saved in colour need.
  private static func weigh(
    _ frame: PictureFrame, _ layout: PixelLayout, row y: Int, count: Int,
    _ scratch: UnsafeMutablePointer<Float>, _ values: UnsafeMutablePointer<Float>
  ) {
    let green = scratch
    let blue = scratch + count
    layout.readValues(frame, component: 1, row: y, count: count, into: green)
    layout.readValues(frame, component: 2, row: y, count: count, into: blue)
    for x in 0..<count {
      let red = values[x]
      values[x] = red + 0.7152 * (green[x] - red) + 0.0722 * (blue[x] - red)
    }
  }

  private static func unsupported(_ frame: PictureFrame, _ path: String) -> CinematicError {
    let name = PixelLayout(frame.pixelFormat)?.name ?? "\(frame.pixelFormat.rawValue)"
    return CinematicError(
      .unsupported, "\(path) has pixels that cannot be read as disparities (\(name))",
      remedy: "convert it to 8-bit or 16-bit gray, or to PFM")
  }
}
