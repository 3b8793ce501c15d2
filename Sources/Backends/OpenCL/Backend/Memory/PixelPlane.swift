// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore

/// A plane of a picture, or some rows of one, as bytes in host memory.
struct PixelPlane: Hashable, Sendable {
  private let address: UInt
  /// Bytes of a row that are the picture's own; what follows them may be anybody's.
  private let rowByteCount: Int
  private let bytesPerRow: Int
  private let rowCount: Int

  /// The memory is valid only as long as `buffer` lives.
  init(_ buffer: PixelBuffer, plane: Int) {
    let layout = buffer.planes[plane]
    address = buffer.withUnsafeMutableBytes(ofPlane: plane) { UInt(bitPattern: $0.baseAddress) }
    rowByteCount = layout.dimensions.width * layout.bytesPerElement
    bytesPerRow = layout.bytesPerRow
    rowCount = layout.dimensions.height
  }

  private init(of plane: PixelPlane, rows: Range<Int>) {
    address = plane.address + UInt(rows.lowerBound * plane.bytesPerRow)
    rowByteCount = plane.rowByteCount
    bytesPerRow = plane.bytesPerRow
    rowCount = rows.count
  }

  /// Bytes from the first to the last of the picture's own.
  var byteCount: Int { bytesPerRow * (rowCount - 1) + rowByteCount }
  var isPadded: Bool { bytesPerRow != rowByteCount && rowCount > 1 }

  /// The first byte; valid as long as the picture lives.
  var base: UnsafeMutableRawPointer {
    guard let base = UnsafeMutableRawPointer(bitPattern: address) else {
      preconditionFailure("a picture's memory starts at address 0")
    }
    return base
  }

  func isAligned(to byteCount: Int) -> Bool { address % UInt(byteCount) == 0 }

  func overlaps(_ other: PixelPlane) -> Bool {
    address < other.address + UInt(other.byteCount) && other.address < address + UInt(byteCount)
  }

  /// The plane in pieces of whole rows, about `size` bytes each, with their offsets.
  func pieces(ofByteCount size: Int) -> [(offset: Int, rows: PixelPlane)] {
    let rows = max(1, size / bytesPerRow)
    return stride(from: 0, to: rowCount, by: rows).map { first in
      (
        first * bytesPerRow,
        PixelPlane(of: self, rows: first..<min(first + rows, rowCount))
      )
    }
  }

  /// Copies the rows' own bytes to memory laid out as the plane is.
  func copy(to destination: UnsafeMutableRawPointer) {
    copyRows(from: address, to: UInt(bitPattern: destination))
  }

  /// Copies the rows' own bytes from memory laid out as the plane is; padding stays as it was.
  func copy(from source: UnsafeMutableRawPointer) {
    copyRows(from: UInt(bitPattern: source), to: address)
  }

  /// Above this size one core does not use all that the memory can do.
  private static let parallelByteCount = 2 << 20

  private func copyRows(from source: UInt, to destination: UInt) {
    @Sendable func copy(_ rows: Range<Int>) {
      guard
        let from = UnsafeRawPointer(bitPattern: source + UInt(rows.lowerBound * bytesPerRow)),
        let to = UnsafeMutableRawPointer(
          bitPattern: destination + UInt(rows.lowerBound * bytesPerRow))
      else { return }
      guard isPadded else {
        to.copyMemory(from: from, byteCount: rows.count * rowByteCount)
        return
      }
      for row in 0..<rows.count {
        (to + row * bytesPerRow).copyMemory(from: from + row * bytesPerRow, byteCount: rowByteCount)
      }
    }
    guard byteCount > Self.parallelByteCount, rowCount >= 4 else { return copy(0..<rowCount) }
    let step = (rowCount + 3) / 4
    DispatchQueue.concurrentPerform(iterations: 4) { part in
      let first = min(part * step, rowCount)
      copy(first..<min(first + step, rowCount))
    }
  }
}
