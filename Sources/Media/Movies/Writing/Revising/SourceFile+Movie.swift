// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

extension SourceFile {
  /// How many boxes a file may have side by side: a day of fragments.
  private static let maximumBoxCount = 1 << 20
  /// The largest index that is read: a day of video has some 30 MB.
  private static let maximumIndexSize: Int64 = 1 << 30

  /// Whether the file begins as QuickTime and MP4 files do.
  var isBoxFile: Bool {
    let types: Set<FourCC> = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]
    let head = read(at: 0, count: BoxHeader.maximumSize)
    guard let header = try? BoxHeader(head[...], offset: 0, limit: byteCount) else { return false }
    return types.contains(header.type)
  }

  /// The boxes side by side from the file's start to its end.
  ///
  /// - Throws: `malformed` for a box that reaches beyond the file.
  func topLevelBoxes() throws(CinematicError) -> [BoxHeader] {
    var boxes: [BoxHeader] = []
    var offset: Int64 = 0
    while byteCount - offset >= 8 {
      let head = read(at: offset, count: BoxHeader.maximumSize)
      let header: BoxHeader
      do throws(CinematicError) {
        header = try BoxHeader(head[...], offset: offset, limit: byteCount)
      } catch {
        throw error.naming(path)
      }
      guard header.end <= byteCount, boxes.count < Self.maximumBoxCount else {
        throw CinematicError(
          .malformed,
          "\(path) is cut short: its box '\(header.type)' at byte \(offset) claims \(header.size) bytes",
          remedy: "copy or download it again")
      }
      boxes.append(header)
      offset = header.end
    }
    return boxes
  }

  /// The movie's index, and where it stands.
  ///
  /// - Throws: `incomplete` for a file without one, `malformed`, `unsupported` for a compressed or a
  ///   huge one.
  func movieBox(_ boxes: [BoxHeader]) throws(CinematicError) -> (box: Box, header: BoxHeader) {
    guard let header = boxes.first(where: { $0.type == "moov" }) else {
      throw CinematicError(
        .incomplete, "\(path) has no index (moov): its recording was never finished",
        remedy: "use the whole file")
    }
    guard header.size <= Self.maximumIndexSize else {
      throw CinematicError(.unsupported, "the index of \(path) has \(header.size) bytes")
    }
    let bytes = read(at: header.offset, count: Int(header.size))
    do throws(CinematicError) {
      guard let box = try Box.parse(bytes[...], offset: header.offset).first else {
        throw CinematicError(.malformed, "the index of \(path) is empty")
      }
      guard box["cmov"] == nil else {
        throw CinematicError.compressedIndex(path, "and is read only")
      }
      return (box, header)
    } catch {
      throw error.naming(path)
    }
  }
}

extension CinematicError {
  /// Old programs of QuickTime compressed it.
  ///
  /// - Parameter reason: continues the sentence that it is compressed.
  static func compressedIndex(_ name: String, _ reason: String) -> CinematicError {
    CinematicError(
      .unsupported, "the index of \(name) is compressed \(reason)",
      remedy: "save the movie anew, as with ffmpeg -i IN -c copy OUT.mov")
  }
}
