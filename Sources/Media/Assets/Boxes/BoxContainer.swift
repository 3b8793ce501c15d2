// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A QuickTime or MP4 file, read by its boxes.
final class BoxContainer: AssetContainer {
  let browser: BoxBrowser
  /// Ticks a second, and how many of them the header says that the movie lasts.
  typealias Clock = (timescale: Int32, duration: Int64?)

  private let storedMovieBox = SharedLoad<BoxHeader>()
  private let movie = SharedLoad<BoxHeader>()
  private let movieClock = SharedLoad<Clock>()
  private let movieMatrix = SharedLoad<TransformMatrix>()
  private let trackList = SharedLoad<[BoxTrack.Content]>()
  let fragments = SharedLoad<[UInt32: SampleIndex]>()
  let fragmentEnds = SharedLoad<[UInt32: SampleIndex]?>()

  init(_ browser: BoxBrowser) { self.browser = browser }

  /// The types that a QuickTime or MP4 file may begin with.
  static let firstBoxes: Set<FourCC> = [
    "ftyp", "moov", "mdat", "free", "skip", "wide", "pnot", "styp", "moof", "sidx",
  ]

  var name: String { browser.source.name }

  // MARK: - The movie

  /// `moov`, found, and unpacked where it is compressed.
  func moov() async throws(CinematicError) -> BoxHeader {
    try await movie.value { [self] () async throws(CinematicError) -> BoxHeader in
      try await unpacked(try await storedMoov())
    }
  }

  /// `moov` as it stands in the file.
  private func storedMoov() async throws(CinematicError) -> BoxHeader {
    try await storedMovieBox.value { [browser] () async throws(CinematicError) -> BoxHeader in
      guard let moov = try await browser.topLevel("moov") else {
        let cut = try await browser.topLevel().last
        let size = try await browser.source.believedByteCount()
        if let cut, cut.end > size { throw Self.cutShort(browser.source.name, cut) }
        throw CinematicError(
          .malformed, "\(browser.source.name) has no movie header (the box 'moov')",
          remedy: "copy the file again; a recording that was interrupted may lack it")
      }
      let size = try await browser.source.believedByteCount()
      guard moov.end <= size else { throw Self.cutShort(browser.source.name, moov) }
      return moov
    }
  }

  /// `moov`, for callers that look through most of it.
  private func wholeMoov() async throws(CinematicError) -> BoxHeader {
    await browser.readAhead(in: try await storedMoov())
    let moov = try await moov()
    // The rest of its header is asked for, too: with it one read brings all that follows. What is wrong with the header
    // is told then.
    do throws(CinematicError) {
      _ = try await matrix()
    } catch {
      guard error.code == .malformed else { throw error }
    }
    return moov
  }

  private static func cutShort(_ name: String, _ header: BoxHeader) -> CinematicError {
    CinematicError(
      .malformed, "\(name) is cut short in the box '\(header.type)' at byte \(header.offset)",
      remedy: "copy or download the file again")
  }

  func clock() async throws(CinematicError) -> Clock {
    try await movieClock.value { [self] () async throws(CinematicError) -> Clock in
      let header = try await box("mvhd", in: try await moov())
      let content = try await browser.prefix(of: header, count: MovieHeader.durationSize)
      return try named { () throws(CinematicError) in try MovieHeader.duration(content) }
    }
  }

  /// From the movie to the screen.
  func matrix() async throws(CinematicError) -> TransformMatrix {
    try await movieMatrix.value { [self] () async throws(CinematicError) -> TransformMatrix in
      let content = try await browser.content(try await box("mvhd", in: try await moov()))
      return try named { () throws(CinematicError) in try MovieHeader(content).matrix }
    }
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

  func startTime() async throws(CinematicError) -> Time {
    var earliest: Time?
    for track in try await tracks() {
      switch track.mediaType {
      case .video:
        let shown = try await track.timeline()
        guard shown.count > 0 else { continue }
        earliest = min(earliest ?? shown.shownRange.start, shown[0].timeRange.start)
      case .audio:
        let range = try await track.timeRange()
        guard !range.isEmpty else { continue }
        earliest = min(earliest ?? range.start, range.start)
      default: break
      }
    }
    return max(earliest ?? .zero, .zero)
  }

  /// How a track is decoded, as libavformat finds it; `nil` if it does not know the track.
  func streamParameters(trackID: UInt32) async throws(CinematicError) -> CodecParameters? {
    try await StreamContainer(browser.source).stream(trackID: trackID)?.parameters
  }

  /// How a track's pictures are decoded, as libavformat finds it, and the palette that they may need; `nil` if it does
  /// not know the track.
  func foreignPictures(
    trackID: UInt32
  ) async throws(CinematicError) -> (parameters: CodecParameters, palette: [UInt8]?)? {
    let container = StreamContainer(browser.source)
    guard let stream = try await container.stream(trackID: trackID) else { return nil }
    return (stream.parameters, try await container.palette(of: stream))
  }

  func containsFragments() async throws(CinematicError) -> Bool {
    try await browser.first("mvex", in: try await wholeMoov()) != nil
  }

  func fileType() async throws(CinematicError) -> FileType? {
    // It stands before everything that is large.
    let head = try await browser.topLevel(upTo: "moov")
    guard let header = head.first(where: { $0.type == "ftyp" }) else { return nil }
    let content = try await browser.content(header)
    return try named { () throws(CinematicError) in try FileType(content) }
  }

  func metadata() async throws(CinematicError) -> [MetadataItem] {
    try await MetadataReader(browser).items(in: try await wholeMoov())
  }

  // MARK: - Tracks

  /// How much of a `trak` is read at once: mostly all that is not a table.
  private static let trackWindow: Int64 = 768
  /// The most tracks that are read.
  private static let maximumTrackCount = 1 << 10

  func tracks() async throws(CinematicError) -> [any TrackContainer] {
    // Tracks keep their container alive, so it must not keep them.
    let contents = try await trackList.value {
      [self] () async throws(CinematicError) -> [BoxTrack.Content] in
      let moov = try await wholeMoov()
      var tracks: [BoxTrack.Content] = []
      var numbers: Set<UInt32> = []
      for header in try await browser.all(in: moov) where header.type == "trak" {
        guard tracks.count < Self.maximumTrackCount else {
          throw CinematicError(
            .unsupported, "\(name) has more than \(Self.maximumTrackCount) tracks")
        }
        let end = min(header.end, header.offset + Self.trackWindow)
        try await browser.bytes(header.offset..<end)
        let track = try await BoxTrack.Content(header, in: self)
        let trackID = track.header.trackID
        guard numbers.insert(trackID).inserted else {
          throw CinematicError(
            .malformed, "\(name) has two tracks of the number \(trackID)",
            remedy: "make the file again")
        }
        tracks.append(track)
      }
      return tracks
    }
    return contents.map { BoxTrack($0, in: self) }
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

  /// The result of `body`; its error gets the file's name.
  func named<Value>(_ body: () throws(CinematicError) -> Value) throws(CinematicError) -> Value {
    do throws(CinematicError) {
      return try body()
    } catch {
      throw error.naming(name)
    }
  }
}
