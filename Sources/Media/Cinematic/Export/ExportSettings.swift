// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

extension ExportSession {
  /// How movies are rendered and written.
  public struct Settings: Sendable {
    // MARK: Rendering

    /// Of movies; a composition's is that of its compositor.
    public var quality = RenderingQuality.export
    /// Focus and look beyond those that the movies carry; a composition's are those of its instructions.
    public var overrides = FocusOverrides()
    /// The part of a single movie to export, the whole by default. The output begins with the picture
    /// that is on the screen when the range begins, shown for the rest of its time, and is as long as
    /// the range. Of a part of the range beyond the movie's pictures there is the sound that goes on there. Several movies
    /// and compositions are refused with one: a composition's tracks have their parts already.
    public var timeRange: TimeRange?
    /// Told when the work goes from a device to the next, of movies; a composition's compositor tells by itself.
    public var deviceChanged: @Sendable (FrameRenderer.DeviceChange) -> Void = { _ in }

    /// Draws over every frame that is done. Times are those of a single movie's own timeline, and of several
    /// movies' or a composition's whole. Called for several frames at the same time. Colours are multiplied by alpha where
    /// ``FocalMedia/StillKind/holdsPremultipliedAlpha`` says so of the output.
    public var drawing: FrameDrawing?

    // MARK: Writing

    /// Tracks of captions that a movie gets beside its source's. Times as those of ``drawing``.
    public var captions: [FilmCompanions.TextTrack] = []
    /// The number of a track of captions of a single movie that the output does not get, because it is drawn: from 0, below
    /// ``FocalMedia/FilmCompanions/captionTrackCount``. Movies without such a track are refused, and compositions, whose
    /// captions are not written. Pictures have no captions to leave out.
    public var droppedCaptionTrack: Int?
    /// The long and the short side that pictures have at most, each 2 or more; pictures keep their shape and never grow.
    public var maximumSize: Dimensions?
    public var coding = FilmCoding()
    /// As ``FocalMedia/WriterSettings/stream``.
    public var stream: StreamFormat?
    /// As ``FocalMedia/WriterSettings/constantRateFactor``.
    public var constantRateFactor: Double?
    /// As ``FocalMedia/WriterSettings/pictureQuality``.
    public var pictureQuality: Int?
    /// As ``FocalMedia/WriterSettings/encoderPreset``.
    public var encoderPreset: String?
    /// Whether movies get the sources' sound.
    public var copiesSound = true
    /// Whether an existing output is replaced.
    public var overwrite = false
    /// Whether frames of numbered pictures that are there already are left as they are.
    public var resumes = false
    public var temporaryFiles = TemporaryFiles.shared

    public init() {}

    public init(preset: Preset) {
      quality = preset.quality
      maximumSize = preset.maximumSize
      coding = preset.coding
      constantRateFactor = preset.constantRateFactor
      encoderPreset = preset.encoderPreset
    }
  }
}

extension WriterSettings {
  /// The settings for writing the pictures of a composition, without their sound.
  ///
  /// - Throws: `invalidParameter` for many frames to one picture.
  init(
    _ output: String, _ reader: CompositionReader, source: VideoFormat,
    _ wanted: ExportSession.Settings
  ) throws(CinematicError) {
    let format = try OutputFormat(path: output, stream: wanted.stream)
    if !format.holdsSeveral, reader.frameCount > 1 {
      throw CinematicError(
        .invalidParameter,
        "\(PipePath.outputName(output)) takes one picture, and there are \(reader.frameCount) frames",
        remedy: wanted.stream == nil
          ? "name a movie or a pattern such as frames/%04d.png" : "send y4m, nut, png or jpeg")
    }
    let context = reader.renderContext
    self.init(
      dimensions: context.size, pixelFormat: context.pixelFormat, tags: context.tags)
    timescale = reader.timescale
    expectedFrameCount = reader.frameCount
    if let duration = reader.nominalFrameDuration { nominalFrameDuration = duration }
    // Not every player heeds a movie's turn: what is written stands upright.
    pixelAspectRatio = source.shownPixelAspectRatio
    if source.tags == context.tags {
      colorCodes = source.colorCodes
      hdrMetadata = source.hdrMetadata
    }
    codec = wanted.coding.codec
    stream = wanted.stream
    constantRateFactor = wanted.constantRateFactor
    pictureQuality = wanted.pictureQuality
    encoderPreset = wanted.encoderPreset
    overwrite = wanted.overwrite
    temporaryFiles = wanted.temporaryFiles
  }
}
