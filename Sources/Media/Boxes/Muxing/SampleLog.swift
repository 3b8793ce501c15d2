// SPDX-License-Identifier: Apache-2.0

/// Where a track's samples lie and when they are shown, sample by sample, in the form of the sample
/// table: some four bytes a sample, of plain sound only those of its chunks.
struct SampleLog {
  /// Equal values that follow each other.
  private struct Run<Value: Equatable> {
    var count: UInt32
    var value: Value
  }

  private(set) var sizes: [UInt32] = []
  private var durations: [Run<UInt32>] = []
  private var shifts: [Run<Int32>] = []
  private var syncSamples: [UInt32] = []
  private var chunks: [(offset: Int64, count: UInt32, description: UInt32)] = []
  /// The sum of all durations.
  private(set) var duration: Int64 = 0
  /// Of plain sound: the bytes of a sample, which lasts one tick.
  private let plainFrameSize: UInt32?
  private(set) var plainFrameCount = 0

  /// - Parameter plainFrameSize: that of settings that are looked at before the first sample
  ///   (``TrackSettings/validate()``).
  init(plainFrameSize: Int? = nil) {
    self.plainFrameSize = plainFrameSize.map { UInt32(clamping: $0) }
  }

  var count: Int { plainFrameSize == nil ? sizes.count : plainFrameCount }

  /// - Parameter shift: from decoding to showing.
  mutating func append(size: UInt32, duration: UInt32, shift: Int32, isSync: Bool) {
    sizes.append(size)
    Self.append(duration, to: &durations)
    Self.append(shift, to: &shifts)
    if isSync { syncSamples.append(UInt32(sizes.count)) }
    self.duration += Int64(duration)
  }

  /// More samples of plain sound.
  mutating func append(plainFrames count: Int) {
    plainFrameCount += count
    duration += Int64(count)
  }

  /// Samples that lie behind one another, the next ones in order.
  ///
  /// - Parameter description: their sample entry, from 0.
  mutating func appendChunk(offset: Int64, count: Int, description: Int = 0) {
    chunks.append((offset, UInt32(count), UInt32(description)))
  }

  /// Tells that all samples lie so many bytes farther behind.
  mutating func move(by distance: Int64) {
    for index in chunks.indices { chunks[index].offset += distance }
  }

  /// Puts the first sample elsewhere.
  mutating func moveFirst(to offset: Int64, size: UInt32) {
    guard let first = chunks.first, let oldSize = sizes.first else { return }
    sizes[0] = size
    if first.count > 1 {
      chunks[0] = (first.offset + Int64(oldSize), first.count - 1, first.description)
      chunks.insert((offset, 1, first.description), at: 0)
    } else {
      chunks[0] = (offset, 1, first.description)
    }
  }

  private static func append<Value: Equatable>(_ value: Value, to runs: inout [Run<Value>]) {
    if let last = runs.indices.last, runs[last].value == value {
      runs[last].count += 1
    } else {
      runs.append(Run(count: 1, value: value))
    }
  }

  /// The sample table.
  func box(sampleEntry: Box) -> Box {
    Box("stbl", [Box("stsd", leading: [0, 0, 0, 0, 0, 0, 0, 1], [sampleEntry])] + tables)
  }

  /// The tables of times, sizes and places.
  var tables: [Box] {
    let durations =
      plainFrameSize == nil ? durations : [Run(count: UInt32(plainFrameCount), value: 1)]
    var boxes = [
      Box("stts", version: 0) { writer in
        writer.u32(UInt32(durations.count))
        for run in durations {
          writer.u32(run.count)
          writer.u32(run.value)
        }
      }
    ]
    if shifts.contains(where: { $0.value != 0 }) {
      let isSigned = shifts.contains { $0.value < 0 }
      boxes.append(
        Box("ctts", version: isSigned ? 1 : 0) { writer in
          writer.u32(UInt32(shifts.count))
          for run in shifts {
            writer.u32(run.count)
            writer.i32(run.value)
          }
        })
    }
    if plainFrameSize == nil, syncSamples.count < sizes.count {
      boxes.append(
        Box("stss", version: 0) { writer in
          writer.u32(UInt32(syncSamples.count))
          for number in syncSamples { writer.u32(number) }
        })
    }
    return boxes + [chunkLengths, sampleSizes, chunkOffsets]
  }

  private var chunkLengths: Box {
    var runs: [(first: Int, count: UInt32, description: UInt32)] = []
    for (index, chunk) in chunks.enumerated()
    where runs.last?.count != chunk.count || runs.last?.description != chunk.description {
      runs.append((index + 1, chunk.count, chunk.description))
    }
    return Box("stsc", version: 0) { writer in
      writer.u32(UInt32(runs.count))
      for run in runs {
        writer.u32(UInt32(run.first))
        writer.u32(run.count)
        writer.u32(run.description + 1)
      }
    }
  }

  private var sampleSizes: Box {
    let isUniform = !sizes.isEmpty && sizes.allSatisfy { $0 == sizes[0] && $0 > 0 }
    return Box("stsz", version: 0) { writer in
      writer.u32(plainFrameSize ?? (isUniform ? sizes[0] : 0))
      writer.u32(UInt32(count))
      if !isUniform { for size in sizes { writer.u32(size) } }
    }
  }

  private var chunkOffsets: Box {
    let isWide = chunks.contains { $0.offset > Int64(UInt32.max) }
    return Box(isWide ? "co64" : "stco", version: 0) { writer in
      writer.u32(UInt32(chunks.count))
      for chunk in chunks { writer.count(chunk.offset, wide: isWide) }
    }
  }
}
