// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A QuickTime or MP4 file, read by its boxes.
final class BoxContainer: AssetContainer {
  let browser: BoxBrowser
  private let movie = SharedLoad<BoxHeader>()
  private let trackList = SharedLoad<[any TrackContainer]>()
  private let fragments = SharedLoad<[UInt32: SampleIndex]>()

  init(_ browser: BoxBrowser) { self.browser = browser }

  /// The types that a QuickTime or MP4 file may begin with.
  static let firstBoxes: Set<FourCC> = [
    "ftyp", "moov", "mdat", "free", "skip", "wide", "pnot", "styp", "moof", "sidx",
  ]

  var name: String { browser.source.name }

  // MARK: - The movie

  /// `moov`, found.
  func moov() async throws(CinematicError) -> BoxHeader {
    try await movie.value { [browser] () async throws(CinematicError) -> BoxHeader in
      guard let moov = try await browser.topLevel("moov") else {
        let cut = try await browser.topLevel().last
        let size = try await browser.source.byteCount()
        if let cut, cut.end > size { throw Self.cutShort(browser.source.name, cut) }
        throw CinematicError(
          .malformed, "\(browser.source.name) has no movie header (the box 'moov')",
          remedy: "copy the file again; a recording that was interrupted may lack it")
      }
      let size = try await browser.source.byteCount()
      guard moov.end <= size else { throw Self.cutShort(browser.source.name, moov) }
      return moov
    }
  }

  private static func cutShort(_ name: String, _ header: BoxHeader) -> CinematicError {
    CinematicError(
      .malformed, "\(name) is cut short in the box '\(header.type)' at byte \(header.offset)",
      remedy: "copy or download the file again")
  }

  func clock() async throws(CinematicError) -> (timescale: Int32, duration: Int64?) {
    let header = try await box("mvhd", in: try await moov())
    let content = try await browser.prefix(of: header, count: MovieHeader.durationSize)
    return try named { () throws(CinematicError) in try MovieHeader.duration(content) }
  }

  func duration() async throws(CinematicError) -> Time {
    let (timescale, ticks) = try await clock()
    let stored = Time(value: ticks ?? 0, timescale: timescale)
    if stored > .zero { return stored }
    guard try await containsFragments() else { return stored }
    if let duration = try await declaredFragmentDuration(timescale) { return duration }
    var end = Time.zero
    for track in try await tracks() { end = max(end, try await track.timeRange().end) }
    return end
  }

  /// What `mehd` or an index of the fragments says about their length.
  private func declaredFragmentDuration(_ timescale: Int32) async throws(CinematicError) -> Time? {
    let moov = try await moov()
    if let header = try await browser.find("mvex", "mehd", in: moov) {
      let content = try await browser.content(header)
      let ticks = try named { () throws(CinematicError) -> Int64 in
        var reader = ByteReader(content, box: "mehd")
        return try reader.count(wide: try reader.versionAndFlags().version == 1)
      }
      if ticks > 0 { return Time(value: ticks, timescale: timescale) }
    }
    // An index of the whole file stands before its first fragment.
    guard let index = try await browser.topLevel("sidx"),
      let fragment = try await browser.topLevel("moof"), index.offset < fragment.offset
    else { return nil }
    let content = try await browser.content(index)
    let segments = try named { () throws(CinematicError) in try SegmentIndex(content) }
    let end = index.end.addingReportingOverflow(segments.firstOffset)
    let covered = segments.references.reduce(0) { $0 + $1.byteCount }
    // One index a fragment covers a part only.
    guard !end.overflow,
      !(try await hasFragment(after: end.partialValue &+ covered))
    else { return nil }
    return Time(value: segments.duration, timescale: segments.timescale)
      + Time(value: segments.earliestTime, timescale: segments.timescale)
  }

  private func hasFragment(after offset: Int64) async throws(CinematicError) -> Bool {
    guard offset < (try await browser.source.byteCount()) else { return false }
    let bytes = try await browser.source.read(offset..<(offset + 16))
    guard bytes.count >= 8 else { return false }
    let type = bytes[4..<8]
    return type.elementsEqual("moof".utf8) || type.elementsEqual("sidx".utf8)
      || type.elementsEqual("styp".utf8)
  }

  func containsFragments() async throws(CinematicError) -> Bool {
    try await browser.first("mvex", in: try await moov()) != nil
  }

  func fileType() async throws(CinematicError) -> FileType? {
    guard let header = try await browser.topLevel().first(where: { $0.type == "ftyp" }) else {
      return nil
    }
    let content = try await browser.content(header)
    return try named { () throws(CinematicError) in try FileType(content) }
  }

  func metadata() async throws(CinematicError) -> [MetadataItem] {
    try await MetadataReader(browser).items(in: try await moov())
  }

  // MARK: - Tracks

  /// How much of a `trak` is read at once: mostly all that is not a table.
  private static let trackWindow: Int64 = 768
  /// How many tracks are believed.
  private static let maximumTrackCount = 1 << 10

  func tracks() async throws(CinematicError) -> [any TrackContainer] {
    try await trackList.value { [self] () async throws(CinematicError) -> [any TrackContainer] in
      let moov = try await moov()
      var tracks: [any TrackContainer] = []
      var numbers: Set<UInt32> = []
      for header in try await browser.all(in: moov) where header.type == "trak" {
        guard tracks.count < Self.maximumTrackCount else {
          throw CinematicError(
            .unsupported, "\(name) has more than \(Self.maximumTrackCount) tracks")
        }
        let end = min(header.end, header.offset + Self.trackWindow)
        try await browser.expect(header.offset..<end)
        let track = try await BoxTrack(header, in: self)
        guard numbers.insert(track.trackID).inserted else {
          throw CinematicError(
            .malformed, "\(name) has two tracks of the number \(track.trackID)",
            remedy: "make the file again")
        }
        tracks.append(track)
      }
      return tracks
    }
  }

  /// The samples of every track that are in fragments.
  func fragmentSamples() async throws(CinematicError) -> [UInt32: SampleIndex] {
    try await fragments.value { [self] () async throws(CinematicError) -> [UInt32: SampleIndex] in
      guard let mvex = try await browser.first("mvex", in: try await moov()) else { return [:] }
      var indices: [UInt32: SampleIndex] = [:]
      var defaults: [UInt32: TrackExtends] = [:]
      for header in try await browser.all(in: mvex) where header.type == "trex" {
        let content = try await browser.content(header)
        let extends = try named { () throws(CinematicError) in try TrackExtends(content) }
        defaults[extends.trackID] = extends
      }
      // Samples of `moov` come first, and their times go on in the fragments.
      for track in try await tracks() {
        guard let track = track as? BoxTrack else { continue }
        indices[track.trackID] = try await track.tableSamples()
      }
      let size = try await browser.source.byteCount()
      for header in try await browser.topLevel() where header.type == "moof" && header.end <= size {
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
      }
      return indices
    }
  }

  // MARK: - Helpers

  func box(_ type: FourCC, in parent: BoxHeader) async throws(CinematicError) -> BoxHeader {
    guard let box = try await browser.first(type, in: parent) else {
      throw CinematicError(
        .malformed, "\(name): '\(parent.type)' has no box '\(type)'",
        remedy: "copy or download the file again")
    }
    return box
  }

  /// What `body` gives; its error gets the file's name.
  func named<Value>(_ body: () throws(CinematicError) -> Value) throws(CinematicError) -> Value {
    do throws(CinematicError) {
      return try body()
    } catch {
      throw error.naming(name)
    }
  }
}
