// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

extension VideoEncoder {
  /// The track of the compressed pictures.
  ///
  /// - Parameters:
  ///   - format: the kind of movie that it is for.
  ///   - keepsSize: whether a size that the codec cannot have is said to be shown; else the movie's
  ///     size is the coded one.
  func track(
    _ settings: WriterSettings, in format: MovieFormat, keepsSize: Bool
  ) -> TrackSettings {
    let codes = settings.storedColorCodes
    let isFull =
      settings.pixelFormat == .yuv420Full8 || settings.pixelFormat == .yuv420Full10
    let color = SampleEntry.ColorDescription(
      primaries: UInt16(truncatingIfNeeded: codes.primaries),
      transfer: UInt16(truncatingIfNeeded: codes.transfer),
      matrix: UInt16(truncatingIfNeeded: codes.matrix), isFullRange: isFull)
    var extensions = [configuration.box, color.box(in: format)] + settings.hdrMetadata.boxes
    let coded = filler.encodedDimensions
    let shown = keepsSize ? settings.dimensions : coded
    if coded != shown {
      extensions.append(SampleEntry.cleanAperture(of: coded, shown: shown))
    }
    var width = Double(shown.width)
    let aspect = settings.pixelAspectRatio
    if aspect != .square, aspect.horizontal > 0, aspect.vertical > 0 {
      extensions.append(
        SampleEntry.pixelAspect(UInt32(aspect.horizontal), UInt32(aspect.vertical)))
      width = width * Double(aspect.horizontal) / Double(aspect.vertical)
    }
    var track = TrackSettings(
      handler: "vide", name: "Video", timescale: settings.timescale,
      sampleEntry: SampleEntry.visual(
        configuration.format, dimensions: coded,
        name: configuration.codec == .hevc ? "HEVC" : "H.264", extensions: extensions, in: format))
    track.shownSize = (width, Double(shown.height))
    track.matrix = TransformMatrix(
      settings.preferredTransform, width: width, height: Double(shown.height))
    track.expectedCount = settings.expectedFrameCount ?? 0
    return track
  }
}
