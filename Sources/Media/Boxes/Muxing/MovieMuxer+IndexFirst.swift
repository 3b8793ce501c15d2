// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension MovieMuxer {
  /// Unused room that is left before the data rather than moving all of it.
  private static let bearableRoom: Int64 = 64 << 10

  /// The room that an index of the expected samples takes at most; 0 where nothing is expected. More than readers take
  /// (``SampleIndex/maximumSampleCount``) is not expected of any track.
  var expectedIndexSize: Int {
    guard lanes.contains(where: { $0.settings.expectedCount > 0 }) else { return 0 }
    let tables = lanes.reduce(0) { size, lane in
      let count = min(max(lane.settings.expectedCount, 0), SampleIndex.maximumSampleCount)
      if lane.settings.plainFrameSize != nil { return size + 256 }
      // A size, and of pictures in another order than that of the screen also a shift with its count,
      // and perhaps a duration with its own; then sync samples and places of chunks.
      return size + 256 + count * (lane.settings.handler == "vide" ? 22 : 6)
    }
    // The growing movie's box has all but the tables, and a little more.
    return movie(isGrowing: true).size + tables + 8
  }

  /// Writes the index into the room before the data, which is moved if that does not fit.
  func writeIndexFirst() throws(CinematicError) {
    let room = coverOffset - indexOffset
    var index = movie(isGrowing: false)
    var distance: Int64 = 0
    let unused = room - Int64(index.size)
    if unused < 0 || (1..<8).contains(unused)
      || unused > max(Self.bearableRoom, (position - coverOffset) / 64)
    {
      // Offsets beyond four gigabytes make the index larger, once.
      while Int64(index.size) - room != distance {
        distance = Int64(index.size) - room
        index = movie(isGrowing: false, movedBy: distance)
      }
      try sink.move(from: coverOffset, by: distance)
    }
    var front = index.bytes
    let rest = room + distance - Int64(index.size)
    if rest > 0 {
      var free = ByteWriter()
      free.u32(UInt32(rest))
      free.fourCC("free")
      front += free.bytes
    }
    try sink.patch(front, at: indexOffset)
    try sink.patch(cover, at: coverOffset + distance)
    try sink.flush()
  }
}
