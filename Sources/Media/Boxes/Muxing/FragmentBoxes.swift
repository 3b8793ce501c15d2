// SPDX-License-Identifier: Apache-2.0

/// Builds the box before a fragment's samples.
struct FragmentBoxes {
  /// The samples of one track.
  struct Run {
    var trackID: UInt32
    /// When the first one is decoded, in ticks after the track's first.
    var decodeTime: Int64
    var samples: [Sample]

    struct Sample {
      var size: UInt32
      var duration: UInt32
      var shift: Int32
      var isSync: Bool
    }

    var byteCount: Int { samples.reduce(0) { $0 + Int($1.size) } }
  }

  var sequenceNumber: UInt32
  var runs: [Run]

  /// The box, for samples that follow it in a box `mdat` with a compact head, run by run.
  var box: Box {
    // Offsets count from the box's start, and so need its size, which does not depend on them.
    let size = build(dataOffset: 0).size
    return build(dataOffset: size + 8)
  }

  private func build(dataOffset: Int) -> Box {
    var offset = dataOffset
    var boxes = [Box("mfhd", version: 0) { $0.u32(sequenceNumber) }]
    for run in runs {
      boxes.append(fragment(run, dataOffset: offset))
      offset += run.byteCount
    }
    return Box("moof", boxes)
  }

  private func fragment(_ run: Run, dataOffset: Int) -> Box {
    // Offsets from this box's start; every sample has a duration, a size, flags and a shift.
    let header = Box("tfhd", version: 0, flags: 0x2_0000) { $0.u32(run.trackID) }
    let time = Box("tfdt", version: 1) { $0.i64(run.decodeTime) }
    let samples = Box("trun", version: 1, flags: 0xF01) { writer in
      writer.u32(UInt32(run.samples.count))
      writer.i32(Int32(truncatingIfNeeded: dataOffset))
      for sample in run.samples {
        writer.u32(sample.duration)
        writer.u32(sample.size)
        // Depends on no other, or on others and is no place to begin.
        writer.u32(sample.isSync ? 0x0200_0000 : 0x0101_0000)
        writer.i32(sample.shift)
      }
    }
    return Box("traf", [header, time, samples])
  }
}
