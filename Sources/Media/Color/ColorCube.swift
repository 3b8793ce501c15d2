// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import PlanarCoding

/// A 3D look-up table of a `.cube` file: what colours become.
public struct ColorCube: Sendable {
  /// The path, for messages.
  public let name: String
  /// Entries along an edge, 2 to 256.
  public let size: Int
  /// Red is the quickest; three numbers an entry.
  let table: [Float]
  private let least: [Float]
  private let most: [Float]

  /// The longest file that is read: a table of 256 has 16 million lines.
  private static let maximumByteCount: Int64 = 1 << 30

  /// Reads a file.
  ///
  /// - Throws: `unreadable`, `malformed` for lines that are no table, `unsupported` for tables of one
  ///   dimension.
  public init(path: String) throws(CinematicError) {
    let file = FileByteSource(path: path)
    let size = try file.fileSize()
    guard size <= Self.maximumByteCount else {
      throw CinematicError(.unsupported, "\(path) is too large for a table of colours")
    }
    try self.init(try file.bytes(0..<size), name: path)
  }

  /// - Throws: as ``init(path:)``.
  public init(_ bytes: [UInt8], name: String) throws(CinematicError) {
    self.name = name
    var (size, number) = (0, 0)
    var (least, most): ([Float], [Float]) = ([0, 0, 0], [1, 1, 1])
    var table: [Float] = []
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      let words = line.split(whereSeparator: { [0x20, 0x09, 0x0D].contains($0) })
      guard let first = words.first, first.first != 0x23 else { continue }
      func damaged(_ what: String) -> CinematicError {
        CinematicError(
          .malformed, "line \(number) of \(name) \(what)", remedy: "give a 3D table (.cube)")
      }
      func numbers() throws(CinematicError) -> [Float] {
        let values = words.suffix(3).compactMap { Float(String(decoding: $0, as: UTF8.self)) }
        guard values.count == 3, values.allSatisfy(\.isFinite) else {
          throw damaged("has no three numbers")
        }
        return values
      }
      switch String(decoding: first, as: UTF8.self) {
      case "TITLE": continue
      case "LUT_1D_SIZE", "LUT_1D_INPUT_RANGE":
        throw CinematicError(
          .unsupported, "\(name) is a table of one dimension",
          remedy: "give a table of three, LUT_3D_SIZE")
      case "LUT_3D_SIZE":
        size = words.count == 2 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
        guard (2...256).contains(size) else { throw damaged("has no size from 2 to 256") }
        table.reserveCapacity(3 * size * size * size)
      case "DOMAIN_MIN": least = try numbers()
      case "DOMAIN_MAX": most = try numbers()
      case "LUT_3D_INPUT_RANGE":
        let range = words.dropFirst().compactMap { Float(String(decoding: $0, as: UTF8.self)) }
        guard range.count == 2 else { throw damaged("has no two numbers") }
        (least, most) = ([range[0], range[0], range[0]], [range[1], range[1], range[1]])
      default:
        guard words.count == 3 else { throw damaged("is not understood") }
        guard size > 0, table.count < 3 * size * size * size else {
          throw damaged("is one more than the table has")
        }
        table += try numbers()
      }
    }
    guard size > 0, table.count == 3 * size * size * size else {
      throw CinematicError(
        .malformed,
        "\(name) has \(table.count / 3) of \(size * size * size) colours of a 3D table",
        remedy: "give a whole .cube file")
    }
    guard zip(least, most).allSatisfy({ $0 < $1 }) else {
      throw CinematicError(.malformed, "\(name) has a domain that is empty")
    }
    (self.size, self.table, self.least, self.most) = (size, table, least, most)
  }

  /// - Parameters:
  ///   - least: the least code of each channel, below 1; the largest is 1.
  ///   - table: red the quickest; three numbers an entry.
  init(name: String, size: Int, from least: Float, table: [Float]) {
    (self.name, self.size, self.table) = (name, size, table)
    (self.least, most) = ([least, least, least], [1, 1, 1])
  }

  /// Replaces the colours of a buffer.
  ///
  /// - Precondition: `rgbaFloat`.
  func apply(to buffer: PixelBuffer) {
    let steps = zip(least, most).map { Float(size - 1) / ($1 - $0) }
    table.withUnsafeBufferPointer { table in
      var cube = FocalColorCube()
      cube.table = table.baseAddress
      cube.size = Int32(size)
      cube.least = (least[0], least[1], least[2])
      cube.steps = (steps[0], steps[1], steps[2])
      buffer.withUnsafeMutableBytes { bytes in
        for y in 0..<buffer.height {
          let row = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow
          focal_cube_apply(&cube, row.assumingMemoryBound(to: Float.self), buffer.width)
        }
      }
    }
  }
}

/// The meaning of a source's codes, if no tag tells.
public enum WorkingSpace: Sendable {
  /// Codes of a camera's curve become light, and the same codes again.
  case log(LogCurve)
  /// Colours become those of a table, which are then BT.709's, or those of ``ReadOptions/transfer``.
  case table(ColorCube)
}

/// How light that was read became codes of a camera's curve.
public struct LogCoding: Hashable, Sendable {
  public var curve: LogCurve
  /// The codes by the file's own words.
  public var tags: ColorTags
  public var isFullRange: Bool
}
