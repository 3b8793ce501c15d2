// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import Synchronization

/// Reads the frames of a picture file, a movie, or numbered picture files, one after another.
///
/// ```swift
/// let reader = try FrameReader.open("clip.mov")
/// while let frame = try reader.next() { … }
/// ```
///
/// A reader holds a few frames at a time, whatever the length of the source. Errors name the file
/// and, in a movie, the frame.
// @unchecked Sendable: the mutable state is touched only inside `lock`.
public final class FrameReader: @unchecked Sendable {
  /// The path as given.
  public let path: String
  public let properties: SourceProperties

  private let lock = Mutex(())
  private let source: any FrameSource
  private let selection: ClosedRange<Int>?
  private let converter: Converter
  private let isMirrored: Bool
  /// The first frame, decoded when the reader was opened.
  private var pending: DecodedFrame?
  /// The number of the last frame that the source gave.
  private var lastIndex: Int?
  private var hasDelivered = false
  private var failure: CinematicError?

  private enum Converter {
    case picture(PictureConverter)
    case disparity(DisparityConverter)

    func convert(_ decoded: DecodedFrame) throws(CinematicError) -> PixelBuffer {
      switch self {
      case .picture(let converter): try converter.convert(decoded.frame, path: decoded.path)
      case .disparity(let converter): try converter.convert(decoded.frame, path: decoded.path)
      }
    }
  }

  /// Opens a source and decodes its first frame.
  ///
  /// - Parameter path: a picture (PNG, JPEG, TIFF, PFM, OpenEXR, told by its content), a movie
  ///   (whatever FFmpeg reads), or a pattern such as `frames/%04d.png`, which stands for every number
  ///   from the lowest there is to the first gap.
  /// - Throws: `unreadable` for a missing file or a folder, `malformed` for an empty, damaged or
  ///   cut-off one, `unsupported` for a file without pictures, `invalidParameter` for a selection
  ///   that begins beyond the last frame.
  public static func open(
    _ path: String, options: ReadOptions = ReadOptions()
  ) throws(CinematicError) -> FrameReader {
    guard options.stillDuration > .zero else {
      throw CinematicError(
        .invalidParameter, "a frame cannot be shown for \(options.stillDuration) s",
        remedy: "give a frame rate above zero")
    }
    if let frames = options.frames, frames.lowerBound < 0 {
      throw CinematicError(
        .invalidParameter, "there is no frame \(frames.lowerBound)",
        remedy: "frames are numbered from 0")
    }
    return try FrameReader(path, try source(path, options), options)
  }

  private static func source(
    _ path: String, _ options: ReadOptions
  ) throws(CinematicError) -> any FrameSource {
    // A file that has a percent sign in its name is that file.
    if !fileExists(path), let pattern = try NumberedPattern(path) {
      return try PatternSource(pattern, frameDuration: options.stillDuration)
    }
    let file = try SourceFile(path: path)
    if let kind = file.stillKind {
      return try StillSource(file, kind: kind, duration: options.stillDuration)
    }
    return try ClipSource(file)
  }

  private init(
    _ path: String, _ source: any FrameSource, _ options: ReadOptions
  ) throws(CinematicError) {
    self.path = path
    self.source = source
    selection = options.frames
    let facts = source.facts
    if let frames = options.frames {
      // What a pattern counts is exact; a movie's count is only believed once it was read.
      if facts.isStill, let count = facts.frameCount, frames.lowerBound >= count {
        throw Self.beyond(frames, path, count)
      }
      source.skip(to: frames.lowerBound)
    }
    guard let first = try source.next() else {
      throw CinematicError(
        .malformed, "\(path) holds no whole picture", remedy: "make or copy the file again")
    }
    pending = first
    let frame = first.frame
    guard frame.dimensions.width <= PixelBuffer.maximumDimension,
      frame.dimensions.height <= PixelBuffer.maximumDimension
    else {
      throw CinematicError(
        .unsupported, "\(path) is too large (\(frame.dimensions))",
        remedy: "width and height must be at most \(PixelBuffer.maximumDimension)")
    }
    let format: PixelFormat
    let tags: ColorTags
    switch options.content {
    case .picture:
      let picture = try PictureConverter(
        first: frame, container: facts.containerColor, isStill: facts.isStill,
        transfer: options.transfer, path: path)
      (format, tags) = (picture.pixelFormat, picture.tags)
      converter = .picture(picture)
    case .disparity(let scale):
      (format, tags) = (.disparityFloat, .linearBT709)
      converter = .disparity(try DisparityConverter(scale, container: facts.containerColor))
    }
    let rotation =
      facts.rotation ?? DisplayRotation(focal_frame_display_matrix(frame.pointer))
    isMirrored = rotation.isMirrored
    properties = Self.properties(
      facts, first, rotation.turn, options, format, tags)
  }

  /// The next frame; `nil` after the last one. After an error every call throws that error.
  public func next() throws(CinematicError) -> Frame? {
    try lock.withLock { _ throws(CinematicError) -> Frame? in
      if let failure { throw failure }
      do throws(CinematicError) {
        return try nextFrame()
      } catch {
        failure = error
        throw error
      }
    }
  }

  private func nextFrame() throws(CinematicError) -> Frame? {
    while true {
      if let selection, let lastIndex, lastIndex >= selection.upperBound { return nil }
      var candidate = pending
      if candidate == nil { candidate = try source.next() }
      guard let decoded = candidate else {
        if !hasDelivered, let selection {
          throw Self.beyond(selection, path, lastIndex.map { $0 + 1 })
        }
        return nil
      }
      pending = nil
      lastIndex = decoded.index
      if let selection, decoded.index < selection.lowerBound { continue }
      guard decoded.frame.dimensions == properties.dimensions else {
        throw CinematicError(
          .incompatible,
          "frame \(decoded.index) of \(path) is \(decoded.frame.dimensions) where the first is"
            + " \(properties.dimensions)", remedy: "give every frame the same size")
      }
      let buffer = try converter.convert(decoded)
      if isMirrored { buffer.mirrorRows() }
      hasDelivered = true
      return Frame(
        pixelBuffer: buffer, time: decoded.time, duration: decoded.duration, index: decoded.index)
    }
  }

  private static func beyond(
    _ frames: ClosedRange<Int>, _ path: String, _ count: Int?
  ) -> CinematicError {
    CinematicError(
      .invalidParameter,
      "\(path) has no frame \(frames.lowerBound)"
        + (count.map { ": it has \($0), numbered from 0" } ?? ""),
      remedy: "choose frames that exist")
  }

  private static func properties(
    _ facts: SourceFacts, _ first: DecodedFrame, _ turn: QuarterTurn, _ options: ReadOptions,
    _ format: PixelFormat, _ tags: ColorTags
  ) -> SourceProperties {
    let layout = PixelLayout(first.frame.pixelFormat)
    var codes = FrameColor(
      first.frame, container: facts.containerColor, isStill: facts.isStill,
      isFloatingPoint: layout?.isFloatingPoint == true,
      isRGB: layout?.isRGB == true || facts.isStill
    ).codes
    if options.transfer != nil { codes.transfer = ColorCodes(tags).transfer }
    var count = facts.frameCount
    var duration = facts.duration
    if let frames = options.frames {
      count = count.map { max(0, min($0, frames.upperBound + 1) - frames.lowerBound) }
      if let count { duration = facts.nominalFrameDuration * count }
    }
    // One timescale for frame times and steps; the finer where they have no common one.
    let timescale = max((first.time + first.duration).timescale, first.time.timescale)
    return SourceProperties(
      kind: facts.kind, dimensions: first.frame.dimensions, pixelFormat: format, tags: tags,
      colorCodes: codes,
      hdrMetadata: facts.hdrMetadata.filled(
        from: HDRMetadata(
          focal_frame_mastering_display(first.frame.pointer),
          focal_frame_content_light(first.frame.pointer))), bitDepth: layout?.depth ?? 8,
      preferredTransform: turn,
      pixelAspectRatio: facts.pixelAspectRatio, frameCountEstimate: count,
      durationEstimate: duration, startTime: facts.startTime, timescale: timescale,
      nominalFrameDuration: facts.nominalFrameDuration, hasAudio: facts.hasAudio,
      codecDescription: "\(facts.codecName) (\(layout?.name ?? "unknown"))")
  }
}
