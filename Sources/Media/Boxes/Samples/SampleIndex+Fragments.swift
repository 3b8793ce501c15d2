// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension SampleIndex {
  /// Adds the samples that a movie fragment holds to the indices of their tracks.
  ///
  /// - Parameters:
  ///   - moof: the fragment, parsed.
  ///   - offset: where it begins in the file.
  ///   - defaults: `trex` of each track by its number; other tracks are passed over.
  ///   - indices: what is added to, by track number.
  ///   - fileSize: bytes of the file, which bound what is believed.
  /// - Throws: `malformed` for runs that contradict themselves.
  public static func append(
    fragment moof: Box, at offset: Int64, defaults: [UInt32: TrackExtends],
    to indices: inout [UInt32: SampleIndex], fileSize: Int64
  ) throws(CinematicError) {
    // Where a fragment says nothing else, its data follow those of the track before.
    var end = offset
    for (number, traf) in moof.all("traf").enumerated() {
      guard let headerBox = traf["tfhd"] else {
        throw .malformedMovie("the fragment at byte \(offset) has no box 'tfhd'")
      }
      let header = try TrackFragmentHeader(headerBox.data)
      let base = header.baseDataOffset ?? (header.baseIsMovieFragment || number == 0 ? offset : end)
      end = base
      guard let trex = defaults[header.trackID] else { continue }
      // In place: a copy for each fragment would make long movies slow.
      end = try indices[header.trackID, default: SampleIndex()].append(
        traf, header, trex, base: base, fileSize: fileSize)
    }
  }

  /// - Returns: where the data of the last run end.
  private mutating func append(
    _ traf: Box, _ header: TrackFragmentHeader, _ trex: TrackExtends, base: Int64, fileSize: Int64
  ) throws(CinematicError) -> Int64 {
    let description = Int(max(header.descriptionIndex ?? trex.descriptionIndex, 1)) - 1
    if descriptionRuns.last?.description ?? 0 != description {
      descriptionRuns.append((count, description))
    }
    var time = endTime
    if let box = traf["tfdt"] {
      var reader = ByteReader(box.data, box: "tfdt")
      time = try reader.count(wide: try reader.versionAndFlags().version == 1)
    }
    var offset = base
    for box in traf.all("trun") {
      let run = try TrackRun(box.data, maximumCount: Self.maximumSampleCount - count)
      try checkRoom(for: run.sampleCount, fileSize: fileSize)
      if let relative = run.dataOffset {
        // An overflow lies at no byte of a file, as the check below finds.
        let (sum, isOver) = base.addingReportingOverflow(Int64(relative))
        offset = isOver ? .max : sum
      }
      for number in 0..<run.sampleCount {
        // Times that fit no movie would overflow what is computed from them.
        guard offset >= 0, offset < Int64.max / 4, time < Int64.max / 4 else {
          throw .malformedMovie("a fragment's sample lies at byte \(offset), tick \(time)")
        }
        let sample = run.samples.isEmpty ? nil : run.samples[number]
        let size = sample?.size ?? header.sampleSize ?? trex.sampleSize
        // A file whose writer was stopped ends with the last whole sample.
        guard offset + Int64(size) <= fileSize else {
          isCutShort = true
          return offset
        }
        let duration = sample?.duration ?? header.sampleDuration ?? trex.sampleDuration
        let flags =
          (number == 0 ? run.firstSampleFlags : nil) ?? sample?.flags ?? header.sampleFlags
          ?? trex.sampleFlags
        append(
          offset: offset, size: size, decodeTime: time, duration: duration,
          compositionOffset: Int32(truncatingIfNeeded: sample?.compositionOffset ?? 0),
          isSync: flags & 0x1_0000 == 0)
        offset += Int64(size)
        time += Int64(duration)
      }
    }
    return offset
  }
}
