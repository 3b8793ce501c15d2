// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A track of a QuickTime or MP4 file, read by its boxes.
final class BoxTrack: CodedTrack {
  /// The loaded parts of a track. Its container keeps them, so they do not refer to the container.
  final class Content: Sendable {
    let box: BoxHeader
    let header: TrackHeader
    let mediaType: MediaType
    let handlerName: String?
    let mediaHeader = SharedLoad<MediaHeader>()
    let editList = SharedLoad<EditList?>()
    let entries = SharedLoad<[SampleEntry]>()
    let samples = SharedLoad<SampleIndex>()
    let shown = SharedLoad<Timeline>()

    /// Reads the track's head and its handler.
    init(_ box: BoxHeader, in container: BoxContainer) async throws(CinematicError) {
      self.box = box
      let browser = container.browser
      let content = try await browser.content(try await container.box("tkhd", in: box))
      header = try container.named { () throws(CinematicError) in try TrackHeader(content) }
      let mdia = try await container.box("mdia", in: box)
      let handler = try await browser.content(try await container.box("hdlr", in: mdia))
      let reference = try container.named { () throws(CinematicError) in
        try HandlerReference(handler)
      }
      mediaType = MediaType(rawValue: reference.handler)
      handlerName = TrackLabels.name(ofHandler: reference.name)
    }
  }

  let content: Content
  let container: BoxContainer

  var trackID: UInt32 { content.header.trackID }
  var mediaType: MediaType { content.mediaType }
  /// The name for people that the handler gives it; `nil` for the usual ones.
  var handlerName: String? { content.handlerName }
  private var box: BoxHeader { content.box }
  private var browser: BoxBrowser { container.browser }

  init(_ content: Content, in container: BoxContainer) {
    self.content = content
    self.container = container
  }

  func isEnabled() -> Bool { content.header.isEnabled }
  var alternateGroup: Int16 { content.header.alternateGroup }
  func matrix() async throws(CinematicError) -> TransformMatrix {
    content.header.matrix.followed(by: try await container.matrix())
  }

  /// The matrix of the pictures that an auxiliary track belongs to: those that it names, or else the movie's first.
  func pictureMatrix() async throws(CinematicError) -> TransformMatrix? {
    let named = try await references()["auxl"]?.first
    let pictures = try await container.tracks().filter { $0.mediaType == .video }
    return try await (pictures.first { $0.trackID == named } ?? pictures.first)?.matrix()
  }

  /// The size on the screen; that of the pictures' shown part where the track gives none, as
  /// disparity tracks may.
  func naturalSize() async throws(CinematicError) -> Dimensions {
    let size = content.header.dimensions
    if size.width > 0, size.height > 0 { return size }
    let entry = try await sampleEntries().first
    return entry?.cleanAperture?.dimensions ?? entry?.dimensions ?? size
  }

  private func mediaHeader() async throws(CinematicError) -> MediaHeader {
    try await content.mediaHeader.value { [self] () async throws(CinematicError) -> MediaHeader in
      let mdia = try await container.box("mdia", in: box)
      let bytes = try await browser.content(try await container.box("mdhd", in: mdia))
      return try container.named { () throws(CinematicError) in try MediaHeader(bytes) }
    }
  }

  func timescale() async throws(CinematicError) -> Int32 { try await mediaHeader().timescale }
  func languageCode() async throws(CinematicError) -> String? {
    try await mediaHeader().languageCode
  }

  private func editList() async throws(CinematicError) -> EditList? {
    try await content.editList.value { [self] () async throws(CinematicError) -> EditList? in
      guard let header = try await browser.find("edts", "elst", in: box) else { return nil }
      let bytes = try await browser.content(header)
      return try container.named { () throws(CinematicError) in try EditList(bytes) }
    }
  }

  func edits() async throws(CinematicError) -> [EditList.Edit] {
    try await editList()?.edits ?? []
  }

  func references() async throws(CinematicError) -> [FourCC: [UInt32]] {
    guard let header = try await browser.first("tref", in: box) else { return [:] }
    let content = try await browser.content(header)
    return try container.named { () throws(CinematicError) in
      try TrackReferences(content).tracks
    }
  }

  func metadata() async throws(CinematicError) -> [MetadataItem] {
    try await MetadataReader(browser).items(in: box)
  }

  func timeRange() async throws(CinematicError) -> TimeRange {
    let fragmented = try await container.containsFragments()
    guard !fragmented else {
      guard let outer = try await container.outerSamples() else {
        return try await timeline().shownRange
      }
      return try await timeline(outer[trackID] ?? SampleIndex()).shownRange
    }
    let clock = try await container.clock()
    if let edits = try await editList(), !edits.edits.isEmpty {
      var start = Time.zero
      var end = Time.zero
      var isLeading = true
      for edit in edits.edits {
        end += Time(value: edit.duration, timescale: clock.timescale)
        isLeading = isLeading && edit.isEmpty
        if isLeading { start = end }
      }
      return TimeRange(start: start, end: end)
    }
    let media = try await mediaHeader()
    return TimeRange(
      start: .zero, duration: Time(value: media.duration ?? 0, timescale: media.timescale))
  }

  // MARK: - Samples

  private func table(_ path: FourCC...) async throws(CinematicError) -> BoxHeader? {
    var parent = box
    for type in ["mdia", "minf", "stbl"] + path {
      guard let next = try await browser.first(type, in: parent) else { return nil }
      parent = next
    }
    return parent
  }

  func sampleEntries() async throws(CinematicError) -> [SampleEntry] {
    try await content.entries.value { [self] () async throws(CinematicError) -> [SampleEntry] in
      guard let header = try await table("stsd") else { return [] }
      let bytes = try await browser.content(header)
      return try container.named { () throws(CinematicError) in
        try SampleEntry.entries(bytes, handler: mediaType.rawValue)
      }
    }
  }

  /// The samples that the movie's tables list.
  func tableSamples() async throws(CinematicError) -> SampleIndex {
    guard let table = try await table() else { return SampleIndex() }
    let contents = try await browser.contents(of: SampleIndex.tableTypes, in: table)
    let size = try await browser.source.believedByteCount()
    let isSound = mediaType == .audio
    let packings = isSound && SampleIndex.listsTicks(contents) ? try await soundPackings() : []
    return try container.named { () throws(CinematicError) in
      try SampleIndex(tables: contents, fileSize: size, isSound: isSound, packings: packings)
    }
  }

  /// A damaged description is an error of whoever needs more of it.
  private func soundPackings() async throws(CinematicError) -> [SoundPacking?] {
    do throws(CinematicError) {
      return try await sampleEntries().map(\.soundPacking)
    } catch {
      guard error.code == .malformed else { throw error }
      return []
    }
  }

  func sampleIndex() async throws(CinematicError) -> SampleIndex {
    try await content.samples.value { [self] () async throws(CinematicError) -> SampleIndex in
      if try await container.containsFragments() {
        return try await container.fragmentSamples()[trackID] ?? SampleIndex()
      }
      return try await tableSamples()
    }
  }

  func sampleData(
    _ number: Int, from source: any ByteSource
  ) async throws(CinematicError) -> [UInt8] {
    try await source.sample(try await sampleIndex()[number])
  }

  func sampleReader(_ source: any ByteSource) async throws(CinematicError) -> any SampleReader {
    RangeSampleReader(reader: BlockingReader(source: source), index: try await sampleIndex())
  }

  func pictureFacts() async throws(CinematicError) -> PictureFacts {
    let entry = try await sampleEntries().first
    // Without a matrix of its own, pictures may say how they lie.
    let matrix = try await matrix()
    let rotation = matrix == .identity ? nil : DisplayRotation(matrix)
    var facts = PictureFacts(
      kind: .clip, color: entry?.containerColor, hdrMetadata: entry?.hdrMetadata ?? HDRMetadata(),
      fieldOrder: entry?.fieldOrder,
      rotation: rotation, pixelAspectRatio: try await pixelAspectRatio())
    if rotation?.isExact == false { facts.unread.append(DisplayRotation.unkept) }
    if entry?.isDolbyVision == true { facts.unread.append(PictureFacts.dolbyVision) }
    facts.unread += try await timeline().unseenPictures
    return facts
  }

  /// That of the description, or else the one at which its pictures have the track's size.
  func pixelAspectRatio() async throws(CinematicError) -> PixelAspectRatio? {
    guard let entry = try await sampleEntries().first else { return nil }
    if let stated = entry.pixelAspectRatio { return stated }
    let shown = content.header.dimensions
    guard let size = entry.cleanAperture?.dimensions ?? entry.dimensions,
      min(shown.width, shown.height, size.width, size.height) >= 16,
      // Some programs turn the size, and not only the pictures.
      (shown.width, shown.height) != (size.height, size.width)
    else { return nil }
    let (width, height) = (shown.width * size.height, shown.height * size.width)
    // Sizes of blocks and of apertures differ by a few rows.
    guard abs(width - height) * 50 > height else { return nil }
    let divisor = Int(Time.greatestCommonDivisor(UInt64(width), UInt64(height)))
    guard let horizontal = Int32(exactly: width / divisor),
      let vertical = Int32(exactly: height / divisor)
    else { return nil }
    return PixelAspectRatio(horizontal: horizontal, vertical: vertical)
  }

  func decoderMaker() async throws(CinematicError) -> DecoderMaker {
    let (entries, timescale) = (try await sampleEntries(), try await timescale())
    let name = container.name
    // How old codecs are configured is known to libavformat alone.
    let foreign =
      entries.first?.isDecodable == false
      ? try await container.foreignPictures(trackID: trackID) : nil
    let parameters = foreign?.parameters
    var changes: [DecoderChange] = []
    if let palette = foreign?.palette {
      changes.append(DecoderChange(kind: .palette, firstSample: 0, bytes: palette))
    }
    return DecoderMaker(
      pictures: .complete, changes: changes
    ) { number, delay, damage throws(CinematicError) in
      guard entries.indices.contains(number) else {
        throw CinematicError(
          .malformed,
          "\(name): a sample refers to the sample entry \(number + 1), which is missing",
          remedy: "copy or download the file again")
      }
      if number == 0, let parameters {
        return try parameters.makeDecoder(
          name: name, base: AVRational(num: 1, den: timescale), damage: damage)
      }
      return try entries[number].makeDecoder(
        name: name, timescale: timescale, delay: delay, damage: damage)
    }
  }

  func timeline() async throws(CinematicError) -> Timeline {
    try await content.shown.value { [self] () async throws(CinematicError) -> Timeline in
      try await timeline(try await sampleIndex())
    }
  }

  private func timeline(_ index: SampleIndex) async throws(CinematicError) -> Timeline {
    let timeline = Timeline(
      index, mediaTimescale: try await timescale(),
      movieTimescale: try await container.clock().timescale, edits: try await editList(),
      isFragmented: try await container.containsFragments(), showsAll: mediaType != .video)
    // A million frames are nine hours, and nobody shows each 64 times: the edits of a small file can make a day's
    // work of it.
    guard timeline.count > 1_000_000, timeline.count / 64 > index.count else { return timeline }
    throw CinematicError(
      .malformed,
      "the edit list of \(container.name) shows its \(index.count) samples \(timeline.count) times",
      remedy: "write the movie again without repetitions")
  }
}

extension Timeline {
  /// Pictures that are left out, in words: those that the next one takes the place of at once.
  package var unseenPictures: [String] {
    switch unseenCount {
    case 0: []
    case 1: ["a picture that is shown for no time"]
    default: ["\(unseenCount) pictures that are shown for no time"]
    }
  }
}
