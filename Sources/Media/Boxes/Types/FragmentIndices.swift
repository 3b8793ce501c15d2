// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// `sidx`: how long, and where, the fragments of a file are.
public struct SegmentIndex: Hashable, Sendable {
  /// A stretch of the file.
  public struct Reference: Hashable, Sendable {
    /// Whether it leads to another index, not to fragments.
    public var isIndex: Bool
    /// Its bytes.
    public var byteCount: Int64
    /// Ticks of the index's timescale.
    public var duration: Int64
  }

  /// The track that is indexed.
  public var trackID: UInt32
  /// Ticks a second.
  public var timescale: Int32
  /// When the first stretch is shown, in ticks.
  public var earliestTime: Int64
  /// Bytes from the end of the box to the first reference's.
  public var firstOffset: Int64
  /// The stretches, in order.
  public var references: [Reference]

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are cut short, a timescale of 0, and numbers that no file has.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "sidx")
    let isWide = try reader.versionAndFlags().version > 0
    trackID = try reader.u32()
    timescale = try reader.timescale()
    earliestTime = try reader.count(wide: isWide)
    firstOffset = try reader.count(wide: isWide)
    try reader.skip(2)
    let count = Int(try reader.u16())
    references = []
    for _ in 0..<count {
      let size = try reader.u32()
      let duration = Int64(try reader.u32())
      try reader.skip(4)
      references.append(
        Reference(
          isIndex: size >> 31 == 1, byteCount: Int64(size & 0x7FFF_FFFF), duration: duration))
    }
  }

  /// Ticks that all references last.
  public var duration: Int64 { references.reduce(0) { $0 + $1.duration } }
}

/// `tfra`: where the fragments of a track lie that begin with a sample to decode from.
public struct TrackFragmentRandomAccess: Hashable, Sendable {
  /// A sync sample and the fragment that holds it.
  public struct Entry: Hashable, Sendable {
    /// Ticks of the track's timescale.
    public var time: Int64
    /// Bytes from the file's start to the fragment.
    public var fragmentOffset: Int64
  }

  /// The track, by its number in the movie.
  public var trackID: UInt32
  /// In the order of their times.
  public var entries: [Entry]

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are cut short or claim more fragments than there is room for.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "tfra")
    let isWide = try reader.versionAndFlags().version > 0
    trackID = try reader.u32()
    let sizes = try reader.u32()
    // Bytes of the numbers of `traf`, `trun` and sample, which are not needed: fragments are read whole.
    let rest = Int(sizes >> 4 & 3) + Int(sizes >> 2 & 3) + Int(sizes & 3) + 3
    let count = try reader.elementCount(ofSize: (isWide ? 16 : 8) + rest)
    entries = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      entries.append(
        Entry(
          time: try reader.count(wide: isWide), fragmentOffset: try reader.count(wide: isWide)))
      try reader.skip(rest)
    }
  }

  /// Bytes of `mfro`, the file's last box where it ends in an index of its fragments.
  public static let offsetBoxSize = 16

  /// How many bytes the index `mfra` has that the file ends in; `nil` where it ends in none.
  ///
  /// - Parameter end: the file's last ``offsetBoxSize`` bytes.
  public static func indexSize(_ end: ArraySlice<UInt8>) -> Int64? {
    var reader = ByteReader(end, box: "mfro")
    guard let size = try? reader.u32(), size == UInt32(offsetBoxSize),
      let type = try? reader.fourCC(), type == "mfro", (try? reader.versionAndFlags()) != nil,
      let count = try? reader.u32()
    else { return nil }
    return Int64(count)
  }
}
