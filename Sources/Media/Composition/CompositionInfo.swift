// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Synchronization

/// The tracks of a composition that together are a Cinematic movie: pictures, disparity, metadata and
/// sound of the assets that are inserted, kept in step.
///
/// A missing or shorter track of an asset becomes an empty stretch: an insertion takes the same
/// time in every track, and after one at the end all of these tracks are equally long. A track that
/// is added for an asset inserted before the end ends with that asset. Sound of one language and role is one track, and
/// sound of a language that nobody says goes with any. Sound that its movie plays unasked goes on in a track that is played
/// unasked, or has one of its own; where a movie has the language that is played, that is played.
public final class CompositionInfo: Sendable {
  public let composition: Composition
  public let cinematicVideoTrackID: UInt32
  public let cinematicDisparityTrackID: UInt32
  /// The size of the first asset's video as it is stored, in pixels.
  public let naturalSize: Dimensions
  /// The same as it is shown.
  public let preferredSize: Dimensions
  /// From stored to shown, of the first asset's video.
  public let preferredTransform: QuarterTurn

  /// A metadata track of the composition. This project's stays apart from other makers'.
  private struct MetadataSlot {
    var trackID: UInt32
    var isOwn: Bool
  }

  /// A sound track of the composition: of every asset it has what is of its kind.
  private struct SoundSlot {
    var trackID: UInt32
    var kind: CinematicSources.SoundKind
    /// Whether players play it unasked.
    var isPlayed: Bool
  }

  private struct State {
    var metadata: [MetadataSlot] = []
    var sound: [SoundSlot] = []
    var moviesWithOtherSound: [String] = []
    /// The assets by their video tracks.
    var assets: [ObjectIdentifier: AssetInfo] = [:]
  }

  private let state = Mutex(State())

  /// All metadata tracks, the first asset's first. An asset with more of them adds some.
  public var cinematicMetadataTrackIDs: [UInt32] { state.withLock { $0.metadata.map(\.trackID) } }
  /// The sound tracks. An asset with more of them adds some, and so does one with other languages or roles.
  public var soundTrackIDs: [UInt32] { state.withLock { $0.sound.map(\.trackID) } }
  /// The movies that play other sound of theirs here than alone: that in the language that is played before.
  package var moviesWithOtherSound: [String] { state.withLock { $0.moviesWithOtherSound } }
  /// The track whose frames give the rhythm.
  public var frameTimingTrackID: UInt32 { cinematicVideoTrackID }
  /// The tracks whose frames a compositor needs.
  public var videoCompositionTrackIDs: [UInt32] {
    [cinematicVideoTrackID, cinematicDisparityTrackID]
  }
  /// The tracks whose metadata a compositor needs.
  public var sampleDataTrackIDs: [UInt32] { cinematicMetadataTrackIDs }
  /// From zero to where the tracks end.
  public var timeRange: TimeRange {
    TimeRange(start: .zero, end: Self.end(composition.tracks, of: allTrackIDs))
  }

  fileprivate init(
    _ composition: Composition, for info: AssetInfo, preferredStartingTrackID: UInt32?
  ) async throws(CinematicError) {
    self.composition = composition
    naturalSize = info.naturalSize
    preferredSize = info.preferredSize
    preferredTransform = info.preferredTransform
    let sources = try await CinematicSources(info)
    var preferred = preferredStartingTrackID
    func add(_ mediaType: MediaType, isPlayed: Bool? = nil) -> UInt32 {
      let trackID = composition.addTrack(
        mediaType: mediaType, preferredTrackID: preferred, isPlayed: isPlayed)
      preferred = trackID &+ 1
      return trackID
    }
    cinematicVideoTrackID = add(.video)
    cinematicDisparityTrackID = add(info.cinematicDisparityTrack.mediaType)
    let metadata = sources.metadata.map { MetadataSlot(trackID: add(.metadata), isOwn: $0.isOwn) }
    let sound = sources.sound.map { source in
      SoundSlot(
        trackID: add(.audio, isPlayed: source.choice.isEnabled), kind: source.kind,
        isPlayed: source.choice.isEnabled)
    }
    state.withLock { state in
      state.metadata = metadata
      state.sound = sound
    }
  }

  /// Inserts pictures, disparity, metadata and sound of an asset; what is shown from there on moves.
  ///
  /// - Parameters:
  ///   - range: on the asset's timeline; by default from zero to the end of its video.
  ///   - time: where on the composition's timeline; `nil` appends. Beyond the end, nothing is shown
  ///     until then.
  /// - Throws: `invalidParameter` for a range outside of the asset, and what loading it throws.
  public func insertTimeRange(
    _ range: TimeRange? = nil, of info: AssetInfo, at time: Time? = nil
  ) async throws(CinematicError) {
    let sources = try await CinematicSources(info)
    let range = range ?? TimeRange(start: .zero, end: sources.video.timeRange.end)
    guard !range.isEmpty, range.start >= .zero, range.end <= sources.end else {
      throw Composition.outside(
        range, of: TimeRange(start: .zero, end: sources.end), info.asset.name)
    }
    try composition.check(time)
    let parts = state.withLock { state -> [UInt32: CinematicSources.Part] in
      state.assets[ObjectIdentifier(info.cinematicVideoTrack)] = info
      return assign(sources, &state)
    }
    // Asked before the composition is locked: adding tracks locks in the other order.
    let trackIDs = allTrackIDs
    composition.edit { tracks in
      let start = time ?? Self.end(tracks, of: trackIDs)
      for index in tracks.indices where trackIDs.contains(tracks[index].trackID) {
        Self.insert(parts[tracks[index].trackID], range, into: &tracks[index], at: start)
      }
    }
  }

  /// The asset that a segment of the video track comes from; `nil` for what was inserted past this
  /// object.
  public func assetInfo(of segment: CompositionSegment) -> AssetInfo? {
    guard let track = segment.sourceTrack else { return nil }
    return state.withLock { $0.assets[ObjectIdentifier(track)] }
  }

  /// Which part of an asset goes where; adds tracks for what has none.
  private func assign(
    _ sources: CinematicSources, _ state: inout State
  ) -> [UInt32: CinematicSources.Part] {
    var parts = [cinematicVideoTrackID: sources.video]
    parts[cinematicDisparityTrackID] = sources.disparity
    for source in sources.metadata {
      let free = state.metadata.first { $0.isOwn == source.isOwn && parts[$0.trackID] == nil }
      let slot =
        free
        ?? MetadataSlot(
          trackID: composition.addTrack(mediaType: .metadata), isOwn: source.isOwn)
      if free == nil { state.metadata.append(slot) }
      parts[slot.trackID] = source.part
    }
    var sound = sources.sound
    let trackIDs = soundTrackIDs(for: &sound, in: &state.sound)
    for (trackID, source) in zip(trackIDs, sound) { parts[trackID] = source.part }
    let isOther = zip(sound, sources.sound).contains { $0.choice != $1.choice }
    let name = sources.video.track.assetName
    if isOther, !state.moviesWithOtherSound.contains(name) {
      state.moviesWithOtherSound.append(name)
    }
    return parts
  }

  /// The tracks for an asset's sound: of those that are played unasked or not, as it is, the ones of its language and role,
  /// then those of a language that nobody says, or any of its role where the asset does not say its own. Adds tracks for
  /// what has none.
  ///
  /// - Parameter sounds: of which another alternative is played afterwards where that has the language that is played.
  private func soundTrackIDs(
    for sounds: inout [CinematicSources.SoundPart], in slots: inout [SoundSlot]
  ) -> [UInt32] {
    var places = [Int?](repeating: nil, count: sounds.count)
    for isPlayed in [true, false] {
      for mustBeSaid in [true, false] {
        for number in sounds.indices
        where places[number] == nil && sounds[number].choice.isEnabled == isPlayed {
          places[number] = Self.place(
            for: sounds[number], mustBeSaid: mustBeSaid, in: slots, besides: places)
        }
      }
      // Those that change places here are looked at again as what is not played.
      if isPlayed { Self.stayInLanguage(&sounds, &places, slots) }
    }
    var trackIDs: [UInt32] = []
    for (place, sound) in zip(places, sounds) {
      if let place {
        slots[place].kind.language = slots[place].kind.language ?? sound.kind.language
        trackIDs.append(slots[place].trackID)
      } else {
        let isPlayed = sound.choice.isEnabled
        let trackID = composition.addTrack(
          mediaType: .audio, preferredTrackID: nil, isPlayed: isPlayed)
        slots.append(SoundSlot(trackID: trackID, kind: sound.kind, isPlayed: isPlayed))
        trackIDs.append(trackID)
      }
    }
    return trackIDs
  }

  /// The first free track in which a sound goes on.
  private static func place(
    for sound: CinematicSources.SoundPart, mustBeSaid: Bool, in slots: [SoundSlot],
    besides places: [Int?]
  ) -> Int? {
    slots.indices.first { place in
      let slot = slots[place]
      guard slot.isPlayed == sound.choice.isEnabled, !places.contains(place) else { return false }
      return mustBeSaid ? slot.kind == sound.kind : slot.kind.mayContinue(in: sound.kind)
    }
  }

  /// Where a sound that is played unasked goes on in no track, but one of its alternatives in a track that is played unasked
  /// does, that one is played: a movie keeps to one language as long as its parts have it.
  private static func stayInLanguage(
    _ sounds: inout [CinematicSources.SoundPart], _ places: inout [Int?], _ slots: [SoundSlot]
  ) {
    for number in sounds.indices where places[number] == nil && sounds[number].choice.isEnabled {
      let group = sounds[number].choice.alternateGroup
      guard group != 0 else { continue }
      for other in sounds.indices
      where !sounds[other].choice.isEnabled && sounds[other].choice.alternateGroup == group {
        var alternative = sounds[other]
        alternative.choice.isEnabled = true
        guard let place = Self.place(for: alternative, mustBeSaid: true, in: slots, besides: places)
        else { continue }
        sounds[other] = alternative
        sounds[number].choice.isEnabled = false
        places[other] = place
        break
      }
    }
  }

  /// The portion of a part within a range, with empty stretches where it has nothing.
  private static func insert(
    _ part: CinematicSources.Part?, _ range: TimeRange, into track: inout CompositionTrack,
    at time: Time
  ) {
    let shown =
      part.map { range.intersection($0.timeRange) }
      ?? TimeRange(
        start: range.end, duration: .zero)
    guard !shown.isEmpty, let part else {
      track.insert(nil, range, at: time)
      return
    }
    track.insert(nil, TimeRange(start: range.start, end: shown.start), at: time)
    let start = time + (shown.start - range.start)
    track.insert(part.track, shown, at: start)
    track.insert(nil, TimeRange(start: shown.end, end: range.end), at: start + shown.duration)
  }

  private var allTrackIDs: Set<UInt32> {
    state.withLock { state in
      Set(
        [cinematicVideoTrackID, cinematicDisparityTrackID] + state.sound.map(\.trackID)
          + state.metadata.map(\.trackID))
    }
  }

  private static func end(_ tracks: [CompositionTrack], of trackIDs: Set<UInt32>) -> Time {
    tracks.filter { trackIDs.contains($0.trackID) }.map(\.timeRange.end).max() ?? .zero
  }
}

extension Composition {
  /// Adds empty tracks for assets like the given one: pictures, disparity, metadata and sound.
  ///
  /// - Parameter preferredStartingTrackID: the first track's number, where it is free; the others follow.
  /// - Throws: what loading the asset throws.
  public func addTracks(
    for info: AssetInfo, preferredStartingTrackID: UInt32? = nil
  ) async throws(CinematicError) -> CompositionInfo {
    try await CompositionInfo(
      self, for: info, preferredStartingTrackID: preferredStartingTrackID)
  }
}

/// All tracks of a Cinematic movie that a composition takes over, and when they show something.
private struct CinematicSources {
  struct Part {
    var track: AssetTrack
    var timeRange: TimeRange
  }

  struct SoundPart {
    var part: Part
    var kind: SoundKind
    /// How the movie's players choose it.
    var choice: TrackChoice
  }

  /// What makes sound of one asset go on in that of another.
  struct SoundKind: Hashable {
    /// Three letters of ISO 639-2; `nil` if unknown.
    var language: String?
    /// What it is there for, less that it is the usual sound.
    var roles: Set<String>

    /// Damaged descriptions say nothing: whoever reads the sound is told.
    init(_ track: AssetTrack) async {
      let code = try? await track.load(.languageCode)
      let labels = try? await track.labels()
      language = code == "und" ? nil : code
      roles = Set(labels?.roles ?? []).subtracting(["main"])
    }

    /// Whether both have one role, and one of them a language that is unknown.
    func mayContinue(in other: SoundKind) -> Bool {
      roles == other.roles && (language == nil || other.language == nil)
    }
  }

  var video: Part
  var disparity: Part
  var metadata: [(part: Part, isOwn: Bool)] = []
  var sound: [SoundPart] = []

  init(_ info: AssetInfo) async throws(CinematicError) {
    video = try await Self.part(info.cinematicVideoTrack)
    disparity = try await Self.part(info.cinematicDisparityTrack)
    for track in try await info.asset.load(.tracks) {
      if track.mediaType == .audio {
        let part = Part(track: track, timeRange: try await track.load(.timeRange))
        sound.append(
          SoundPart(part: part, kind: await SoundKind(track), choice: try await track.choice()))
      } else if track.mediaType == .metadata {
        let entries: [SampleEntry] = try await track.load(.formatDescriptions)
        guard entries.contains(where: CinematicTracks.isCinematic) else { continue }
        metadata.append((try await Self.part(track), entries.contains(where: \.isOwnMetadata)))
      }
    }
    let choices = TrackChoice.settled(
      sound.map(\.choice), reserved: CompanionTracks.alternateGroup)
    for (number, choice) in choices.enumerated() { sound[number].choice = choice }
  }

  /// Where the last of the tracks ends.
  var end: Time {
    let parts = [video, disparity] + metadata.map(\.part) + sound.map(\.part)
    return parts.map(\.timeRange.end).max() ?? .zero
  }

  private static func part(_ track: AssetTrack) async throws(CinematicError) -> Part {
    Part(track: track, timeRange: try await track.load(.timeline).shownRange)
  }
}
