// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The meaning of an embedded map's codes. In every case the map that is delivered has 0 for the
/// farthest disparity that the file can say and 1 for the nearest, as other maps have by default.
enum MapCoding: Equatable {
  /// Codes rise with disparity.
  case disparity
  /// Codes fall with disparity: black is near (GDepth's RangeInverse).
  case inverseDisparity
  /// Codes rise with the depth from `near` to `far`.
  case depth(near: Double, far: Double)

  /// As Apple's XMP says it. Codes are disparities unless the format they come from is a depth's.
  init(apple xmp: XMPPacket) {
    let format = xmp.number("apdi:NativeFormat").flatMap { UInt32(exactly: $0) }
    let isDepth = format == 0x6864_6570 || format == 0x6664_6570  // hdep, fdep
    if isDepth, let near = xmp.number("apdi:FloatMinValue"),
      let far = xmp.number("apdi:FloatMaxValue"), near > 0, far > near
    {
      self = .depth(near: near, far: far)
    } else {
      self = .disparity
    }
  }

  /// As Google's XMP says it.
  init(google xmp: XMPPacket, _ prefix: String) {
    let near = xmp.number("\(prefix):Near") ?? 0
    let far = xmp.number("\(prefix):Far") ?? 0
    if xmp["\(prefix):Format"] == "RangeLinear", near > 0, far > near {
      self = .depth(near: near, far: far)
    } else {
      self = .inverseDisparity
    }
  }

  /// The map of a decoded picture in codes, at its own depth or in 16 bits.
  ///
  /// - Throws: `outOfMemory`, `unsupported` for pixels that cannot be read.
  func map(_ picture: PictureFrame, _ path: String) throws(CinematicError) -> PictureFrame {
    // A map has no colours, whatever its file says.
    picture.metadata = PictureMetadata()
    guard self != .disparity else { return picture }
    let codes = try DisparityConverter(.unit, container: nil).convert(picture, path: path)
    guard let map = PictureFrame(AV_PIX_FMT_GRAY16LE, codes.dimensions) else {
      throw .outOfMemory(for: path)
    }
    codes.withUnsafeBytes { bytes in
      for y in 0..<codes.height {
        let row = (bytes.baseAddress! + y * codes.planes[0].bytesPerRow)
          .assumingMemoryBound(to: Float.self)
        let out = map.row(y, ofPlane: 0).assumingMemoryBound(to: UInt16.self)
        for x in 0..<codes.width {
          out[x] = UInt16(max(0, min(1, disparity(row[x]))) * 65535 + 0.5).littleEndian
        }
      }
    }
    return map
  }

  /// 0 to 1, of a code of 0 to 1.
  private func disparity(_ code: Float) -> Float {
    switch self {
    case .disparity: return code
    case .inverseDisparity: return 1 - code
    case .depth(let near, let far):
      let depth = near + Double(code) * (far - near)
      return Float((1 / depth - 1 / far) / (1 / near - 1 / far))
    }
  }
}
