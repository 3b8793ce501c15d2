// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A title in a movie, from where on it holds.
public struct Chapter: Hashable, Sendable {
  public var time: Time
  public var title: String

  public init(time: Time, title: String) {
    self.time = time
    self.title = title
  }
}

/// Everything in a movie beside pictures and sound, on its way into another one: title, dates and other
/// metadata, timecode, chapters, captions.
///
/// Times count from the container's start, as those of ``FrameReader`` do.
public struct FilmCompanions: Sendable {
  /// A track of text, sample by sample.
  public struct TextTrack: Sendable {
    public var handler: FourCC
    /// The sample entry.
    public var entry: Box
    /// Three letters of ISO 639-2; `nil` if unknown.
    public var languageCode: String?
    /// Whether players show it unless they are told otherwise.
    public var isEnabled: Bool
    /// In order, none over another.
    public var samples: [(timeRange: TimeRange, data: [UInt8])]
    var labels = TrackLabels()

    public init(
      handler: FourCC, entry: Box, languageCode: String?, isEnabled: Bool,
      samples: [(timeRange: TimeRange, data: [UInt8])]
    ) {
      self.handler = handler
      self.entry = entry
      self.languageCode = languageCode
      self.isEnabled = isEnabled
      self.samples = samples
    }

    /// Whether samples are TTML that says when it is shown: such captions cannot be moved as they are.
    public var timesLieInText: Bool {
      entry.type == "stpp"
        && samples.contains { String(decoding: $0.data, as: UTF8.self).contains("begin=") }
    }

    func moved(by offset: Time) -> TextTrack {
      var track = self
      track.samples = samples.map { sample in
        (
          TimeRange(start: sample.timeRange.start + offset, duration: sample.timeRange.duration),
          sample.data
        )
      }
      return track
    }
  }

  /// Seconds since the beginning of 1904; zero for no statement.
  var creationTime: UInt32 = 0
  /// Descriptions as a movie file has them.
  var boxes: [Box] = []
  /// Descriptions by plain names, of other containers.
  var tags: [(key: String, value: String)] = []
  /// A production's clock at the first picture, or where the source's track begins; `nil` without one.
  public var timecode: Timecode?
  /// When the clock shows that.
  var timecodeTime = Time.zero
  /// Chapters by their times; each lasts until the next.
  public var chapters: [Chapter] = []
  var texts: [TextTrack] = []
  /// The time that becomes zero in the other movie.
  public var origin = Time.zero
  /// Companions that the other movie does not get, in words.
  public internal(set) var leftOut: [String] = []

  /// Everything that is there to be kept, in words.
  public var contents: [String] {
    [
      timecode == nil ? nil : "the timecode", chapters.isEmpty ? nil : "the chapters",
      texts.isEmpty ? nil : "the captions",
      creationTime == 0 && boxes.isEmpty && tags.isEmpty ? nil : "the metadata",
    ].compactMap { $0 }
  }

  /// How many tracks of captions there are.
  public var captionTrackCount: Int { texts.count }

  /// The tracks of captions. Times are the source's; of a part, its first moment is not zero.
  public var captionTracks: [TextTrack] { texts.map { $0.moved(by: -origin) } }

  /// Adds captions, whose times are the source's own.
  public mutating func addCaptions(_ tracks: [TextTrack]) {
    texts += tracks.map { $0.moved(by: origin) }
  }

  /// Leaves a track of captions out without a word: it is shown otherwise.
  public mutating func removeCaptions(at index: Int) { texts.remove(at: index) }

  /// Leaves out captions whose documents hold the times, which a part of the movie would have to change.
  package mutating func leaveOutTimedText() {
    for text in texts where text.timesLieInText {
      leftOut.append(
        "the captions ('stpp'\(text.languageCode.map { ", \($0)" } ?? "")), whose times lie in their text"
      )
    }
    texts.removeAll(where: \.timesLieInText)
  }

  /// Makes the companions those of a part that begins at a time of the source.
  public mutating func cut(from start: Time) {
    origin += start
    if start != .zero { leaveOutTimedText() }
  }

  /// Text beyond this many bytes is left out: books have a megabyte.
  private static let maximumTextBytes: Int64 = 64 << 20

  public init() {}

  /// A movie file's own companions.
  init(_ movie: StoredMovie) {
    creationTime = movie.creationTime
    boxes = movie.extras.compactMap(Self.kept)
  }

  /// An asset's companions. Unreadable ones are named, and are no error.
  ///
  /// - Parameters:
  ///   - isCinematic: whether disparity and Cinematic metadata are made use of, and so not lost.
  ///   - frameDuration: of the pictures, for timecodes that are given as text.
  /// - Throws: what loading the tracks throws.
  public init(
    _ asset: Asset, isCinematic: Bool = false, frameDuration: Time
  ) async throws(CinematicError) {
    let container = try await asset.container()
    let zero = try await container.timelineStart()
    let tracks = try await asset.load(.tracks)
    let shown = try await asset.pictureTrack().trackID
    // A movie's own timeline is what a composition of it has.
    if isCinematic { origin = -zero }
    if let stored = try await container.storedMovie() {
      self = FilmCompanions(stored)
    }
    if let streams = container as? StreamContainer {
      read(try await streams.description(), frameDuration: frameDuration)
      // A clock that is told in words begins with the pictures.
      let timeline = try await asset.pictureTrack().load(.timeline)
      if timeline.count > 0 { timecodeTime = timeline[0].timeRange.start - zero }
    }
    let chapterTracks = try await Self.chapterTracks(tracks)
    for track in tracks where track.trackID != shown && track.mediaType != .audio {
      do throws(CinematicError) {
        try await add(
          track, zero, isCinematic: isCinematic, isChapters: chapterTracks.contains(track.trackID))
      } catch {
        if error.code == .cancelled { throw error }
        leftOut.append("track \(track.trackID) (\(error.message))")
      }
    }
    if chapters.isEmpty,
      let box = try await container.storedMovie()?.extras.first(where: { $0.type == "udta" })
    {
      chapters = Self.neroChapters(box, zero)
    }
    chapters.sort { $0.time < $1.time }
  }

  private mutating func add(
    _ track: AssetTrack, _ zero: Time, isCinematic: Bool, isChapters: Bool
  ) async throws(CinematicError) {
    let entries = try await track.load(.formatDescriptions)
    switch track.mediaType {
    case .timecode where timecode == nil:
      if let entry = entries.first, try await track.load(.sampleIndex).count > 0 {
        timecodeTime = max(try await track.load(.timeline).shownRange.start - zero, .zero)
        timecode = try Timecode(entry: entry.box, sample: try await track.sampleData(0))
        if try await track.load(.sampleIndex).count > 1 {
          leftOut.append("the jumps of the timecode")
        }
      }
    case .text, .subtitle, .closedCaption, Self.subtitles:
      if isChapters {
        chapters = try await Self.chapters(track, zero)
      } else {
        try await addText(track, entries, zero)
      }
    case .video where isChapters: leftOut.append("the pictures of chapters")
    case .video, .auxiliaryPicture:
      let isMap = entries.contains { CinematicTracks.disparityFormats.contains($0.format) }
      if !isCinematic || !isMap {
        leftOut.append("the \(track.mediaType) track \(track.trackID)\(Self.format(entries))")
      }
    case .metadata where isCinematic && entries.contains(where: CinematicTracks.isCinematic): break
    case .metadata:
      leftOut.append("the timed metadata of track \(track.trackID)\(Self.format(entries))")
    case .timecode: leftOut.append("the timecode of track \(track.trackID)")
    default: leftOut.append("the track \(track.trackID) of kind '\(track.mediaType)'")
    }
  }

  /// ISO's handler of subtitles in XML.
  private static let subtitles = MediaType(rawValue: "subt")

  private static func format(_ entries: [SampleEntry]) -> String {
    entries.first.map { " ('\($0.format)')" } ?? ""
  }

  /// Drops what has its place in one movie, where that is one of several.
  public mutating func keepDescriptions() {
    if !chapters.isEmpty { leftOut.append("the chapters of several movies") }
    if !texts.isEmpty { leftOut.append("the captions of several movies") }
    (chapters, texts) = ([], [])
  }

  /// Names more that the other movie does not get.
  public mutating func leaveOut(_ extras: [String]) { leftOut += extras }

  // MARK: - Text

  private mutating func addText(
    _ track: AssetTrack, _ entries: [SampleEntry], _ zero: Time
  ) async throws(CinematicError) {
    let (index, timeline) = try await track.load(.sampleIndex, .timeline)
    let lengths = try await (track.container as? StreamTrack)?.captionLengths() ?? []
    guard entries.count == 1, let entry = entries.first, index.byteCount <= Self.maximumTextBytes
    else {
      leftOut.append("the captions of track \(track.trackID)")
      return
    }
    var text = TextTrack(
      handler: track.mediaType.rawValue, entry: entry.box,
      languageCode: try await track.load(.languageCode),
      isEnabled: try await track.load(.isEnabled), samples: [])
    text.labels = try await track.labels()
    let plain = (track.container as? StreamTrack)?.plainText
    if track.container is StreamTrack {
      guard plain != nil else {
        leftOut.append("the captions of track \(track.trackID)\(Self.format(entries))")
        return
      }
      (text.handler, text.entry) = ("sbtl", SampleEntry.timedText)
    }
    for number in 0..<timeline.count {
      var data = try await track.sampleData(timeline[number].sample)
      if let plain { data = SampleEntry.textSample(plain(data)) }
      var range = timeline[number].timeRange
      // Captions of other containers end before the next begins.
      let sample = timeline[number].sample
      if lengths.indices.contains(sample) {
        range = TimeRange(start: range.start, end: range.start + lengths[sample])
      }
      text.samples.append((TimeRange(start: range.start - zero, end: range.end - zero), data))
    }
    texts.append(text)
  }

  // MARK: - Chapters

  private static func chapterTracks(
    _ tracks: [AssetTrack]
  ) async throws(CinematicError) -> Set<UInt32> {
    var result: Set<UInt32> = []
    for track in tracks { result.formUnion(try await track.load(.references)["chap"] ?? []) }
    return result
  }

  private static func chapters(
    _ track: AssetTrack, _ zero: Time
  ) async throws(CinematicError) -> [Chapter] {
    let timeline = try await track.load(.timeline)
    var chapters: [Chapter] = []
    for number in 0..<min(timeline.count, 1 << 16) {
      let data = try await track.sampleData(timeline[number].sample)
      guard let title = SampleEntry.text(ofSample: data), !title.isEmpty else { continue }
      chapters.append(Chapter(time: timeline[number].timeRange.start - zero, title: title))
    }
    return chapters
  }

  /// The list that MP4 files of many programs have: times in 100 ns.
  private static func neroChapters(_ box: Box, _ zero: Time) -> [Chapter] {
    guard let content = try? Box.prefix(box.data, count: .max),
      let list = content.first(where: { $0.type == "chpl" })
    else { return [] }
    var reader = ByteReader(list.data, box: "chpl")
    guard let head = try? reader.u32() else { return [] }
    if head >> 24 != 0 { try? reader.skip(4) }
    guard let count = try? reader.u8() else { return [] }
    var chapters: [Chapter] = []
    for _ in 0..<count {
      guard let time = try? reader.u64(), let length = try? reader.u8(),
        reader.rest.count >= length,
        let ticks = Int64(exactly: time)
      else { break }
      let title = String(decoding: reader.rest.prefix(Int(length)), as: UTF8.self)
      guard (try? reader.skip(Int(length))) != nil else { break }
      chapters.append(Chapter(time: Time(value: ticks, timescale: 10_000_000) - zero, title: title))
    }
    return chapters
  }

  // MARK: - Descriptions

  /// A box of descriptions without what would not be true of another film: that it is Cinematic, and where
  /// its chapters lie.
  private static func kept(_ box: Box) -> Box? {
    if box.type == "udta" {
      guard let boxes = try? Box.prefix(box.data, count: .max) else { return box }
      guard boxes.contains(where: { $0.type == "chpl" }) else { return box }
      let rest = boxes.filter { $0.type != "chpl" }
      return rest.isEmpty ? nil : Box("udta", rest)
    }
    guard let parsed = try? Box.parse(box.bytes[...]).first,
      let items = try? ItemMetadata(parsed).items
    else { return box }
    let isCinematic = { (item: ItemMetadata.Item) in
      CinematicTracks.keyPrefixes.contains { item.key.lowercased().hasPrefix($0) }
    }
    guard items.contains(where: isCinematic) else { return box }
    let rest = items.filter { !isCinematic($0) }
    return rest.isEmpty ? nil : .metadata(rest)
  }

  /// What comes through a pipe: all that its head says. Captions come among the pictures, and are left out.
  init(_ description: StreamDescription, frameDuration: Time) {
    read(description, frameDuration: frameDuration)
    for stream in description.streams {
      switch stream.mediaType {
      case .subtitle: leftOut.append("the captions of track \(stream.trackID)")
      case .metadata: leftOut.append("the timed metadata of track \(stream.trackID)")
      default: break
      }
    }
    let pictures = description.streams.filter { $0.mediaType == .video }.dropFirst()
    leftOut += pictures.map { "the video track \($0.trackID)" }
    chapters.sort { $0.time < $1.time }
  }

  private mutating func read(_ description: StreamDescription, frameDuration: Time) {
    let all = description.tags + (description.streams.first { $0.mediaType == .video }?.tags ?? [])
    if let text = all.first(where: { $0.key.lowercased() == "timecode" })?.value {
      timecode = Timecode(text, frameDuration: frameDuration)
      if timecode == nil { leftOut.append("the timecode \(text)") }
    }
    if let date = description.tags.first(where: { $0.key.lowercased() == "creation_time" })?.value {
      creationTime = Self.seconds(since1904: date) ?? 0
    }
    // The name of the source's muxer is not true of another film.
    let own: Set<String> = [
      "timecode", "creation_time", "encoder", "major_brand", "minor_version", "compatible_brands",
      "duration",
    ]
    tags = description.tags.map { ($0.key, $0.value) }.filter { tag in
      let key = tag.key.lowercased()
      return !own.contains(key) && !CinematicTracks.keyPrefixes.contains { key.hasPrefix($0) }
    }
    chapters = description.chapters
    leftOut += description.attachments
  }

  /// `2024-05-06T07:08:09.000000Z` in seconds since 1904.
  static func seconds(since1904 text: String) -> UInt32? {
    let parts = text.prefix(19).split(whereSeparator: { "-T: ".contains($0) }).map { Int($0) }
    guard parts.count == 6, !parts.contains(nil) else { return nil }
    let numbers = parts.compactMap { $0 }
    var (year, month) = (numbers[0], numbers[1])
    guard (1904...2039).contains(year), (1...12).contains(month) else { return nil }
    // Days of the proleptic Gregorian calendar, with years that begin in March.
    if month <= 2 {
      year -= 1
      month += 12
    }
    func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
      365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day
    }
    let day = days(year, month, numbers[2]) - days(1903, 13, 1)
    return UInt32(exactly: ((day * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5])
  }
}
