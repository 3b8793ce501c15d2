// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Finds boxes in a file without reading more than it must: heads, and the boxes that are asked for.
///
/// Every head is looked at once. Reads take a little more than is asked for, since what follows is
/// mostly wanted next; from a source that prefers large reads (``ByteSource/preferredReadSize``), as
/// much more as that where a box is looked through (``readAhead(in:)``). Several tasks may ask at
/// once; they are served one after the other.
///
/// Whatever reads throws what the source throws, `malformed` for what is no box or does not fit the one it is in, and
/// `cancelled` in a task that is.
// @unchecked Sendable: the mutable state is touched only between `lock.lock()` and `lock.unlock()`.
public final class BoxBrowser: @unchecked Sendable {
  /// Where the bytes come from.
  public let source: any ByteSource

  /// How many boxes of one level are looked at: a recording of six hours in frames of their own.
  public static let maximumCount = 1 << 20
  /// The most bytes that one box may have to be read as a whole.
  public static let maximumContentSize: Int64 = 64 << 20

  private let lock = AsyncLock()
  /// By the place where they begin.
  var levels: [Int64: Level] = [:]
  /// The last bytes that were read.
  var windows = ReadWindows()
  /// The box that the source holds compressed, as it is without that, and its place behind the source's end.
  private(set) var unpacked: (start: Int64, bytes: [UInt8])?
  /// The boxes that are looked through.
  var walked: [Range<Int64>] = []
  /// The bytes that a read may bring beyond its request.
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

  /// The head of the first box in the file, or within another; `nil` where there is no room for one.
  ///
  /// - Parameter parent: `nil` for the top of the file.
  /// - Throws: `malformed` for what does not begin with a box.
  public func firstHeader(
    in parent: BoxHeader? = nil
  ) async throws(CinematicError) -> BoxHeader? {
    try await lock.lock()
    defer { lock.unlock() }
    let key = try await open(parent, 0)
    if let known = levels[key]!.headers.first { return known }
    return try await advance(key, parent)
  }

  /// Adds a box that the source holds compressed, so that the boxes in it are found as others are.
  ///
  /// - Parameter bytes: the box without compression. A second one takes the place of the first.
  /// - Returns: its head, at the place behind the source's end.
  /// - Throws: `malformed` for bytes that are no whole box.
  package func add(unpacked bytes: [UInt8]) async throws(CinematicError) -> BoxHeader {
    try await lock.lock()
    defer { lock.unlock() }
    let start = try await source.believedByteCount()
    let end = start + Int64(bytes.count)
    let header: BoxHeader
    do throws(CinematicError) {
      header = try BoxHeader(bytes[...], offset: start, limit: end)
    } catch {
      throw error.naming(source.name)
    }
    guard header.end <= end else { throw cutShort(header) }
    levels = levels.filter { $0.key < start }
    unpacked = (start, bytes)
    return header
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
    try await lock.lock()
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
    try await lock.lock()
    defer { lock.unlock() }
    let key = try await open(parent, leading)
    while try await advance(key, parent) != nil {}
    return levels[key]!.headers
  }

  /// The boxes at the top of the file up to the first of a type; all where there is none.
  public func topLevel(upTo type: FourCC) async throws(CinematicError) -> [BoxHeader] {
    try await lock.lock()
    defer { lock.unlock() }
    let key = try await open(nil, 0)
    while !levels[key]!.headers.contains(where: { $0.type == type }),
      try await advance(key, nil) != nil
    {}
    let headers = levels[key]!.headers
    return headers.firstIndex { $0.type == type }.map { Array(headers[...$0]) } ?? headers
  }

  /// A box at the top of the file by its number, from 0; `nil` behind the last one and below 0.
  public func topLevel(number: Int) async throws(CinematicError) -> BoxHeader? {
    guard number >= 0 else { return nil }
    try await lock.lock()
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
    try await lock.lock()
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
    try await lock.lock()
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
    try await lock.lock()
    defer { lock.unlock() }
    return try await wholeContent(header)
  }

  /// The contents of the boxes of some types within another; of several of one type, the last one's.
  /// One read brings them all where the source prefers that.
  ///
  /// - Throws: as ``first(_:in:leading:)`` and ``content(_:)``.
  public func contents(
    of types: Set<FourCC>, in parent: BoxHeader
  ) async throws(CinematicError) -> [FourCC: ArraySlice<UInt8>] {
    try await lock.lock()
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

  /// The first bytes of a box's contents; fewer where it has fewer, none for a count below 0.
  public func prefix(
    of header: BoxHeader, count: Int
  ) async throws(CinematicError) -> ArraySlice<UInt8> {
    try await lock.lock()
    defer { lock.unlock() }
    let wanted = min(Int64(max(count, 0)), header.contentSize)
    return try await bytes(header.contentOffset, Int(wanted), window: 0)
  }

  /// The bytes of a range as far as the file has them; they are kept for a while, so that the heads in
  /// them need no read each.
  @discardableResult
  public func bytes(
    _ range: Range<Int64>
  ) async throws(CinematicError) -> ArraySlice<UInt8> {
    try await lock.lock()
    defer { lock.unlock() }
    let start = max(range.lowerBound, 0)
    return try await bytes(start, Int(max(range.upperBound - start, 0)), window: 0)
  }

  /// Makes reads within a box bring what follows as well, as much as the source prefers: for a
  /// caller that is going to look through most of it.
  public func readAhead(in header: BoxHeader) async {
    guard readAheadSize > 0, header.offset < header.end, (try? await lock.lock()) != nil else {
      return
    }
    defer { lock.unlock() }
    let range = header.offset..<header.end
    if !walked.contains(range) { walked.append(range) }
  }
}
