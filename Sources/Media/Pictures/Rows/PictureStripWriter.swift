// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The rows of a picture file that is written, from top to bottom. Used by one thread.
protocol RowSink: AnyObject {
  /// - Throws: `unwritable`.
  func write(_ rows: PixelBuffer) throws(CinematicError)
  func finish() throws(CinematicError)
}

/// Writes a picture some rows at a time. PNG, TIFF, OpenEXR, PFM and DPX hold a few rows, JPEG its bytes, HEIC and
/// AVIF a row of tiles and the bytes of all. The file appears under its name when it is whole. Used by one thread.
public final class PictureStripWriter {
  private let kind: StillKind
  private let metadata: PictureMetadata
  private let turn: QuarterTurn
  /// The format of all strips, by which their pixels are read.
  private let format: PixelFormat
  /// The meaning of their values, by which the file was begun.
  private let tags: ColorTags
  /// Of the picture before the turn.
  private let dimensions: Dimensions
  /// Of the picture that is written.
  private let written: Dimensions
  private var file: OutputFile?
  private var sink: (any RowSink)?
  private var next = 0
  /// The rows of a picture that is turned, until all are there.
  private var turned: TurnedRows?
  /// The rows of the file.
  private var nextWritten = 0

  /// Written at once, of turned pictures.
  private static let rowsAtOnce = 128

  /// - Parameters:
  ///   - settings: of a picture, with the format and the tags of what is appended. The size is that before
  ///     `preferredTransform`, by which strips have been turned: they wait on the disk until all are there.
  ///   - hasAlpha: whether any pixel's alpha is below 1; else it is stored only in OpenEXR, if `codedPixels` has it.
  /// - Throws: `invalidParameter` for a kind, a format, a size, a quality or alpha that the file cannot hold, `unwritable`.
  public init(
    _ path: String, settings: WriterSettings, hasAlpha: Bool
  ) throws(CinematicError) {
    guard case .still(let kind) = try OutputFormat(path: path) else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of one picture",
        remedy: "end it in \(StillKind.endings)")
    }
    try settings.checkSize(path)
    self.kind = kind
    turn = settings.preferredTransform
    format = settings.pixelFormat
    tags = settings.tags
    dimensions = settings.dimensions
    written = turn.applied(to: dimensions)
    var metadata = settings.pictureMetadata
    metadata.keepsAlpha = settings.keepsAlpha(in: kind, isNumbered: false)
    self.metadata = metadata
    let file = try OutputFile(
      path: path, overwrite: settings.overwrite, registry: settings.temporaryFiles)
    // A pixel stands for all: what is said depends on their format and colours.
    let one = try PixelBuffer(
      dimensions: Dimensions(width: 1, height: 1), format: settings.pixelFormat,
      tags: settings.tags)
    let picture = try StillEncoder.prepared(
      one, kind: kind, metadata: metadata, size: written, quality: settings.pictureQuality,
      path: path)
    let layout = RowLayout(
      picture, written, hasAlpha: hasAlpha || metadata.keepsAlpha, isOpaque: !hasAlpha)
    if turn != .identity {
      turned = try TurnedRows(
        one, size: dimensions, turn: turn, beside: path, registry: settings.temporaryFiles)
    }
    self.file = file
    sink =
      switch kind {
      case .jpeg: try JPEGRowSink(picture, layout, file)
      case .png: try PNGRowSink(picture, layout, file)
      case .openEXR: try OpenEXRRowSink(picture, layout, file)
      case .heic, .avif: try HEIFRowSink(picture, kind, layout, file)
      case .tiff: try TIFFRowSink(picture, layout, file)
      case .pfm: try PlainRowSink(picture, PFMFormat.self, layout, file)
      case .dpx: try PlainRowSink(picture, DPXFormat.self, layout, file)
      }
  }

  /// Adds the next rows: of a turned picture those of the picture as it was before, turned.
  ///
  /// - Throws: `incompatible` for rows of another width, another format or other colours, or too many, `unwritable`.
  public func append(_ strip: PixelBuffer) throws(CinematicError) {
    // Red, green and blue have no matrix.
    guard strip.format == format, strip.tags.primaries == tags.primaries,
      strip.tags.transfer == tags.transfer
    else {
      throw CinematicError(
        .incompatible,
        "rows in \(strip.format) of \(strip.tags.primaries) with \(strip.tags.transfer) do not belong"
          + " to a picture in \(format) of \(tags.primaries) with \(tags.transfer)",
        remedy: "give all rows the format and the tags of the settings")
    }
    let stored = turn.inverse.applied(to: strip.dimensions)
    guard sink != nil, stored.width == dimensions.width,
      next + stored.height <= dimensions.height
    else {
      throw CinematicError(
        .incompatible, "rows of \(strip.dimensions) do not belong to a picture of \(dimensions)")
    }
    if let turned { try turned.append(strip) } else { try write(strip) }
    next += stored.height
  }

  private func write(_ strip: PixelBuffer) throws(CinematicError) {
    guard let sink, let file else { return }
    let rows = try StillEncoder.codes(
      of: strip, kind: kind, metadata: metadata, path: file.path, firstRow: nextWritten)
    try sink.write(rows)
    nextWritten += strip.height
  }

  /// Ends the file and gives it its name.
  ///
  /// - Throws: `incomplete` if rows are missing, `unwritable`.
  public func finish() throws(CinematicError) {
    guard let sink, let file, next == dimensions.height else {
      throw CinematicError(.incomplete, "rows of a picture of \(dimensions) are missing")
    }
    if let turned {
      for first in stride(from: 0, to: written.height, by: Self.rowsAtOnce) {
        try write(turned.rows(first..<min(first + Self.rowsAtOnce, written.height)))
      }
    }
    turned = nil
    try sink.finish()
    self.sink = nil
    self.file = nil
    try file.publish()
  }
}

/// How rows of pixels are stored as codes.
struct RowLayout {
  let dimensions: Dimensions
  /// Whether red, green and blue are one value.
  let isGray: Bool
  let isDeep: Bool
  let hasAlpha: Bool
  /// Whether alpha is 1 everywhere, but for what resampling rounds.
  let isOpaque: Bool

  /// 1 gray, 2 gray and alpha, 3 red, green and blue, 4 with alpha.
  var components: Int { (isGray ? 1 : 3) + (hasAlpha ? 1 : 0) }

  init(_ picture: StillPicture, _ dimensions: Dimensions, hasAlpha: Bool, isOpaque: Bool) {
    let channels = PixelRows.channels(of: picture.buffer.format)
    self.dimensions = dimensions
    self.hasAlpha = hasAlpha && channels > 1
    self.isOpaque = isOpaque
    isGray = channels == 1 || picture.metadata.isGray
    isDeep = picture.buffer.format.bitsPerComponent > 8
  }

  /// That of a whole picture.
  init(_ picture: StillPicture) {
    let isTranslucent = PixelRows(picture.buffer).hasAlpha
    self.init(
      picture, picture.buffer.dimensions,
      hasAlpha: isTranslucent || picture.metadata.keepsAlpha, isOpaque: !isTranslucent)
  }

  /// Codes of 8 or 16 bits that hold the pixels.
  func codeFormat(isBigEndian: Bool) -> AVPixelFormat {
    switch (isDeep, components) {
    case (false, 1): AV_PIX_FMT_GRAY8
    case (false, 2): AV_PIX_FMT_YA8
    case (false, 3): AV_PIX_FMT_RGB24
    case (false, _): AV_PIX_FMT_RGBA
    case (true, 1): isBigEndian ? AV_PIX_FMT_GRAY16BE : AV_PIX_FMT_GRAY16LE
    case (true, 2): isBigEndian ? AV_PIX_FMT_YA16BE : AV_PIX_FMT_YA16LE
    case (true, 3): isBigEndian ? AV_PIX_FMT_RGB48BE : AV_PIX_FMT_RGB48LE
    case (true, _): isBigEndian ? AV_PIX_FMT_RGBA64BE : AV_PIX_FMT_RGBA64LE
    }
  }

  /// Rows that are made codes at once.
  private static let rowsAtOnce = 64

  /// Calls `body` with each row as codes.
  ///
  /// - Throws: `outOfMemory`, and what `body` throws.
  func forEachRow(
    of rows: PixelBuffer, isBigEndian: Bool, path: String,
    _ body: (UnsafePointer<UInt8>) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    // Codes of eight bits are the file's as they are.
    let isPlain =
      rows.format == .rgba8 && components == 4 || rows.format == .gray8 && components == 1
    if isPlain, !isDeep {
      let stride = rows.planes[0].bytesPerRow
      return try rows.withUnsafeBytes { (bytes) throws(CinematicError) in
        for y in 0..<rows.height {
          try body((bytes.baseAddress! + y * stride).assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    let format = codeFormat(isBigEndian: isBigEndian)
    let size = Dimensions(width: rows.width, height: min(rows.height, Self.rowsAtOnce))
    guard let frame = PictureFrame(format, size), let layout = PixelLayout(format) else {
      throw .outOfMemory(for: path)
    }
    for first in Swift.stride(from: 0, to: rows.height, by: size.height) {
      let part = rows.part(
        columns: 0..<rows.width, rows: first..<min(first + size.height, rows.height))
      PixelRows(part, hasAlpha: hasAlpha).fill(frame, layout)
      for y in 0..<part.height {
        try body(frame.row(y, ofPlane: 0).assumingMemoryBound(to: UInt8.self))
      }
    }
  }
}
