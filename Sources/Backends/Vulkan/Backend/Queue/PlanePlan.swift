// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalRendering

/// The picture planes of a submission, and where each lies in its device buffer: what is only read
/// first, then what is read and written, then what is only written, so that one piece goes up and
/// one comes back.
struct PlanePlan: Sendable {
  struct Plane: Sendable {
    let buffer: PixelBuffer
    let index: Int
    var isRead: Bool
    var isWritten: Bool
    /// From the start of the device buffer, a multiple of 256.
    var offset = 0
    let byteCount: Int
    /// The host's addresses.
    let addresses: Range<UInt>

    fileprivate init(_ buffer: PixelBuffer, _ index: Int) {
      self.buffer = buffer
      self.index = index
      isRead = false
      isWritten = false
      (byteCount, addresses) = buffer.withUnsafeBytes(ofPlane: index) { bytes in
        let start = UInt(bitPattern: bytes.baseAddress)
        return (bytes.count, start..<start + UInt(bytes.count))
      }
    }
  }

  private struct Key: Hashable {
    let buffer: ObjectIdentifier
    let plane: Int
  }

  private(set) var planes: [Plane] = []
  private var indices: [Key: Int] = [:]
  private(set) var byteCount = 0
  /// The bytes of the device buffer that the host's pictures go to, and come from.
  private(set) var upload = 0..<0
  private(set) var download = 0..<0

  init(_ dispatches: [KernelDispatch]) {
    for dispatch in dispatches {
      for case .pixels(let buffer, let plane, let access) in dispatch.bindings {
        let key = Key(buffer: ObjectIdentifier(buffer), plane: plane)
        let index = indices[key] ?? planes.count
        if index == planes.count {
          indices[key] = index
          planes.append(Plane(buffer, plane))
        }
        switch access {
        case .read: planes[index].isRead = true
        case .write: planes[index].isWritten = true
        }
      }
    }
    let groups = [
      planes.indices.filter { planes[$0].isRead && !planes[$0].isWritten },
      planes.indices.filter { planes[$0].isRead && planes[$0].isWritten },
      planes.indices.filter { !planes[$0].isRead },
    ]
    var starts: [Int] = []
    for group in groups {
      starts.append(byteCount)
      for index in group {
        planes[index].offset = byteCount
        byteCount = (byteCount + planes[index].byteCount + 255) & ~255
      }
    }
    upload = 0..<starts[2]
    download = starts[1]..<byteCount
  }

  /// The plane that a `pixels` binding names.
  subscript(buffer: PixelBuffer, plane: Int) -> Plane? {
    indices[Key(buffer: ObjectIdentifier(buffer), plane: plane)].map { planes[$0] }
  }

  /// Copies what is read to `base`, where the device buffer starts as the host sees it.
  func copyIn(to base: UnsafeMutableRawPointer, isParallel: Bool) {
    for plane in planes where plane.isRead {
      plane.buffer.withUnsafeMutableBytes(ofPlane: plane.index) { bytes in
        guard let host = bytes.baseAddress else { return }
        copyRows(
          plane.buffer.planes[plane.index],
          RowCopy(source: host, destination: base + plane.offset), isParallel)
      }
    }
  }

  /// Copies what was written from `base` to the pictures; never the padding between their rows, which
  /// may be someone else's memory.
  func copyOut(from base: UnsafeMutableRawPointer, isParallel: Bool) {
    for plane in planes where plane.isWritten {
      plane.buffer.withUnsafeMutableBytes(ofPlane: plane.index) { bytes in
        guard let host = bytes.baseAddress else { return }
        copyRows(
          plane.buffer.planes[plane.index],
          RowCopy(source: base + plane.offset, destination: host), isParallel)
      }
    }
  }
}

/// Two places whose rows lie alike.
// @unchecked Sendable: addresses of memory that the submission keeps alive; each thread copies rows
// of its own.
private struct RowCopy: @unchecked Sendable {
  let source: UnsafeMutableRawPointer
  let destination: UnsafeMutableRawPointer
}

/// Copies the rows of a plane, without what pads them.
///
/// - Parameter isParallel: whether other cores may help with much: one core does not fill the
///   memory's bandwidth.
private func copyRows(_ layout: PixelBuffer.Layout, _ copy: RowCopy, _ isParallel: Bool) {
  let rows = layout.dimensions.height
  let rowBytes = layout.dimensions.width * layout.bytesPerElement
  let pieceBytes = 2 << 20
  let pieces = isParallel ? max(1, min(8, rowBytes * rows / pieceBytes)) : 1
  @Sendable func copyPiece(_ piece: Int) {
    let range = rows * piece / pieces..<rows * (piece + 1) / pieces
    if rowBytes == layout.bytesPerRow {
      let start = range.lowerBound * rowBytes
      (copy.destination + start).copyMemory(
        from: copy.source + start, byteCount: range.count * rowBytes)
      return
    }
    for row in range {
      let start = row * layout.bytesPerRow
      (copy.destination + start).copyMemory(from: copy.source + start, byteCount: rowBytes)
    }
  }
  if pieces == 1 {
    copyPiece(0)
  } else {
    DispatchQueue.concurrentPerform(iterations: pieces, execute: copyPiece)
  }
}
