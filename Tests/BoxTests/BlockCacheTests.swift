// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import MovieKit
import Testing

@Suite struct BlockCacheTests {
  static let block = 64 << 10

  static func bytes(_ count: Int) -> [UInt8] {
    var random = Seeded(UInt64(count))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// Any ranges, those beyond the end and those of no bytes among them, whatever was read before.
  @Test(arguments: [0, 1000, 128 << 10, 1 << 20, .max])
  func theBytesOfTheSource(_ preferred: Int) async throws {
    let bytes = Self.bytes(1_500_000)
    let cache = BlockCache(MemorySource([(0, bytes)], preferredReadSize: preferred))
    var random = Seeded(UInt64(truncatingIfNeeded: preferred) &+ 3)
    for _ in 0..<300 {
      let start = Int(random.next() % 1_600_000)
      let count = Int(random.next() % (random.next() % 8 == 0 ? 3_000_000 : 90_000))
      let end = min(start + count, bytes.count)
      let expected = start < end ? bytes[start..<end] : []
      let read = try await cache.read(Int64(start)..<Int64(start + count))
      #expect(read.elementsEqual(expected), "\(start) \(count)")
    }
  }

  /// Reading on asks seldom and never twice for the same.
  @Test func readingOn() async throws {
    let size: Int64 = 40 << 20
    let source = MemorySource([(0, [1])], extra: size - 1, preferredReadSize: 128 << 10)
    let cache = BlockCache(source)
    for start in stride(from: Int64(0), to: size, by: 50_000) {
      _ = try await cache.read(start..<(start + 50_000))
    }
    // Two blocks, four, eight, then sixteen at a time.
    #expect(source.readCount <= 4 + 40, "\(source.readCount)")
    #expect(source.bytesRead == size)
  }

  /// Several who read on in different places do not disturb each other.
  @Test func readingOnInSeveralPlaces() async throws {
    let source = MemorySource([(0, [1])], extra: 100 << 20, preferredReadSize: 128 << 10)
    let cache = BlockCache(source)
    for step in 0..<200 {
      for lane in 0..<4 as Range<Int64> {
        let start = lane * (20 << 20) + Int64(step) * 50_000
        _ = try await cache.read(start..<(start + 50_000))
      }
    }
    #expect(source.readCount <= 4 * (4 + 10), "\(source.readCount)")
    #expect(source.bytesRead <= 4 * (10 << 20) + 4 << 20, "\(source.bytesRead)")
  }

  /// A jump gets what the source prefers, at the borders of blocks.
  @Test func jumping() async throws {
    let source = MemorySource([(0, [1])], extra: 1 << 30, preferredReadSize: 128 << 10)
    let cache = BlockCache(source)
    for step in 0..<50 as Range<Int64> {
      _ = try await cache.read((step * 20_000_003)..<(step * 20_000_003 + 3000))
    }
    #expect(source.readCount == 50)
    #expect(source.bytesRead <= 50 * 128 << 10)
  }

  /// A picture of many blocks is one read.
  @Test func aLargeSample() async throws {
    let source = MemorySource([(0, [1])], extra: 1 << 30, preferredReadSize: 128 << 10)
    let cache = BlockCache(source)
    #expect(try await cache.read(1_000_000..<2_500_000).count == 1_500_000)
    #expect(source.readCount == 1)
    #expect(source.bytesRead <= 1_500_000 + 2 * Int64(Self.block))
  }
}
