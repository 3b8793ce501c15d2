// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Synchronization

/// A byte source that counts what is read of it. Pieces lie anywhere in zeros that cost no memory.
public final class MemorySource: ByteSource {
  public let name: String
  public let preferredReadSize: Int
  private let pieces: [(offset: Int64, bytes: [UInt8])]
  private let size: Int64
  private let reads = Mutex<[Range<Int64>]>([])
  private let gate: (@Sendable () async throws(CinematicError) -> Void)?

  /// - Parameter gate: waited for before each read.
  public init(
    _ pieces: [(offset: Int64, bytes: [UInt8])], name: String = "memory.mov", extra: Int64 = 0,
    preferredReadSize: Int = 0,
    gate: (@Sendable () async throws(CinematicError) -> Void)? = nil
  ) {
    self.pieces = pieces.filter { !$0.bytes.isEmpty }.sorted { $0.offset < $1.offset }
    self.name = name
    self.preferredReadSize = preferredReadSize
    self.gate = gate
    size = (pieces.map { $0.offset + Int64($0.bytes.count) }.max() ?? 0) + extra
  }

  public convenience init(_ bytes: [UInt8], name: String = "memory.mov") {
    self.init([(0, bytes)], name: name)
  }

  public var readRanges: [Range<Int64>] { reads.withLock { $0 } }
  public var readCount: Int { readRanges.count }
  /// Bytes that were read, those read twice counted twice.
  public var bytesRead: Int64 { readRanges.reduce(0) { $0 + Int64($1.count) } }

  public func byteCount() async throws(CinematicError) -> Int64 { size }

  public func read(_ range: Range<Int64>) async throws(CinematicError) -> [UInt8] {
    try await gate?()
    if Task.isCancelled { throw CinematicError(.cancelled, "reading \(name) was cancelled") }
    let range = range.clamped(to: 0..<size)
    reads.withLock { $0.append(range) }
    return bytes(range)
  }

  /// How many bytes there are.
  var byteCountNow: Int64 { size }

  /// The bytes of a range within the source, uncounted.
  func bytes(_ range: Range<Int64>) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: range.count)
    // Pieces lie in the order of their places, at most one begins before the range and reaches it.
    var low = 0
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].offset <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    for piece in pieces[max(0, low - 1)...].prefix(while: { $0.offset < range.upperBound }) {
      let common = range.clamped(to: piece.offset..<(piece.offset + Int64(piece.bytes.count)))
      for position in common {
        result[Int(position - range.lowerBound)] = piece.bytes[Int(position - piece.offset)]
      }
    }
    return result
  }
}

/// A repeatable generator (SplitMix64).
public struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  public init(_ seed: UInt64) { state = seed }
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
