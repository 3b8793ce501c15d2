// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

extension MovieLayout {
  private struct Fragment {
    var bytes: [UInt8]
    /// Zeros behind the bytes.
    var gap: Int64
    /// Ticks of the first track.
    var duration: Int
    /// When each track's first sample is decoded; `nil` where it has none here.
    var times: [Int?]

    var size: Int64 { Int64(bytes.count) + gap }
  }

  /// Every fragment holds a chunk of each track.
  private var fragments: [Fragment] {
    let count = tracks.map { ($0.samples.count + samplesPerChunk - 1) / samplesPerChunk }.max() ?? 0
    var times = [Int](repeating: 0, count: tracks.count)
    var all: [Fragment] = []
    for round in 0..<count {
      let chunks = tracks.map {
        Array($0.samples.dropFirst(round * samplesPerChunk).prefix(samplesPerChunk))
      }
      let gap = round + 1 < count ? fragmentGap : 0
      let size = moof(round, chunks, times, dataOffset: 0).bytes.count
      var bytes = moof(round, chunks, times, dataOffset: size + 8).bytes
      let data = chunks.joined().flatMap(\.data)
      var head = ByteBuilder()
      head.u32(8 + data.count + Int(gap))
      head.code("mdat")
      bytes += head.bytes + data
      all.append(
        Fragment(
          bytes: bytes, gap: gap, duration: chunks.first?.reduce(0) { $0 + $1.duration } ?? 0,
          times: zip(chunks, times).map { $0.isEmpty ? nil : $1 }))
      for (number, chunk) in chunks.enumerated() {
        times[number] += chunk.reduce(0) { $0 + $1.duration }
      }
    }
    return all
  }

  func fragmentPieces(_ head: [UInt8]) -> [(offset: Int64, bytes: [UInt8])] {
    let all = fragments
    var pieces: [(offset: Int64, bytes: [UInt8])] = []
    var end: Int64 = 0
    var places: [Int64] = []
    func add(_ bytes: [UInt8], gap: Int64 = 0) {
      pieces.append((end, bytes))
      end += Int64(bytes.count) + gap
    }
    func add(_ fragments: ArraySlice<Fragment>) {
      for fragment in fragments {
        places.append(end)
        add(fragment.bytes, gap: fragment.gap)
      }
    }
    add(head)
    switch form {
    case .indexedFragments:
      add(segmentIndex(all.map { ($0.size, $0.duration, false) }).bytes)
      add(all[...])
    case .nestedIndices:
      let groups = stride(from: 0, to: all.count, by: 3).map {
        all[$0..<min($0 + 3, all.count)]
      }
      let indices = groups.map { group in
        segmentIndex(group.map { ($0.size, $0.duration, false) }).bytes
      }
      add(
        segmentIndex(
          zip(groups, indices).map { group, index in
            (
              Int64(index.count) + group.reduce(0) { $0 + $1.size },
              group.reduce(0) { $0 + $1.duration }, true
            )
          }
        ).bytes)
      for (group, index) in zip(groups, indices) {
        add(index)
        add(group)
      }
    case .trailingIndex:
      add(all[...])
      add(randomAccess(all, places))
    default: add(all[...])
    }
    return pieces
  }

  private func segmentIndex(_ references: [(size: Int64, duration: Int, isIndex: Bool)]) -> Box {
    Box.full("sidx") { builder in
      builder.u32(1)
      builder.u32(tracks[0].timescale)
      builder.u32(0)
      builder.u32(0)
      builder.u16(0)
      builder.u16(references.count)
      for (size, duration, isIndex) in references {
        builder.u32(UInt32(size) | (isIndex ? 0x8000_0000 : 0))
        builder.u32(duration)
        builder.u32(0x9000_0000 as UInt32)
      }
    }
  }

  /// `mfra`: an entry for each track and fragment.
  private func randomAccess(_ all: [Fragment], _ places: [Int64]) -> [UInt8] {
    let lists = tracks.indices.map { track in
      let entries = zip(all, places).compactMap { fragment, place in
        fragment.times[track].map { (time: $0, place: place) }
      }
      return Box.full("tfra", version: 1) { builder in
        builder.u32(tracks[track].id)
        builder.u32(0)
        builder.u32(entries.count)
        for entry in entries {
          builder.u64(entry.time)
          builder.u64(entry.place)
          for _ in 0..<3 { builder.u8(1) }
        }
      }
    }
    let size = 8 + lists.reduce(0) { $0 + $1.size } + 16
    return Box("mfra", lists + [Box.full("mfro") { $0.u32(size) }]).bytes
  }

  private func moof(
    _ number: Int, _ chunks: [[Sample]], _ times: [Int], dataOffset: Int
  ) -> Box {
    var offset = dataOffset
    var boxes = [Box.full("mfhd") { $0.u32(number + 1) }]
    for (index, chunk) in chunks.enumerated() where !chunk.isEmpty {
      let header = Box.full("tfhd", flags: 0x2_0000) { $0.u32(tracks[index].id) }
      let time = Box.full("tfdt", version: 1) { $0.u64(times[index]) }
      let run = Box.full("trun", version: 1, flags: 0xF01) { builder in
        builder.u32(chunk.count)
        builder.u32(offset)
        for sample in chunk {
          builder.u32(sample.duration)
          builder.u32(sample.data.count)
          builder.u32(sample.isSync ? 0x200_0000 : 0x101_0000)
          builder.u32(sample.compositionOffset)
        }
      }
      boxes.append(Box("traf", [header, time, run]))
      offset += chunk.reduce(0) { $0 + $1.data.count }
    }
    return Box("moof", boxes)
  }
}
