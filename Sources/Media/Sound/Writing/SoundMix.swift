// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The sound of a movie that is being written: decides for each track whether it is copied or encoded,
/// and hands out the packets when they are due.
final class SoundMix {
  /// The longest gap between stretches that a track keeps as one between its packets; a longer one is
  /// filled with silence, which few players make by themselves.
  private static let longestGap = Time(value: 1, timescale: 10)

  private struct Lane {
    var lane: any SoundLane
    var track: TrackSettings
    var choice: TrackChoice
    var summary: WrittenSound
    var labels: TrackLabels
  }

  private let container: SoundContainer
  private let path: String
  private var lanes: [Lane] = []
  /// Tracks that the movie does not hold and that cannot be decoded, beside others that are written.
  private var leftOut: [(codec: String, error: CinematicError)] = []
  /// The one lane of sound that is appended.
  private var live: LiveSound?
  /// Whether the sound ends with the pictures.
  private let endsWithPictures: Bool

  /// Tracks that can be neither copied nor decoded are left out if there are others.
  ///
  /// - Throws: `invalidParameter` for segments that do not follow each other, `unsupported` where all
  ///   sound can be neither copied nor decoded.
  init(
    _ sound: Sound, in container: SoundContainer, timelineStart: Time, path: String
  ) throws(CinematicError) {
    self.container = container
    self.path = path
    switch sound {
    case .asset(let asset, let extent):
      endsWithPictures = extent == .whilePictures
      for track in asset.tracks {
        let stretches = track.source.stretches(
          from: asset.timelineStart + timelineStart, length: nil, at: .zero)
        try addIfHeld(
          stretches, languageCode: track.languageCode, labels: track.labels, choice: track.choice,
          extras: track.source.track.stored?.extras)
      }
    case .tracks(let list, _):
      endsWithPictures = false
      for track in list {
        try track.check(path)
        let stretches = track.segments.flatMap { segment in
          segment.source.stretches(
            from: segment.sourceTimeRange.start, length: segment.sourceTimeRange.duration,
            at: segment.time)
        }
        let extras = track.segments.map { $0.source.track.stored?.extras ?? [] }
        // Of several sources, what all say is true of the track.
        let isOne = extras.dropFirst().allSatisfy { $0 == extras[0] }
        try addIfHeld(
          stretches, languageCode: track.languageCode, labels: track.labels, choice: track.choice,
          extras: isOne ? extras.first : nil)
      }
    case .live(let format):
      endsWithPictures = true
      let lane = try LiveSound(format, in: container, path: path)
      live = lane
      add(
        lane, WrittenSound(codec: "pcm_f32le", storedAs: lane.codecName), nil, TrackLabels(),
        TrackChoice())
    }
    if lanes.isEmpty, let first = leftOut.first { throw first.error }
    let choices = TrackChoice.settled(
      lanes.map(\.choice), reserved: CompanionTracks.alternateGroup)
    for (index, choice) in choices.enumerated() {
      lanes[index].track.isEnabled = choice.isEnabled
      lanes[index].track.alternateGroup = choice.alternateGroup
    }
  }

  /// Takes sound that comes as it is heard.
  ///
  /// - Parameter time: of its first sample, in the movie.
  /// - Throws: `invalidState` where the sound comes from elsewhere.
  func append(_ buffer: SoundBuffer, at time: Time, sink: Sink) throws(CinematicError) {
    guard let live else {
      throw CinematicError(
        .invalidState, "\(path) takes its sound from its source and no other")
    }
    try live.append(buffer, at: time) { sample throws(CinematicError) in try sink(sample, 0) }
  }

  /// Adds a track, or remembers why it is left out: phones record a second track in a coding of their own.
  private func addIfHeld(
    _ stretches: [SoundStretch], languageCode: String?, labels: TrackLabels, choice: TrackChoice,
    extras: [Box]?
  ) throws(CinematicError) {
    do throws(CinematicError) {
      try add(
        stretches, languageCode: languageCode, labels: labels, choice: choice, extras: extras)
    } catch {
      guard error.code == .unsupported, let first = stretches.first else { throw error }
      leftOut.append((first.source.parameters.codecName, error))
    }
  }

  private func add(
    _ stretches: [SoundStretch], languageCode: String?, labels: TrackLabels, choice: TrackChoice,
    extras: [Box]?
  ) throws(CinematicError) {
    guard let first = stretches.first else { return }
    let lane: any SoundLane
    var summary = WrittenSound(codec: first.source.parameters.codecName)
    if let entry = try copyEntry(stretches) {
      lane = SoundCopier(stretches, entry)
    } else {
      let encoder = try SoundEncoder(stretches, in: container, path: path)
      summary.storedAs = encoder.codecName
      summary.layoutChange = encoder.layoutChange
      summary.reason = try reason(stretches)
      lane = encoder
    }
    add(lane, summary, languageCode, labels, choice, extras: extras)
  }

  private func add(
    _ lane: any SoundLane, _ summary: WrittenSound, _ languageCode: String?, _ labels: TrackLabels,
    _ choice: TrackChoice, extras: [Box]? = nil
  ) {
    var track = TrackSettings(
      handler: "soun", name: labels.name ?? "Sound", timescale: lane.timescale,
      sampleEntry: lane.entry.box)
    track.plainFrameSize = lane.entry.plain?.frameSize
    track.rollDistance = lane.entry.rollDistance
    if let languageCode { track.language = languageCode }
    track.extendedLanguage = labels.extendedLanguage
    track.extraBoxes = FilmCompanions.descriptions(
      ofTrack: (extras ?? []).compactMap(FilmCompanions.kept), labels, in: container.format)
    lanes.append(
      Lane(lane: lane, track: track, choice: choice, summary: summary, labels: labels))
  }

  /// The entry under which packets are copied; `nil` where they have to be encoded: the movie does not
  /// hold the coding, one description does not fit all packets, or there are holes.
  private func copyEntry(_ stretches: [SoundStretch]) throws(CinematicError) -> SoundEntry? {
    let first = stretches[0].source.parameters
    var end = stretches[0].time
    // WebM hides nothing of a packet but what the codec begins with.
    if container.isWebM, endsWithPictures || stretches.count > 1 || !stretches[0].isWhole {
      return nil
    }
    for (index, stretch) in stretches.enumerated() {
      guard stretch.source.parameters.isSameCoding(as: first) else { return nil }
      let isPlain = first.bytesPerFrame > 0
      if !isPlain, index > 0, stretch.time - end > Self.longestGap { return nil }
      end = stretch.end
    }
    return try SoundEntry(copying: stretches[0].source, in: container)
  }

  /// Why packets that the movie holds are not copied; `nil` where it does not hold them.
  private func reason(
    _ stretches: [SoundStretch]
  ) throws(CinematicError) -> WrittenSound.Reason? {
    let first = stretches[0].source.parameters
    guard !container.isWebM, try SoundEntry(copying: stretches[0].source, in: container) != nil
    else { return nil }
    let others = stretches.dropFirst().map { $0.source.parameters }
    if others.contains(where: { $0.channelCount != first.channelCount }) { return .channels }
    if others.contains(where: { $0.sampleRate != first.sampleRate }) { return .sampleRates }
    return others.allSatisfy { $0.isSameCoding(as: first) } ? .gaps : .codings
  }

  /// The tracks to be added to the movie, in order.
  var tracks: [TrackSettings] { lanes.map(\.track) }
  /// How each of them is coded, and what is said of it.
  var streams: [(parameters: SoundParameters, track: TrackSettings, labels: TrackLabels)] {
    lanes.map { ($0.lane.entry.parameters, $0.track, $0.labels) }
  }
  /// The treatment of each of them; behind them those that are left out.
  var summaries: [WrittenSound] {
    lanes.map(\.summary)
      + leftOut.map { track in
        var summary = WrittenSound(codec: track.codec)
        summary.leftOut = track.error.message
        return summary
      }
  }

  /// Takes a sample and the number of its track among ``tracks``.
  typealias Sink = (MediaSample, _ track: Int) throws(CinematicError) -> Void

  /// Hands over what is heard before a time of the movie.
  func write(until limit: Time, sink: Sink) throws(CinematicError) {
    for (number, lane) in lanes.enumerated() {
      try lane.lane.write(until: limit) { sample throws(CinematicError) in
        try sink(sample, number)
      }
    }
  }

  /// Hands over the rest.
  ///
  /// - Parameter end: where the last picture ends.
  func finish(picturesEnd end: Time, sink: Sink) throws(CinematicError) {
    for (number, lane) in lanes.enumerated() {
      try lane.lane.finish(at: endsWithPictures ? end : nil) { sample throws(CinematicError) in
        try sink(sample, number)
      }
    }
  }
}

/// The outcome for a sound track of the source.
public struct WrittenSound: Hashable, Sendable, Encodable {
  /// The source's codec, as FFmpeg calls it.
  public var codec: String
  /// The codec it is encoded with if the movie cannot hold it as it is; `nil` if it is copied.
  public var storedAs: String?
  /// The change of where its channels are heard; `nil` if they stay where they are.
  public var layoutChange: LayoutChange?
  /// Why it is encoded although the movie holds sound of its codec; `nil` if it does not, or nothing is encoded.
  public var reason: Reason?
  /// Why the movie has no such track: it does not hold the coding, and this FFmpeg does not decode it; `nil` for one that
  /// is written.
  public internal(set) var leftOut: String?

  public init(
    codec: String, storedAs: String? = nil, layoutChange: LayoutChange? = nil,
    reason: Reason? = nil
  ) {
    self.codec = codec
    self.storedAs = storedAs
    self.layoutChange = layoutChange
    self.reason = reason
  }

  /// Differences between parts that one track cannot have as they are.
  public enum Reason: String, Hashable, Sendable, Encodable {
    /// How many there are.
    case channels
    case sampleRates
    /// The codec, its configuration, or where channels are heard.
    case codings
    /// Silence between the parts.
    case gaps
  }

  /// Other places for channels than those of the source, which the codec does not know.
  public struct LayoutChange: Hashable, Sendable, Encodable {
    /// FFmpeg's name of the places in the source.
    public var from: String
    /// The same in the movie; `nil` if it does not say where its channels are heard.
    public var to: String?
    /// Whether channels are mixed; otherwise each is kept apart.
    public var isMixed: Bool

    public init(from: String, to: String?, isMixed: Bool = false) {
      self.from = from
      self.to = to
      self.isMixed = isMixed
    }
  }
}
