// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import PixelConversion

/// A plane of a picture, or some rows of one, as bytes in host memory. Two planes are equal if they
/// are the same bytes, whichever picture names them.
package struct HostPlane: Hashable, Sendable {
  let address: UInt
  /// Bytes of a row that belong to the picture; those that follow may belong to something else.
  let rowByteCount: Int
  let bytesPerRow: Int
  let rowCount: Int

  /// The memory is valid only as long as `buffer` lives.
  package init(_ buffer: PixelBuffer, plane: Int) {
    let layout = buffer.planes[plane]
    address = buffer.withUnsafeMutableBytes(ofPlane: plane) { UInt(bitPattern: $0.baseAddress) }
    rowByteCount = layout.dimensions.width * layout.bytesPerElement
    bytesPerRow = layout.bytesPerRow
    rowCount = layout.dimensions.height
  }

  private init(of plane: HostPlane, rows: Range<Int>) {
    address = plane.address + UInt(rows.lowerBound * plane.bytesPerRow)
    rowByteCount = plane.rowByteCount
    bytesPerRow = plane.bytesPerRow
    rowCount = rows.count
  }

  /// Bytes from the picture's first to its last: the last row counts without its padding.
  package var byteCount: Int { bytesPerRow * (rowCount - 1) + rowByteCount }
  package var isPadded: Bool { bytesPerRow != rowByteCount && rowCount > 1 }

  /// The first byte; valid as long as the picture lives.
  package var base: UnsafeMutableRawPointer {
    guard let base = UnsafeMutableRawPointer(bitPattern: address) else {
      preconditionFailure("a picture's memory starts at address 0")
    }
    return base
  }

  package func isAligned(to byteCount: Int) -> Bool { address % UInt(byteCount) == 0 }

  /// Whether bytes from the first to the last of both meet, those between their rows included, as copies go.
  package func overlaps(_ other: HostPlane) -> Bool {
    address < other.address + UInt(other.byteCount) && other.address < address + UInt(byteCount)
  }

  /// The plane in pieces of whole rows, about `size` bytes each, with their offsets.
  package func pieces(ofByteCount size: Int) -> [(offset: Int, rows: HostPlane)] {
    let rows = max(1, size / bytesPerRow)
    return stride(from: 0, to: rowCount, by: rows).map { first in
      (
        first * bytesPerRow,
        HostPlane(of: self, rows: first..<min(first + rows, rowCount))
      )
    }
  }

  /// Copies the rows without their padding to memory laid out as the plane is.
  ///
  /// - Parameter isParallel: whether several cores may share a large copy: one core does not fill the
  ///   memory's bandwidth.
  package func copy(to destination: UnsafeMutableRawPointer, isParallel: Bool = true) {
    copyRows(from: address, to: UInt(bitPattern: destination), isParallel)
  }

  /// Copies the rows from memory laid out as the plane is. The padding between rows keeps its bytes.
  package func copy(from source: UnsafeMutableRawPointer, isParallel: Bool = true) {
    copyRows(from: UInt(bitPattern: source), to: address, isParallel)
  }

  /// Below this size a piece is not worth a core of its own.
  private static let leastPieceByteCount = 1 << 20
  /// From this size on a plane is copied past the caches, which are of more use to others.
  private static let largeByteCount = 4 << 20

  private func copyRows(from source: UInt, to destination: UInt, _ isParallel: Bool) {
    let isLarge = byteCount >= Self.largeByteCount
    @Sendable func copy(_ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ count: Int) {
      guard isLarge else { return to.copyMemory(from: from, byteCount: count) }
      focal_copy_past_caches(to, from, count)
    }
    @Sendable func copy(_ rows: Range<Int>) {
      let start = UInt(rows.lowerBound * bytesPerRow)
      guard let from = UnsafeRawPointer(bitPattern: source + start),
        let to = UnsafeMutableRawPointer(bitPattern: destination + start)
      else { return }
      guard isPadded else {
        return copy(from, to, rows.count * rowByteCount)
      }
      for row in 0..<rows.count {
        copy(from + row * bytesPerRow, to + row * bytesPerRow, rowByteCount)
      }
    }
    let pieces = isParallel ? max(1, min(8, rowCount, byteCount / Self.leastPieceByteCount)) : 1
    guard pieces > 1 else { return copy(0..<rowCount) }
    DispatchQueue.concurrentPerform(iterations: pieces) { piece in
      copy(rowCount * piece / pieces..<rowCount * (piece + 1) / pieces)
    }
  }
}
