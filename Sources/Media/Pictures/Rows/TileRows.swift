// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// A HEIC or AVIF picture in tiles, of which a row at a time is decoded.
final class TileRows: RowSource {
  let dimensions: Dimensions
  let prototype: PictureFrame
  let margin = 0
  private let tiles: HEIFTiles
  private let kind: StillKind
  private let path: String
  private let request: StillRequest
  private let bytesPerPixel: Int
  /// The tiles that were decoded last.
  private var held: (row: Int, frames: [PictureFrame])?

  /// `nil` for a picture that is no grid, or one that is turned or cut.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - opened: the same.
  /// - Throws: `outOfMemory`, and what the file's descriptions throw.
  init?(_ bytes: [UInt8], _ opened: HEIFFile, _ kind: StillKind) throws(CinematicError) {
    guard let tiles = HEIFTiles(bytes), tiles.dimensions == opened.dimensions else { return nil }
    self.tiles = tiles
    self.kind = kind
    path = opened.path
    var request = StillRequest(path)
    request.isConvertedWhole = false
    self.request = request
    dimensions = tiles.dimensions
    prototype = try opened.prototype()
    bytesPerPixel =
      Int(av_get_padded_bits_per_pixel(av_pix_fmt_desc_get(prototype.pixelFormat))) / 8
  }

  func read(_ rows: Range<Int>) throws(CinematicError) -> PictureFrame {
    guard
      let frame = PictureFrame(
        prototype.pixelFormat, Dimensions(width: dimensions.width, height: rows.count))
    else { throw .outOfMemory(for: path) }
    av_frame_copy_props(frame.pointer, prototype.pointer)
    frame.metadata = prototype.metadata
    for y in rows {
      let line = try tileRow(y / tiles.tile.height)
      for (column, tile) in line.enumerated() {
        let first = column * tiles.tile.width
        let count = min(tiles.tile.width, dimensions.width - first)
        let place = frame.row(y - rows.lowerBound, ofPlane: 0) + first * bytesPerPixel
        place.copyMemory(
          from: tile.row(y % tiles.tile.height, ofPlane: 0), byteCount: count * bytesPerPixel)
      }
    }
    return frame
  }

  /// The tiles of a row that lie in the picture.
  private func tileRow(_ row: Int) throws(CinematicError) -> [PictureFrame] {
    if let held, held.row == row { return held.frames }
    held = nil
    let columns = (dimensions.width + tiles.tile.width - 1) / tiles.tile.width
    let frames = try Concurrent.map(columns) { column throws(CinematicError) in
      let file = try tiles.file(row * tiles.columns + column)
      let frame = try HEIFFile(file, kind, path: path).picture(request)
      guard frame.pixelFormat == prototype.pixelFormat, frame.dimensions == tiles.tile else {
        throw CinematicError(
          .malformed, "\(path) is damaged or cut short (\(kind.name): its tiles differ)",
          remedy: "make or copy the file again")
      }
      return frame
    }
    held = (row, frames)
    return frames
  }
}

/// Independent pieces of work on several threads.
enum Concurrent {
  /// Each piece needs memory of its own, which many cores would multiply.
  private static let mostThreads = 8

  /// The results of pieces of work, in their order.
  ///
  /// - Parameters:
  ///   - isParallel: whether pieces run at the same time.
  ///   - body: called from several threads; each call touches only what is its own.
  /// - Throws: the error of the first piece that failed.
  static func map<Value>(
    _ count: Int, isParallel: Bool = true, _ body: (Int) throws(CinematicError) -> Value
  ) throws(CinematicError) -> [Value] {
    var results: [Result<Value, CinematicError>?] = Array(repeating: nil, count: count)
    results.withUnsafeMutableBufferPointer { results in
      parallelFor(count, threads: isParallel ? mostThreads : 1) { index in
        do throws(CinematicError) {
          results[index] = .success(try body(index))
        } catch {
          results[index] = .failure(error)
        }
      }
    }
    var values: [Value] = []
    for result in results {
      guard let result else { continue }
      values.append(try result.get())
    }
    return values
  }
}
