// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

extension VideoEncoder {
  /// The track of the compressed pictures, in a kind of movie. Where the codec cannot have the size, it says
  /// which part is shown.
  func track(_ settings: WriterSettings, in movie: MovieFormat) -> TrackSettings {
    // FFV1 itself says nothing about the range, and QuickTime's form of the box neither.
    let colors = color.box(in: format.entry == "FFV1" ? .mp4 : movie)
    var extensions = format.extensions + [colors] + settings.hdrMetadata.boxes
    let coded = filler.encodedDimensions
    let shown = settings.dimensions
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
        format.entry, dimensions: coded, name: format.name, extensions: extensions,
        depth: format.depth, in: movie))
    track.shownSize = (width, Double(shown.height))
    track.matrix = TransformMatrix(
      settings.preferredTransform, width: width, height: Double(shown.height))
    track.expectedCount = settings.expectedFrameCount ?? 0
    return track
  }
}

extension WriterSettings {
  /// The colours that a movie stores.
  func colorDescription(_ pixels: CodedPixels) -> SampleEntry.ColorDescription {
    let codes = storedColorCodes
    return SampleEntry.ColorDescription(
      primaries: UInt16(truncatingIfNeeded: codes.primaries),
      transfer: UInt16(truncatingIfNeeded: codes.transfer),
      // Red, green and blue have no matrix, which is code 0.
      matrix: pixels.chroma == .rgb ? 0 : UInt16(truncatingIfNeeded: codes.matrix),
      isFullRange: pixels.isFullRange)
  }
}
