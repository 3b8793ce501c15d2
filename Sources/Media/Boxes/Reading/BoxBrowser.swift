// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Finds boxes in a file without reading more than it must: heads, and the boxes that are asked for.
///
/// Every head is looked at once. Reads take a little more than is asked for, since what follows is
/// mostly wanted next; from a source that prefers large reads (``ByteSource/preferredReadSize``), as
/// much more as that where a box is looked through (``readAhead(in:)``). Several tasks may ask at
/// once; they are served one after the other.
// @unchecked Sendable: the mutable state is touched only between `lock.lock()` and `lock.unlock()`.
public final class BoxBrowser: @unchecked Sendable {
  /// Where the bytes come from.
  public let source: any ByteSource

  /// How many boxes of one level are looked at: a recording of six hours in frames of their own.
  public static let maximumCount = 1 << 20
  /// The most bytes that one box may have to be read as a whole.
  public static let maximumContentSize: Int64 = 64 << 20

  private struct Level {
    var headers: [BoxHeader] = []
    var next: Int64
    let end: Int64
    var isComplete = false
  }

  private let lock = AsyncLock()
  private var levels: [Int64: Level] = [:]
  /// What was read last.
  private var windows = ReadWindows()
  /// The boxes that are looked through.
  private var walked: [Range<Int64>] = []
  /// What reads may bring beyond what is asked for.
  package let readAheadSize: Int

  /// A browser that has read nothing yet.
  public init(_ source: any ByteSource) {
    self.source = source
    readAheadSize = source.readAheadSize
  }

  // MARK: - Boxes

  /// The first box of a type at the top of the file; `nil` where there is none.
  public func topLevel(_ type: FourCC) async throws(CinematicError) -> BoxHeader? {
    try await first(type, in: nil)
  }

  /// The head of the file's first box; `nil` where the file has no room for one.
  ///
  /// - Throws: `malformed` for a file that does not begin with a box.
  public func firstHeader() async throws(CinematicError) -> BoxHeader? {
    await lock.lock()
    defer { lock.unlock() }
    let key = try await open(nil, 0)
    if let known = levels[key]!.headers.first { return known }
    return try await advance(key, nil)
  }

  /// The boxes at the top of the file, up to one that is cut off.
  public func topLevel() async throws(CinematicError) -> [BoxHeader] { try await all(in: nil) }

  /// The first box of a type within another; boxes behind it are not looked at.
  ///
  /// - Parameters:
  ///   - parent: `nil` for the top of the file.
  ///   - leading: bytes before the first box.
  /// - Throws: `malformed` for boxes that do not fit the one they are in, and what the source throws.
  public func first(
    _ type: FourCC, in parent: BoxHeader?, leading: Int64 = 0
  ) async throws(CinematicError) -> BoxHeader? {
    await lock.lock()
    defer { lock.unlock() }
    let key = try await open(parent, leading)
    if let known = levels[key]!.headers.first(where: { $0.type == type }) { return known }
    while let header = try await advance(key, parent) {
      if header.type == type { return header }
    }
    return nil
  }

  /// Every box within another.
  ///
  /// - Parameters and errors: as ``first(_:in:leading:)``.
  public func all(
    in parent: BoxHeader?, leading: Int64 = 0
  ) async throws(CinematicError) -> [BoxHeader] {
    await lock.lock()
    defer { lock.unlock() }
    let key = try await open(parent, leading)
    while try await advance(key, parent) != nil {}
    return levels[key]!.headers
  }

  /// The boxes at the top of the file up to the first of a type; all where there is none.
  public func topLevel(upTo type: FourCC) async throws(CinematicError) -> [BoxHeader] {
    await lock.lock()
    defer { lock.unlock() }
    let key = try await open(nil, 0)
    while !levels[key]!.headers.contains(where: { $0.type == type }),
      try await advance(key, nil) != nil
    {}
    let headers = levels[key]!.headers
    return headers.firstIndex { $0.type == type }.map { Array(headers[...$0]) } ?? headers
  }

  /// A box at the top of the file by its number, from 0; `nil` behind the last one.
  public func topLevel(number: Int) async throws(CinematicError) -> BoxHeader? {
    await lock.lock()
    defer { lock.unlock() }
    let key = try await open(nil, 0)
    while levels[key]!.headers.count <= number {
      guard try await advance(key, nil) != nil else { return nil }
    }
    return levels[key]!.headers[number]
  }

  /// The boxes at the top of the file from a place on that an index tells; empty where none begins
  /// there.
  public func topLevel(from offset: Int64) async throws(CinematicError) -> [BoxHeader] {
    await lock.lock()
    defer { lock.unlock() }
    let size = try await source.believedByteCount()
    guard offset > 0, offset < size else { return [] }
    // The level begins where another one may, which ends elsewhere.
    let key = -offset
    if levels[key] == nil { levels[key] = Level(next: offset, end: size) }
    while try await advance(key, nil) != nil {}
    return levels[key]!.headers
  }

  /// The box that begins at a place that an index tells; `nil` where none does.
  public func header(at offset: Int64) async throws(CinematicError) -> BoxHeader? {
    await lock.lock()
    defer { lock.unlock() }
    let size = try await source.believedByteCount()
    guard offset >= 0, size - offset >= 8 else { return nil }
    let wanted = Int(min(Int64(BoxHeader.maximumSize), size - offset))
    let head = try await bytes(offset, wanted, window: Self.window)
    guard let header = try? BoxHeader(head, offset: offset, limit: size), header.end <= size else {
      return nil
    }
    return header
  }

  /// The box at the end of a path of types within another.
  public func find(
    _ path: FourCC..., in parent: BoxHeader
  ) async throws(CinematicError) -> BoxHeader? {
    var box = parent
    for type in path {
      guard let next = try await first(type, in: box) else { return nil }
      box = next
    }
    return box
  }

  /// The contents of a box.
  ///
  /// - Throws: `unsupported` above ``maximumContentSize``, `malformed` where the file ends in it.
  public func content(_ header: BoxHeader) async throws(CinematicError) -> ArraySlice<UInt8> {
    await lock.lock()
    defer { lock.unlock() }
    return try await wholeContent(header)
  }

  private func wholeContent(
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

  /// The contents of the boxes of some types within another; of several of one type, the last one's.
  /// One read brings them all where the source prefers that.
  ///
  /// - Throws: as ``first(_:in:leading:)`` and ``content(_:)``.
  public func contents(
    of types: Set<FourCC>, in parent: BoxHeader
  ) async throws(CinematicError) -> [FourCC: ArraySlice<UInt8>] {
    await lock.lock()
    defer { lock.unlock() }
    let key = try await open(parent, 0)
    // It is kept no longer than this takes.
    defer { windows.drop(longerThan: largestKept) }
    if readAheadSize > 0, parent.contentSize <= Self.maximumContentSize {
      _ = try await bytes(
        parent.contentOffset, Int(parent.contentSize), window: 0, isKept: true)
    }
    while try await advance(key, parent) != nil {}
    var contents: [FourCC: ArraySlice<UInt8>] = [:]
    for header in levels[key]!.headers where types.contains(header.type) {
      contents[header.type] = try await wholeContent(header)
    }
    return contents
  }

  /// The first bytes of a box's contents; fewer where it has fewer.
  public func prefix(
    of header: BoxHeader, count: Int
  ) async throws(CinematicError) -> ArraySlice<UInt8> {
    await lock.lock()
    defer { lock.unlock() }
    let wanted = min(Int64(count), header.contentSize)
    return try await bytes(header.contentOffset, Int(wanted), window: 0)
  }

  /// The bytes of a range, fewer where the file ends; they are kept for a while, so that the heads in
  /// them need no read each.
  @discardableResult
  public func bytes(
    _ range: Range<Int64>
  ) async throws(CinematicError) -> ArraySlice<UInt8> {
    await lock.lock()
    defer { lock.unlock() }
    return try await bytes(range.lowerBound, range.count, window: 0)
  }

  /// Makes reads within a box bring what follows as well, as much as the source prefers: for who is
  /// going to look through most of it.
  public func readAhead(in header: BoxHeader) async {
    guard readAheadSize > 0, header.offset < header.end else { return }
    await lock.lock()
    defer { lock.unlock() }
    let range = header.offset..<header.end
    if !walked.contains(range) { walked.append(range) }
  }

  // MARK: - Levels

  /// Where a level begins; its key.
  private func open(_ parent: BoxHeader?, _ leading: Int64) async throws(CinematicError) -> Int64 {
    let size = try await source.believedByteCount()
    guard let parent else {
      if levels[0] == nil { levels[0] = Level(next: 0, end: size) }
      return 0
    }
    let start = parent.contentOffset + leading
    guard parent.end <= size else { throw cutShort(parent) }
    if levels[start] == nil { levels[start] = Level(next: start, end: parent.end) }
    return start
  }

  /// Looks at the next head of a level.
  private func advance(
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
      // Junk behind the boxes of a file hurts nobody; within a box it does.
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

  private func cutShort(_ header: BoxHeader) -> CinematicError {
    .malformedMovie(
      "\(source.name) is cut short in the box '\(header.type)' at byte \(header.offset)")
  }

  // MARK: - Bytes

  /// Enough for the heads before a movie's media, or for `moov` and the length in `mvhd`.
  private static let window = 64

  /// Large boxes are parsed once; only what reads brought beside them is worth keeping.
  private var largestKept: Int { max(4096, readAheadSize + Self.window) }

  /// How much to read where the next fragment may begin: about what the last one needed, with the head
  /// of its media; where fragments lie close together, several of them.
  private func fragmentWindow(_ level: Level) -> Int {
    guard readAheadSize > 0, let last = level.headers.last, last.type != "moof",
      let fragment = level.headers.suffix(8).last(where: { $0.type == "moof" })
    else { return Self.window }
    guard level.next - fragment.offset > Int64(readAheadSize / 2) else { return readAheadSize }
    return Int(min(fragment.size + fragment.size / 2 + 1024, Int64(readAheadSize)))
  }

  private func bytes(
    _ start: Int64, _ count: Int, window: Int, isKept: Bool = false
  ) async throws(CinematicError) -> ArraySlice<UInt8> {
    if let known = windows.bytes(start, count) { return known }
    // What is there need not come again, neither before nor behind what is missing.
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
