// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// `mvhd`: the movie's clock and length.
public struct MovieHeader: Hashable, Sendable {
  /// Ticks a second of the movie's timeline, at least 1.
  public var timescale: Int32
  /// Ticks; zero in a file of fragments, `nil` where the box says that it is unknown.
  public var duration: Int64?
  /// Seconds since 1904 in UTC.
  public var creationTime: Int64
  /// From the movie to the screen.
  public var matrix: TransformMatrix
  /// A number that no track has yet.
  public var nextTrackID: UInt32

  /// Bytes from the contents' start that hold clock and length, whatever the version.
  public static let durationSize = 32

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are cut short, a timescale of 0, and numbers that no movie has.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "mvhd")
    (creationTime, timescale, duration) = try Self.clock(&reader)
    try reader.skip(4 + 2 + 10)  // rate, volume, reserved
    matrix = try TransformMatrix(&reader)
    try reader.skip(24)
    nextTrackID = try reader.u32()
  }

  /// Clock and length alone, from the first ``durationSize`` bytes of the contents.
  ///
  /// - Throws: as ``init(_:)``.
  public static func duration(
    _ content: ArraySlice<UInt8>
  ) throws(CinematicError) -> (timescale: Int32, duration: Int64?) {
    var reader = ByteReader(content, box: "mvhd")
    let (_, timescale, duration) = try clock(&reader)
    return (timescale, duration)
  }

  private static func clock(
    _ reader: inout ByteReader
  ) throws(CinematicError) -> (created: Int64, timescale: Int32, duration: Int64?) {
    let isWide = try reader.versionAndFlags().version == 1
    let created = try reader.count(wide: isWide)
    _ = try reader.count(wide: isWide)
    let timescale = try reader.timescale()
    return (created, timescale, try reader.duration(wide: isWide))
  }
}

/// The nine numbers of a display matrix, as the file stores them: (x, y) goes to
/// (a x + c y + tx, b x + d y + ty), y pointing down; 16.16, the last column 2.30.
public struct TransformMatrix: Hashable, Sendable {
  /// a, b, u, c, d, v, tx, ty, w.
  public let values: [Int32]

  /// Neither moves nor turns nor scales.
  public static let identity = TransformMatrix(
    values: [1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30])

  /// - Precondition: nine values.
  public init(values: [Int32]) {
    precondition(values.count == 9, "a display matrix has nine values")
    self.values = values
  }

  init(_ reader: inout ByteReader) throws(CinematicError) {
    var values: [Int32] = []
    for _ in 0..<9 { values.append(try reader.i32()) }
    self.values = values
  }

  /// Both, one after the other: a track's matrix, then its movie's.
  package func followed(by next: TransformMatrix) -> TransformMatrix {
    let (a, b) = (values, next.values)
    // A matrix of zeros says nothing.
    guard next != .identity, b[0] != 0 || b[1] != 0 || b[3] != 0 || b[4] != 0 else { return self }
    func sum(_ x: Int32, _ first: Int32, _ y: Int32, _ second: Int32, _ more: Int32 = 0) -> Int32 {
      let product = Int128(x) * Int128(first) + Int128(y) * Int128(second) + Int128(0x8000)
      return Int32(clamping: (product >> 16) + Int128(more))
    }
    return TransformMatrix(values: [
      sum(a[0], b[0], a[1], b[3]), sum(a[0], b[1], a[1], b[4]), a[2],
      sum(a[3], b[0], a[4], b[3]), sum(a[3], b[1], a[4], b[4]), a[5],
      sum(a[6], b[0], a[7], b[3], b[6]), sum(a[6], b[1], a[7], b[4], b[7]), a[8],
    ])
  }

  /// The matrix as a quarter turn, `nil` for other angles, scales and mirrors.
  public var quarterTurn: QuarterTurn? {
    let one: Int32 = 1 << 16
    return switch (values[0], values[1], values[3], values[4]) {
    case (one, 0, 0, one): .identity
    case (0, one, -one, 0): .clockwise90
    case (-one, 0, 0, -one): .clockwise180
    case (0, -one, one, 0): .clockwise270
    default: nil
    }
  }
}

extension ByteReader {
  /// Ticks a second.
  mutating func timescale() throws(CinematicError) -> Int32 {
    let value = try u32()
    guard value > 0, value <= UInt32(Int32.max) else {
      throw malformed("its timescale is \(value)")
    }
    return Int32(value)
  }

  /// Ticks; all ones if unknown.
  mutating func duration(wide: Bool) throws(CinematicError) -> Int64? {
    if wide {
      let value = try u64()
      if value == .max { return nil }
      guard value <= UInt64(Int64.max) else { throw malformed("its duration is \(value) ticks") }
      return Int64(value)
    }
    let value = try u32()
    return value == .max ? nil : Int64(value)
  }
}
