// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads a picture some rows at a time, so that one of any size can be rendered without being held:
/// PNG, TIFF, OpenEXR, PFM and DPX row by row, large HEIC and AVIF grids a row of tiles at a time; JPEG and other
/// HEIC and AVIF decoded whole at their own depth. Values are those
/// that ``FrameReader`` delivers. Used by one thread.
public final class PictureStripReader {
  public let properties: SourceProperties
  /// Whether pixels may have an alpha below 1.
  public let mayHaveAlpha: Bool
  private let path: String
  /// Whether rows read so far have light above ``PictureMetadata/brightestLight``.
  public private(set) var exceedsLight = false
  /// Whether they have light that is not a number.
  public private(set) var holdsNotANumber = false
  private var source: (any RowSource)?
  private let converter: PictureConverter
  private let isMirrored: Bool
  /// The rows that were asked for last.
  private var held: (rows: Range<Int>, buffer: PixelBuffer)?

  /// Opens a picture.
  ///
  /// - Parameters:
  ///   - leastPixelCount: smaller pictures are not opened.
  ///   - options: as for ``FrameReader``; those of clips and maps are not heeded.
  /// - Returns: `nil` for a smaller picture, a file of another kind or one whose rows do not come one after
  ///   the other, and for numbered pictures.
  /// - Throws: `malformed` for a damaged file, and what ``FrameReader`` throws for one that is not
  ///   understood.
  public static func open(
    _ path: String, leastPixelCount: Int = 0, options: ReadOptions = ReadOptions()
  ) throws(CinematicError) -> PictureStripReader? {
    try open(
      path, leastPixelCount: leastPixelCount, leastTiledPixelCount: 64_000_000, options: options)
  }

  /// - Parameter leastTiledPixelCount: HEIC and AVIF pictures with more, in tiles, are not held whole. Smaller ones
  ///   are decoded once, not for every pass.
  static func open(
    _ path: String, leastPixelCount: Int, leastTiledPixelCount: Int, options: ReadOptions
  ) throws(CinematicError) -> PictureStripReader? {
    // A file may have a name like a pattern.
    guard Self.isFile(path) else { return nil }
    let file = FileByteSource(path: path)
    let magic = try file.bytes(0..<Int64(StillKind.magicByteCount))
    var request = StillRequest(path)
    request.layer = options.layer
    request.keepsChromaticities = options.keepsChromaticities
    request.statesTransfer = options.statesTransfer
    request.damage = options.damage
    request.isConvertedWhole = false
    guard let kind = StillKind(magic: magic) else { return nil }
    if kind == .png, try isAnimatedPNG(file) { return nil }
    if let layer = options.layer, kind != .openEXR { throw .hasNoLayers(path, layer) }
    let rows: (any RowSource)?
    switch kind {
    case .png: rows = try PNGRows(request)
    case .tiff: rows = try TIFFRows(request)
    case .openEXR: rows = try OpenEXRRows(request)
    case .jpeg:
      let bytes = try file.bytes(0..<file.fileSize())
      guard let size = JPEGSegments(bytes).dimensions, size.count >= leastPixelCount else {
        return nil
      }
      rows = FrameRows(try JPEGFormat.picture(in: bytes, request), path: path)
    case .heic, .avif:
      let bytes = try file.bytes(0..<file.fileSize())
      let opened = try HEIFFile(bytes, kind, path: path)
      guard opened.dimensions.count >= leastPixelCount else { return nil }
      if opened.dimensions.count > leastTiledPixelCount,
        let tiles = try TileRows(bytes, opened, kind)
      {
        rows = tiles
      } else {
        rows = FrameRows(try opened.picture(request), path: path)
      }
    case .pfm: rows = try PlainRows(path, PFMFormat.self)
    case .dpx: rows = try PlainRows(path, DPXFormat.self)
    }
    guard let rows, rows.dimensions.count >= leastPixelCount else { return nil }
    rows.prototype.metadata.isGray = PixelLayout(rows.prototype.pixelFormat)?.isGray ?? false
    rows.prototype.leaveOutUnusedProfile(request)
    return try PictureStripReader(rows, path, options)
  }

  /// Moving pictures are a clip.
  private static func isAnimatedPNG(_ file: FileByteSource) throws(CinematicError) -> Bool {
    var search = PNGAnimation()
    while search.isFound == nil {
      let range = search.place..<(search.place + Int64(PNGAnimation.headSize))
      search.take(try file.bytes(range))
    }
    return search.isFound == true
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private init(
    _ source: any RowSource, _ path: String, _ options: ReadOptions
  ) throws(CinematicError) {
    let size = source.dimensions
    guard size.width <= PixelBuffer.maximumDimension, size.height <= PixelBuffer.maximumDimension
    else {
      throw CinematicError(
        .unsupported, "\(path) is too large (\(size))",
        remedy: "width and height must be at most \(PixelBuffer.maximumDimension)")
    }
    self.source = source
    self.path = path
    let first = source.prototype
    converter = try PictureConverter(
      first: first, container: nil, isStill: true, transfer: options.transfer,
      workingSpace: options.workingSpace, path: path)
    first.metadata.cameraGamut = converter.logCoding?.curve.gamut
    let layout = PixelLayout(first.pixelFormat)
    mayHaveAlpha = layout?.hasAlpha ?? false
    let rotation = DisplayRotation(orientation: first.metadata.orientation) ?? DisplayRotation(nil)
    isMirrored = rotation.isMirrored
    let duration = Time(value: 1, timescale: 30)
    var properties = SourceProperties(
      kind: .still, dimensions: size, pixelFormat: converter.pixelFormat, tags: converter.tags,
      colorCodes: converter.colorCodes, hdrMetadata: HDRMetadata(),
      codedPixels: converter.codedPixels,
      bitDepth: first.metadata.storedDepth ?? layout?.depth ?? 8,
      preferredTransform: rotation.turn,
      pixelAspectRatio: .square, frameCount: 1, duration: duration, startTime: .zero,
      timescale: 30, nominalFrameDuration: duration, hasAudio: false,
      codecDescription: layout?.name ?? "", pictureMetadata: first.metadata)
    properties.logCoding = converter.logCoding
    properties.isMirrored = isMirrored
    self.properties = properties
  }

  /// Lets go of the file and of all memory. Nothing can be read afterwards.
  public func close() {
    source = nil
    held = nil
  }

  /// Rows as a picture of their own, which lies in memory that the next call uses again. Those that were in
  /// the last one are not decoded again; rows before it are decoded from the first row on.
  ///
  /// - Parameter rows: at least one, of those that the picture has (``properties``).
  /// - Throws: `invalidParameter` for no rows, or for some that the picture lacks, `malformed` for a damaged file,
  ///   `outOfMemory`, `invalidState` after ``close()``.
  public func strip(_ rows: Range<Int>) throws(CinematicError) -> PixelBuffer {
    guard let source else {
      throw CinematicError(.invalidState, "\(path) is closed, and none of it can be read")
    }
    let height = properties.dimensions.height
    guard !rows.isEmpty, rows.lowerBound >= 0, rows.upperBound <= height else {
      throw CinematicError(
        .invalidParameter, "\(path) has no rows \(rows): it has \(height)",
        remedy: "ask for one or more of 0..<\(height)")
    }
    let width = properties.dimensions.width
    let last = held
    held = nil
    var buffer = last?.buffer
    if buffer == nil || buffer!.height < rows.count {
      buffer = try PixelBuffer(
        dimensions: Dimensions(width: width, height: rows.count), format: converter.pixelFormat,
        tags: converter.tags)
    }
    guard let buffer else { throw .outOfMemory(for: path) }
    var new = rows
    if let last, last.rows.contains(rows.lowerBound) {
      let known = rows.lowerBound..<min(last.rows.upperBound, rows.upperBound)
      copy(last.buffer, from: known.lowerBound - last.rows.lowerBound, to: buffer, 0, known.count)
      new = known.upperBound..<rows.upperBound
    }
    // Conversions need their own room: a few rows at a time.
    let step = 128
    for first in stride(from: new.lowerBound, to: new.upperBound, by: step) {
      let part = first..<min(first + step, new.upperBound)
      let read =
        max(
          part.lowerBound - source.margin, 0)..<min(
          part.upperBound + source.margin, source.dimensions.height)
      let frame = try self.frame(read, of: source)
      let light = frame.unusualLight
      exceedsLight = exceedsLight || light.isTooBright
      holdsNotANumber = holdsNotANumber || light.isNotANumber
      let converted = try converter.convert(frame, path: path)
      if isMirrored { converted.mirrorRows() }
      copy(
        converted, from: part.lowerBound - read.lowerBound, to: buffer,
        part.lowerBound - rows.lowerBound, part.count)
    }
    held = (rows, buffer)
    return buffer.part(columns: 0..<width, rows: 0..<rows.count)
  }

  private func frame(
    _ rows: Range<Int>, of source: any RowSource
  ) throws(CinematicError) -> PictureFrame {
    do throws(CinematicError) {
      let frame = try source.read(rows)
      try source.checkVersion()
      return frame
    } catch {
      // Two versions in one look damaged.
      try source.checkVersion()
      throw error
    }
  }

  /// Copies rows downwards in memory, or to other memory.
  private func copy(
    _ source: PixelBuffer, from first: Int, to target: PixelBuffer, _ row: Int, _ count: Int
  ) {
    let plane = source.planes[0]
    let byteCount = plane.dimensions.width * plane.bytesPerElement
    source.withUnsafeBytes { from in
      target.withUnsafeMutableBytes { to in
        for y in 0..<count {
          let place = to.baseAddress! + (row + y) * target.planes[0].bytesPerRow
          let start = from.baseAddress! + (first + y) * plane.bytesPerRow
          if place != start { place.copyMemory(from: start, byteCount: byteCount) }
        }
      }
    }
  }
}
