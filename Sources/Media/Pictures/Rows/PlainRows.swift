// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Where the rows of a file are that lie one behind the other, as they are.
struct PlainRowPlaces {
  let dimensions: Dimensions
  /// All that precedes the rows.
  let head: [UInt8]
  let rowByteCount: Int
  /// Whether the last row comes first.
  let isUpsideDown: Bool

  /// The bytes of the head and the rows.
  var end: Int { head.count + dimensions.height * rowByteCount }

  /// Where some rows lie.
  func places(of rows: Range<Int>) -> Range<Int> {
    let order =
      isUpsideDown
      ? dimensions.height - rows.upperBound..<dimensions.height - rows.lowerBound : rows
    return head.count + order.lowerBound * rowByteCount..<head.count + order.upperBound
      * rowByteCount
  }
}

/// A kind of file of plain rows. FFmpeg decodes and encodes whole pictures: some rows are one, behind a head that
/// says how many they are.
protocol PlainRowFormat: StillFormat {
  /// Where rows are in a file of a number of bytes; `nil` for pixels that are packed otherwise.
  ///
  /// - Parameter head: the file's first bytes, of ``PlainRows/mostHeadBytes``.
  static func rows(in head: [UInt8], byteCount: Int) -> PlainRowPlaces?
  /// The head of a file with another number of rows.
  static func head(_ head: [UInt8], height: Int, byteCount: Int) -> [UInt8]
  /// The file of some rows, by the whole picture's layout.
  static func part(
    _ picture: StillPicture, _ layout: RowLayout
  ) throws(CinematicError) -> [UInt8]
}

extension PlainRowFormat {
  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    try part(picture, RowLayout(picture))
  }
}

/// PFM and DPX, row by row.
final class PlainRows: RowSource {
  /// Bytes from the start that say all about a file's rows.
  static let mostHeadBytes = 1 << 16

  let dimensions: Dimensions
  let prototype: PictureFrame
  let margin = 0
  private let format: any PlainRowFormat.Type
  private let places: PlainRowPlaces
  private let path: String
  private let file: FileByteSource

  /// `nil` for a file that has to be decoded whole.
  ///
  /// - Throws: `malformed` for a damaged file.
  init?(_ path: String, _ format: any PlainRowFormat.Type) throws(CinematicError) {
    let file = FileByteSource(path: path)
    let head = try file.bytes(0..<Int64(Self.mostHeadBytes))
    guard let places = format.rows(in: head, byteCount: Int(try file.fileSize())) else {
      return nil
    }
    self.path = path
    self.file = file
    self.format = format
    self.places = places
    dimensions = places.dimensions
    prototype = try Self.read(0..<1, places, file, format, path)
  }

  func read(_ rows: Range<Int>) throws(CinematicError) -> PictureFrame {
    try Self.read(rows, places, file, format, path)
  }

  private static func read(
    _ rows: Range<Int>, _ places: PlainRowPlaces, _ file: FileByteSource,
    _ format: any PlainRowFormat.Type, _ path: String
  ) throws(CinematicError) -> PictureFrame {
    let place = places.places(of: rows)
    let bytes = try file.bytes(Int64(place.lowerBound)..<Int64(place.upperBound))
    let head = format.head(
      places.head, height: rows.count, byteCount: places.head.count + bytes.count)
    return try format.picture(in: head + bytes, StillRequest(path))
  }
}

/// PFM and DPX, to a file.
final class PlainRowSink: RowSink {
  private let layout: RowLayout
  private let picture: StillPicture
  private let format: any PlainRowFormat.Type
  private let sink: FileSink
  /// Known from the first rows on.
  private var places: PlainRowPlaces?
  private var next = 0

  init(
    _ picture: StillPicture, _ format: any PlainRowFormat.Type, _ layout: RowLayout,
    _ file: OutputFile
  ) throws(CinematicError) {
    self.layout = layout
    self.picture = picture
    self.format = format
    sink = try FileSink(file)
  }

  func write(_ rows: PixelBuffer) throws(CinematicError) {
    var part = picture
    part.buffer = rows
    let bytes = try format.part(part, layout)
    guard let found = format.rows(in: bytes, byteCount: bytes.count) else {
      throw CinematicError(.unwritable, "cannot encode \(picture.path) row by row")
    }
    if places == nil {
      let height = layout.dimensions.height
      let head = format.head(
        found.head, height: height, byteCount: found.head.count + height * found.rowByteCount)
      places = PlainRowPlaces(
        dimensions: layout.dimensions, head: head, rowByteCount: found.rowByteCount,
        isUpsideDown: found.isUpsideDown)
      try sink.patch(head, at: 0)
    }
    guard let places else { return }
    let place = places.places(of: next..<next + rows.height)
    try sink.patch(Array(bytes[found.head.count..<found.end]), at: Int64(place.lowerBound))
    next += rows.height
  }

  func finish() throws(CinematicError) { try sink.flush() }
}
