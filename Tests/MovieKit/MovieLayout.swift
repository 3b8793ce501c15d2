// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// A QuickTime movie, put together box by box.
public struct MovieLayout {
  public struct Sample {
    public var data: [UInt8]
    /// Ticks of the track.
    public var duration: Int
    public var compositionOffset: Int
    public var isSync: Bool

    public init(_ data: [UInt8], duration: Int, compositionOffset: Int = 0, isSync: Bool = true) {
      self.data = data
      self.duration = duration
      self.compositionOffset = compositionOffset
      self.isSync = isSync
    }
  }

  public struct Track {
    public var id = 1
    public var handler: FourCC
    /// The handler's: one that many programs write.
    public var handlerName = "Video"
    /// Three letters of ISO 639-2.
    public var language = "und"
    public var timescale: Int
    public var entry: Box?
    public var samples: [Sample]
    public var width = 0
    public var height = 0
    public var matrix: [Int32] = TransformMatrix.identity.values
    /// Duration in ticks of the movie, media time, rate in 16.16.
    public var edits: [(Int, Int, Int)] = []
    public var references: [(FourCC, [Int])] = []
    public var isEnabled = true
    /// Boxes at the end of the track.
    public var extras: [Box] = []

    public init(_ handler: FourCC, timescale: Int, entry: Box?, samples: [Sample]) {
      self.handler = handler
      self.timescale = timescale
      self.entry = entry
      self.samples = samples
    }

    public var duration: Int { samples.reduce(0) { $0 + $1.duration } }
  }

  /// Where things lie.
  public enum Form: Hashable, Sendable, CaseIterable {
    case movieFirst
    case movieLast
    case fragments
    /// Fragments after an index of them.
    case indexedFragments
    /// Fragments after an index of indices, each of which stands before its own.
    case nestedIndices
    /// Fragments before an index of them, the file's last box.
    case trailingIndex
  }

  public var tracks: [Track]
  public var form = Form.movieLast
  public var timescale = 600
  /// Samples of a track that lie together in the file.
  public var samplesPerChunk = 4
  /// Zeros before the media, so that they lie far away; not written, only counted.
  public var gap: Int64 = 0
  /// Zeros at the end of every fragment's media but the last one's.
  public var fragmentGap: Int64 = 0
  /// Boxes at the end of `moov`.
  public var extras: [Box] = []
  public var brand: FourCC = "qt  "

  public init(_ tracks: [Track]) {
    self.tracks = tracks
    for index in self.tracks.indices { self.tracks[index].id = index + 1 }
  }

  /// The file in pieces, each with the place where it begins; between them are zeros.
  public func pieces() -> [(offset: Int64, bytes: [UInt8])] {
    let head =
      Box.of("ftyp") { builder in
        builder.code(brand)
        builder.u32(0)
        builder.code(brand)
      }.bytes + Box("wide", data: []).bytes
    switch form {
    case .movieLast:
      let media = chunks(from: Int64(head.count) + 16 + gap)
      let movie = moov(media.offsets).bytes
      let start = Int64(head.count)
      let mediaSize = 16 + gap + Int64(media.bytes.count)
      return [
        (0, head + mediaHead(mediaSize)), (start + 16 + gap, media.bytes),
        (start + mediaSize, movie),
      ]
    case .movieFirst:
      let size = moov(chunks(from: 0).offsets).bytes.count
      let start = Int64(head.count + size)
      let media = chunks(from: start + 16 + gap)
      let movie = moov(media.offsets).bytes
      return [
        (0, head + movie + mediaHead(16 + gap + Int64(media.bytes.count))),
        (start + 16 + gap, media.bytes),
      ]
    case .fragments, .indexedFragments, .nestedIndices, .trailingIndex:
      return fragmentPieces(head + moov(nil).bytes)
    }
  }

  /// The file; for layouts without a gap.
  public func bytes() -> [UInt8] {
    precondition(gap == 0 && fragmentGap == 0, "a layout with a gap is read in pieces")
    return pieces().flatMap(\.bytes)
  }

  private func mediaHead(_ size: Int64) -> [UInt8] {
    var builder = ByteBuilder()
    builder.u32(1)
    builder.code("mdat")
    builder.u64(size)
    return builder.bytes
  }

  /// The samples in chunks, the tracks in turn, and where each chunk lies.
  private func chunks(from start: Int64) -> (bytes: [UInt8], offsets: [[Int64]]) {
    var bytes: [UInt8] = []
    var offsets = [[Int64]](repeating: [], count: tracks.count)
    var round = 0
    while true {
      var isOver = true
      for (number, track) in tracks.enumerated() {
        let chunk = track.samples.dropFirst(round * samplesPerChunk).prefix(samplesPerChunk)
        guard !chunk.isEmpty else { continue }
        isOver = false
        offsets[number].append(start + Int64(bytes.count))
        for sample in chunk { bytes += sample.data }
      }
      if isOver { return (bytes, offsets) }
      round += 1
    }
  }
}
