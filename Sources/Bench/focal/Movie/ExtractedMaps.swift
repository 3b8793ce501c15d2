// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalMedia
import Foundation

/// Writes the disparity of a Cinematic movie so that an import of its pictures takes it as it was:
/// as numbered pictures that lie as the movie is shown, or as a movie of the maps as they are coded.
struct ExtractedMaps {
  let info: AssetInfo
  let reader: CinematicReader
  let output: String
  let overwrite: Bool

  private var movie: String { info.asset.name }
  private var scale: DisparityScale { reader.disparityRange.scale }

  /// - Returns: the maps' size as they are shown, and the output by its name, of one numbered map the file.
  /// - Throws: `invalidParameter` for many maps to one picture, what reading and writing throw.
  func write() throws -> (size: Dimensions, path: String) {
    try OutputFormat.checkFile(output, endings: ".mov, or number pictures as in maps/%04d.png")
    let format = try OutputFormat(path: output)
    let stored = try waiting { [info] () async throws(CinematicError) -> Dimensions in
      try await info.cinematicDisparityTrack.load(.naturalSize)
    }
    let size = info.preferredTransform.applied(to: stored)
    if case .movie = format {
      try writeMovie()
      return (size, output)
    }
    if case .still = format, reader.frameCount > 1 {
      throw CinematicError(
        .invalidParameter, "\(output) holds one map, and \(movie) has \(reader.frameCount)",
        remedy: "number them, as in maps/%04d.png")
    }
    let holdFloats = [.pfm, .openEXR].contains(format.stillKind)
    let path = try writePictures(size, holdFloats: holdFloats)
    return (size, path)
  }

  /// The maps as they are coded.
  private func writeMovie() throws {
    try waiting { [info, output, overwrite] () async throws(CinematicError) in
      try await DisparityMovie.write(info, to: output, overwrite: overwrite)
    }
    tellOfRange()
    if let hole = reader.disparityRange.holeCode {
      note("pixels of the luma code \(hole) have no disparity")
    }
  }

  /// - Parameter holdFloats: whether the files keep disparities; else black is the movie's smallest
  ///   and white its largest.
  /// - Returns: the output by its name, of one numbered map the file.
  private func writePictures(_ size: Dimensions, holdFloats: Bool) throws -> String {
    let turn = info.preferredTransform
    var settings = WriterSettings(
      dimensions: size, pixelFormat: .disparityFloat, tags: .linearBT709)
    settings.overwrite = overwrite
    let writer = try FrameWriter.create(output, settings: settings)
    defer { writer.cancel() }
    for number in 0..<reader.frameCount {
      let map = try waiting { [reader] () async throws(CinematicError) -> PixelBuffer? in
        try await reader.disparity(number: number)
      }
      guard var map else {
        throw CinematicError(
          .incomplete, "\(movie) has no disparity for frame \(number)",
          remedy: "it cannot be extracted as a row of maps; render it as it is")
      }
      if turn != .identity { map = try map.turnedDisparity(by: turn) }
      if !holdFloats, scale != .unit { map = try codes(of: map) }
      let range = reader.timeRange(ofFrame: number)
      try writer.append(map, time: range.start, duration: range.duration)
    }
    try writer.finish()
    if holdFloats {
      note("for the same codes, import with --disparity-range \(scale.low),\(scale.high)")
    } else {
      tellOfRange()
      if reader.disparityRange.holeCode != nil {
        note("pixels without a disparity are black; .pfm and .exr keep them apart")
      }
    }
    return writer.writtenPath
  }

  /// Shares of the movie's range, as files of whole numbers hold them.
  private func codes(of map: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    let result = try PixelBuffer(
      dimensions: map.dimensions, format: .disparityFloat, tags: map.tags)
    let (low, extent) = (scale.low, scale.high - scale.low)
    map.withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        for y in 0..<map.height {
          let from = y * map.planes[0].bytesPerRow
          let to = y * result.planes[0].bytesPerRow
          for x in 0..<map.width {
            let value = source.loadUnaligned(fromByteOffset: from + 4 * x, as: Float.self)
            target.storeBytes(
              of: (value - low) / extent, toByteOffset: to + 4 * x, as: Float.self)
          }
        }
      }
    }
    return result
  }

  private func tellOfRange() {
    guard scale != .unit else { return }
    note(
      "black is a disparity of \(scale.low), white \(scale.high): read it with"
        + " --disparity-range \(scale.low),\(scale.high)")
  }
}
