// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The fragments of a movie, and what their indices save of reading them.
extension BoxContainer {
  /// The samples of every track that are in fragments.
  func fragmentSamples() async throws(CinematicError) -> [UInt32: SampleIndex] {
    try await fragments.value { [self] () async throws(CinematicError) -> [UInt32: SampleIndex] in
      guard let mvex = try await browser.first("mvex", in: try await moov()) else { return [:] }
      let defaults = try await fragmentDefaults(mvex)
      var indices = try await tableSamples()
      // One after the other: what a read brings beside a fragment's head is mostly its contents.
      var number = 0
      while let header = try await browser.topLevel(number: number) {
        if header.type == "moof" { try await append(header, defaults, to: &indices) }
        number += 1
      }
      return indices
    }
  }

  private func fragmentDefaults(
    _ mvex: BoxHeader
  ) async throws(CinematicError) -> [UInt32: TrackExtends] {
    var defaults: [UInt32: TrackExtends] = [:]
    for header in try await browser.all(in: mvex) where header.type == "trex" {
      let content = try await browser.content(header)
      let extends = try named { () throws(CinematicError) in try TrackExtends(content) }
      defaults[extends.trackID] = extends
    }
    return defaults
  }

  /// Samples of `moov` come first, and their times go on in the fragments.
  private func tableSamples() async throws(CinematicError) -> [UInt32: SampleIndex] {
    var indices: [UInt32: SampleIndex] = [:]
    for track in try await tracks() {
      guard let track = track as? BoxTrack else { continue }
      indices[track.trackID] = try await track.tableSamples()
    }
    return indices
  }

  /// Adds a fragment's samples; one that the file ends in adds none.
  ///
  /// - Returns: whether it says itself when its samples are decoded.
  @discardableResult
  private func append(
    _ header: BoxHeader, _ defaults: [UInt32: TrackExtends],
    to indices: inout [UInt32: SampleIndex]
  ) async throws(CinematicError) -> Bool {
    let size = try await browser.source.believedByteCount()
    guard header.end <= size else { return true }
    let content = try await browser.content(header)
    let moof = Box(
      "moof",
      try named { () throws(CinematicError) in
        try Box.parse(content, offset: header.contentOffset)
      })
    do throws(CinematicError) {
      try SampleIndex.append(
        fragment: moof, at: header.offset, defaults: defaults, to: &indices, fileSize: size)
    } catch {
      throw error.naming(name)
    }
    return moof.all("traf").allSatisfy { $0["tfdt"] != nil }
  }

  // MARK: - Length

  /// The fragments' length by `mehd` or by an index of them.
  func declaredFragmentDuration(_ timescale: Int32) async throws(CinematicError) -> Time? {
    let moov = try await moov()
    if let header = try await browser.find("mvex", "mehd", in: moov) {
      var reader = ByteReader(try await browser.content(header), box: "mehd")
      // A damaged one costs a walk, as damaged indices do.
      if let version = try? reader.versionAndFlags().version,
        let ticks = try? reader.count(wide: version == 1), ticks > 0
      {
        return Time(value: ticks, timescale: timescale)
      }
    }
    // Indices of the whole file stand before its first fragment; some files have one for each track.
    var longest: Time?
    var tracks: Set<UInt32> = []
    for index in try await browser.topLevel(upTo: "moof") where index.type == "sidx" {
      let content = try await browser.content(index)
      guard let segments = try? SegmentIndex(content) else { return nil }
      // Further indices of the same track are those that the first one leads to.
      guard tracks.insert(segments.trackID).inserted else { continue }
      let end = index.end.addingReportingOverflow(segments.firstOffset)
      let covered = segments.references.reduce(0) { $0 + $1.byteCount }
      let (last, isOver) = end.partialValue.addingReportingOverflow(Int64(covered))
      // One index a fragment covers a part only.
      guard !end.overflow, !isOver, last >= 0, !(try await hasFragment(after: last)) else {
        return nil
      }
      let length =
        Time(value: segments.duration, timescale: segments.timescale)
        + Time(value: segments.earliestTime, timescale: segments.timescale)
      longest = max(longest ?? length, length)
    }
    return longest
  }

  /// The index before the first fragment.
  private func leadingIndex() async throws(CinematicError) -> BoxHeader? {
    try await browser.topLevel(upTo: "moof").first { $0.type == "sidx" }
  }

  private func hasFragment(after offset: Int64) async throws(CinematicError) -> Bool {
    guard offset < (try await browser.source.believedByteCount()) else { return false }
    let bytes = try await browser.bytes(offset..<(offset + 16))
    guard bytes.count >= 8 else { return false }
    let type = bytes.dropFirst(4).prefix(4)
    return type.elementsEqual("moof".utf8) || type.elementsEqual("sidx".utf8)
      || type.elementsEqual("styp".utf8)
  }

  /// The samples of the first and the last fragments, which tell when each track begins and ends.
  ///
  /// - Returns: `nil` where no index of the fragments tells where the last ones lie, or where a track
  ///   has no sample in them.
  func outerSamples() async throws(CinematicError) -> [UInt32: SampleIndex]? {
    try await fragmentEnds.value {
      [self] () async throws(CinematicError) -> [UInt32: SampleIndex]? in
      guard let mvex = try await browser.first("mvex", in: try await moov()),
        let first = try await browser.topLevel("moof"), let start = try await indexedEnd()
      else { return nil }
      let headers = try await browser.topLevel(from: start).filter { $0.type == "moof" }
      guard headers.first?.offset == start else { return nil }
      let defaults = try await fragmentDefaults(mvex)
      var indices = try await tableSamples()
      if first.offset < start { try await append(first, defaults, to: &indices) }
      let counts = indices.mapValues(\.count)
      for header in headers {
        // Otherwise all that comes before counts.
        guard try await append(header, defaults, to: &indices) else { return nil }
      }
      // A track that ends before the others may end anywhere.
      for (track, index) in indices where index.count == counts[track] { return nil }
      return indices
    }
  }

  /// Where the last fragments begin; `nil` without an index that tells it. A damaged one does no
  /// harm: the fragments are there without it.
  private func indexedEnd() async throws(CinematicError) -> Int64? {
    do throws(CinematicError) {
      return try await lastFragments()
    } catch {
      // A failed read says nothing about the index.
      guard [.malformed, .unsupported].contains(error.code) else { throw error }
      return nil
    }
  }

  /// Where the last fragments begin that an index tells of; `nil` without an index.
  ///
  /// - Throws: `malformed` or `unsupported` for a damaged index, what the source throws.
  private func lastFragments() async throws(CinematicError) -> Int64? {
    if let index = try await leadingIndex(),
      let place = try await lastSegment(index, depth: 0)
    {
      return place
    }
    let size = try await browser.source.believedByteCount()
    // Where reads are dear, the index mostly comes with the number that leads to it.
    let tail = max(TrackFragmentRandomAccess.offsetBoxSize, browser.readAheadSize)
    let end = try await browser.bytes(max(0, size - Int64(tail))..<size)
      .suffix(TrackFragmentRandomAccess.offsetBoxSize)
    guard let count = TrackFragmentRandomAccess.indexSize(end), count < size,
      let header = try await browser.header(at: size - count), header.type == "mfra"
    else { return nil }
    await browser.readAhead(in: header)
    var place: Int64?
    for box in try await browser.all(in: header) where box.type == "tfra" {
      let content = try await browser.content(box)
      let access = try named { () throws(CinematicError) in
        try TrackFragmentRandomAccess(content)
      }
      // The earliest of the tracks' last ones: from there on all are seen.
      guard let last = access.entries.map(\.fragmentOffset).max() else { continue }
      place = min(place ?? last, last)
    }
    return place
  }

  /// Where the last segment begins that an index, or the ones that it leads to, tells of.
  private func lastSegment(_ header: BoxHeader, depth: Int) async throws(CinematicError) -> Int64? {
    // Two levels are usual.
    guard depth < 8 else { return nil }
    let content = try await browser.content(header)
    let index = try named { () throws(CinematicError) in try SegmentIndex(content) }
    guard let last = index.references.last else { return nil }
    let before = index.references.dropLast().reduce(index.firstOffset) {
      $0.addingReportingOverflow($1.byteCount).partialValue
    }
    let (place, overflow) = header.end.addingReportingOverflow(before)
    guard !overflow, let box = try await browser.header(at: place) else { return nil }
    if last.isIndex {
      // Only forward, so that no index leads to itself.
      guard box.type == "sidx", place >= header.end else { return nil }
      return try await lastSegment(box, depth: depth + 1)
    }
    // Segments may begin with their brands.
    if box.type == "styp" {
      guard let next = try await browser.header(at: box.end), next.type == "moof" else {
        return nil
      }
      return next.offset
    }
    return box.type == "moof" ? place : nil
  }
}
