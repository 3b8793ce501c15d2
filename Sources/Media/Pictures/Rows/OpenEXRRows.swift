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

/// OpenEXR, of scan lines or tiles, through its own library.
final class OpenEXRRows: RowSource {
  let dimensions: Dimensions
  let prototype: PictureFrame
  let margin = 0
  private let picture: OpenEXRPicture

  /// - Throws: what reading the picture's header throws.
  init(_ request: StillRequest) throws(CinematicError) {
    picture = try OpenEXRPicture(OpenEXRFile(reading: request), request)
    dimensions = picture.dimensions
    prototype = try picture.frame(0..<1)
  }

  func read(_ rows: Range<Int>) throws(CinematicError) -> PictureFrame {
    try picture.frame(rows)
  }

  func checkVersion() throws(CinematicError) { try picture.checkVersion() }
}

/// OpenEXR through its own library, to a file or into memory.
final class OpenEXRRowSink: RowSink {
  /// Written at once, so that several threads compress them.
  private static let rowsAtOnce = 128

  private let layout: RowLayout
  private let path: String
  private let descriptor: FileDescriptor?
  private let writer: OpaquePointer
  /// The channels of a buffer, in the order of their names in the file.
  private let channels: [Int]

  /// - Parameter file: `nil` for a file in memory.
  init(
    _ picture: StillPicture, _ layout: RowLayout, _ file: OutputFile?
  ) throws(CinematicError) {
    self.layout = layout
    path = picture.path
    descriptor =
      if let file { try FileDescriptor(writing: file) } else { nil }
    let colors = layout.isGray ? [("Y", 0)] : [("B", 2), ("G", 1), ("R", 0)]
    let named = (layout.hasAlpha ? [("A", 3)] : []) + colors
    channels = named.map(\.1)
    let format = picture.buffer.format
    let isHalf =
      format == .rgbaHalf || format == .disparityHalf
      || !format.isDisparity && picture.metadata.storesHalves
    let size = layout.dimensions
    let window = picture.metadata.displayWindow.flatMap {
      $0.width == size.width && $0.height == size.height
        && max(abs($0.left), abs($0.top)) < 1 << 30 ? $0 : nil
    }
    var settings = FocalEXRPicture()
    settings.width = Int32(size.width)
    settings.height = Int32(size.height)
    settings.channelCount = Int32(named.count)
    settings.storesHalves = isHalf ? 1 : 0
    settings.pixelAspectRatio = picture.metadata.pixelAspectRatio ?? 1
    settings.left = Int32(window?.left ?? 0)
    settings.top = Int32(window?.top ?? 0)
    // Copies in C's form, for the call alone.
    let names = named.map { UnsafePointer(strdup($0.0)) }
    let attributes = picture.metadata.attributes.map { said in
      let value = UnsafeMutablePointer<UInt8>.allocate(capacity: max(said.value.count, 1))
      value.update(from: said.value, count: said.value.count)
      return FocalEXRAttribute(
        name: UnsafePointer(strdup(said.name)), type: UnsafePointer(strdup(said.type)),
        bytes: UnsafePointer(value), count: said.value.count)
    }
    defer {
      for name in names { free(UnsafeMutableRawPointer(mutating: name)) }
      for attribute in attributes {
        free(UnsafeMutableRawPointer(mutating: attribute.name))
        free(UnsafeMutableRawPointer(mutating: attribute.type))
        attribute.bytes.deallocate()
      }
    }
    let number = descriptor?.number ?? -1
    var message = [CChar](repeating: 0, count: Int(FOCAL_EXR_MESSAGE_SIZE))
    let writer = names.withUnsafeBufferPointer { names in
      attributes.withUnsafeBufferPointer { attributes in
        (OpenEXRFormat.chromaticities(picture) ?? []).withUnsafeBufferPointer { chromaticities in
          settings.names = names.baseAddress
          settings.attributeCount = Int32(attributes.count)
          settings.attributes = attributes.baseAddress
          settings.chromaticities = chromaticities.isEmpty ? nil : chromaticities.baseAddress
          return focal_exr_begin(number, &settings, &message)
        }
      }
    }
    guard let writer else {
      let reason = message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      throw CinematicError(.unwritable, "cannot encode \(path) as OpenEXR: \(reason)")
    }
    self.writer = writer
  }

  deinit { focal_exr_writer_free(writer) }

  private func check(_ result: Int32) throws(CinematicError) {
    guard result == 0 else { return }
    throw OutputFile.failure(
      path, .openEXR, focal_exr_error_number(writer), focal_exr_writer_message(writer))
  }

  func write(_ rows: PixelBuffer) throws(CinematicError) {
    let stored = PixelRows.channels(of: rows.format)
    let step = min(Self.rowsAtOnce, rows.height)
    let planes = channels.map { _ in
      UnsafeMutablePointer<Float>.allocate(capacity: rows.width * step)
    }
    defer { for plane in planes { plane.deallocate() } }
    for first in stride(from: 0, to: rows.height, by: step) {
      let count = min(step, rows.height - first)
      for (plane, channel) in zip(planes, channels) {
        if channel == 3, layout.isOpaque {
          plane.update(repeating: 1, count: rows.width * count)
          continue
        }
        for y in 0..<count {
          PixelRows.read(
            rows, channel: channel, of: stored, row: first + y, into: plane + y * rows.width)
        }
      }
      let pointers = planes.map { Optional(UnsafePointer($0)) }
      try check(focal_exr_write_rows(writer, pointers, Int32(count)))
    }
  }

  func finish() throws(CinematicError) { try check(focal_exr_finish(writer)) }

  /// The whole file, where it is in memory.
  func bytes() throws(CinematicError) -> [UInt8] {
    try finish()
    var count = 0
    let bytes = focal_exr_bytes(writer, &count)
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
