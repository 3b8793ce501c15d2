// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalMedia
import Foundation

/// The last map that an estimator was asked for and from which others are carried, in a file beside the maps. It has the
/// estimator's own numbers, of which maps in files are shares or halves: work that was ended goes on from it with the
/// maps of one run, to the bit.
struct KeptAnchor: Sendable {
  /// The beginning of every file.
  private static let heading = "focal anchor "

  /// The rest of the first line. The map follows, a little-endian float a pixel.
  private struct Head: Codable {
    /// A checksum of all that decides about the maps.
    var key: String
    var number: Int
    /// How many pictures further the estimator is asked.
    var interval: Int
    var width: Int
    var height: Int
  }

  /// An anchor.
  struct Found {
    var number: Int
    var interval: Int
    var map: PixelBuffer
  }

  let path: String
  private let key: String

  /// - Parameter key: all that decides about the maps.
  init(_ path: String, key: [String]) {
    self.path = path
    self.key = SHA256.digits(of: Data(([programVersion] + key).map { $0 + "\n" }.joined().utf8))
  }

  /// Whether there is a file of another's in its place.
  var isAnothers: Bool {
    guard let data = FileManager.default.contents(atPath: path) else { return false }
    return !data.starts(with: Self.heading.utf8)
  }

  /// The one that is there; `nil` for none of these maps, or one of another size.
  func found(_ size: Dimensions) -> Found? {
    guard let data = FileManager.default.contents(atPath: path),
      data.starts(with: Self.heading.utf8), let cut = data.firstIndex(of: 0x0A),
      let head = try? JSONDecoder().decode(
        Head.self, from: data[Self.heading.utf8.count..<cut]),
      head.key == key,
      head.width == size.width, head.height == size.height, head.number >= 0,
      Estimation.intervals.contains(head.interval)
    else { return nil }
    let bytes = [UInt8](data[(cut + 1)...])
    guard bytes.count == 4 * size.count else { return nil }
    let values = bytes.withUnsafeBytes { bytes in
      (0..<size.count).map { index in
        let bits = bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
        return Float(bitPattern: UInt32(littleEndian: bits))
      }
    }
    guard let map = try? PixelBuffer.map(values, size) else { return nil }
    return Found(number: head.number, interval: head.interval, map: map)
  }

  /// - Throws: `unwritable`.
  func write(
    _ number: Int, every interval: Int, _ values: [Float], _ size: Dimensions
  ) throws(CinematicError) {
    let head = Head(
      key: key, number: number, interval: interval, width: size.width, height: size.height)
    guard let line = try? JSONEncoder().encode(head) else {
      throw CinematicError(.unknown, "the map in \(path) cannot be written down")
    }
    var bytes = Array(Self.heading.utf8) + [UInt8](line) + [0x0A]
    values.map { $0.bitPattern.littleEndian }.withUnsafeBytes { bytes += $0 }
    let writer = try DataWriter(path: path, overwrite: true)
    try writer.write(bytes)
    try writer.finish()
  }

  func remove() { unlink(path) }
}
