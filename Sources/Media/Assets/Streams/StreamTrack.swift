// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCaptions
import FocalCore

/// A stream of a file that libavformat reads.
final class StreamTrack: CodedTrack {
  /// The loaded parts of a track. Its container keeps them, so they do not refer to the container.
  final class Content: Sendable {
    let stream: StreamDescription.Stream
    let shown = SharedLoad<Timeline>()
    let queue = StreamSampleQueue()

    init(_ stream: StreamDescription.Stream) { self.stream = stream }
  }

  private let content: Content
  private let container: StreamContainer

  var trackID: UInt32 { stream.trackID }
  var mediaType: MediaType { stream.mediaType }
  private var stream: StreamDescription.Stream { content.stream }

  init(_ content: Content, in container: StreamContainer) {
    self.content = content
    self.container = container
  }

  /// Captions that are not to be shown unasked say so; others are as a rule.
  func isEnabled() -> Bool {
    mediaType != .subtitle || isDefault
  }
  /// Whether the file says that this track is the one of its kind to begin with.
  var isDefault: Bool { stream.disposition & AV_DISPOSITION_DEFAULT != 0 }
  var labels: TrackLabels { TrackLabels(stream) }
  func naturalSize() -> Dimensions { stream.dimensions }
  func matrix() -> TransformMatrix { stream.matrix ?? .identity }
  func timescale() -> Int32 { stream.clock.timescale }
  func languageCode() -> String? { stream.languageCode }
  func sampleEntries() -> [SampleEntry] { [stream.entry] }
  func references() -> [FourCC: [UInt32]] { [:] }
  func metadata() -> [MetadataItem] { stream.tags.map(MetadataItem.init) }

  func timeRange() async throws(CinematicError) -> TimeRange {
    if let range = stream.timeRange { return range }
    let timeline = try await timeline()
    // Pictures begin late where sound comes before them.
    guard mediaType == .video, timeline.count > 0 else { return timeline.shownRange }
    return TimeRange(start: timeline[0].timeRange.start, end: timeline.shownRange.end)
  }

  private func scan() async throws(CinematicError) -> StreamScan {
    guard let scan = try await container.scan()[trackID] else {
      throw CinematicError(.unknown, "\(container.name) has lost the track \(trackID)")
    }
    return scan
  }

  func sampleIndex() async throws(CinematicError) -> SampleIndex { try await scan().index }

  func edits() async throws(CinematicError) -> [EditList.Edit] {
    mediaType == .audio ? soundEdits(try await scan())?.edits ?? [] : []
  }

  func timeline() async throws(CinematicError) -> Timeline {
    try await content.shown.value { [self] () async throws(CinematicError) -> Timeline in
      let scan = try await scan()
      return Timeline(
        scan.index, mediaTimescale: stream.clock.timescale,
        movieTimescale: stream.clock.timescale, edits: soundEdits(scan), isFragmented: false,
        showsAll: mediaType != .video)
    }
  }

  // MARK: - Samples

  func sampleReader(_ source: any ByteSource) async throws(CinematicError) -> any SampleReader {
    StreamSampleReader(try await scan(), stream.index, source)
  }

  func sampleData(
    _ number: Int, from source: any ByteSource
  ) async throws(CinematicError) -> [UInt8] {
    try await content.queue.sample(number, of: try await scan(), stream.index, source)
  }

  /// A sample of captions.
  func cue(
    _ number: Int, from source: any ByteSource
  ) async throws(CinematicError) -> StreamCue {
    try await content.queue.cue(number, of: try await scan(), stream.index, source)
  }

  /// The format that captions are texts of; `nil` for others, as pictures.
  var captionFormat: CaptionFormat? {
    switch stream.parameters.values.codec_id {
    case AV_CODEC_ID_WEBVTT: .webVTT
    case AV_CODEC_ID_SUBRIP, AV_CODEC_ID_TEXT: .subRip
    default: nil
    }
  }

  /// How long each sample of captions is shown.
  func captionLengths() async throws(CinematicError) -> [Time] {
    try await scan().lengths.map { Time(value: $0, timescale: stream.clock.timescale) }
  }

  func stored() -> StoredTrack? { nil }
  func hasOneCoding() async throws(CinematicError) -> Bool { try await !scan().changesCoding }

  func soundParameters() throws(CinematicError) -> SoundParameters {
    guard let sound = stream.sound else {
      if stream.parameters.values.codec_id != AV_CODEC_ID_NONE {
        throw CinematicError(
          .unsupported,
          "\(container.name) has no whole packet of the sound that it announces: it is cut short, or"
            + " damaged", remedy: "copy or download it again, or leave the sound out")
      }
      throw CinematicError(
        .unsupported,
        "the sound of \(container.name) is coded in a way that this FFmpeg does not know",
        remedy: "convert its sound to AAC, or leave the sound out")
    }
    return sound
  }

  func pictureFacts() async throws(CinematicError) -> PictureFacts {
    var facts = PictureFacts(stream)
    facts.mayLackFirst = true
    facts.unread += try await timeline().unseenPictures
    return facts
  }

  func decoderMaker() async throws(CinematicError) -> DecoderMaker {
    let (stream, name) = (stream, container.name)
    let mayBeginBroken = try await container.description().mayBeginBroken
    return DecoderMaker(
      pictures: mayBeginBroken ? .mayBeginBroken : .mayBeMissing,
      changes: try await scan().changes
    ) { _, _, damage throws(CinematicError) in
      try stream.parameters.makeDecoder(
        name: name, base: stream.clock.base, hasAlphaApart: stream.hasAlphaApart, damage: damage)
    }
  }
}
