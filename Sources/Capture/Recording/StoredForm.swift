// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// How the pictures of a source are stored in a movie or a still.
struct StoredForm: Sendable {
  var settings: WriterSettings
  /// How high dynamic range becomes standard, if it does.
  private var toneMapping: ToneMapping?

  /// - Parameter isUpright: whether pictures come as they are shown, and not as they are stored.
  /// - Throws: `invalidParameter` for chroma or depth that the codec does not have, or another name.
  init(
    _ path: String, _ source: SourceProperties, _ recording: CaptureRecording, isUpright: Bool
  ) throws(CinematicError) {
    var coding = recording.coding
    if coding.codec == .automatic {
      coding.codec = (coding.bitDepth ?? source.bitDepth) > 8 ? .hevc : .h264
    }
    let pixels = try OutputFormat(path: path).pixelFormat(for: source, coding: coding)
    settings = WriterSettings(
      keeping: source, dimensions: isUpright ? source.shownDimensions : source.dimensions,
      pixelFormat: pixels.format, tags: pixels.tags)
    if isUpright {
      settings.preferredTransform = .identity
      if source.shownDimensions != source.dimensions {
        settings.pixelAspectRatio = PixelAspectRatio(
          horizontal: source.pixelAspectRatio.vertical,
          vertical: source.pixelAspectRatio.horizontal)
      }
    }
    settings.codec = coding.codec
    settings.codedPixels = pixels.coded
    settings.constantRateFactor = recording.constantRateFactor ?? 18
    settings.encoderPreset = recording.encoderPreset ?? "superfast"
    settings.isLive = true
    settings.expectedFrameCount = nil
    settings.overwrite = recording.overwrite
    settings.temporaryFiles = recording.temporaryFiles
    if ![.h264, .hevc].contains(coding.codec) {
      settings.constantRateFactor = recording.constantRateFactor
      settings.encoderPreset = recording.encoderPreset
    }
    toneMapping = ToneMapping(
      from: source.tags, to: pixels.tags, peakLuminance: source.hdrMetadata.peakLuminance)
  }

  /// A picture as it is compressed.
  ///
  /// - Throws: `outOfMemory`.
  func stored(_ picture: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    try picture.converted(to: settings.pixelFormat, tags: settings.tags, by: toneMapping)
  }
}
