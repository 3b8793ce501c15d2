// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where the samples of a track lie and when they are decoded and shown: the tables of `stbl` and the
/// runs of fragments as one list in decoding order.
///
/// Memory is 25 bytes a sample. A file has at most as many samples as bytes, and an index at most
/// ``maximumSampleCount``: 100 MiB.
public struct SampleIndex: Sendable {
  /// One sample.
  public struct Sample: Hashable, Sendable {
    /// Bytes from the file's start.
    public var offset: Int64
    /// Bytes of the sample.
    public var size: Int
    /// Ticks of the media's timescale.
    public var decodeTime: Int64
    /// When it is shown on the media's clock, before edits.
    public var compositionTime: Int64
    /// Ticks until the next sample is decoded.
    public var duration: Int64
    /// Whether decoding can begin here.
    public var isSync: Bool
    /// Which sample entry describes it, from 0.
    public var description: Int

    package init(
      offset: Int64, size: Int, decodeTime: Int64, compositionTime: Int64, duration: Int64,
      isSync: Bool, description: Int
    ) {
      self.offset = offset
      self.size = size
      self.decodeTime = decodeTime
      self.compositionTime = compositionTime
      self.duration = duration
      self.isSync = isSync
      self.description = description
    }
  }

  /// The longest track that is indexed: 19 hours of 60 frames a second.
  public static let maximumSampleCount = 1 << 22

  var offsets: [Int64] = []
  var sizes: [UInt32] = []
  var decodeTimes: [Int64] = []
  /// Empty where every sample is shown when it is decoded.
  var compositionOffsets: [Int32] = []
  /// Empty where every sample is a sync sample.
  var syncFlags: [Bool] = []
  /// Samples that only help others to be decoded, as some of VP8's do; empty where every sample is shown.
  var hiddenFlags: [Bool] = []
  /// Where a sample entry begins to apply, rising.
  var descriptionRuns: [(first: Int, description: Int)] = []
  /// Ticks at which the last sample ends.
  var endTime: Int64 = 0
  /// Whether the file ends within the samples of a fragment; those that are not whole are left out.
  public internal(set) var isCutShort = false

  /// An index without samples.
  public init() {}

  /// Samples.
  public var count: Int { sizes.count }
  /// Whether there is no sample.
  public var isEmpty: Bool { sizes.isEmpty }
  /// Whether decoding can begin at every sample.
  public var isAllSync: Bool { syncFlags.isEmpty }
  /// Ticks at which the last sample in decoding order ends.
  public var decodeEnd: Int64 { endTime }
  /// Bytes of all samples.
  public var byteCount: Int64 { sizes.reduce(0) { $0 + Int64($1) } }

  /// - Precondition: `index` is that of a sample.
  public subscript(_ index: Int) -> Sample {
    let decodeTime = decodeTimes[index]
    return Sample(
      offset: offsets[index], size: Int(sizes[index]), decodeTime: decodeTime,
      compositionTime: compositionTime(index),
      duration: (index + 1 < count ? decodeTimes[index + 1] : endTime) - decodeTime,
      isSync: isSync(index), description: description(index))
  }

  /// When a sample is shown, in ticks of the media.
  public func compositionTime(_ index: Int) -> Int64 {
    decodeTimes[index] + (compositionOffsets.isEmpty ? 0 : Int64(compositionOffsets[index]))
  }

  /// When a sample is decoded, in ticks of the media.
  public func decodeTime(_ index: Int) -> Int64 { decodeTimes[index] }

  /// Whether decoding can begin at a sample.
  public func isSync(_ index: Int) -> Bool { syncFlags.isEmpty || syncFlags[index] }

  /// The sample entries that samples refer to, from 0.
  package var usedDescriptions: Set<Int> {
    var used: Set<Int> = []
    let begun = descriptionRuns.first?.first ?? count
    if begun > 0 { used.insert(0) }
    for (number, run) in descriptionRuns.enumerated() {
      // A fragment may have a description and no sample.
      let isLast = number + 1 == descriptionRuns.count
      let end = isLast ? count : descriptionRuns[number + 1].first
      if run.first < end { used.insert(run.description) }
    }
    return used
  }

  private func description(_ index: Int) -> Int {
    // Nearly every track has one entry, or two.
    let next = descriptionRuns.partitionPoint { $0.first <= index }
    return next > 0 ? descriptionRuns[next - 1].description : 0
  }

  /// The sample at which decoding must begin so that sample `index` comes out whole.
  ///
  /// That is the last sync sample that is neither decoded nor shown after it: pictures that are
  /// decoded after a sync sample but shown before it may need what precedes that.
  public func decodingStart(for index: Int) -> Int {
    guard !syncFlags.isEmpty else { return index }
    let time = compositionTime(index)
    var candidate = index
    while candidate > 0 {
      if syncFlags[candidate], compositionTime(candidate) <= time { return candidate }
      candidate -= 1
    }
    return 0
  }

  /// Whether a sample follows a sync sample that is shown after it. Such a leading picture may refer
  /// to what lies before that, and cannot be decoded where that is gone: at the beginning of a
  /// recording that was cut.
  public func isLeading(_ index: Int) -> Bool {
    guard !syncFlags.isEmpty, let sync = (0..<index).last(where: { syncFlags[$0] }) else {
      return false
    }
    return compositionTime(sync) > compositionTime(index)
  }

  // MARK: - Growing

  /// Adds a sample that another reader of containers has found; its description is the first.
  ///
  /// - Throws: `unsupported` beyond ``maximumSampleCount``, `malformed` for times and sizes that no
  ///   movie has.
  package mutating func append(_ sample: Sample, isHidden: Bool) throws(CinematicError) {
    try checkRoom(for: 1, fileSize: .max)
    let limit = Int64.max / 4
    let (shift, overflow) = sample.compositionTime.subtractingReportingOverflow(sample.decodeTime)
    guard !overflow, let compositionOffset = Int32(exactly: shift),
      let size = UInt32(exactly: sample.size), (-limit...limit).contains(sample.decodeTime),
      decodeTimes.last ?? .min <= sample.decodeTime
    else {
      throw .malformedMovie(
        "a sample of \(sample.size) bytes is decoded at tick \(sample.decodeTime) and shown at"
          + " \(sample.compositionTime)")
    }
    if isHidden, hiddenFlags.isEmpty { hiddenFlags = [Bool](repeating: false, count: count) }
    if isHidden || !hiddenFlags.isEmpty { hiddenFlags.append(isHidden) }
    append(
      offset: max(sample.offset, 0), size: size, decodeTime: sample.decodeTime,
      duration: UInt32(clamping: sample.duration), compositionOffset: compositionOffset,
      isSync: sample.isSync)
  }

  mutating func append(
    offset: Int64, size: UInt32, decodeTime: Int64, duration: UInt32, compositionOffset: Int32,
    isSync: Bool
  ) {
    if compositionOffset != 0, compositionOffsets.isEmpty {
      compositionOffsets = [Int32](repeating: 0, count: count)
    }
    if !isSync, syncFlags.isEmpty { syncFlags = [Bool](repeating: true, count: count) }
    // The lists that are in use have one element a sample; an empty list before the first sample
    // cannot be told from an unused one.
    if !compositionOffsets.isEmpty || compositionOffset != 0 {
      compositionOffsets.append(compositionOffset)
    }
    if !syncFlags.isEmpty || !isSync { syncFlags.append(isSync) }
    offsets.append(offset)
    sizes.append(size)
    decodeTimes.append(decodeTime)
    endTime = decodeTime + Int64(duration)
  }

  /// - Throws: `unsupported` where more samples than an index may have, `malformed` where more than
  ///   the file has bytes.
  func checkRoom(for more: Int, fileSize: Int64) throws(CinematicError) {
    guard Int64(count) + Int64(more) <= fileSize else {
      throw .malformedMovie("a track claims more samples than the file has bytes")
    }
    guard count + more <= Self.maximumSampleCount else {
      throw CinematicError(
        .unsupported, "a track has more than \(Self.maximumSampleCount) samples",
        remedy: "cut the movie into parts")
    }
  }
}
