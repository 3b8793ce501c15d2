// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import PNGCoding
import TIFFCoding

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The rows of a picture file as they are stored, from top to bottom. Used by one thread.
protocol RowSource: AnyObject {
  var dimensions: Dimensions { get }
  /// A frame without the pixels: what they are, and what the file says.
  var prototype: PictureFrame { get }
  /// Rows around those that are converted, which decide about chroma; 0 where rows are for themselves.
  var margin: Int { get }
  /// Some rows as a frame. Those that lie before the last ones are decoded anew, from the first row on.
  ///
  /// - Throws: `malformed` for a damaged file, `outOfMemory`.
  func read(_ rows: Range<Int>) throws(CinematicError) -> PictureFrame
  /// - Throws: `unreadable` where another program has written the file since it was opened.
  func checkVersion() throws(CinematicError)
}

extension RowSource {
  // Byte sources see to it themselves.
  func checkVersion() throws(CinematicError) {}
}

/// An open file.
final class FileDescriptor {
  let number: Int32
  /// Of a file that is read, whose descriptor is that one's.
  private let source: SourceFile?

  /// - Throws: as ``SourceFile``.
  init(reading path: String) throws(CinematicError) {
    let source = try SourceFile(path: path)
    self.source = source
    number = source.descriptor
  }

  /// - Throws: `unwritable`.
  init(writing file: OutputFile) throws(CinematicError) {
    number = open(file.temporaryPath, O_RDWR | O_CLOEXEC)
    guard number >= 0 else { throw OutputFile.failure(file.path, errno) }
    source = nil
  }

  /// - Throws: `unreadable` where another program has written the file since it was opened.
  func checkVersion() throws(CinematicError) {
    try source?.checkVersion()
  }

  deinit {
    if source == nil { close(number) }
  }

  func rewind() { lseek(number, 0, SEEK_SET) }
}

/// PNG through libpng.
final class PNGRows: RowSource {
  let dimensions: Dimensions
  let prototype: PictureFrame
  let margin = 0
  private let path: String
  private let damage: DamageResponse
  private let file: FileDescriptor
  private var reader: OpaquePointer?
  private var next = 0
  private let rowByteCount: Int
  /// Whether damage was told.
  private var isDamaged = false

  /// `nil` for a file whose rows do not come from top to bottom, and, where damage is only told, for a head that cannot
  /// be read.
  ///
  /// - Throws: `malformed` for a damaged file.
  init?(_ request: StillRequest) throws(CinematicError) {
    let path = request.path
    let file = try FileDescriptor(reading: path)
    let opened: (OpaquePointer, FocalPNGFacts)
    do throws(CinematicError) {
      opened = try Self.open(file, path, request.damage)
    } catch {
      guard request.damage.stops else { return nil }
      throw error
    }
    let (reader, facts) = opened
    self.path = path
    damage = request.damage
    rowByteCount = Int(facts.width) * Int(facts.components) * Int(facts.bits) / 8
    self.file = file
    self.reader = reader
    dimensions = Dimensions(width: Int(facts.width), height: Int(facts.height))
    let formats = [
      8: [AV_PIX_FMT_GRAY8, AV_PIX_FMT_YA8, AV_PIX_FMT_RGB24, AV_PIX_FMT_RGBA],
      16: [AV_PIX_FMT_GRAY16BE, AV_PIX_FMT_YA16BE, AV_PIX_FMT_RGB48BE, AV_PIX_FMT_RGBA64BE],
    ]
    guard facts.isInterlaced == 0,
      let format = formats[Int(facts.bits)]?[Int(facts.components) - 1],
      let prototype = PictureFrame(format, Dimensions(width: 1, height: 1))
    else {
      focal_png_close(reader)
      return nil
    }
    // A picture of one pixel with the same metadata. Damage in the metadata is reported with the rows.
    var headRequest = request
    if !request.damage.stops { headRequest.damage = .stop }
    headRequest.isConvertedWhole = false
    let sample: PictureFrame
    do throws(CinematicError) {
      sample = try PNGFormat.picture(in: PNGFormat.sample(of: path), headRequest)
    } catch {
      focal_png_close(reader)
      guard request.damage.stops else { return nil }
      throw error
    }
    av_frame_copy_props(prototype.pointer, sample.pointer)
    prototype.metadata = sample.metadata
    self.prototype = prototype
  }

  deinit { focal_png_close(reader) }

  private static func open(
    _ file: FileDescriptor, _ path: String, _ damage: DamageResponse
  ) throws(CinematicError) -> (OpaquePointer, FocalPNGFacts) {
    file.rewind()
    var facts = FocalPNGFacts()
    var message = [CChar](repeating: 0, count: Int(FOCAL_PNG_MESSAGE_SIZE))
    guard let reader = focal_png_open(file.number, &facts, &message) else {
      throw damaged(path, message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    }
    if !damage.stops { focal_png_tolerate_damage(reader) }
    return (reader, facts)
  }

  private static func damaged(_ path: String, _ reason: String) -> CinematicError {
    CinematicError(
      .malformed, "\(path) is damaged or cut short (PNG: \(reason))",
      remedy: "make or copy the file again")
  }

  func read(_ rows: Range<Int>) throws(CinematicError) -> PictureFrame {
    if rows.lowerBound < next {
      focal_png_close(reader)
      reader = nil
      reader = try Self.open(file, path, damage).0
      next = 0
    }
    guard
      let frame = PictureFrame(
        prototype.pixelFormat, Dimensions(width: dimensions.width, height: rows.count))
    else { throw .outOfMemory(for: path) }
    av_frame_copy_props(frame.pointer, prototype.pointer)
    while next < rows.upperBound {
      // Rows before those that are wanted go where the first of them will.
      let row = frame.row(max(next - rows.lowerBound, 0), ofPlane: 0)
      if focal_png_read_row(reader, row.assumingMemoryBound(to: UInt8.self)) == 0 {
        // All that follows is black, as of a file that is decoded whole.
        try meetDamage("from row \(next) on: \(String(cString: focal_png_reader_message(reader)))")
        memset(row, 0, rowByteCount)
      }
      next += 1
    }
    if focal_png_is_damaged(reader) != 0 { try meetDamage("a sum is wrong above row \(next)") }
    return frame
  }

  /// Rows may be read several times: damage is told once.
  private func meetDamage(_ reason: String) throws(CinematicError) {
    if isDamaged, !damage.stops { return }
    isDamaged = true
    try damage.meet(Self.damaged(path, reason))
  }

  func checkVersion() throws(CinematicError) { try file.checkVersion() }
}

/// TIFF through libtiff.
final class TIFFRows: RowSource {
  let dimensions: Dimensions
  let prototype: PictureFrame
  let margin = 0
  private let picture: TIFFPicture
  // Must live as long as the picture.
  private let file: FileDescriptor

  /// Held at once at most to decode a few rows, for which a picture of 170 megapixels of RGB may be one strip. The memory to
  /// work with is another limit.
  private static let mostBytes = 1 << 30

  /// `nil` for pixels of another kind, for those that cannot be decoded a few rows at a time, and, where damage is only told,
  /// for a directory that is left out in part.
  ///
  /// - Throws: `malformed` for a damaged file.
  init?(_ request: StillRequest) throws(CinematicError) {
    let path = request.path
    let file = try FileDescriptor(reading: path)
    let picture: TIFFPicture
    do throws(CinematicError) {
      picture = try TIFFPicture(file, request)
    } catch {
      guard error.code == .unsupported else { throw error }
      return nil
    }
    guard picture.bytesAtOnce <= Self.mostBytes,
      let prototype = PictureFrame(picture.format, Dimensions(width: 1, height: 1))
    else { return nil }
    prototype.metadata.storedDepth = PixelLayout(prototype.pixelFormat)?.depth
    let directory = TIFFDirectory(FileByteSource(path: path), seeksPicture: true)
    if let directory {
      guard !directory.isRaw, !directory.isThumbnail else { return nil }
      // The file is read whole then, and the damage told once.
      guard !directory.isOverfull || request.damage.stops else { return nil }
      try TIFFFormat.check(directory, request)
      TIFFFormat.describe(prototype, by: directory)
    }
    picture.describe(prototype)
    self.file = file
    self.picture = picture
    self.prototype = prototype
    dimensions = picture.dimensions
  }

  func read(_ rows: Range<Int>) throws(CinematicError) -> PictureFrame {
    let frame = try picture.frame(rows)
    av_frame_copy_props(frame.pointer, prototype.pointer)
    return frame
  }

  func checkVersion() throws(CinematicError) { try file.checkVersion() }
}

/// A picture that was decoded whole, at its own depth: JPEG, HEIC and AVIF. ``TileRows`` are for larger ones of these.
final class FrameRows: RowSource {
  let dimensions: Dimensions
  let prototype: PictureFrame
  let margin: Int
  private let path: String

  init(_ frame: PictureFrame, path: String) {
    dimensions = frame.dimensions
    prototype = frame
    // A vertical filter of chroma reaches two rows of it.
    margin = PixelLayout(frame.pixelFormat)?.isYUV == true ? 16 : 0
    self.path = path
  }

  func read(_ rows: Range<Int>) throws(CinematicError) -> PictureFrame {
    guard let frame = PictureFrame(), av_frame_ref(frame.pointer, prototype.pointer) == 0 else {
      throw .outOfMemory(for: path)
    }
    frame.metadata = prototype.metadata
    focal_frame_crop_rows(frame.pointer, Int32(rows.lowerBound), Int32(rows.count))
    return frame
  }
}
