// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

extension SampleEntry {
  /// The content of the boxes `mdcv`, `clli` and `amve`; damaged ones are left out.
  public var hdrMetadata: HDRMetadata {
    var result = HDRMetadata()
    for box in extensions {
      var reader = ByteReader(box.data, box: box.type)
      switch box.type {
      case "mdcv": result.masteringDisplay = try? .init(&reader)
      case "clli":
        if let maximum = try? reader.u16(), let average = try? reader.u16() {
          result.contentLight = .init(maximum: maximum, maximumFrameAverage: average)
        }
      case "amve":
        if let illuminance = try? reader.u32(), let light = try? HDRMetadata.Chromaticity(&reader) {
          result.ambientViewing = .init(illuminance: illuminance, light: light)
        }
      default: break
      }
    }
    return result
  }
}

extension HDRMetadata.Chromaticity {
  fileprivate init(_ reader: inout ByteReader) throws(CinematicError) {
    self.init(x: try reader.u16(), y: try reader.u16())
  }

  fileprivate init(_ x: AVRational, _ y: AVRational) {
    self.init(x: HDRMetadata.steps(x, 50000), y: HDRMetadata.steps(y, 50000))
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.u16(x)
    writer.u16(y)
  }
}

extension HDRMetadata.MasteringDisplay {
  /// Green, blue and red, as HEVC has them, then white.
  fileprivate init(_ reader: inout ByteReader) throws(CinematicError) {
    green = try .init(&reader)
    blue = try .init(&reader)
    red = try .init(&reader)
    white = try .init(&reader)
    maximumLuminance = try reader.u32()
    minimumLuminance = try reader.u32()
  }

  fileprivate init?(_ stored: AVMasteringDisplayMetadata) {
    guard stored.has_primaries != 0, stored.has_luminance != 0 else { return nil }
    let primaries = stored.display_primaries
    red = .init(primaries.0.0, primaries.0.1)
    green = .init(primaries.1.0, primaries.1.1)
    blue = .init(primaries.2.0, primaries.2.1)
    white = .init(stored.white_point.0, stored.white_point.1)
    maximumLuminance = HDRMetadata.steps(stored.max_luminance, 10000)
    minimumLuminance = HDRMetadata.steps(stored.min_luminance, 10000)
  }
}

extension HDRMetadata {
  /// A ratio in steps of one over `scale`, rounded.
  fileprivate static func steps<Number: FixedWidthInteger>(
    _ ratio: AVRational, _ scale: Int64
  ) -> Number {
    guard ratio.den != 0 else { return 0 }
    return Number(clamping: av_rescale(Int64(ratio.num), scale, Int64(ratio.den)))
  }

  /// The metadata of a stream or a frame.
  init(
    _ display: UnsafePointer<AVMasteringDisplayMetadata>?,
    _ light: UnsafePointer<AVContentLightMetadata>?
  ) {
    self.init(
      masteringDisplay: display.flatMap { MasteringDisplay($0.pointee) },
      contentLight: light.map {
        ContentLight(
          maximum: UInt16(clamping: $0.pointee.MaxCLL),
          maximumFrameAverage: UInt16(clamping: $0.pointee.MaxFALL))
      })
  }

  /// The boxes of a sample entry.
  var boxes: [Box] {
    var boxes: [Box] = []
    if let display = masteringDisplay {
      var writer = ByteWriter()
      for color in [display.green, display.blue, display.red, display.white] {
        color.write(to: &writer)
      }
      writer.u32(display.maximumLuminance)
      writer.u32(display.minimumLuminance)
      boxes.append(Box("mdcv", data: writer.bytes))
    }
    if let light = contentLight {
      var writer = ByteWriter()
      writer.u16(light.maximum)
      writer.u16(light.maximumFrameAverage)
      boxes.append(Box("clli", data: writer.bytes))
    }
    if let room = ambientViewing {
      var writer = ByteWriter()
      writer.u32(room.illuminance)
      room.light.write(to: &writer)
      boxes.append(Box("amve", data: writer.bytes))
    }
    return boxes
  }

  /// Says it of a stream that is written.
  ///
  /// - Returns: whether there was memory.
  func add(to stream: UnsafeMutablePointer<AVStream>) -> Bool {
    func add<Value>(_ value: Value, _ type: AVPacketSideDataType) -> Bool {
      withUnsafeBytes(of: value) { bytes in
        focal_stream_add_side_data(stream, type, bytes.baseAddress, bytes.count) != 0
      }
    }
    if let display = masteringDisplay {
      func ratio(_ steps: UInt32, _ scale: Int32) -> AVRational {
        AVRational(num: Int32(clamping: steps), den: scale)
      }
      func place(_ color: Chromaticity) -> (AVRational, AVRational) {
        (ratio(UInt32(color.x), 50000), ratio(UInt32(color.y), 50000))
      }
      var stored = AVMasteringDisplayMetadata()
      stored.display_primaries = (place(display.red), place(display.green), place(display.blue))
      stored.white_point = place(display.white)
      stored.max_luminance = ratio(display.maximumLuminance, 10000)
      stored.min_luminance = ratio(display.minimumLuminance, 10000)
      (stored.has_primaries, stored.has_luminance) = (1, 1)
      guard add(stored, AV_PKT_DATA_MASTERING_DISPLAY_METADATA) else { return false }
    }
    if let light = contentLight {
      var stored = AVContentLightMetadata()
      (stored.MaxCLL, stored.MaxFALL) = (UInt32(light.maximum), UInt32(light.maximumFrameAverage))
      guard add(stored, AV_PKT_DATA_CONTENT_LIGHT_LEVEL) else { return false }
    }
    return true
  }

  /// libx265's parameters that put the same among the pictures.
  var encoderParameters: [String] {
    var parameters: [String] = []
    if let display = masteringDisplay {
      func text(_ name: String, _ color: Chromaticity) -> String {
        "\(name)(\(color.x),\(color.y))"
      }
      parameters.append(
        "master-display=" + text("G", display.green) + text("B", display.blue)
          + text("R", display.red) + text("WP", display.white)
          + "L(\(display.maximumLuminance),\(display.minimumLuminance))")
    }
    if let light = contentLight {
      parameters.append("max-cll=\(light.maximum),\(light.maximumFrameAverage)")
    }
    return parameters
  }
}
