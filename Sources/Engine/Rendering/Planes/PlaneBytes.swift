// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The bytes of a plane, in host memory or in a piece of a device's: what two pictures may have in common.
struct PlaneBytes: Sendable {
  /// The piece of a device's memory; `nil` for the host's.
  private let memory: ObjectIdentifier?
  private let start: UInt
  private let rowByteCount: Int
  private let bytesPerRow: Int
  private let rowCount: Int

  init(_ plane: HostPlane) {
    memory = nil
    start = plane.address
    rowByteCount = plane.rowByteCount
    bytesPerRow = plane.bytesPerRow
    rowCount = plane.rowCount
  }

  init(_ texture: Texture) {
    memory = ObjectIdentifier(texture.memory)
    start = UInt(texture.offset)
    rowByteCount = texture.dimensions.width * texture.format.bytesPerElement
    bytesPerRow = texture.bytesPerRow
    rowCount = texture.dimensions.height
  }

  /// Whether a byte belongs to both. Rows between those of the other share none: pictures may stand side by side in
  /// one buffer.
  func overlaps(_ other: PlaneBytes) -> Bool {
    guard memory == other.memory else { return false }
    let (first, second) = start <= other.start ? (self, other) : (other, self)
    let distance = second.start - first.start
    let byteCount = first.bytesPerRow * (first.rowCount - 1) + first.rowByteCount
    guard distance < UInt(byteCount) else { return false }
    guard first.bytesPerRow == second.bytesPerRow else { return true }
    let (row, column) = Int(distance).quotientAndRemainder(dividingBy: first.bytesPerRow)
    let reachesNext = column + second.rowByteCount > first.bytesPerRow
    return column < first.rowByteCount || (reachesNext && row + 1 < first.rowCount)
  }
}

extension PixelBuffer {
  var planeBytes: [PlaneBytes] {
    planes.indices.map { PlaneBytes(HostPlane(self, plane: $0)) }
  }
}

extension RenderingSession.Picture {
  var planeBytes: [PlaneBytes] {
    switch planes {
    case .host(let buffer): buffer.planeBytes
    case .textures(let textures): textures.map { PlaneBytes($0) }
    }
  }

  /// - Parameters:
  ///   - read: planes that are read while this picture is written.
  ///   - name: of what they belong to, for people to read.
  /// - Throws: `incompatible` if they share memory with this picture.
  func validate(apartFrom read: [PlaneBytes], of name: String) throws(CinematicError) {
    let written = planeBytes
    guard read.contains(where: { plane in written.contains { $0.overlaps(plane) } }) else {
      return
    }
    throw CinematicError(
      .incompatible, "the destination shares memory with \(name)",
      remedy: "give it memory of its own: nothing is rendered in place")
  }
}

extension RenderingSession.DisparityMap {
  var planeBytes: [PlaneBytes] {
    switch plane {
    case .host(let buffer): buffer.planeBytes
    case .texture(let texture): [PlaneBytes(texture)]
    }
  }
}
