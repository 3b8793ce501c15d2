// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A source read in blocks, the last of which are kept: for samples that lie beside each other on a
/// server, where every question costs time. At most 8 MiB.
///
/// A read brings at least as much as the source prefers, and twice as much as the one before it where
/// it goes on where that ended, up to 1 MiB: reading on takes few reads, and a jump brings little
/// more than was requested.
// @unchecked Sendable: the mutable state is touched only between `lock.lock()` and `lock.unlock()`.
package final class BlockCache: ByteSource, @unchecked Sendable {
  package var name: String { source.name }
  package var preferredReadSize: Int { source.preferredReadSize }

  private static let blockSize: Int64 = 64 << 10
  private static let blockCount = 128
  /// The most blocks that a read brings beyond what was asked for.
  private static let maximumRun: Int64 = 16

  private let source: any ByteSource
  private let lock = AsyncLock()
  private var blocks: [Int64: ArraySlice<UInt8>] = [:]
  /// The blocks' numbers, the one used last at the end.
  private var used: [Int64] = []
  /// How many blocks were read at once before the one of a number.
  private var runs: [Int64: Int64] = [:]
  private let shortestRun: Int64

  package init(_ source: any ByteSource) {
    self.source = source
    shortestRun = min(max(Int64(source.readAheadSize) / Self.blockSize, 1), Self.maximumRun)
  }

  package func byteCount() async throws(CinematicError) -> Int64 {
    try await source.believedByteCount()
  }

  package func read(_ range: Range<Int64>) async throws(CinematicError) -> [UInt8] {
    // Reads that are too large for the blocks, or beyond any file, go past them.
    guard range.upperBound <= 1 << 60, Int64(range.count) <= Self.blockSize * 32,
      let end = range.last
    else {
      return try await source.read(range)
    }
    try await lock.lock()
    defer { lock.unlock() }
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    let last = end / Self.blockSize
    for number in (range.lowerBound / Self.blockSize)...last {
      if blocks[number] == nil { try await load(number, through: last) }
      guard let block = blocks[number] else { break }
      use(number)
      let start = number * Self.blockSize
      result += block.dropFirst(Int(max(range.lowerBound - start, 0)))
        .prefix(range.count - result.count)
      // The source ends in a short one.
      guard block.count == Self.blockSize else { break }
    }
    return result
  }

  /// Reads blocks from one that is missing on, up to one that is there.
  private func load(_ number: Int64, through last: Int64) async throws(CinematicError) {
    let run = runs[number].map { min($0 * 2, Self.maximumRun) } ?? shortestRun
    var end = max(last + 1, number + run)
    if let there = (number..<end).first(where: { blocks[$0] != nil }) { end = there }
    let bytes = try await source.read((number * Self.blockSize)..<(end * Self.blockSize))
    for index in number..<end {
      // Blocks of their own storage, so that one that stays keeps no others.
      let block = Array(
        bytes.dropFirst(Int((index - number) * Self.blockSize)).prefix(Int(Self.blockSize)))
      guard !block.isEmpty else { break }
      blocks[index] = block[...]
      use(index)
    }
    runs[number] = nil
    runs[end] = run
    while blocks.count > Self.blockCount { blocks[used.removeFirst()] = nil }
    // A read that goes on has the block before.
    if runs.count > Self.blockCount { runs = runs.filter { blocks[$0.key - 1] != nil } }
  }

  private func use(_ number: Int64) {
    used.removeAll { $0 == number }
    used.append(number)
  }
}
