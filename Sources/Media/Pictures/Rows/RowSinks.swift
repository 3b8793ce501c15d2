// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import JPEGCoding
import PNGCoding
import TIFFCoding

extension OutputFile {
  /// The error of a library that encodes: of a system call, by its number, or in the library's words.
  static func failure(
    _ path: String, _ kind: StillKind, _ number: Int32, _ message: UnsafePointer<CChar>
  ) -> CinematicError {
    guard number == 0 else { return failure(path, number) }
    return CinematicError(
      .unwritable, "cannot encode \(path) as \(kind.name): \(String(cString: message))")
  }
}

extension CinematicError {
  /// The error of an output that would lose a picture's alpha, where it is refused.
  package static func cannotHoldAlpha(_ path: String) -> CinematicError {
    CinematicError(
      .invalidParameter, "\(path) cannot hold alpha, and the picture has it",
      remedy: "write .png, .tif, .exr, .heic or .avif")
  }
}

/// PNG through libpng, to a file or into memory.
final class PNGRowSink: RowSink {
  private let layout: RowLayout
  private let path: String
  private let descriptor: FileDescriptor?
  private let writer: OpaquePointer

  /// - Parameter file: `nil` for a file in memory.
  init(
    _ picture: StillPicture, _ layout: RowLayout, _ file: OutputFile?
  ) throws(CinematicError) {
    self.layout = layout
    path = picture.path
    descriptor = if let file { try FileDescriptor(writing: file) } else { nil }
    var facts = FocalPNGFacts()
    facts.width = Int32(layout.dimensions.width)
    facts.height = Int32(layout.dimensions.height)
    facts.components = Int32(layout.components)
    facts.bits = layout.isDeep ? 16 : 8
    let buffer = picture.buffer
    let isSRGB =
      picture.storedProfile == nil && buffer.tags.transfer.isStandardRange
      && !buffer.format.isDisparity
    let number = descriptor?.number ?? -1
    guard let writer = focal_png_begin(number, &facts, isSRGB ? 1 : 0) else {
      throw .outOfMemory(for: path)
    }
    self.writer = writer
    for (type, content) in PNGFormat.chunks(picture) {
      try check(focal_png_write_chunk(writer, type, content, content.count))
    }
  }

  deinit { focal_png_free(writer) }

  private func check(_ result: Int32) throws(CinematicError) {
    guard result == 0 else { return }
    throw OutputFile.failure(
      path, .png, focal_png_error_number(writer), focal_png_writer_message(writer))
  }

  func write(_ rows: PixelBuffer) throws(CinematicError) {
    try layout.forEachRow(of: rows, isBigEndian: true, path: path) { row throws(CinematicError) in
      try check(focal_png_write_row(writer, row))
    }
  }

  func finish() throws(CinematicError) { try check(focal_png_finish(writer)) }

  /// The whole file, where it is in memory.
  func bytes() throws(CinematicError) -> [UInt8] {
    try finish()
    var count = 0
    let bytes = focal_png_bytes(writer, &count)
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}

/// TIFF through libtiff; what is said about the pixels follows in a directory of our own.
final class TIFFRowSink: RowSink {
  private let layout: RowLayout
  private let picture: StillPicture
  private let file: OutputFile
  private let descriptor: FileDescriptor
  private let writer: OpaquePointer

  /// - Parameter largestClassic: bytes of pixels from which on the file is BigTIFF. Deflate adds little to what
  ///   it cannot compress, and metadata need room.
  init(
    _ picture: StillPicture, _ layout: RowLayout, _ file: OutputFile,
    largestClassic: Int = 3_500_000_000
  ) throws(CinematicError) {
    self.layout = layout
    self.picture = picture
    self.file = file
    descriptor = try FileDescriptor(writing: file)
    var facts = FocalTIFFPicture()
    facts.width = Int32(layout.dimensions.width)
    facts.height = Int32(layout.dimensions.height)
    facts.components = Int32(layout.components)
    facts.sampleSize = layout.isDeep ? 2 : 1
    var message = [CChar](repeating: 0, count: Int(FOCAL_TIFF_MESSAGE_SIZE))
    let byteCount = layout.dimensions.count * layout.components * Int(facts.sampleSize)
    let isBig: Int32 = byteCount > largestClassic ? 1 : 0
    guard let writer = focal_tiff_begin(descriptor.number, &facts, isBig, &message) else {
      throw CinematicError(
        .unwritable,
        "cannot encode \(file.path) as TIFF: "
          + message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    }
    self.writer = writer
  }

  deinit { focal_tiff_free(writer) }

  private func check(_ result: Int32) throws(CinematicError) {
    guard result == 0 else { return }
    throw OutputFile.failure(
      file.path, .tiff, focal_tiff_error_number(writer), focal_tiff_writer_message(writer))
  }

  func write(_ rows: PixelBuffer) throws(CinematicError) {
    try layout.forEachRow(of: rows, isBigEndian: false, path: file.path) {
      row throws(CinematicError) in
      try check(focal_tiff_write_row(writer, row))
    }
  }

  func finish() throws(CinematicError) {
    try check(focal_tiff_finish(writer))
    let source = FileByteSource(path: file.temporaryPath)
    let end = Int(try source.fileSize())
    guard var directory = TIFFDirectory(source) else {
      throw CinematicError(.unwritable, "cannot encode \(file.path) as TIFF: it has no directory")
    }
    TIFFFormat.add(picture, to: &directory)
    let place = end + end % 2
    let stored = directory.stored(at: place)
    let layout = directory.layout
    guard place + stored.count <= layout.mostBytes else {
      throw CinematicError(
        .unwritable, "\(file.path) has no room for what is said about its pixels",
        remedy: "write .png or .exr")
    }
    let sink = try FileSink(file, position: Int64(end))
    if end % 2 != 0 { try sink.write([0]) }
    try sink.write(stored)
    try sink.flush()
    try sink.patch(directory.bytes(place, layout.place), at: Int64(layout.firstPlace))
  }
}

/// JPEG through libjpeg: its bytes are few enough to be held. A gain map follows the picture.
final class JPEGRowSink: RowSink {
  private let layout: RowLayout
  private let file: OutputFile?
  private let path: String
  private let writer: OpaquePointer
  private let gainMap: GainMapFile?

  /// - Parameter file: where ``finish()`` writes.
  /// - Throws: `invalidParameter` for pictures with alpha.
  init(
    _ picture: StillPicture, _ layout: RowLayout, _ file: OutputFile?
  ) throws(CinematicError) {
    self.layout = layout
    self.file = file
    path = picture.path
    guard !layout.hasAlpha else { throw .cannotHoldAlpha(path) }
    let quality = picture.quality ?? JPEGFormat.defaultQuality
    let density = picture.metadata.resolution?.dotsPerInch
    var settings = FocalJPEGSettings()
    settings.width = Int32(layout.dimensions.width)
    settings.height = Int32(layout.dimensions.height)
    settings.components = Int32(layout.components)
    settings.quality = Int32(quality)
    settings.halvesChroma = quality < JPEGFormat.leastQualityOfFullChroma ? 1 : 0
    settings.densityX = Int32(min(density?.horizontal.rounded() ?? 0, 65535))
    settings.densityY = Int32(min(density?.vertical.rounded() ?? 0, 65535))
    guard let writer = focal_jpeg_begin(&settings) else { throw .outOfMemory(for: path) }
    self.writer = writer
    gainMap = picture.metadata.gainMap
    var metadata = picture.metadata
    if let gainMap { metadata.xmp = gainMap.listed(in: metadata.xmp) }
    let segments = try JPEGSegments.segments(metadata, profile: picture.storedProfile)
    for (marker, content) in segments + picture.segments + (gainMap?.segments ?? []) {
      try check(focal_jpeg_write_segment(writer, marker, content, content.count) != 0)
    }
  }

  deinit { focal_jpeg_free(writer) }

  private func check(_ isWritten: Bool) throws(CinematicError) {
    guard !isWritten else { return }
    throw CinematicError(
      .unwritable,
      "cannot encode \(path) as JPEG: \(String(cString: focal_jpeg_message(writer)))")
  }

  func write(_ rows: PixelBuffer) throws(CinematicError) {
    let components = layout.components
    let channels = PixelRows.channels(of: rows.format)
    if rows.format == .rgba8 { return try writeCodes(rows) }
    var isWritten = true
    withUnsafeTemporaryAllocation(of: Float.self, capacity: rows.width) { values in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: components * rows.width) { row in
        for y in 0..<rows.height where isWritten {
          for component in 0..<components {
            PixelRows.read(
              rows, channel: component, of: channels, row: y, into: values.baseAddress!)
            for x in 0..<rows.width {
              let value = values[x]
              row[components * x + component] =
                value > 0 ? UInt8(min(value, 1) * 255 + 0.5) : 0
            }
          }
          isWritten = focal_jpeg_write_row(writer, row.baseAddress) != 0
        }
      }
    }
    try check(isWritten)
  }

  /// Rows whose codes are the file's.
  private func writeCodes(_ rows: PixelBuffer) throws(CinematicError) {
    let components = layout.components
    var isWritten = true
    rows.withUnsafeBytes { bytes in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: components * rows.width) { row in
        let out = row.baseAddress!
        for y in 0..<rows.height where isWritten {
          let codes = (bytes.baseAddress! + y * rows.planes[0].bytesPerRow)
            .assumingMemoryBound(to: UInt8.self)
          if components == 3 {
            for x in 0..<rows.width {
              out[3 * x] = codes[4 * x]
              out[3 * x + 1] = codes[4 * x + 1]
              out[3 * x + 2] = codes[4 * x + 2]
            }
          } else {
            for x in 0..<rows.width { out[x] = codes[4 * x] }
          }
          isWritten = focal_jpeg_write_row(writer, out) != 0
        }
      }
    }
    try check(isWritten)
  }

  /// The picture's bytes, which live as long as this does.
  private func bytes() throws(CinematicError) -> UnsafeRawBufferPointer {
    var count = 0
    let bytes = focal_jpeg_finish(writer, &count)
    try check(bytes != nil)
    return UnsafeRawBufferPointer(start: bytes, count: count)
  }

  /// The whole file.
  func whole() throws(CinematicError) -> [UInt8] {
    var result = Array(try bytes())
    gainMap?.append(to: &result)
    return result
  }

  func finish() throws(CinematicError) {
    guard let file else { return }
    guard gainMap != nil else { return try file.write(try bytes()) }
    let bytes = try whole()
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(CinematicError) in try file.write(bytes) }
    }.get()
  }
}
