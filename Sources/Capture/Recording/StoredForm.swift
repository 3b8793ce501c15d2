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
    let coding = recording.settledCoding(for: source)
    let pixels = try recording.pixels(for: source, in: path)
    settings = WriterSettings(
      keeping: source, dimensions: isUpright ? source.shownDimensions : source.dimensions,
      pixelFormat: pixels.format, tags: pixels.tags)
    if isUpright {
      settings.preferredTransform = .identity
      settings.pixelAspectRatio = source.shownPixelAspectRatio
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
    if picture.format == .yuv420Video8, settings.pixelFormat == .yuv420Video10,
      picture.tags == settings.tags
    {
      return try picture.widened()
    }
    return try picture.converted(to: settings.pixelFormat, tags: settings.tags, by: toneMapping)
  }
}

extension PixelBuffer {
  /// The same codes of the video range in ten bits, which are exactly four times as large, in the high bits of words. By
  /// way of light chroma would lose its edges, and each picture tens of milliseconds.
  fileprivate func widened() throws(CinematicError) -> PixelBuffer {
    let result = try PixelBuffer(dimensions: dimensions, format: .yuv420Video10, tags: tags)
    for (index, plane) in planes.enumerated() {
      let count = plane.dimensions.width * plane.bytesPerElement
      let target = result.planes[index].bytesPerRow
      withUnsafeBytes(ofPlane: index) { codes in
        result.withUnsafeMutableBytes(ofPlane: index) { words in
          for y in 0..<plane.dimensions.height {
            for x in 0..<count {
              words.storeBytes(
                of: UInt16(codes[y * plane.bytesPerRow + x]) << 8, toByteOffset: y * target + 2 * x,
                as: UInt16.self)
            }
          }
        }
      }
    }
    return result
  }
}
