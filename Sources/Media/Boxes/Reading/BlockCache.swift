// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A source read in blocks, the last of which are kept: for samples that lie beside each other on a
/// server, where every question costs time. At most 8 MiB.
// @unchecked Sendable: the mutable state is touched only between `lock.lock()` and `lock.unlock()`.
package final class BlockCache: ByteSource, @unchecked Sendable {
  package var name: String { source.name }

  private static let blockSize: Int64 = 256 << 10
  private static let blockCount = 32

  private let source: any ByteSource
  private let lock = AsyncLock()
  private var blocks: [Int64: [UInt8]] = [:]
  /// The blocks' numbers, the one used last at the end.
  private var used: [Int64] = []

  package init(_ source: any ByteSource) { self.source = source }

  package func byteCount() async throws(CinematicError) -> Int64 { try await source.byteCount() }

  package func read(_ range: Range<Int64>) async throws(CinematicError) -> [UInt8] {
    // What does not fit beside other things is read past the blocks.
    guard Int64(range.count) <= Self.blockSize * 8 else { return try await source.read(range) }
    await lock.lock()
    defer { lock.unlock() }
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var position = range.lowerBound
    while position < range.upperBound {
      let number = position / Self.blockSize
      let block = try await block(number)
      let start = Int(position - number * Self.blockSize)
      let end = min(block.count, Int(range.upperBound - number * Self.blockSize))
      guard start < end else { break }
      result += block[start..<end]
      position = number * Self.blockSize + Int64(end)
    }
    return result
  }

  private func block(_ number: Int64) async throws(CinematicError) -> [UInt8] {
    used.removeAll { $0 == number }
    used.append(number)
    if let block = blocks[number] { return block }
    let start = number * Self.blockSize
    let block: [UInt8]
    do throws(CinematicError) {
      block = try await source.read(start..<(start + Self.blockSize))
    } catch {
      used.removeLast()
      throw error
    }
    if blocks.count >= Self.blockCount { blocks[used.removeFirst()] = nil }
    blocks[number] = block
    return block
  }
}
