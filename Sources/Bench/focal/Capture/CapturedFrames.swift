// SPDX-License-Identifier: Apache-2.0

import FocalCapture
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript

/// Writes the frames of a session as they come: into a pipe, or as numbered pictures.
struct CapturedFrames: Sendable {
  /// The camera's name, or the file's.
  var source: String
  var path: String
  /// For a pipe.
  var stream: StreamFormat?
  var overwrite = false
  /// Whether what was found is drawn over the frames.
  var showsDetections = false

  /// - Throws: `invalidParameter` for an output of one picture or of a movie, what writing throws.
  func write(
    _ frames: AsyncStream<CapturedFrame>, of session: CaptureSession
  ) async throws(CinematicError) {
    let format = try OutputFormat(path: path, stream: stream)
    if case .movie = format {
      throw CinematicError(
        .invalidParameter, "\(path) is a movie, and frames go into pipes and numbered pictures",
        remedy: "record films with --baked")
    }
    guard format.holdsSeveral else {
      throw CinematicError(
        .invalidParameter, "\(path) holds one picture",
        remedy: "number them, as in frames/%04d.png, or give - for standard output")
    }
    var writer: FrameWriter?
    defer { writer?.cancel() }
    var stored: OutputPixels?
    let properties = session.sourceProperties
    for await frame in frames {
      var picture = frame.pixelBuffer
      let pixels: OutputPixels
      if let stored {
        pixels = stored
      } else {
        pixels = try format.pixelFormat(forSource: picture.format, tags: picture.tags)
        stored = pixels
        let isMapped = ToneMapping.isNeeded(from: properties.tags, to: pixels.tags)
        let isPreview = picture.tags != properties.tags
        if isMapped, isPreview || format.stillKind == nil {
          note(
            "high dynamic range becomes standard: "
              + (isPreview ? "previews show" : "\(PipePath.outputName(path)) holds") + " no more")
        }
        if format.stillKind != nil {
          try OutputNotes(
            source: source, output: path,
            settings: WriterSettings(
              dimensions: picture.dimensions, pixelFormat: pixels.format, tags: pixels.tags),
            isToneMapped: isMapped && !isPreview
          ).tell()
        }
      }
      if writer == nil {
        var settings = WriterSettings(
          dimensions: picture.dimensions, pixelFormat: pixels.format, tags: pixels.tags)
        settings.stream = stream
        settings.overwrite = overwrite
        settings.timescale = 90000
        settings.timelineStart = frame.time
        settings.nominalFrameDuration = frame.duration
        writer = try FrameWriter.create(path, settings: settings)
      }
      picture = try picture.converted(
        to: pixels.format, tags: pixels.tags,
        by: ToneMapping(
          from: picture.tags, to: pixels.tags, peakLuminance: properties.hdrMetadata.peakLuminance))
      if showsDetections {
        let found = frame.metadata.detections
        try DetectionOverlay(turn: session.preferredTransform).draw(
          found.map(\.detection),
          focus: found.first { $0.cinematicVideoFocusMode != .none }?.detection,
          isStrong: frame.metadata.focusMode == .strong, into: picture)
      }
      try writer?.append(picture, time: frame.time, duration: frame.duration)
    }
    try writer?.finish()
  }
}
