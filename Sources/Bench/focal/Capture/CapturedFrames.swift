// SPDX-License-Identifier: Apache-2.0

import FocalCapture
import FocalCinematic
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
    var output: (writer: FrameWriter, pixels: OutputPixels)?
    defer { output?.writer.cancel() }
    let properties = session.sourceProperties
    for await frame in frames {
      var picture = frame.pixelBuffer
      if output == nil {
        let pixels = try format.pixelFormat(forSource: picture.format, tags: picture.tags)
        let settings = settings(of: frame, pixels, properties)
        try tell(settings, isPreview: picture.tags != properties.tags, properties)
        output = (try FrameWriter.create(path, settings: settings), pixels)
      }
      guard let (writer, pixels) = output else { continue }
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
      try writer.append(picture, time: frame.time, duration: frame.duration)
    }
    try output?.writer.finish()
  }

  private func settings(
    of frame: CapturedFrame, _ pixels: OutputPixels, _ properties: SourceProperties
  ) -> WriterSettings {
    var settings = WriterSettings(
      dimensions: frame.pixelBuffer.dimensions, pixelFormat: pixels.format, tags: pixels.tags)
    settings.stream = stream
    settings.overwrite = overwrite
    settings.timescale = 90000
    settings.timelineStart = frame.time
    settings.nominalFrameDuration = frame.duration
    settings.pixelAspectRatio = properties.shownPixelAspectRatio
    return settings
  }

  /// Says what the output does not hold.
  private func tell(
    _ settings: WriterSettings, isPreview: Bool, _ properties: SourceProperties
  ) throws(CinematicError) {
    let isMapped = ToneMapping.isNeeded(from: properties.tags, to: settings.tags)
    if isMapped, isPreview {
      note("high dynamic range becomes standard: previews show no more")
    }
    try OutputNotes(
      source: source, output: path, settings: settings, isToneMapped: isMapped && !isPreview
    ).tell()
  }
}
