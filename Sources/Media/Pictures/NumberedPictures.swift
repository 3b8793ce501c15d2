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

/// The treatment of frames whose files are missing between the first and the last of numbered pictures.
public enum MissingFiles: String, Hashable, Sendable, CaseIterable {
  /// It is an error that names them.
  case fail
  /// The picture before is shown again.
  case hold
  /// There is no such frame: the one before is shown until the next, and numbered outputs have the same
  /// gap.
  case skip
}

/// Numbered picture files, from the lowest number there is to the highest: as bytes, one file after the
/// other.
///
/// A frame is known by its index, from 0, and has a number, that of its file or, where
/// ``MissingFiles/hold`` fills a gap, the one that its file would have. The folder is looked at when
/// something is first read.
final class NumberedPictures: ByteSource {
  let pattern: NumberedPattern
  let missing: MissingFiles
  var name: String { pattern.description }

  /// The frames, and where the file of each begins.
  fileprivate struct Listing {
    /// Of every frame, rising.
    var numbers: [Int]
    /// The number of the file that each frame shows; `nil` if it is missing.
    var files: [Int?]
    /// One more than there are frames.
    var offsets: [Int64]
  }

  private let listing = Mutex<Listing?>(nil)

  init(_ pattern: NumberedPattern, missing: MissingFiles = .fail) {
    self.pattern = pattern
    self.missing = missing
  }

  /// The number of every frame, rising.
  ///
  /// - Throws: `unreadable` if no file matches, `unsupported` for numbers that lie too far apart.
  func numbers() throws(CinematicError) -> [Int] { try list().numbers }

  /// Where the file of a frame lies among the bytes of all; empty if it is missing.
  func range(ofFile index: Int) throws(CinematicError) -> Range<Int64> {
    let offsets = try list().offsets
    return offsets[index]..<offsets[index + 1]
  }

  /// The name of the file that a frame shows.
  func path(_ index: Int) throws(CinematicError) -> String {
    let list = try list()
    return pattern.path(list.files[index] ?? list.numbers[index])
  }

  /// Whether a frame's file is there.
  func hasFile(_ index: Int) throws(CinematicError) -> Bool { try list().files[index] != nil }

  /// Whether a frame shows the file of its own number.
  func isOwnFile(_ index: Int) throws(CinematicError) -> Bool {
    let list = try list()
    return list.files[index] == list.numbers[index]
  }

  /// - Throws: `incomplete` if files of some frames are missing.
  func checkFiles(_ range: Range<Int>) throws(CinematicError) {
    let list = try list()
    guard let first = range.first(where: { list.files[$0] == nil }) else { return }
    let last = list.files[first...].firstIndex { $0 != nil }.map { $0 - 1 } ?? range.upperBound - 1
    let names =
      first == last
      ? "\(pattern.path(list.numbers[first])) is missing"
      : "\(pattern.path(list.numbers[first])) to \(pattern.path(list.numbers[last])) are missing"
    throw CinematicError(
      .incomplete, "\(names), and there are later ones",
      remedy:
        "complete the files, or leave the gap out with \(parameter: .framesOrMissing)"
    )
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
    let first = max(offsets.partitionPoint { $0 <= range.lowerBound } - 1, 0)
    for index in first..<(offsets.count - 1) where offsets[index] < range.upperBound {
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
    let existing = try pattern.existingNumbers()
    guard let first = existing.first, let last = existing.last else {
      throw CinematicError(
        .unreadable, "no file matches \(pattern)",
        remedy: "the first would be \(pattern.path(0)) or \(pattern.path(1))")
    }
    guard last - first < SampleIndex.maximumSampleCount else {
      throw CinematicError(
        .unsupported, "the numbers of \(pattern) lie too far apart: \(first) and \(last)",
        remedy: "move the files that do not belong to the others")
    }
    var found = Listing(numbers: [], files: [], offsets: [0])
    for number in existing {
      // Those before it that are missing.
      while missing != .skip, let before = found.numbers.last, before + 1 < number {
        found.append(before + 1, file: missing == .hold ? found.files.last! : nil, pattern)
      }
      found.append(number, file: number, pattern)
    }
    listing.withLock { $0 = found }
    return found
  }
}

extension NumberedPictures.Listing {
  mutating func append(_ number: Int, file: Int?, _ pattern: NumberedPattern) {
    var status = stat()
    let size =
      file.map { stat(pattern.path($0), &status) == 0 ? Int64(status.st_size) : 0 } ?? 0
    numbers.append(number)
    files.append(file)
    offsets.append(offsets[offsets.count - 1] + size)
  }
}
