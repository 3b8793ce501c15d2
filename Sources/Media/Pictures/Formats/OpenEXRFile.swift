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

  /// Whether it is one that every file must have, and says what most say: a screen window in the middle, 1 wide.
  var isInEveryFile: Bool {
    switch name {
    case "screenWindowCenter": value.allSatisfy { $0 == 0 }
    // The bytes of 1.
    case "screenWindowWidth": value == [0, 0, 0x80, 0x3F]
    default: false
    }
  }
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
  private let request: StillRequest
  /// Whether damage was met.
  private var isDamaged = false
  private let file: OpaquePointer
  // The library reads from one of them, which must live as long.
  private let bytes: HeldBytes?
  private let descriptor: FileDescriptor?

  /// A file in memory.
  private final class HeldBytes {
    let pointer: UnsafeMutableRawBufferPointer

    init(_ content: [UInt8]) {
      pointer = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 16)
      content.withUnsafeBytes { pointer.copyMemory(from: $0) }
    }

    deinit { pointer.deallocate() }
  }

  /// - Throws: `malformed` for a damaged file.
  convenience init(_ content: [UInt8], _ request: StillRequest) throws(CinematicError) {
    let bytes = HeldBytes(content)
    var message = [CChar](repeating: 0, count: Int(FOCAL_EXR_MESSAGE_SIZE))
    let opened = focal_exr_open(bytes.pointer.baseAddress, bytes.pointer.count, &message)
    try self.init(opened, bytes, nil, message, request)
  }

  /// A file that stays on the disk.
  ///
  /// - Throws: `unreadable`, `malformed` for a damaged file.
  convenience init(reading request: StillRequest) throws(CinematicError) {
    let descriptor = try FileDescriptor(reading: request.path)
    var message = [CChar](repeating: 0, count: Int(FOCAL_EXR_MESSAGE_SIZE))
    let opened = focal_exr_open_file(descriptor.number, &message)
    try self.init(opened, nil, descriptor, message, request)
  }

  private init(
    _ opened: OpaquePointer?, _ bytes: HeldBytes?, _ descriptor: FileDescriptor?,
    _ message: [CChar], _ request: StillRequest
  ) throws(CinematicError) {
    let path = request.path
    guard let opened else {
      let text = message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      guard text != FOCAL_EXR_NEWER_COMPRESSION else {
        throw CinematicError(
          .unsupported, "\(path) is \(text)",
          remedy: "save it with another compression, such as ZIP")
      }
      throw Self.damaged(path, text)
    }
    file = opened
    self.bytes = bytes
    self.descriptor = descriptor
    self.path = path
    self.request = request
    for number in 0..<focal_exr_part_count(opened) {
      guard let part = Self.part(opened, number) else {
        throw Self.damaged(path, String(cString: focal_exr_message(opened)))
      }
      parts.append(part)
    }
    // Index entries that lead to one place would show a piece of the picture twice.
    if parts.allSatisfy(\.isComplete), focal_exr_check_chunks(opened) == 0 {
      try request.damage.meet(Self.damaged(path, String(cString: focal_exr_message(opened))))
    }
  }

  deinit { focal_exr_close(file) }

  /// - Throws: `unreadable` where another program has written the file since it was opened.
  func checkVersion() throws(CinematicError) { try descriptor?.checkVersion() }

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
  /// and alpha. Pixels that are not stored are 0. Rows in order are decoded once.
  ///
  /// - Parameter rows: those of what is shown that are wanted; by default all.
  /// - Throws: `malformed` for damaged or missing chunks, `unsupported` for a size beyond limits,
  ///   `outOfMemory`.
  func frame(
    _ channels: [Channel], of part: Part, rows: Range<Int>? = nil
  ) throws(CinematicError) -> PictureFrame {
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
    let rows = rows ?? 0..<display.height
    let size = Dimensions(width: display.width, height: rows.count)
    // Rows are few where the picture is read strip by strip.
    try PictureClaim(size, bytesPerPixel: 4 * channels.count, isDeep: true, request).checkMemory()
    guard let frame = PictureFrame(format, size) else { throw .outOfMemory(for: path) }
    // Rows of what is stored.
    let first = max(rows.lowerBound + display.top - data.top, 0)
    let stored = first..<max(min(rows.upperBound + display.top - data.top, data.height), first)
    let count = data.width * stored.count
    let kept = Dimensions(width: data.width, height: stored.count)
    var request = request
    request.isConvertedWhole = false
    try PictureClaim(kept, bytesPerPixel: 4 * channels.count, isDeep: true, request).checkMemory()
    let planes = channels.map { _ in UnsafeMutablePointer<Float>.allocate(capacity: max(count, 1)) }
    defer { for plane in planes { plane.deallocate() } }
    for plane in planes { plane.initialize(repeating: 0, count: count) }
    try read(channels, of: part, stored, into: planes)
    // Planes of a frame are green, blue, red, alpha.
    let places = channels.count == 1 ? [0] : [2, 0, 1, 3]
    for (plane, place) in zip(planes, places) {
      for y in 0..<size.height {
        let out = frame.row(y, ofPlane: place).assumingMemoryBound(to: Float.self)
        out.update(repeating: 0, count: size.width)
        let row = rows.lowerBound + y + display.top - data.top
        guard stored.contains(row) else { continue }
        let left = data.left - display.left
        let columns = (left..<left + data.width).clamped(to: 0..<size.width)
        let from = plane + (row - first) * data.width + columns.lowerBound - left
        (out + columns.lowerBound).update(from: from, count: columns.count)
      }
    }
    return frame
  }

  private func read(
    _ channels: [Channel], of part: Part, _ rows: Range<Int>,
    into planes: [UnsafeMutablePointer<Float>]
  ) throws(CinematicError) {
    if !part.isComplete { try meet("pixels are missing") }
    guard !rows.isEmpty else { return }
    let names = channels.map { strdup($0.name) }
    defer { for name in names { free(name) } }
    let width = part.data.width
    func isRead(_ part: Part, _ some: Range<Int>) -> Bool {
      focal_exr_read(
        file, part.number, names.map { UnsafePointer($0) },
        planes.map { Optional($0 + (some.lowerBound - rows.lowerBound) * width) },
        Int32(channels.count), Int32(some.lowerBound), Int32(some.count)) != 0
    }
    // Halves of halves, so that the place is known and what is sound is kept; not too many, since each decodes large
    // tiles anew.
    var halvings = 64
    var pending = [rows]
    while let some = pending.popLast() {
      if isRead(part, some) { continue }
      if focal_exr_lacks_memory(file) != 0 { throw .outOfMemory(for: path) }
      guard some.count > 1, halvings > 0 else {
        try meet("from row \(some.lowerBound) on: \(String(cString: focal_exr_message(file)))")
        continue
      }
      halvings -= 1
      let middle = some.lowerBound + some.count / 2
      pending += [middle..<some.upperBound, some.lowerBound..<middle]
    }
  }

  /// Throws the error of a damage, or tells of the first one.
  private func meet(_ reason: String) throws(CinematicError) {
    guard !isDamaged || request.damage.stops else { return }
    isDamaged = true
    try request.damage.meet(Self.damaged(path, reason))
  }
}
