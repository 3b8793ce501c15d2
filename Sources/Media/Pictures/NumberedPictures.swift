// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Picture files with consecutive numbers, from the lowest there is to the first gap: as bytes, one file
/// after the other.
///
/// The folder is looked at when something is first read.
final class NumberedPictures: ByteSource {
  let pattern: NumberedPattern
  var name: String { pattern.description }

  /// Which files there are, and where each begins.
  private struct Listing {
    var numbers: ClosedRange<Int>
    /// One more than there are files.
    var offsets: [Int64]
  }

  private let listing = Mutex<Listing?>(nil)

  init(_ pattern: NumberedPattern) { self.pattern = pattern }

  /// The numbers of the files.
  ///
  /// - Throws: `unreadable` if no file matches.
  func numbers() throws(CinematicError) -> ClosedRange<Int> { try list().numbers }

  /// Where a file lies among the bytes of all.
  ///
  /// - Parameter index: from 0.
  func range(ofFile index: Int) throws(CinematicError) -> Range<Int64> {
    let offsets = try list().offsets
    return offsets[index]..<offsets[index + 1]
  }

  /// The name of a file by its place, from 0.
  func path(_ index: Int) throws(CinematicError) -> String {
    pattern.path(try list().numbers.lowerBound + index)
  }

  /// A file as a whole.
  ///
  /// - Throws: `unreadable` for a missing file or a folder, `malformed` for an empty one.
  func file(_ index: Int) throws(CinematicError) -> [UInt8] {
    let file = FileByteSource(path: try path(index))
    return try file.bytes(0..<file.fileSize())
  }

  func byteCount() throws(CinematicError) -> Int64 { try list().offsets.last! }

  func read(_ range: Range<Int64>) throws(CinematicError) -> [UInt8] {
    let offsets = try list().offsets
    var bytes: [UInt8] = []
    for index in offsets.indices.dropLast() {
      let part = range.clamped(to: offsets[index]..<offsets[index + 1])
      guard !part.isEmpty else { continue }
      let start = offsets[index]
      bytes += try FileByteSource(path: try path(index))
        .bytes((part.lowerBound - start)..<(part.upperBound - start))
    }
    return bytes
  }

  private func list() throws(CinematicError) -> Listing {
    if let known = listing.withLock({ $0 }) { return known }
    guard let numbers = try pattern.existingNumbers() else {
      throw CinematicError(
        .unreadable, "no file matches \(pattern)",
        remedy: "the first would be \(pattern.path(0)) or \(pattern.path(1))")
    }
    var offsets: [Int64] = [0]
    offsets.reserveCapacity(numbers.count + 1)
    for number in numbers {
      var status = stat()
      let size = stat(pattern.path(number), &status) == 0 ? Int64(status.st_size) : 0
      offsets.append(offsets[offsets.count - 1] + size)
    }
    let found = Listing(numbers: numbers, offsets: offsets)
    listing.withLock { $0 = found }
    return found
  }
}
