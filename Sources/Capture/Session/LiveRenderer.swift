// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// Gives frames their blur while they come.
struct LiveRenderer: Sendable {
  private let source: SourceProperties
  private let renderer: FrameRenderer

  /// - Throws: what the renderer throws for devices and look.
  init(
    _ source: SourceProperties, look: Look, devices: [Device], quality: RenderingQuality
  ) throws(CinematicError) {
    self.source = source
    renderer = try FrameRenderer(
      devices: devices, sessionAttributes: RenderingSession.Attributes().with(look),
      quality: quality)
  }

  /// The picture as it is shown.
  ///
  /// - Parameters:
  ///   - dimensions: as shown.
  ///   - tags: high dynamic range becomes standard where these are of standard range.
  /// - Throws: what the renderer throws.
  func render(
    _ frame: AnalyzedFrame, dimensions: Dimensions, format: PixelFormat, tags: ColorTags
  ) async throws(CinematicError) -> PixelBuffer {
    var attributes = RenderingSession.FrameAttributes(
      focusDisparity: frame.metadata.focusDisparity, fNumber: frame.metadata.fNumber)
    attributes.toneMapping = ToneMapping(
      from: source.tags, to: tags, peakLuminance: source.hdrMetadata.peakLuminance)
    let destination = try PixelBuffer(dimensions: dimensions, format: format, tags: tags)
    var job = FrameRenderer.Frame(
      number: 0, sourceImage: frame.picture.pixelBuffer, sourceDisparity: frame.map,
      attributes: attributes, preferredTransform: source.preferredTransform,
      destination: destination)
    job.disparityInfo = frame.mapInfo
    try await renderer.completed(renderer.commit(job))
    return destination
  }
}
