// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCaptions
import FocalCore

/// Reading them from an asset.
extension FilmCompanions {
  /// Text beyond this many bytes is left out: books have a megabyte.
  static let maximumTextBytes: Int64 = 64 << 20
  /// What a sample takes, however short it is.
  static let leastTextBytes: Int64 = 64

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
    let pictures = try await asset.pictureTrack()
    let shown = pictures.trackID
    // A movie's own timeline is what a composition of it has.
    if isCinematic { origin = -zero }
    let stored = try await container.storedMovie()
    if let stored { self = FilmCompanions(stored) }
    if let streams = container as? StreamContainer {
      read(try await streams.description(), frameDuration: frameDuration)
      // A clock that is told in words begins with the pictures.
      let timeline = try await pictures.load(.timeline)
      if timeline.count > 0 { timecodeTime = timeline[0].timeRange.start - zero }
    }
    try await addDescriptions(of: pictures, tracks.filter { $0.mediaType == .audio })
    pictureLabels = try await pictures.labels()
    pictureLanguageCode = try await pictures.load(.languageCode)
    let chapterTracks = try await Self.chapterTracks(tracks)
    for track in tracks where track.trackID != shown && track.mediaType != .audio {
      try await addReadable(
        track, zero, isCinematic: isCinematic, isChapters: chapterTracks.contains(track.trackID))
    }
    if chapters.isEmpty, let box = stored?.extras.first(where: { $0.type == "udta" }) {
      chapters = Self.neroChapters(box, zero)
    }
    chapters.sort { $0.time < $1.time }
    try await leaveOutText(
      behind: [pictures] + tracks.filter { $0.mediaType == .audio }, zero,
      frameDuration: frameDuration)
  }

  /// An asset's captions and nothing else, also where it has no pictures. Unreadable ones are named, and are no error.
  ///
  /// - Throws: what loading the tracks throws.
  package init(captionsOf asset: Asset) async throws(CinematicError) {
    let zero = try await asset.container().timelineStart()
    let tracks = try await asset.load(.tracks)
    let chapterTracks = try await Self.chapterTracks(tracks)
    for track in tracks where Self.isText(track) && !chapterTracks.contains(track.trackID) {
      try await addReadable(track, zero, isCinematic: false, isChapters: false)
    }
  }

  /// Adds a track, or names it with what is wrong with it.
  private mutating func addReadable(
    _ track: AssetTrack, _ zero: Time, isCinematic: Bool, isChapters: Bool
  ) async throws(CinematicError) {
    do throws(CinematicError) {
      try await add(track, zero, isCinematic: isCinematic, isChapters: isChapters)
    } catch {
      if error.code == .cancelled { throw error }
      leftOut.append("track \(track.trackID) (\(error.message))")
      if !isChapters, Self.isText(track) {
        damagedCaptions.append("the captions of track \(track.trackID) (\(error.message))")
      }
    }
  }

  /// Names the chapters and captions that begin when neither pictures nor sound are left, and captions that go on for more
  /// than a frame then: no film has them.
  private mutating func leaveOutText(
    behind tracks: [AssetTrack], _ zero: Time, frameDuration: Time
  ) async throws(CinematicError) {
    guard !chapters.isEmpty || !texts.isEmpty else { return }
    var end = Time.zero
    for track in tracks {
      do throws(CinematicError) {
        end = max(end, try await track.load(.timeline).shownRange.end - zero)
      } catch {
        if error.code == .cancelled { throw error }
        // How long such sound is, nobody knows.
        return
      }
    }
    let count = chapters.count { $0.time >= end }
    if count > 0 {
      chapters.removeAll { $0.time >= end }
      leftOut.append(
        count == 1
          ? "a chapter that begins behind the end" : "\(count) chapters that begin behind the end")
    }
    nameCaptions(behind: end, frameDuration: frameDuration)
  }

  private mutating func nameCaptions(behind end: Time, frameDuration: Time) {
    var (late, cut) = (0, 0)
    for text in texts where text.samples.contains(where: { $0.timeRange.end > end }) {
      // Samples without a text are none.
      let document =
        text.document ?? (try? CaptionTrack.captions(entry: text.entry, samples: text.samples))
      for caption in document?.captions ?? [] {
        if caption.timeRange.start >= end {
          late += 1
        } else if caption.timeRange.end > end + frameDuration {
          cut += 1
        }
      }
    }
    if late > 0 {
      leftOut.append(
        late == 1
          ? "a caption that begins behind the end" : "\(late) captions that begin behind the end")
    }
    if cut > 0 {
      leftOut.append(
        cut == 1
          ? "the rest of a caption that goes on behind the end"
          : "the rest of \(cut) captions that go on behind the end")
    }
  }

  private mutating func add(
    _ track: AssetTrack, _ zero: Time, isCinematic: Bool, isChapters: Bool
  ) async throws(CinematicError) {
    let entries = try await track.load(.formatDescriptions)
    switch track.mediaType {
    case .timecode where timecode == nil:
      if let entry = entries.first { try await addTimecode(track, entry, zero) }
    case _ where Self.isText(track):
      if isChapters {
        try await addChapters(track, zero)
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

  /// Descriptions of the pictures' track, and whether those of sound have any.
  private mutating func addDescriptions(
    of pictures: AssetTrack, _ sounds: [AssetTrack]
  ) async throws(CinematicError) {
    if let stored = try await (pictures.container as? any CodedTrack)?.stored() {
      // The apertures are those of the stored pictures.
      pictureBoxes = stored.extras.filter { $0.type != "tapt" }.compactMap(Self.kept)
      leftOut += stored.unknown
    }
    for track in sounds {
      guard let stored = try await (track.container as? any CodedTrack)?.stored() else { continue }
      leftOut += stored.unknown
      soundBoxes.append((track.trackID, stored.extras))
      let code = try await track.load(.languageCode)
      if let tag = stored.extendedLanguage, Self.says(tag, moreThan: code) {
        soundLanguages.append((track.trackID, tag))
      }
    }
  }

  private mutating func addTimecode(
    _ track: AssetTrack, _ entry: SampleEntry, _ zero: Time
  ) async throws(CinematicError) {
    let (index, timeline) = try await track.load(.sampleIndex, .timeline)
    guard index.count > 0 else { return }
    timecodeTime = max(timeline.shownRange.start - zero, .zero)
    let sample = timeline.count > 0 ? timeline[0].sample : 0
    var clock = try Timecode(entry: entry.box, sample: try await track.sampleData(sample))
    if let segment = timeline.segments.first {
      // A part of the movie begins later on the clock.
      let (ticks, _) = segment.mediaStart.subtractingReportingOverflow(
        index.compositionTime(sample))
      let skipped = Time(value: ticks, timescale: try await track.load(.naturalTimescale))
      if skipped > .zero { clock = clock.advanced(by: skipped) }
    }
    timecode = clock
    if index.count > 1, try await Self.jumps(track, entry, timeline, clock) {
      leftOut.append("the jumps of the timecode")
    }
  }

  /// Whether a sample of a clock says another time than the clock that runs on from the first: long clocks are written
  /// in pieces.
  private static func jumps(
    _ track: AssetTrack, _ entry: SampleEntry, _ timeline: Timeline, _ clock: Timecode
  ) async throws(CinematicError) -> Bool {
    // A clock that runs on has a sample for hours.
    guard timeline.count <= 1000 else { return true }
    for number in 0..<timeline.count where number > 0 {
      let elapsed = timeline[number].timeRange.start - timeline[0].timeRange.start
      let found = try Timecode(
        entry: entry.box, sample: try await track.sampleData(timeline[number].sample))
      if found.frameNumber != clock.advanced(by: elapsed).frameNumber { return true }
    }
    return false
  }

  /// ISO's handler of subtitles in XML.
  private static let subtitles = MediaType(rawValue: "subt")

  private static func isText(_ track: AssetTrack) -> Bool {
    [.text, .subtitle, .closedCaption, subtitles].contains(track.mediaType)
  }

  private static let tooMuchText = "more than \(maximumTextBytes >> 20) MB of text"

  private static func format(_ entries: [SampleEntry]) -> String {
    entries.first.map { " ('\($0.format)')" } ?? ""
  }

  // MARK: - Text

  private mutating func addText(
    _ track: AssetTrack, _ entries: [SampleEntry], _ zero: Time
  ) async throws(CinematicError) {
    let (index, timeline) = try await track.load(.sampleIndex, .timeline)
    guard entries.count == 1, let entry = entries.first, index.byteCount <= Self.maximumTextBytes
    else {
      leaveOutCaptions(track, entries)
      return
    }
    var text = TextTrack(
      handler: track.mediaType.rawValue, entry: entry.box,
      languageCode: try await track.load(.languageCode),
      isEnabled: try await track.load(.isEnabled), samples: [])
    text.labels = try await track.labels()
    if let stream = track.container as? StreamTrack {
      guard let format = stream.captionFormat else {
        leaveOutCaptions(track, entries)
        return
      }
      let packets = try await Self.packets(of: stream, track, timeline, zero)
      let document = CaptionDocument(packets: packets, format: format)
      text.document = document
      var losses = document.issues
      // Film begins at zero; samples have no times below it.
      var shown = document
      shown.captions = document.captions.compactMap { caption in
        guard caption.timeRange.start < .zero else { return caption }
        guard caption.timeRange.end > .zero else { return nil }
        var caption = caption
        caption.timeRange = TimeRange(start: .zero, end: caption.timeRange.end)
        return caption
      }
      let early = document.captions.count - shown.captions.count
      if early > 0 {
        leftOut.append(
          early == 1
            ? "a caption that ends before the beginning"
            : "\(early) captions that end before the beginning")
      }
      do throws(CinematicError) {
        let coded = try CaptionTrack(shown, kind: .timedText)
        (text.handler, text.entry, text.samples) = (coded.handler, coded.entry, coded.samples)
        losses += coded.losses
      } catch {
        leftOut.append("the captions of track \(track.trackID), \(Self.tooMuchText)")
      }
      leftOut += Set(losses.map(\.reason)).sorted().map {
        "in the captions of track \(track.trackID), what follows: \($0)"
      }
    } else {
      // Edits may show a sample any number of times.
      var left = Self.maximumTextBytes
      for number in 0..<timeline.count {
        let data = try await track.sampleData(timeline[number].sample)
        left -= max(Int64(data.count), Self.leastTextBytes)
        guard left >= 0 else {
          leftOut.append("the captions of track \(track.trackID), \(Self.tooMuchText)")
          return
        }
        let shown = timeline[number].timeRange
        let range = TimeRange(start: shown.start - zero, end: shown.end - zero)
        let skipped = timeline.mediaSkipped(ofEntry: number)
        let whole = TimeRange(start: range.start - skipped, end: range.end)
        text.samples.append(
          (
            range,
            skipped == .zero
              ? data : CaptionTrack.data(of: (whole, data), in: entry.box, from: range.start)
          ))
      }
    }
    texts.append(text)
  }

  private mutating func leaveOutCaptions(_ track: AssetTrack, _ entries: [SampleEntry]) {
    let name = "the captions of track \(track.trackID)\(Self.format(entries))"
    leftOut.append(name)
    unreadCaptions.append(name)
  }

  /// The captions of another container, which end before the next one begins.
  private static func packets(
    of stream: StreamTrack, _ track: AssetTrack, _ timeline: Timeline, _ zero: Time
  ) async throws(CinematicError) -> [CaptionPacket] {
    let lengths = try await stream.captionLengths()
    var packets: [CaptionPacket] = []
    for number in 0..<timeline.count {
      let sample = timeline[number].sample
      let cue = try await stream.cue(sample, from: track.sampleSource)
      let range = timeline[number].timeRange
      let end = lengths.indices.contains(sample) ? range.start + lengths[sample] : range.end
      packets.append(
        CaptionPacket(
          timeRange: TimeRange(start: range.start - zero, end: max(range.start, end) - zero),
          text: String(decoding: cue.text, as: UTF8.self), settings: cue.settings,
          identifier: cue.identifier))
    }
    return packets
  }

  // MARK: - Chapters

  private static func chapterTracks(
    _ tracks: [AssetTrack]
  ) async throws(CinematicError) -> Set<UInt32> {
    var result: Set<UInt32> = []
    for track in tracks { result.formUnion(try await track.load(.references)["chap"] ?? []) }
    return result
  }

  private mutating func addChapters(
    _ track: AssetTrack, _ zero: Time
  ) async throws(CinematicError) {
    let timeline = try await track.load(.timeline)
    let longest = Time(
      value: CompanionTracks.longestSample, timescale: try await track.load(.naturalTimescale))
    var found: [Chapter] = []
    /// Of the sample before, if it is a piece of a longer one.
    var piece: (end: Time, data: [UInt8])?
    var left = Self.maximumTextBytes
    for number in 0..<min(timeline.count, 1 << 16) {
      let data = try await track.sampleData(timeline[number].sample)
      left -= max(Int64(data.count), Self.leastTextBytes)
      guard left >= 0 else {
        leftOut.append("the chapters of track \(track.trackID), \(Self.tooMuchText)")
        return
      }
      let range = timeline[number].timeRange
      let goesOn = piece.map { $0.end == range.start && $0.data == data } ?? false
      piece = range.duration == longest ? (range.end, data) : nil
      guard !goesOn, let title = SampleEntry.text(ofSample: data), !title.isEmpty else { continue }
      found.append(Chapter(time: range.start - zero, title: title))
    }
    chapters = found
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
}
