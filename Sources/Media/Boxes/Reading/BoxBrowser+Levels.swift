// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How a browser goes on from head to head, and what it reads. Its lock is held by the caller.
extension BoxBrowser {
  /// The boxes within another, or at the top of the file, as far as they have been looked at.
  struct Level {
    var headers: [BoxHeader] = []
    var next: Int64
    let end: Int64
    var isComplete = false
  }

  // MARK: - Levels

  /// Where a level begins; its key.
  func open(_ parent: BoxHeader?, _ leading: Int64) async throws(CinematicError) -> Int64 {
    let size = try await source.believedByteCount()
    guard let parent else {
      if levels[0] == nil { levels[0] = Level(next: 0, end: size) }
      return 0
    }
    let start = parent.contentOffset + leading
    let unpackedEnd = unpacked.map { $0.start + Int64($0.bytes.count) }
    guard parent.end <= (parent.offset < size ? size : unpackedEnd ?? size) else {
      throw cutShort(parent)
    }
    if levels[start] == nil { levels[start] = Level(next: start, end: parent.end) }
    return start
  }

  /// Looks at the next head of a level.
  func advance(
    _ key: Int64, _ parent: BoxHeader?
  ) async throws(CinematicError) -> BoxHeader? {
    let level = levels[key]!
    // Fewer bytes than a head has are no box: QuickTime ends some lists with a zero.
    guard !level.isComplete, level.end - level.next >= 8 else {
      levels[key]!.isComplete = true
      return nil
    }
    guard level.headers.count < Self.maximumCount else {
      throw CinematicError(
        .unsupported, "\(source.name) has more than \(Self.maximumCount) boxes in a row")
    }
    let wanted = Int(min(Int64(BoxHeader.maximumSize), level.end - level.next))
    let window = parent == nil ? fragmentWindow(level) : Self.window
    let head = try await bytes(level.next, wanted, window: window)
    let header: BoxHeader
    do throws(CinematicError) {
      header = try BoxHeader(head, offset: level.next, limit: level.end)
    } catch {
      // Junk behind the boxes of a file is harmless; within a box it is damage.
      guard parent == nil, !level.headers.isEmpty else { throw error.naming(source.name) }
      levels[key]!.isComplete = true
      return nil
    }
    if header.end > level.end {
      guard parent == nil else {
        throw CinematicError.malformedMovie(
          "the box '\(header.type)' at byte \(header.offset) claims \(header.size) bytes where"
            + " \(level.end - header.offset) are left"
        ).naming(source.name)
      }
      levels[key]!.isComplete = true
    }
    levels[key]!.headers.append(header)
    levels[key]!.next = header.end
    return header
  }

  func cutShort(_ header: BoxHeader) -> CinematicError {
    .malformedMovie(
      "\(source.name) is cut short in the box '\(header.type)' at byte \(header.offset)")
  }

  // MARK: - Bytes

  func wholeContent(
    _ header: BoxHeader
  ) async throws(CinematicError) -> ArraySlice<UInt8> {
    guard header.contentSize <= Self.maximumContentSize else {
      throw CinematicError(
        .unsupported, "\(source.name): the box '\(header.type)' has \(header.contentSize) bytes",
        remedy: "cut the movie into parts")
    }
    let count = Int(header.contentSize)
    // Where reads are dear, the head that follows comes along.
    let bytes = try await bytes(
      header.contentOffset, count, window: readAheadSize > 0 ? count + Self.window : 0)
    guard bytes.count == count else { throw cutShort(header) }
    return bytes
  }

  /// Enough for the heads before a movie's media, or for `moov` and the length in `mvhd`.
  static let window = 64

  /// Large boxes are parsed once; only what reads brought beside them is worth keeping.
  var largestKept: Int { max(4096, readAheadSize + Self.window) }

  /// How much to read where the next fragment may begin: about what the last one needed, with the head
  /// of its media; where fragments lie close together, several of them.
  private func fragmentWindow(_ level: Level) -> Int {
    guard readAheadSize > 0, let last = level.headers.last, last.type != "moof",
      let fragment = level.headers.suffix(8).last(where: { $0.type == "moof" })
    else { return Self.window }
    guard level.next - fragment.offset > Int64(readAheadSize / 2) else { return readAheadSize }
    return Int(min(fragment.size + fragment.size / 2 + 1024, Int64(readAheadSize)))
  }

  func bytes(
    _ start: Int64, _ count: Int, window: Int, isKept: Bool = false
  ) async throws(CinematicError) -> ArraySlice<UInt8> {
    if let unpacked, start >= unpacked.start {
      let place = Int(min(start - unpacked.start, Int64(unpacked.bytes.count)))
      return unpacked.bytes[place...].prefix(count)
    }
    if let known = windows.bytes(start, count) { return known }
    // Bytes that are there are not read again, neither before nor after the missing ones.
    let known = windows.beginning(start)
    let needed = start + Int64(count)
    var end = max(needed, start + Int64(window))
    if let box = walked.first(where: { $0.contains(start) }) {
      // With the head of what follows the box.
      let rest = box.upperBound - start + Int64(Self.window)
      end = max(end, start + min(rest, Int64(readAheadSize)))
    }
    if readAheadSize > 0, let next = windows.next(from: needed) { end = min(end, next) }
    let read = known + (try await source.read((start + Int64(known.count))..<end))
    if isKept || read.count <= largestKept { windows.insert(start, Array(read)) }
    return read.prefix(count)
  }
}
