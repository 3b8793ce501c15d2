// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering

/// Notes beside the result.
extension RenderJob {
  /// Says which frames are left out or shown twice, and which maps.
  ///
  /// - Parameters:
  ///   - maps: numbered files whose numbers are the pictures'; `nil` for others.
  ///   - mapless: frames without a map.
  func tellOfGaps(_ pictures: FrameReader, maps: FrameReader?, without mapless: Int) {
    let missing = pictures.missingFileCount
    if missing > 0 {
      let isHeld = inputOptions.missing == .hold
      note(
        "\(counted(missing, "picture")) of \(input) \(missing == 1 ? "is" : "are") missing:"
          + (isHeld ? " the one before is shown again" : " there is no such frame"))
    }
    let held = pictures.frameNumbers.count { frame in
      maps.map { !$0.hasOwnFile(numbered: pictures.fileNumber(ofFrame: frame)) } ?? false
    }
    if held > 0, inputOptions.missing == .hold {
      note(
        "\(counted(held, "map")) of \(map ?? input) \(held == 1 ? "is" : "are") missing: the one before is"
          + " held")
    }
    if mapless > 0 {
      note("\(counted(mapless, "frame")) without a map \(mapless == 1 ? "is" : "are") left out")
    }
  }

  /// Says if what is asked for hardly is what is meant: depth taken for disparity, circles larger than
  /// any that are drawn, a focus that nothing has.
  ///
  /// - Parameters:
  ///   - width: of the rendered picture before its turn.
  ///   - fNumber: of the picture; `nil` of a clip whose script changes it.
  func tellDoubts(
    _ maps: SourceProperties, focus: Float, in map: PixelBuffer, width: Int, fNumber: Float?
  ) throws(CinematicError) {
    OutputNotes.tellDoubts(of: maps.pictureMetadata, mapOptions, map: self.map ?? input)
    let info = try DisparityMapInfo(of: map)
    if let fNumber {
      let frame = RenderingSession.FrameAttributes(focusDisparity: focus, fNumber: fNumber)
      OutputNotes.tellOfCircles(
        attributes.largestCircle(of: frame, info, width: width), "--size",
        isUnscaledDepth: isUnscaledDepth(maps))
    }
    if let range = info.range { tellIfNothingIsSharp(at: focus, in: range, of: "the map") }
  }

  /// Whether codes are taken for depths, of which nothing is said.
  private func isUnscaledDepth(_ maps: SourceProperties) -> Bool {
    guard case .disparity(let scale) = mapOptions.content, scale.kind == .depth else {
      return false
    }
    return !statesDisparityRange && !maps.holdsFloats
  }

  /// Says what the picture beside the rendering cannot say of its colours.
  func tellOfBeforeAfter(_ source: SourceProperties) throws(CinematicError) {
    guard let beforeAfter else { return }
    let pixels = try OutputFormat(path: beforeAfter).pixelFormat(for: source)
    var settings = WriterSettings(
      dimensions: source.dimensions, pixelFormat: pixels.format, tags: pixels.tags)
    settings.pictureMetadata.cameraGamut = source.pictureMetadata.cameraGamut
    try OutputNotes(source: inputName, output: beforeAfter, settings: settings).tell()
  }

  /// Of the input, whichever command reads it.
  var sourceNotes: SourceNotes {
    SourceNotes(input: inputName, output: outputName, options: inputOptions)
  }
}
