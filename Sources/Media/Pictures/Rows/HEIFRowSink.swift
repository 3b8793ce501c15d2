// SPDX-License-Identifier: Apache-2.0

import CHEIF
import FocalCore

/// HEIC and AVIF, to a file or into memory.
///
/// Encoders take whole pictures. Larger ones than any decoder has to take are a grid of tiles, of which a row at
/// a time is held, and another grid of alpha. HEIC pictures are grids from 2 megapixels on, as phones make them: the
/// tiles of a row are encoded at the same time.
final class HEIFRowSink: RowSink {
  /// Luma samples of a picture at HEVC's and AV1's highest level, 6.2 (ITU-T H.265 table A.8; AV1, annex A.3).
  static let largestPicture = 35_651_584
  /// Pixels of the largest HEIC picture that is encoded by one thread.
  static let largestHEIC = 2 << 20
  /// The longest side of a tile: level 5 decodes it. Smaller ones of HEIC keep more threads busy.
  private static func largestTile(_ kind: StillKind) -> Int { kind == .heic ? 1024 : 2048 }

  /// The whole picture, or a tile's colours or alpha.
  private struct Image {
    let part: HEIFEncoding.Part
    let pointer: OpaquePointer
    /// Of the row of tiles.
    let column: Int
  }

  private let layout: RowLayout
  private let encoding: HEIFEncoding
  private let file: OutputFile?
  /// The picture, or the tiles of a row; none once encoded.
  private var images: [Image] = []
  private let tile: Dimensions
  private var grid: HEIFGrid?
  /// The next row of the picture.
  private var next = 0
  /// Files in memory.
  private var written: [UInt8] = []

  /// - Parameters:
  ///   - file: `nil` for a file in memory.
  ///   - largestPicture: pixels above which the picture is divided; `nil` for the kind's.
  ///   - largestTile: a multiple of 64; `nil` for the kind's.
  /// - Throws: `unsupported` where the library has no encoder.
  init(
    _ picture: StillPicture, _ kind: StillKind, _ layout: RowLayout, _ file: OutputFile?,
    largestPicture: Int? = nil, largestTile: Int? = nil
  ) throws(CinematicError) {
    self.layout = layout
    self.file = file
    encoding = try HEIFEncoding(picture, kind, layout)
    let size = layout.dimensions
    let largest = kind == .heic ? Self.largestHEIC : Self.largestPicture
    guard size.count > largestPicture ?? largest else {
      tile = size
      try add(.whole, column: 0)
      return
    }
    let grid = HEIFGrid(
      size, largestTile: largestTile ?? Self.largestTile(kind),
      alpha: layout.hasAlpha ? (kind == .avif ? .av1 : .hevc) : nil)
    tile = grid.tile
    self.grid = grid
    for column in 0..<grid.columns {
      try add(.colors, column: column)
      if layout.hasAlpha { try add(.alpha, column: column) }
    }
  }

  private func add(_ part: HEIFEncoding.Part, column: Int) throws(CinematicError) {
    images.append(
      Image(part: part, pointer: try encoding.makeImage(tile, part), column: column))
  }

  deinit { for image in images { heif_image_release(image.pointer) } }

  /// A whole file.
  static func file(
    _ picture: StillPicture, _ kind: StillKind
  ) throws(CinematicError) -> [UInt8] {
    let rows = try HEIFRowSink(picture, kind, RowLayout(picture), nil)
    try rows.write(picture.buffer)
    try rows.finish()
    return rows.written
  }

  func write(_ rows: PixelBuffer) throws(CinematicError) {
    for y in 0..<rows.height {
      for image in images { try write(rows, y, to: image) }
      next += 1
      guard grid != nil, next % tile.height == 0 || next == layout.dimensions.height else {
        continue
      }
      try encodeTiles()
    }
  }

  private func plane(
    of image: Image
  ) throws(CinematicError) -> (bytes: UnsafeMutablePointer<UInt8>, stride: Int) {
    var stride: Int32 = 0
    guard
      let bytes = heif_image_get_plane(image.pointer, encoding.channel(of: image.part), &stride)
    else { throw .outOfMemory(for: encoding.picture.path) }
    return (bytes, Int(stride))
  }

  /// Writes a row of the picture to an image; columns beyond it repeat its last.
  private func write(_ rows: PixelBuffer, _ y: Int, to image: Image) throws(CinematicError) {
    let plane = try plane(of: image)
    let scale = Float(1 << encoding.bits - 1)
    let channels = PixelRows.channels(of: rows.format)
    let first = image.column * tile.width
    let out = UnsafeMutableRawPointer(plane.bytes) + next % tile.height * plane.stride
    let part = rows.part(
      columns: first..<min(first + tile.width, rows.width), rows: y..<(y + 1))
    let components = encoding.components(of: image.part)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: part.width) { values in
      for (place, component) in components.enumerated() {
        PixelRows.read(
          part, channel: min(component, channels - 1), of: channels, row: 0,
          into: values.baseAddress!)
        for x in 0..<tile.width {
          let value = values[min(x, part.width - 1)]
          let code = value > 0 ? min(value, 1) * scale + 0.5 : 0
          let index = components.count * x + place
          if layout.isDeep {
            out.storeBytes(of: UInt16(code), toByteOffset: 2 * index, as: UInt16.self)
          } else {
            out.storeBytes(of: UInt8(code), toByteOffset: index, as: UInt8.self)
          }
        }
      }
    }
  }

  /// Encodes the row of tiles that is full; rows beyond the picture repeat its last.
  private func encodeTiles() throws(CinematicError) {
    let filled = (next - 1) % tile.height + 1
    for image in images {
      let plane = try plane(of: image)
      let last = plane.bytes + (filled - 1) * plane.stride
      for y in filled..<tile.height {
        (plane.bytes + y * plane.stride).update(from: last, count: plane.stride)
      }
    }
    // AV1's encoder shares its work among threads itself, and takes more memory.
    let isParallel = encoding.kind == .heic && HEIFEncoding.isPrepared
    let (images, encoding) = (images, encoding)
    let files = try Concurrent.map(images.count, isParallel: isParallel) {
      index throws(CinematicError) in
      try encoding.file(of: images[index].pointer, images[index].part, saysMore: false)
    }
    for (image, file) in zip(images, files) {
      try grid?.add(
        tileFile: file, isAlpha: image.part == .alpha, path: encoding.picture.path)
    }
  }

  private func release() {
    for image in images { heif_image_release(image.pointer) }
    images = []
  }

  func finish() throws(CinematicError) {
    let bytes: [UInt8]
    if let grid {
      release()
      bytes = try grid.file(encoding.picture.metadata, path: encoding.picture.path)
    } else {
      bytes = try encoding.file(of: images[0].pointer, .whole, saysMore: true)
      release()
    }
    guard let file else { return written = bytes }
    // A closure could not carry the error's type through.
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(CinematicError) in try file.write(bytes) }
    }.get()
  }
}
