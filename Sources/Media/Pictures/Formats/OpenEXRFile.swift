// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import OpenEXRCoding

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One attribute of an OpenEXR header, as files store it.
struct OpenEXRAttribute: Hashable, Sendable {
  var name: String
  var type: String
  var value: [UInt8]
}

/// An OpenEXR file through OpenEXR's own library: its parts, their channels, and the values of some.
final class OpenEXRFile {
  /// Columns and rows of a picture's plane.
  struct Window: Hashable, Sendable {
    var left: Int
    var top: Int
    var width: Int
    var height: Int

    fileprivate init(_ numbers: (Int32, Int32, Int32, Int32)) {
      (left, top) = (Int(numbers.0), Int(numbers.1))
      (width, height) = (Int(numbers.2), Int(numbers.3))
    }

    func contains(_ other: Window) -> Bool {
      left <= other.left && top <= other.top && left + width >= other.left + other.width
        && top + height >= other.top + other.height
    }
  }

  struct Channel: Hashable {
    var name: String
    var isHalf: Bool
    /// Whether there is a value for every pixel.
    var isWhole: Bool
  }

  struct Part {
    var number: Int32
    /// `nil` in files of one part.
    var name: String?
    var isDeep: Bool
    /// The shown window.
    var display: Window
    /// The stored window.
    var data: Window
    var channels: [Channel]
    var chromaticities: [Float]?
    var pixelAspectRatio: Float
    fileprivate var isComplete: Bool
  }

  let path: String
  private(set) var parts: [Part] = []
  private let file: OpaquePointer
  private let bytes: UnsafeMutableRawBufferPointer

  /// - Throws: `malformed` for a damaged file.
  init(_ content: [UInt8], path: String) throws(CinematicError) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 16)
    content.withUnsafeBytes { bytes.copyMemory(from: $0) }
    var message = [CChar](repeating: 0, count: Int(FOCAL_EXR_MESSAGE_SIZE))
    let opened = focal_exr_open(bytes.baseAddress, bytes.count, &message)
    guard let opened else {
      bytes.deallocate()
      throw Self.damaged(path, message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    }
    file = opened
    self.bytes = bytes
    self.path = path
    for number in 0..<focal_exr_part_count(opened) {
      guard let part = Self.part(opened, number) else {
        throw Self.damaged(path, String(cString: focal_exr_message(opened)))
      }
      parts.append(part)
    }
  }

  deinit {
    focal_exr_close(file)
    bytes.deallocate()
  }

  private static func damaged(_ path: String, _ reason: String) -> CinematicError {
    CinematicError(
      .malformed, "\(path) is damaged or cut short (OpenEXR: \(reason))",
      remedy: "make or copy the file again")
  }

  private static func part(_ file: OpaquePointer, _ number: Int32) -> Part? {
    var facts = FocalEXRPart()
    guard focal_exr_part(file, number, &facts) != 0 else { return nil }
    var channels: [Channel] = []
    for index in 0..<facts.channelCount {
      var channel = FocalEXRChannel()
      guard focal_exr_channel(file, number, index, &channel) != 0, let name = channel.name else {
        return nil
      }
      channels.append(
        Channel(
          name: String(cString: name), isHalf: channel.isHalf != 0,
          isWhole: channel.samplingX == 1 && channel.samplingY == 1))
    }
    let colors = facts.chromaticities
    return Part(
      number: number, name: facts.name.map { String(cString: $0) }, isDeep: facts.isDeep != 0,
      display: Window(facts.display), data: Window(facts.data), channels: channels,
      chromaticities: facts.hasChromaticities == 0
        ? nil
        : [colors.0, colors.1, colors.2, colors.3, colors.4, colors.5, colors.6, colors.7],
      pixelAspectRatio: facts.pixelAspectRatio, isComplete: facts.isComplete != 0)
  }

  /// The attributes of a part, except those of its storage.
  func attributes(of part: Part) throws(CinematicError) -> [OpenEXRAttribute] {
    var first: UnsafePointer<FocalEXRAttribute>?
    var count: Int32 = 0
    guard focal_exr_attributes(file, part.number, &first, &count) != 0 else {
      throw Self.damaged(path, String(cString: focal_exr_message(file)))
    }
    return UnsafeBufferPointer(start: first, count: Int(count)).map { stored in
      OpenEXRAttribute(
        name: String(cString: stored.name), type: String(cString: stored.type),
        value: Array(UnsafeBufferPointer(start: stored.bytes, count: stored.count)))
    }
  }

  // MARK: - Values

  /// The channels of a part as planes of what is shown: one for gray, three or four for red, green, blue
  /// and alpha. Pixels that are not stored are 0.
  ///
  /// - Throws: `malformed` for damaged or missing chunks, `unsupported` for a size beyond limits,
  ///   `outOfMemory`.
  func frame(_ channels: [Channel], of part: Part) throws(CinematicError) -> PictureFrame {
    let format =
      switch channels.count {
      case 1: AV_PIX_FMT_GRAYF32LE
      case 3: AV_PIX_FMT_GBRPF32LE
      default: AV_PIX_FMT_GBRAPF32LE
      }
    let (data, display) = (part.data, part.display)
    for window in [data, display] {
      guard (1...PixelBuffer.maximumDimension).contains(window.width),
        (1...PixelBuffer.maximumDimension).contains(window.height)
      else {
        throw CinematicError(
          .unsupported, "\(path) is a picture of \(window.width)x\(window.height) pixels",
          remedy: "width and height must be 1 to \(PixelBuffer.maximumDimension)")
      }
    }
    let size = Dimensions(width: display.width, height: display.height)
    guard let frame = PictureFrame(format, size) else { throw .outOfMemory(for: path) }
    let planes = channels.map { _ in
      UnsafeMutablePointer<Float>.allocate(capacity: data.width * data.height)
    }
    defer { for plane in planes { plane.deallocate() } }
    for plane in planes { plane.initialize(repeating: 0, count: data.width * data.height) }
    try read(channels, of: part, into: planes)
    // Planes of a frame are green, blue, red, alpha.
    let places = channels.count == 1 ? [0] : [2, 0, 1, 3]
    for (plane, place) in zip(planes, places) {
      for y in 0..<size.height {
        let out = frame.row(y, ofPlane: place).assumingMemoryBound(to: Float.self)
        out.update(repeating: 0, count: size.width)
        let row = y + display.top - data.top
        guard (0..<data.height).contains(row) else { continue }
        let columns =
          max(
            0, data.left - display.left)..<max(
            0, min(size.width, data.left + data.width - display.left))
        guard columns.lowerBound < columns.upperBound else { continue }
        let from = plane + row * data.width + columns.lowerBound + display.left - data.left
        (out + columns.lowerBound).update(from: from, count: columns.count)
      }
    }
    return frame
  }

  private func read(
    _ channels: [Channel], of part: Part, into planes: [UnsafeMutablePointer<Float>]
  ) throws(CinematicError) {
    guard part.isComplete else { throw Self.damaged(path, "pixels are missing") }
    let names = channels.map { strdup($0.name) }
    defer { for name in names { free(name) } }
    let isRead = focal_exr_read(
      file, part.number, names.map { UnsafePointer($0) }, planes.map { Optional($0) },
      Int32(channels.count))
    guard isRead != 0 else { throw Self.damaged(path, String(cString: focal_exr_message(file))) }
  }
}
