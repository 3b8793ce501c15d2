// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Finds boxes in a file without reading more than it must: heads, and the boxes that are asked for.
///
/// Every head is looked at once. Reads take a little more than is asked for, since what follows is
/// mostly wanted next. Several tasks may ask at once; they are served one after the other.
// @unchecked Sendable: the mutable state is touched only between `lock.lock()` and `lock.unlock()`.
public final class BoxBrowser: @unchecked Sendable {
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
  /// What was read last, newest first.
  private var windows: [(start: Int64, bytes: [UInt8])] = []

  public init(_ source: any ByteSource) { self.source = source }

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

  /// The boxes at the top of the file from a place on that an index tells; empty where none begins
  /// there.
  public func topLevel(from offset: Int64) async throws(CinematicError) -> [BoxHeader] {
    await lock.lock()
    defer { lock.unlock() }
    let size = try await source.byteCount()
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
    let size = try await source.byteCount()
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
    guard header.contentSize <= Self.maximumContentSize else {
      throw CinematicError(
        .unsupported, "\(source.name): the box '\(header.type)' has \(header.contentSize) bytes",
        remedy: "cut the movie into parts")
    }
    let bytes = try await bytes(header.contentOffset, Int(header.contentSize), window: 0)
    guard bytes.count == Int(header.contentSize) else { throw cutShort(header) }
    return bytes
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

  /// Reads ahead, so that the heads that follow need no read each.
  public func expect(_ range: Range<Int64>) async throws(CinematicError) {
    await lock.lock()
    defer { lock.unlock() }
    _ = try await bytes(range.lowerBound, Int(range.count), window: 0)
  }

  // MARK: - Levels

  /// Where a level begins; its key.
  private func open(_ parent: BoxHeader?, _ leading: Int64) async throws(CinematicError) -> Int64 {
    let size = try await source.byteCount()
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
    let head = try await bytes(level.next, wanted, window: Self.window)
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
  private static let windowCount = 4

  private func bytes(
    _ start: Int64, _ count: Int, window: Int
  ) async throws(CinematicError) -> ArraySlice<UInt8> {
    for known in windows where known.start <= start {
      let from = start - known.start
      if from + Int64(count) <= Int64(known.bytes.count) {
        return known.bytes[Int(from)..<(Int(from) + count)]
      }
    }
    let read = try await source.read(start..<(start + Int64(max(count, window))))
    // Large boxes are parsed once; only the small reads are worth keeping.
    if read.count <= 4096 {
      windows.insert((start, read), at: 0)
      if windows.count > Self.windowCount { windows.removeLast() }
    }
    return read[..<min(count, read.count)]
  }
}
