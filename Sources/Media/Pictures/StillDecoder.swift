// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Decodes picture files: one file, one frame.
enum StillDecoder {
  /// The picture of a file, or its map.
  ///
  /// - Parameter bytes: the whole file.
  /// - Throws: `malformed` for a damaged or truncated file or one of another kind.
  static func decode(
    _ bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    guard let kind = StillKind(file: bytes) else {
      throw CinematicError(
        .malformed, "\(request.path) is not a picture",
        remedy: "numbered files are pictures (\(StillKind.endings))")
    }
    if let name = request.layer ?? request.channel, kind != .openEXR {
      throw .hasNoLayers(request.path, name)
    }
    // Other formats' masks are their alpha, or gray: a map beside the picture is none.
    let takesMap = request.content == .map || request.content == .mask && kind == .openEXR
    if takesMap, let map = try kind.format.embeddedMap(in: bytes, request) {
      return map
    }
    let frame = try kind.format.picture(in: bytes, request)
    if request.content == .picture {
      let light = frame.unusualLight
      frame.metadata.exceedsLight = light.isTooBright
      frame.metadata.holdsNotANumber = light.isNotANumber
      frame.metadata.isGray = PixelLayout(frame.pixelFormat)?.isGray ?? false
      frame.leaveOutUnusedProfile(request)
    }
    if focal_frame_display_matrix(frame.pointer) == nil { frame.turn(frame.metadata.orientation) }
    return frame
  }
}

extension CinematicError {
  static func hasNoLayers(_ path: String, _ name: String) -> CinematicError {
    CinematicError(
      .invalidParameter, "\(path) has no layers or channels by name, and “\(name)” is asked for",
      remedy: "only OpenEXR files have them")
  }
}

extension PictureFrame {
  /// Whether a float is above ``PictureMetadata/brightestLight``, and whether one is not a number.
  var unusualLight: (isTooBright: Bool, isNotANumber: Bool) {
    guard let layout = PixelLayout(pixelFormat), layout.isFloatingPoint, layout.depth == 32 else {
      return (false, false)
    }
    var found = (isTooBright: false, isNotANumber: false)
    let most = PictureMetadata.brightestLight
    for plane in 0..<4 {
      let count = Int(av_image_get_linesize(pixelFormat, Int32(dimensions.width), Int32(plane))) / 4
      guard count > 0 else { break }
      for y in 0..<dimensions.height {
        let row = UnsafeBufferPointer(
          start: row(y, ofPlane: plane).assumingMemoryBound(to: Float.self), count: count)
        var top: Float = 0
        var odd: UInt32 = 0
        for value in row {
          // Comparisons with what is not a number are false.
          top = value > top ? value : top
          odd |= value == value ? 0 : 1
        }
        found.isTooBright = found.isTooBright || top > most
        found.isNotANumber = found.isNotANumber || odd > 0
      }
    }
    return found
  }

  /// Says how the pixels lie, 1 to 8 as in EXIF.
  func turn(_ orientation: Int) {
    guard let matrix = DisplayRotation(orientation: orientation)?.matrix,
      let data = av_frame_new_side_data(pointer, AV_FRAME_DATA_DISPLAYMATRIX, 36)
    else { return }
    data.pointee.data.withMemoryRebound(to: Int32.self, capacity: 9) { values in
      for index in 0..<9 { values[index] = matrix[index] }
    }
  }
}

extension DisplayRotation {
  /// `nil` for pixels that stand upright.
  ///
  /// - Parameter orientation: 1 to 8 as in EXIF.
  init?(orientation: Int) {
    let kinds: [(Bool, QuarterTurn)] = [
      (true, .identity), (false, .clockwise180), (true, .clockwise180), (true, .clockwise270),
      (false, .clockwise90), (true, .clockwise90), (false, .clockwise270),
    ]
    guard kinds.indices.contains(orientation - 2) else { return nil }
    self.init(nil)
    (isMirrored, turn) = kinds[orientation - 2]
  }

  /// As QuickTime stores it, without an offset.
  var matrix: [Int32] {
    let one: Int32 = 1 << 16
    let mirror: Int32 = isMirrored ? -1 : 1
    let (a, b, c, d): (Int32, Int32, Int32, Int32) =
      switch turn {
      case .identity: (one, 0, 0, one)
      case .clockwise90: (0, one, -one, 0)
      case .clockwise180: (-one, 0, 0, -one)
      case .clockwise270: (0, -one, one, 0)
      }
    return [mirror * a, mirror * b, 0, c, d, 0, 0, 0, 1 << 30]
  }
}
