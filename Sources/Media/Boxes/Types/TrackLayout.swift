// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// `elst`: which parts of a track's media are shown, one after another.
public struct EditList: Hashable, Sendable {
  /// A stretch of the track on the movie's clock.
  public struct Edit: Hashable, Sendable {
    /// Ticks of the movie's timescale; zero in a file of fragments means up to the end.
    public var duration: Int64
    /// Where in the media it begins, in ticks of the media's timescale; -1 shows nothing.
    public var mediaTime: Int64
    /// 16.16; zero holds one picture.
    public var rate: Int32

    /// Whether nothing is shown.
    public var isEmpty: Bool { mediaTime < 0 }

    /// A stretch of the media, from `mediaTime` on.
    public init(duration: Int64, mediaTime: Int64, rate: Int32 = 1 << 16) {
      self.duration = duration
      self.mediaTime = mediaTime
      self.rate = rate
    }
  }

  /// The stretches, in order.
  public var edits: [Edit]

  /// Stretches, one after another.
  public init(edits: [Edit]) { self.edits = edits }

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are cut short or claim more stretches than there is room for.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "elst")
    let isWide = try reader.versionAndFlags().version == 1
    let count = try reader.elementCount(ofSize: isWide ? 20 : 12)
    edits = []
    edits.reserveCapacity(count)
    for _ in 0..<count {
      edits.append(
        Edit(
          duration: try reader.count(wide: isWide),
          mediaTime: isWide ? try reader.i64() : Int64(try reader.i32()),
          rate: try reader.i32()))
    }
  }
}

/// `tref`: the tracks that a track refers to.
public struct TrackReferences: Hashable, Sendable {
  /// Track numbers by the kind of the reference: `cdsc` for what metadata describes.
  public var tracks: [FourCC: [UInt32]]

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are no boxes.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    tracks = [:]
    for box in try Box.parse(content) {
      var reader = ByteReader(box.data, box: box.type)
      var numbers: [UInt32] = []
      while reader.remaining >= 4 { numbers.append(try reader.u32()) }
      tracks[box.type, default: []] += numbers
    }
  }
}
