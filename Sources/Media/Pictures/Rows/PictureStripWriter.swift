// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The rows of a picture file that is written, from top to bottom. Used by one thread.
protocol RowSink: AnyObject {
  /// - Throws: `unwritable`.
  func write(_ rows: PixelBuffer) throws(CinematicError)
  func finish() throws(CinematicError)
}

/// Writes a picture some rows at a time: PNG, TIFF and JPEG. The file appears under its name when it is
/// whole. Used by one thread.
public final class PictureStripWriter {
  private let kind: StillKind
  private let metadata: PictureMetadata
  private let dimensions: Dimensions
  private var file: OutputFile?
  private var sink: (any RowSink)?
  private var next = 0

  /// Whether files of the kind can be written so.
  public static func writes(_ kind: StillKind) -> Bool {
    kind == .png || kind == .tiff || kind == .jpeg
  }

  /// Whether files of the kind can say how their pixels lie, so that turned ones need not be turned.
  public static func holdsOrientation(_ kind: StillKind) -> Bool { kind == .jpeg }

  /// - Parameters:
  ///   - settings: of a picture, with the format and the tags of the strips. Rows lie as `preferredTransform`
  ///     and the metadata say.
  ///   - hasAlpha: whether any pixel's alpha is below 1; else none is stored.
  /// - Throws: `invalidParameter` for a kind, a format or alpha that the file cannot hold, `unwritable`.
  public init(
    _ path: String, settings: WriterSettings, hasAlpha: Bool
  ) throws(CinematicError) {
    guard case .still(let kind) = try OutputFormat(path: path), Self.writes(kind) else {
      throw CinematicError(
        .invalidParameter, "\(path) cannot be written strip by strip",
        remedy: "end the name in .png, .tif or .jpg")
    }
    self.kind = kind
    dimensions = settings.dimensions
    metadata = settings.pictureMetadata
    let file = try OutputFile(
      path: path, overwrite: settings.overwrite, registry: settings.temporaryFiles)
    // A pixel stands for all: what is said depends on their format and colours.
    let one = try PixelBuffer(
      dimensions: Dimensions(width: 1, height: 1), format: settings.pixelFormat,
      tags: settings.tags)
    let picture = try StillEncoder.prepared(
      one, kind: kind, metadata: metadata, size: dimensions,
      isUpright: settings.preferredTransform == .identity, quality: settings.pictureQuality,
      path: path)
    let layout = RowLayout(picture, dimensions, hasAlpha: hasAlpha)
    self.file = file
    sink =
      switch kind {
      case .jpeg: try JPEGRowSink(picture, layout, file)
      case .png: try PNGRowSink(picture, layout, file)
      default: try TIFFRowSink(picture, layout, file)
      }
  }

  /// Adds the next rows.
  ///
  /// - Throws: `incompatible` for rows of another width or too many, `unwritable`.
  public func append(_ strip: PixelBuffer) throws(CinematicError) {
    guard let sink, let file, strip.width == dimensions.width,
      next + strip.height <= dimensions.height
    else {
      throw CinematicError(
        .incompatible, "rows of \(strip.dimensions) do not belong to a picture of \(dimensions)")
    }
    let rows = try StillEncoder.codes(
      of: strip, kind: kind, metadata: metadata, path: file.path, firstRow: next)
    try sink.write(rows)
    next += strip.height
  }

  /// Ends the file and gives it its name.
  ///
  /// - Throws: `incomplete` if rows are missing, `unwritable`.
  public func finish() throws(CinematicError) {
    guard let sink, let file, next == dimensions.height else {
      throw CinematicError(.incomplete, "rows of a picture of \(dimensions) are missing")
    }
    try sink.finish()
    self.sink = nil
    self.file = nil
    try file.publish()
  }
}

/// How rows of pixels are stored as codes.
struct RowLayout {
  let dimensions: Dimensions
  let components: Int
  let isDeep: Bool
  let hasAlpha: Bool

  init(_ picture: StillPicture, _ dimensions: Dimensions, hasAlpha: Bool) {
    let isGray = PixelRows.channels(of: picture.buffer.format) == 1
    self.dimensions = dimensions
    self.hasAlpha = hasAlpha && !isGray
    components = isGray ? 1 : self.hasAlpha ? 4 : 3
    isDeep = picture.buffer.format.bitsPerComponent > 8
  }

  /// Rows as codes, in a frame of one plane.
  ///
  /// - Throws: `outOfMemory`.
  func frame(
    _ rows: PixelBuffer, isBigEndian: Bool, path: String
  ) throws(CinematicError) -> PictureFrame {
    let format = PixelRows.codeFormat(
      isDeep: isDeep, isGray: components == 1, hasAlpha: hasAlpha, isBigEndian: isBigEndian)
    guard let frame = PictureFrame(format, rows.dimensions), let layout = PixelLayout(format) else {
      throw .outOfMemory(for: path)
    }
    PixelRows(rows, hasAlpha: hasAlpha).fill(frame, layout)
    return frame
  }
}
