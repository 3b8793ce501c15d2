// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering

/// The gain map of a photograph of high dynamic range.
extension RenderJob {
  /// Whether what is written can have the photograph's gain map.
  func keepsGainMap(of source: SourceProperties, in format: OutputFormat) -> Bool {
    // Numbered pictures have files of their own, each with a map of its own.
    if case .numbered = format { return false }
    let isStandard =
      source.tags.transfer.isStandardRange || source.pictureMetadata.profile != nil
    return source.kind == .still && source.pictureMetadata.companions.contains(.gainMap)
      && format.stillKind == .jpeg
      && isStandard && script == nil && legend == nil && inputOptions.workingSpace == nil
      && inputOptions.half == nil
  }

  /// The gain map, rendered as the photograph is.
  ///
  /// - Parameters:
  ///   - photograph: as it is read.
  ///   - output: the rendered picture's size before its turn.
  ///   - rows: adds the photograph's rows.
  /// - Returns: `nil`, with a line that says why, for a map that is damaged or not explained.
  /// - Throws: what reading the photograph and rendering throw.
  func gainMap(
    of photograph: Asset, _ source: SourceProperties, to output: Dimensions,
    disparity: PixelBuffer, frame: RenderingSession.FrameAttributes,
    rows: (GainMapRenderer) async throws(CinematicError) -> Void
  ) async throws(CinematicError) -> GainMapFile? {
    let found: GainMap?
    do throws(CinematicError) {
      found = try await GainMap.load(from: photograph)
    } catch {
      guard error.code == .malformed || error.code == .unsupported else { throw error }
      note("the gain map of \(inputName) is left out: \(error.message)")
      return nil
    }
    guard let found else {
      note(
        "the gain map of \(inputName) is left out: it is cut off, or nothing says how bright it makes"
          + " what it shows")
      return nil
    }
    if found.storedDimensions != found.dimensions {
      note(
        "the gain map of \(inputName) has \(found.storedDimensions) pixels and is averaged to"
          + " \(found.dimensions)")
    }
    let renderer = try GainMapRenderer(
      found, of: source.dimensions, tags: source.tags, to: output)
    try await rows(renderer)
    let map = try renderer.rendered(
      disparity: disparity, frameAttributes: frame, turn: source.preferredTransform,
      devices: devices, attributes: attributes, quality: quality)
    return try GainMapFile(map, quality: pictureQuality, path: outputName)
  }
}
