// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import PlanarCoding

/// Turns decoded frames into pixel buffers of one format, chosen by the first frame.
///
/// Movies of 4:2:0 with 8 and 10 bits stay luma and chroma, without a change of any code. Other luma and
/// chroma of movies becomes R'G'B' in floats, which give every code back. Picture files become RGBA, or gray
/// where they are gray: 8 bits as they are, more than 8 bits and floats as floats.
final class PictureConverter {
  let pixelFormat: PixelFormat
  let tags: ColorTags
  /// The first frame's own colour codes, unspecified ones filled in.
  let colorCodes: ColorCodes
  /// How the first frame's codes are stored.
  let codedPixels: CodedPixels
  /// How codes become light by a camera's curve.
  let logCoding: LogCoding?
  private let table: ColorCube?
  private let isStill: Bool
  private let container: ContainerColor?
  private let siting: ChromaSiting
  private var scaler: Scaler?
  /// From codes of a profile that tags cannot name to linear light.
  private let conversion: ColorProfile.Conversion?
  /// Whether codes are printing density.
  private let isLogarithmic: Bool
  /// Room for a row of values.
  var row: [Float] = []

  init(
    first frame: PictureFrame, container: ContainerColor?, isStill: Bool,
    transfer: ColorTags.Transfer?, workingSpace: WorkingSpace? = nil, path: String
  ) throws(CinematicError) {
    guard let layout = PixelLayout(frame.pixelFormat) else {
      throw Self.unsupported(frame, path)
    }
    let color = FrameColor(
      frame, container: container, isStill: isStill, isFloatingPoint: layout.isFloatingPoint,
      isRGB: layout.isRGB || (isStill && !layout.isFloatingPoint))
    if layout.isYUV { try Self.checkMatrix(frame, container, path) }
    var coded = CodedPixels(layout, isFullRange: color.isFullRange)
    // Decoders deliver more bits than some files have.
    if let stored = frame.metadata.storedDepth {
      coded.bitDepth = min(coded.bitDepth, max(stored, 8))
    }
    if let stored = frame.metadata.storedChroma, coded.chroma == .rgb { coded.chroma = stored }
    codedPixels = coded
    var tags = color.tags
    // The caller knows better than the file.
    var profile = isStill && transfer == nil ? frame.metadata.profile : nil
    if profile?.isGray != layout.isGray { profile = nil }
    let meaning = layout.isFloatingPoint ? nil : profile?.meaning
    if case .tags(let said) = meaning { tags = said }
    if meaning == .converted, let profile {
      tags = profile.workingTags
      conversion = try ColorProfile.Conversion(profile, toCodes: false, path: path)
    } else {
      conversion = nil
    }
    isLogarithmic = isStill && transfer == nil && frame.metadata.isLogarithmic
    if isLogarithmic { tags.transfer = .linear }
    if let transfer { tags.transfer = transfer }
    if workingSpace != nil, layout.isFloatingPoint || layout.isGray || conversion != nil {
      throw CinematicError(
        .invalidParameter, "\(path) has no colours for a camera's curve or a table",
        remedy: "leave it out, or give codes of red, green and blue, or luma and chroma")
    }
    switch workingSpace {
    case .log(let curve):
      logCoding = LogCoding(curve: curve, tags: tags, isFullRange: codedPixels.isFullRange)
      table = nil
      tags.transfer = .linear
    case .table(let cube):
      logCoding = nil
      table = cube
      tags = ColorTags(
        primaries: .bt709, transfer: transfer ?? (isStill ? .srgb : .bt709), matrix: tags.matrix)
    case nil: (logCoding, table) = (nil, nil)
    }
    self.tags = tags
    colorCodes = meaning == nil ? color.codes : ColorCodes(tags)
    self.isStill = isStill
    self.container = container
    siting = ChromaSiting(
      frame.pointer.pointee.chroma_location, default: isStill ? .center : .left)
    pixelFormat =
      if conversion != nil || isLogarithmic || workingSpace != nil {
        .rgbaFloat
      } else if layout.isYUV && !isStill {
        layout.chromaColumns == 2 && layout.chromaRows == 2
          ? codedPixels.biPlanarFormat ?? .rgbaFloat : .rgbaFloat
      } else if layout.isGray && !layout.isFloatingPoint && !layout.hasAlpha {
        layout.depth > 8 ? .gray16 : .gray8
      } else {
        layout.isXYZ || (layout.depth > 8 && !layout.isOpaque) ? .rgbaFloat : .rgba8
      }
  }

  /// The frame as a new pixel buffer.
  func convert(_ frame: PictureFrame, path: String) throws(CinematicError) -> PixelBuffer {
    let buffer = try PixelBuffer(
      dimensions: frame.dimensions, format: pixelFormat, tags: tags)
    guard let layout = PixelLayout(frame.pixelFormat) else {
      throw Self.unsupported(frame, path)
    }
    let done: Bool
    switch pixelFormat {
    case .yuv420Video8, .yuv420Full8:
      done = frame.copyBiPlanar(to: buffer, wide: false) || scale(frame, to: buffer)
    case .yuv420Video10, .yuv420Full10:
      done = frame.copyBiPlanar(to: buffer, wide: true) || scale(frame, to: buffer)
    case .gray8, .gray16:
      guard layout.isGray, !layout.isFloatingPoint else { throw mismatch(frame, path) }
      copyGray(frame, layout, to: buffer)
      done = true
    default:
      if layout.isYUV, !isStill {
        guard pixelFormat == .rgbaFloat else { throw mismatch(frame, path) }
        let color = FrameColor(
          frame, container: container, isStill: false, isFloatingPoint: false, isRGB: false)
        try FocalPlanarPicture(
          frame, layout, matrix: color.tags.matrix, isFullRange: color.isFullRange, siting: siting
        ).read(into: buffer, path: path)
        done = true
      } else if layout.isYUV || layout.isOpaque {
        done = scale(frame, to: buffer)
      } else {
        if pixelFormat == .rgba8, layout.depth > 8 { throw mismatch(frame, path) }
        copyRGBA(frame, layout, to: buffer)
        done = true
      }
    }
    guard done else { throw Self.unsupported(frame, path) }
    if isLogarithmic {
      buffer.withUnsafeMutableBytes { bytes in
        for y in 0..<buffer.height {
          let row = (bytes.baseAddress! + y * buffer.planes[0].bytesPerRow)
            .assumingMemoryBound(to: Float.self)
          for index in 0..<(4 * buffer.width) where index % 4 != 3 {
            row[index] = CineonCurve.light(row[index])
          }
        }
      }
    }
    if let logCoding { buffer.decodeLog(logCoding.curve, isFullRange: logCoding.isFullRange) }
    table?.apply(to: buffer)
    if let conversion {
      buffer.withUnsafeMutableBytes { bytes in
        for y in 0..<buffer.height {
          let row = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow
          conversion.convert(row.assumingMemoryBound(to: Float.self), count: buffer.width)
        }
      }
    }
    return buffer
  }

  // MARK: - Through libswscale

  private func scale(_ frame: PictureFrame, to buffer: PixelBuffer) -> Bool {
    let color = FrameColor(
      frame, container: container, isStill: isStill, isFloatingPoint: false, isRGB: false)
    let target: AVPixelFormat
    // Movies come here in 4:2:0 alone: other orders of bytes, and nothing to scale.
    switch buffer.format {
    case .yuv420Video8, .yuv420Full8: target = AV_PIX_FMT_NV12
    case .yuv420Video10, .yuv420Full10: target = AV_PIX_FMT_P010LE
    case .rgba8: target = AV_PIX_FMT_RGBA
    case .rgbaFloat: return scaleDeep(frame, color, to: buffer)
    default: return false
    }
    guard let scaler = scaler(for: frame, color, target) else { return false }
    return convert(frame, with: scaler, to: buffer)
  }

  private func convert(_ frame: PictureFrame, with scaler: Scaler, to buffer: PixelBuffer) -> Bool {
    buffer.withUnsafeMutableBytes(ofPlane: 0) { first in
      guard buffer.planes.count == 2 else {
        return scaler.convert(frame, to: [(first.baseAddress!, buffer.planes[0].bytesPerRow)])
      }
      return buffer.withUnsafeMutableBytes(ofPlane: 1) { second in
        scaler.convert(
          frame,
          to: [
            (first.baseAddress!, buffer.planes[0].bytesPerRow),
            (second.baseAddress!, buffer.planes[1].bytesPerRow),
          ])
      }
    }
  }

  /// Deep luma and chroma stills: 16-bit RGBA, then floats.
  private func scaleDeep(_ frame: PictureFrame, _ color: FrameColor, to buffer: PixelBuffer) -> Bool
  {
    guard let scaler = scaler(for: frame, color, AV_PIX_FMT_RGBA64LE), let wide = PictureFrame()
    else { return false }
    defer { withExtendedLifetime(wide) {} }
    wide.pointer.pointee.format = AV_PIX_FMT_RGBA64LE.rawValue
    wide.pointer.pointee.width = frame.pointer.pointee.width
    wide.pointer.pointee.height = frame.pointer.pointee.height
    guard av_frame_get_buffer(wide.pointer, 0) == 0,
      scaler.convert(
        frame, to: [(wide.row(0, ofPlane: 0), Int(wide.pointer.pointee.linesize.0))]),
      let layout = PixelLayout(AV_PIX_FMT_RGBA64LE)
    else { return false }
    copyRGBA(wide, layout, to: buffer)
    return true
  }

  private func scaler(
    for frame: PictureFrame, _ color: FrameColor, _ target: AVPixelFormat
  ) -> Scaler? {
    let matrix = color.tags.matrix
    let from = Scaler.Side(
      format: frame.pixelFormat, matrix: matrix, isFullRange: color.isFullRange, siting: siting)
    let to = Scaler.Side(
      format: target, matrix: matrix, isFullRange: color.isFullRange, siting: .left)
    if let scaler, scaler.source == from, scaler.destination == to,
      scaler.dimensions == frame.dimensions
    {
      return scaler
    }
    scaler = Scaler(from: from, to: to, dimensions: frame.dimensions)
    return scaler
  }

  // MARK: - Errors

  /// - Throws: `unsupported` for colours between which and light lies more than a matrix and a curve.
  private static func checkMatrix(
    _ frame: PictureFrame, _ container: ContainerColor?, _ path: String
  ) throws(CinematicError) {
    var stored = frame.pointer.pointee
    container?.override(&stored)
    let name: String? =
      switch stored.colorspace {
      case AVCOL_SPC_YCGCO: "YCgCo"
      case AVCOL_SPC_BT2020_CL, AVCOL_SPC_CHROMA_DERIVED_CL: "constant luminance"
      case AVCOL_SPC_ICTCP: "ICtCp"
      case AVCOL_SPC_SMPTE2085: "Y'D'zD'x"
      default: nil
      }
    guard let name else { return }
    throw CinematicError(
      .unsupported, "\(path) has colours in \(name), which cannot be read",
      remedy: "convert it to Y'CbCr or RGB")
  }

  private static func unsupported(_ frame: PictureFrame, _ path: String) -> CinematicError {
    let name = PixelLayout(frame.pixelFormat)?.name ?? "\(frame.pixelFormat.rawValue)"
    return CinematicError(
      .unsupported, "\(path) has pixels of a kind that cannot be read (\(name))",
      remedy: "convert it to 8-bit or 16-bit RGB or to a 4:2:0 movie")
  }

  private func mismatch(_ frame: PictureFrame, _ path: String) -> CinematicError {
    var kind = "unknown"
    if let layout = PixelLayout(frame.pixelFormat) {
      var coded = CodedPixels(layout, isFullRange: false)
      if let stored = frame.metadata.storedDepth {
        coded.bitDepth = min(coded.bitDepth, max(stored, 8))
      }
      kind = Self.words(for: coded)
    }
    return CinematicError(
      .incompatible,
      "\(path) has other pixels (\(kind)) than the first frame (\(Self.words(for: codedPixels)))",
      remedy: "give every frame the same depth and colours")
  }

  private static func words(for pixels: CodedPixels) -> String {
    "\(pixels.bitDepth)-bit \(pixels.chroma.title)\(pixels.hasAlpha ? " with alpha" : "")"
  }
}
