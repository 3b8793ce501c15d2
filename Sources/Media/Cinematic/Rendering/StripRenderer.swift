// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

/// Renders a picture of any size from a file to a file, strip by strip, at its size or another: neither is held
/// whole.
///
/// The source is read twice: once for what lies behind (``FocalRendering/TiledPicture``), once for the
/// strips; a third time, first of all, if pixels may have alpha. The result is bit-identical to that of a
/// ``FocalRendering/FrameRenderer``.
public struct StripRenderer: Sendable {
  /// Takes the strips of the source and those of the result as they are made. Called from the task that renders, one
  /// call after the other.
  public protocol Companion: AnyObject {
    /// Begins, or begins anew on another device.
    ///
    /// - Parameter hasAlpha: whether any pixel's alpha is below 1.
    func begin(hasAlpha: Bool) throws(CinematicError)

    /// Takes the next strip, whose buffers are used again afterwards.
    ///
    /// - Parameters:
    ///   - source: rows of the source.
    ///   - firstRow: the row of the source that they begin with.
    ///   - result: in linear light where the file will hold a camera's codes.
    ///   - rect: where the result lies in the picture as it is written.
    func add(
      _ source: PixelBuffer, at firstRow: Int, _ result: PixelBuffer, at rect: PixelRect
    ) throws(CinematicError)
  }

  /// Best first.
  public var devices: [Device]
  public var sessionAttributes: RenderingSession.Attributes
  public var quality: RenderingQuality

  /// Bytes of a strip of the source, with all that it needs around it, and of two strips of the result: one
  /// is rendered and one written. Lower strips take less and are mostly apron.
  private static let mostBytes = 768 << 20

  public init(
    devices: [Device], sessionAttributes: RenderingSession.Attributes = .init(),
    quality: RenderingQuality
  ) {
    self.devices = devices
    self.sessionAttributes = sessionAttributes
    self.quality = quality
  }

  /// Renders a picture. Cancelling the calling task ends it before the next strip, and nothing of the output is left.
  ///
  /// - Parameters:
  ///   - disparity: of the whole picture.
  ///   - settings: of the output, with its format and tags. Its size is that of the source, or another of the
  ///     same shape, before `preferredTransform`, by which what is written is turned.
  ///   - progress: told how many pieces of the work are done.
  ///   - companion: given what is read and what is made of it.
  ///   - deviceChanged: told of a device that failed, and the next one, which begins anew.
  /// - Returns: the device that rendered it.
  /// - Throws: `cancelled`, and what reading, rendering and writing throw.
  public func render(
    _ reader: PictureStripReader, disparity: PixelBuffer,
    frameAttributes: RenderingSession.FrameAttributes, to path: String, settings: WriterSettings,
    companion: (any Companion)? = nil,
    progress: (_ completed: Int, _ total: Int) -> Void = { _, _ in },
    deviceChanged: (FrameRenderer.DeviceChange) -> Void = { _ in }
  ) async throws(CinematicError) -> Device {
    for (place, device) in devices.enumerated() {
      let writer: PictureStripWriter
      do throws(CinematicError) {
        writer = try await render(
          reader, disparity, frameAttributes, path, settings, companion, progress, on: device)
      } catch {
        guard error.isOfDevice, place + 1 < devices.count else { throw error }
        deviceChanged(
          FrameRenderer.DeviceChange(
            old: device, new: devices[place + 1], reason: error, frameNumber: 0))
        continue
      }
      // An encoder of whole pictures needs the memory.
      reader.close()
      try writer.finish()
      return device
    }
    throw CinematicError(
      .invalidParameter, "there is no device to render on", remedy: "give one, such as .cpu()")
  }

  private func render(
    _ reader: PictureStripReader, _ disparity: PixelBuffer,
    _ frameAttributes: RenderingSession.FrameAttributes, _ path: String,
    _ settings: WriterSettings, _ companion: (any Companion)?, _ progress: (Int, Int) -> Void,
    on device: Device
  ) async throws(CinematicError) -> PictureStripWriter {
    let session = try ImageRenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: sessionAttributes,
      quality: quality)
    let mayHaveAlpha = reader.mayHaveAlpha && settings.pixelFormat.hasAlpha
    let mode: AlphaMode =
      reader.properties.pictureMetadata.hasPremultipliedAlpha ? .premultiplied : .straight
    let isTranslucent = mayHaveAlpha ? try hasAlpha(reader, path) : false
    let picture = try session.makeTiledPicture(
      size: settings.dimensions, sourceSize: reader.properties.dimensions,
      preferredTransform: settings.preferredTransform, disparity: .pixelBuffer(disparity),
      frameAttributes: frameAttributes,
      alpha: isTranslucent ? mode : nil)
    let writtenMode: AlphaMode =
      try OutputFormat(path: path).stillKind?.holdsPremultipliedAlpha == true
      ? .premultiplied : .straight
    // Light becomes codes of the camera's curve again, where the file holds codes.
    let logCoding =
      try OutputFormat(path: path).holdsLight ? nil : reader.properties.logCoding
    var tags = settings.tags
    if logCoding != nil { tags.transfer = .linear }
    let writer = try PictureStripWriter(path, settings: settings, hasAlpha: isTranslucent)
    try companion?.begin(hasAlpha: isTranslucent)
    let strips = self.strips(
      of: picture, reader.properties.pixelFormat.bytesPerPixel, settings.pixelFormat.bytesPerPixel)
    let total = strips.count * (picture.needsBackdrop ? 2 : 1)
    var done = 0
    if picture.needsBackdrop {
      for strip in strips {
        try checkCancellation(path)
        let rect = picture.minimumTileExtendRect(forTileRect: strip)
        let source = try reader.strip(rect.rows)
        let buffer = session.commandQueue.makeCommandBuffer()
        try session.encodeBackdrop(
          to: buffer, of: picture, rows: strip.rows, sourceTile: .pixelBuffer(source),
          tileExtendRect: rect)
        buffer.commit()
        try await buffer.completed()
        done += 1
        progress(done, total)
      }
    }
    // A strip is written while the next one is rendered; the source has the memory of one.
    var written: PixelBuffer?
    for strip in strips {
      try checkCancellation(path)
      let rect = picture.minimumTileExtendRect(forTileRect: strip)
      let source = try reader.strip(rect.rows)
      let tile = try PixelBuffer(
        dimensions: settings.preferredTransform.applied(to: strip.dimensions),
        format: settings.pixelFormat, tags: tags)
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeTileRender(
        to: buffer, of: picture, sourceTile: .pixelBuffer(source), tileExtendRect: rect,
        destinationTile: .pixelBuffer(tile, alpha: writtenMode), tileRect: strip)
      buffer.commit()
      if let written { try writer.append(written) }
      try await buffer.completed()
      try companion?.add(
        source, at: rect.y, tile,
        at: strip.turned(by: settings.preferredTransform, in: settings.dimensions))
      if let logCoding {
        tile.encodeLog(logCoding.curve, isFullRange: logCoding.isFullRange)
      }
      written = logCoding == nil ? tile : tile.tagged(settings.tags)
      done += 1
      progress(done, total)
    }
    if let written { try writer.append(written) }
    try checkCancellation(path)
    return writer
  }

  private func checkCancellation(_ path: String) throws(CinematicError) {
    if Task.isCancelled {
      throw CinematicError(.cancelled, "the rendering to \(path) was cancelled")
    }
  }

  private func hasAlpha(
    _ reader: PictureStripReader, _ path: String
  ) throws(CinematicError) -> Bool {
    let size = reader.properties.dimensions
    for first in stride(from: 0, to: size.height, by: 256) {
      try checkCancellation(path)
      if try reader.strip(first..<min(first + 256, size.height)).isTranslucent { return true }
    }
    return false
  }

  /// The highest strips whose source, with what it needs around it, is small enough.
  private func strips(
    of picture: TiledPicture, _ sourceBytes: Int, _ resultBytes: Int
  ) -> [PixelRect] {
    let (source, result) = (picture.sourceSize, picture.size)
    var rows = 4096
    while true {
      let strips = picture.strips(rows: rows)
      let most = strips.map { picture.minimumTileExtendRect(forTileRect: $0).height }.max() ?? 0
      let bytes = source.width * most * sourceBytes + 2 * result.width * rows * resultBytes
      if bytes <= Self.mostBytes || rows <= 128 { return strips }
      rows /= 2
    }
  }
}

extension CinematicError {
  fileprivate var isOfDevice: Bool { code == .deviceLost || code == .outOfMemory }
}

extension PixelFormat {
  /// Of formats of one plane.
  fileprivate var bytesPerPixel: Int { planes[0].bytesPerElement }
}
