// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension MovieMuxer {
  /// A track while its samples come.
  struct Lane {
    let settings: TrackSettings
    let id: UInt32
    var log: SampleLog
    private var pending: [MediaSample] = []
    private(set) var pendingBytes = 0
    private var firstDecode: Int64?
    private var lastDecode: Int64?
    /// Of plain sound: where the next sample has to begin.
    private var plainEnd: Int64?
    /// In ticks: sums and differences of times before it are times, too.
    static let latest: UInt64 = 1 << 61
    /// When the first and the last shown sample begin and end.
    private var start: Int64?
    private var end: Int64 = 0

    init(settings: TrackSettings, id: UInt32) {
      self.settings = settings
      self.id = id
      log = SampleLog(plainFrameSize: settings.plainFrameSize)
    }

    /// Up to when the samples that have come are decoded, in seconds.
    var pendingEnd: Double { Double(lastDecode ?? 0) / Double(settings.timescale) }

    mutating func append(_ sample: MediaSample) throws(CinematicError) {
      if let lastDecode, sample.decodeTime <= lastDecode {
        throw CinematicError(
          .invalidParameter,
          "the times of the track “\(settings.name)” do not rise: \(sample.decodeTime) follows"
            + " \(lastDecode)", remedy: "give each sample a later decoding time")
      }
      let gap = sample.decodeTime.subtractingReportingOverflow(lastDecode ?? sample.decodeTime)
      let shift = sample.presentationTime.subtractingReportingOverflow(sample.decodeTime)
      guard !gap.overflow, gap.partialValue <= Int64(Int32.max), !shift.overflow,
        Int32(exactly: shift.partialValue) != nil, UInt32(exactly: sample.data.count) != nil,
        log.plainFrameCount <= Int(UInt32.max) - Int(Int32.max),
        (0...Int64(Int32.max)).contains(sample.duration),
        sample.decodeTime.magnitude < Self.latest
      else {
        throw CinematicError(
          .unsupported,
          "a sample of the track “\(settings.name)” is too long, too late or too large",
          remedy: "use a coarser timescale")
      }
      if let size = settings.plainFrameSize {
        guard sample.data.count == Int(sample.duration) * size, !sample.data.isEmpty,
          sample.decodeTime == plainEnd ?? sample.decodeTime
        else {
          throw CinematicError(
            .invalidParameter,
            "the plain sound of the track “\(settings.name)” has a gap, or other bytes than ticks",
            remedy: "fill gaps with silence")
        }
        plainEnd = sample.decodeTime + sample.duration
      }
      firstDecode = firstDecode ?? sample.decodeTime
      lastDecode = sample.decodeTime
      if !sample.isPreroll {
        start = min(start ?? .max, sample.presentationTime)
        end = max(end, sample.presentationTime + max(sample.duration, 0))
      }
      pendingBytes += sample.data.count
      pending.append(sample)
    }

    /// Where the shown samples lie in time; of sound before the movie's zero, the rest.
    var timeline: TrackBoxes.Timeline? {
      guard let firstDecode, let start else { return nil }
      return TrackBoxes.Timeline(
        mediaZero: firstDecode, start: max(start, 0, firstDecode), end: max(end, start, 0))
    }

    /// Takes the samples out that are decoded before a time in seconds.
    mutating func take(
      until cut: Double, isLast: Bool
    ) throws(CinematicError) -> (run: FragmentBoxes.Run, samples: [MediaSample])? {
      var count = 0
      while count < pending.count, isLast || count + 1 < pending.count,
        Double(pending[count].decodeTime) / Double(settings.timescale) < cut
      {
        count += 1
      }
      guard count > 0, let firstDecode else { return nil }
      let samples = Array(pending.prefix(count))
      var run = FragmentBoxes.Run(
        trackID: id, decodeTime: samples[0].decodeTime - firstDecode, samples: [])
      for (index, sample) in samples.enumerated() {
        let next =
          index + 1 < pending.count
          ? pending[index + 1].decodeTime : sample.decodeTime + lastDuration(sample, firstDecode)
        // Readers take more than 31 bits for a negative number.
        guard let duration = Int32(exactly: next - sample.decodeTime).map(UInt32.init) else {
          throw CinematicError(
            .unsupported, "the last sample of the track “\(settings.name)” is too long",
            remedy: "use a coarser timescale")
        }
        run.samples.append(
          .init(
            size: UInt32(sample.data.count), duration: duration,
            shift: Int32(sample.presentationTime - sample.decodeTime), isSync: sample.isSync))
        pendingBytes -= sample.data.count
      }
      pending.removeFirst(count)
      return (run, samples)
    }

    /// How long the last sample's decoding lasts: so long that all of them together last as long as
    /// the pictures are shown, in whatever order they are decoded.
    private func lastDuration(_ sample: MediaSample, _ firstDecode: Int64) -> Int64 {
      let rest = timeline.map { ($0.end - $0.start) - (sample.decodeTime - firstDecode) } ?? 0
      return max(rest, sample.duration, 1)
    }

    /// Notes where a run's samples were written.
    mutating func log(_ run: FragmentBoxes.Run, at offset: Int64) {
      // While the movie grows, what was handed over is one sample: a reader of 48000 a second would
      // have much to do.
      if let size = settings.plainFrameSize {
        let count = run.byteCount / size
        log.append(plainFrames: count)
        log.appendChunk(offset: offset, count: count)
        return
      }
      for sample in run.samples {
        log.append(
          size: sample.size, duration: sample.duration, shift: sample.shift, isSync: sample.isSync)
      }
      log.appendChunk(offset: offset, count: run.samples.count)
    }
  }
}
