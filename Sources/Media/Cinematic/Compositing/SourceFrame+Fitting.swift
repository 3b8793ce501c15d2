// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// Where a source's picture goes in a composition's, and how its colours become the composition's.
extension SourceFrame {
  /// The part of a picture that the source fills. The rest is made black.
  func destination(in picture: PixelBuffer) -> PixelBuffer {
    let shown = preferredTransform.applied(to: pixelBuffer.dimensions)
    let fit = PictureFit(shown, in: picture.dimensions)
    guard !fit.isWhole else { return picture }
    picture.fillBlack()
    return picture.part(columns: fit.columns, rows: fit.rows)
  }

  /// How a source of high dynamic range comes into a picture of standard range; `nil` for others.
  ///
  /// - Throws: what reading the source throws.
  func toneMapping(to tags: ColorTags) async throws(CinematicError) -> ToneMapping? {
    guard ToneMapping.isNeeded(from: pixelBuffer.tags, to: tags) else { return nil }
    let stated = try await track.load(.videoFormat).hdrMetadata.peakLuminance
    return ToneMapping(from: pixelBuffer.tags, to: tags, peakLuminance: stated)
  }
}

extension PixelBuffer {
  /// The same codes. Those of standard range are taken by the composition's curve, whichever their own, so that they
  /// stay.
  func codesTaken(by tags: ColorTags) -> PixelBuffer {
    guard self.tags.transfer.isStandardRange, tags.transfer.isStandardRange,
      self.tags.transfer != tags.transfer
    else { return self }
    var taken = self.tags
    taken.transfer = tags.transfer
    return tagged(taken)
  }

  /// A picture in the composition's primaries.
  ///
  /// - Throws: `outOfMemory`.
  func adapted(to tags: ColorTags) throws(CinematicError) -> PixelBuffer {
    let image = codesTaken(by: tags)
    guard image.tags.primaries != tags.primaries else { return image }
    return try PrimariesConversion(from: image.tags.primaries, to: tags.primaries)
      .convert(image, to: tags.primaries)
  }
}
