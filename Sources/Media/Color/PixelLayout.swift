// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// How an FFmpeg pixel format stores its components, and the one place that takes them out.
struct PixelLayout {
  /// Where one component lies: its plane, and bytes from one value to the next.
  struct Component {
    let plane: Int
    let step: Int
    let offset: Int
    let shift: Int
    let depth: Int
  }

  let name: String
  let components: [Component]
  let isRGB: Bool
  let isFloatingPoint: Bool
  let isBigEndian: Bool
  let hasAlpha: Bool
  /// Luma columns and rows of a chroma sample.
  let chromaColumns: Int
  let chromaRows: Int
  /// Whether pixels are not whole bytes a component (palettes, packed bits, hardware surfaces), or those of one not
  /// equally far from each other.
  let isOpaque: Bool

  /// Whether components are CIE's X, Y and Z.
  let isXYZ: Bool

  /// `nil` for a format that FFmpeg does not describe.
  init?(_ format: AVPixelFormat) {
    guard let description = av_pix_fmt_desc_get(format) else { return nil }
    let stored = description.pointee
    let tuple = stored.comp
    let all = [tuple.0, tuple.1, tuple.2, tuple.3]
    func has(_ flag: Int32) -> Bool { stored.flags & UInt64(flag) != 0 }
    name = String(cString: stored.name)
    // FFmpeg counts a component within one byte from the byte before the pixel where the high byte comes first.
    let isHighFirst = has(AV_PIX_FMT_FLAG_BE)
    components = all.prefix(Int(stored.nb_components)).map { component in
      let isOneByte = component.depth + component.shift <= 8
      return Component(
        plane: Int(component.plane), step: Int(component.step),
        offset: Int(component.offset) + (isHighFirst && isOneByte ? 1 : 0),
        shift: Int(component.shift), depth: Int(component.depth))
    }
    isRGB = has(AV_PIX_FMT_FLAG_RGB)
    isFloatingPoint = has(AV_PIX_FMT_FLAG_FLOAT)
    isBigEndian = isHighFirst
    hasAlpha = has(AV_PIX_FMT_FLAG_ALPHA)
    chromaColumns = 1 << Int(stored.log2_chroma_w)
    chromaRows = 1 << Int(stored.log2_chroma_h)
    // FFmpeg has no mark for the colours of digital cinema.
    isXYZ = name.hasPrefix("xyz12")
    // Four pixels in six bytes: the step that FFmpeg gives for luma leads beyond the row.
    let isUneven = name == "uyyvyy411"
    isOpaque =
      has(AV_PIX_FMT_FLAG_PAL) || has(AV_PIX_FMT_FLAG_BITSTREAM) || has(AV_PIX_FMT_FLAG_HWACCEL)
      || has(AV_PIX_FMT_FLAG_BAYER) || components.isEmpty || isXYZ
      || isUneven
      // Floats of another width than 32 bits have no reader here.
      || (isFloatingPoint && components.contains { $0.depth != 32 })
  }

  /// Luma alone, perhaps with alpha.
  var isGray: Bool { !isRGB && !isOpaque && components.count - (hasAlpha ? 1 : 0) == 1 }
  /// Luma and chroma.
  var isYUV: Bool { !isRGB && !isGray && !isOpaque }
  /// Significant bits of the first component.
  var depth: Int { components.first?.depth ?? 0 }
  /// The largest code of the first component.
  var maximum: UInt32 { depth >= 32 ? .max : (1 << UInt32(depth)) - 1 }
  /// The index of the alpha component.
  var alpha: Int? { hasAlpha ? components.count - 1 : nil }

  /// Whether each component is a whole byte.
  var holdsBytes: Bool {
    !isOpaque && !isFloatingPoint && components.allSatisfy { $0.depth == 8 && $0.shift == 0 }
  }
  /// Whether the components of a pixel lie one behind the other in one plane, byte by byte.
  var isPackedInOrder: Bool {
    holdsBytes
      && components.enumerated().allSatisfy {
        $1.plane == 0 && $1.offset == $0 && $1.step == components.count
      }
  }

  /// Takes one component of a row out as codes, 0 to ``maximum``.
  ///
  /// - Precondition: integers; the component is not subsampled, or `count` counts its own columns.
  func readCodes(
    _ frame: PictureFrame, component index: Int, row y: Int, count: Int,
    into codes: UnsafeMutablePointer<UInt32>
  ) {
    let component = components[index]
    var source = UnsafeRawPointer(frame.row(y, ofPlane: component.plane)) + component.offset
    let step = component.step
    let shift = UInt32(component.shift)
    let mask: UInt32 = component.depth >= 32 ? .max : (1 << UInt32(component.depth)) - 1
    var column = 0
    if component.depth + component.shift <= 8 {
      while column < count {
        codes[column] = UInt32(source.load(as: UInt8.self)) >> shift & mask
        source += step
        column += 1
      }
    } else if component.depth + component.shift <= 16 {
      let big = isBigEndian
      while column < count {
        let value = source.loadUnaligned(as: UInt16.self)
        codes[column] = UInt32(big ? value.bigEndian : value.littleEndian) >> shift & mask
        source += step
        column += 1
      }
    } else {
      let big = isBigEndian
      while column < count {
        let value = source.loadUnaligned(as: UInt32.self)
        codes[column] = (big ? value.bigEndian : value.littleEndian) >> shift & mask
        source += step
        column += 1
      }
    }
  }

  /// Takes one component of a row out as values: floats as they are, codes divided by ``maximum``.
  func readValues(
    _ frame: PictureFrame, component index: Int, row y: Int, count: Int,
    into values: UnsafeMutablePointer<Float>
  ) {
    if isFloatingPoint {
      let component = components[index]
      var source = UnsafeRawPointer(frame.row(y, ofPlane: component.plane)) + component.offset
      var column = 0
      while column < count {
        let bits = source.loadUnaligned(as: UInt32.self)
        values[column] = Float(bitPattern: isBigEndian ? bits.bigEndian : bits.littleEndian)
        source += component.step
        column += 1
      }
      return
    }
    // Codes and values have the same size: the row is converted where it lies.
    values.withMemoryRebound(to: UInt32.self, capacity: count) { codes in
      readCodes(frame, component: index, row: y, count: count, into: codes)
    }
    // Packed formats give green a bit more than red and blue.
    let scale = Float((UInt64(1) << UInt64(components[index].depth)) - 1)
    let raw = UnsafeMutableRawPointer(values)
    var column = 0
    while column < count {
      let code = raw.load(fromByteOffset: column * 4, as: UInt32.self)
      raw.storeBytes(of: Float(code) / scale, toByteOffset: column * 4, as: Float.self)
      column += 1
    }
  }

  /// Stores one component of a row: floats as they are; for codes 1 is ``maximum``, values outside
  /// 0...1 are clamped, and what is not a number becomes 0.
  func writeValues(
    _ frame: PictureFrame, component index: Int, row y: Int, count: Int,
    from values: UnsafePointer<Float>
  ) {
    let component = components[index]
    var out = frame.row(y, ofPlane: component.plane) + component.offset
    let scale = Float(maximum)
    var column = 0
    while column < count {
      let value = values[column]
      if isFloatingPoint {
        let bits = value.bitPattern
        out.storeBytes(of: isBigEndian ? bits.bigEndian : bits.littleEndian, as: UInt32.self)
      } else {
        // Comparisons with what is not a number are false.
        let code = value > 0 ? UInt32(value < 1 ? value * scale + 0.5 : scale) : 0
        if component.depth <= 8 {
          out.storeBytes(of: UInt8(code), as: UInt8.self)
        } else {
          let wide = UInt16(code)
          out.storeBytes(of: isBigEndian ? wide.bigEndian : wide.littleEndian, as: UInt16.self)
        }
      }
      out += component.step
      column += 1
    }
  }
}
