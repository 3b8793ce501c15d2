// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A clip whose coded pictures a QuickTime movie can hold as they are, of one coding throughout: H.264 and
/// HEVC, and from movie files ProRes and DNxHR.
public struct CodedClip: Sendable {
  /// The path or address, for messages.
  public let name: String
  /// How the track is described in the movie.
  let track: TrackSettings
  let places: SamplePlaces
  let samples: any SampleReader
  /// Of H.264 and HEVC.
  let configuration: DecoderConfiguration?
  /// Whether the file parts units by start codes, which movie files do not.
  let hasStartCodes: Bool
  /// The file's description of the whole movie, if it is a movie file.
  let movie: StoredMovie?

  /// Ticks a second that express every frame's time.
  public var timescale: Int32 { places.timescale }
  /// How many frames are shown.
  public var frameCount: Int { places.times.count }

  /// When a frame is shown, counted from the container's start, as ``FrameReader`` counts; the last one
  /// up to where the file says.
  ///
  /// - Precondition: `number` is below ``frameCount``.
  public func timeRange(ofFrame number: Int) -> TimeRange { places.times.timeRange(number) }

  /// The coded pictures behind a reader's frames, all of them, whichever it was asked for.
  ///
  /// - Returns: `nil` where they cannot be kept, as ``search(_:)`` says. Such a clip has to be encoded.
  /// - Throws: what loading the track throws.
  public init?(_ reader: FrameReader) async throws(CinematicError) {
    guard case .found(let clip) = try await Self.search(reader) else { return nil }
    self = clip
  }

  /// What was found behind a reader's frames.
  public enum Search: Sendable {
    case found(CodedClip)
    /// Pictures that cannot be kept, and why, in words.
    case unfit(String)
  }

  /// The coded pictures behind a reader's frames, or why they cannot be kept: another codec, a coding that changes in
  /// the middle, edits that show a picture twice or at another speed, times that no track holds.
  ///
  /// - Throws: what loading the track throws.
  public static func search(_ reader: FrameReader) async throws(CinematicError) -> Search {
    guard let coded = reader.track.container as? any CodedTrack,
      let entry = try await coded.usedEntry()
    else { return .unfit("pictures in files of their own are not copied") }
    let coding = entry.networkCoding
    guard coding != nil || entry.standsAlone else {
      return .unfit("its codec is none that is copied")
    }
    guard try await coded.hasOneCoding() else {
      return .unfit("its coding changes in the middle")
    }
    let timeline = try await coded.timeline()
    guard
      let places = SamplePlaces(
        try await coded.sampleIndex(), timeline, reader.times,
        mediaTimescale: try await coded.timescale())
    else {
      guard !timeline.changesSpeed else { return .unfit("its edit list changes its speed") }
      return .unfit(
        timeline.segments.count > 1
          ? "its edit list puts several parts together" : "its times are not in order, or too large"
      )
    }
    let stored = try await coded.stored()
    var configuration: DecoderConfiguration?
    if let (codec, extradata) = coding {
      guard let found = try? DecoderConfiguration(codec, extradata), found.isComplete else {
        return .unfit("its head does not say what decoders need")
      }
      configuration = found
    } else if stored?.entry == nil {
      return .unfit("ProRes and DNxHR are copied from .mov and .mp4 alone")
    }
    return .found(
      try await CodedClip(reader, coded, entry, stored, places, configuration))
  }

  private init(
    _ reader: FrameReader, _ coded: any CodedTrack, _ entry: SampleEntry, _ stored: StoredTrack?,
    _ places: SamplePlaces, _ configuration: DecoderConfiguration?
  ) async throws(CinematicError) {
    self.configuration = configuration
    hasStartCodes = entry.networkCoding.map { NetworkUnits.hasStartCode($0.1) } ?? false
    name = reader.name
    self.places = places
    samples = try await coded.sampleReader(reader.track.sampleSource)
    movie = try await reader.asset.container().storedMovie()
    var track: TrackSettings
    if let stored, let entry = stored.entry {
      track = TrackSettings(
        handler: "vide", name: "Video", timescale: places.timescale,
        sampleEntry: entry.namedForSetsOfTheirOwn)
      track.shownSize = stored.shownSize
      track.extraBoxes = stored.extras
      track.extendedLanguage = stored.extendedLanguage
    } else {
      guard let configuration else {
        throw CinematicError(.unknown, "\(reader.name) has pictures without a description")
      }
      let kept = entry.extensions.filter { !["avcC", "hvcC", "glbl"].contains($0.type) }
      track = TrackSettings(
        handler: "vide", name: "Video", timescale: places.timescale,
        sampleEntry: SampleEntry.visual(
          configuration.format, dimensions: entry.dimensions ?? reader.properties.dimensions,
          name: configuration.codec == .hevc ? "HEVC" : "H.264",
          extensions: [configuration.box] + kept))
      let size = try await coded.naturalSize()
      track.shownSize = (Double(size.width), Double(size.height))
    }
    track.matrix = try await coded.matrix()
    if let language = try await coded.languageCode() { track.language = language }
    track.expectedCount = places.index.count
    self.track = track
  }

  /// A picture on its way into the movie.
  ///
  /// - Parameter number: in decoding order.
  /// - Throws: `unreadable` or `malformed` for a file that is no longer as it was looked through.
  func sample(_ number: Int) throws(CinematicError) -> MediaSample {
    var data = try samples.sample(number)
    if hasStartCodes, let configuration {
      do throws(CinematicError) {
        data = try configuration.sample(fromStartCodes: data[...])
      } catch {
        throw error.naming(name)
      }
    }
    return places.sample(number, data: data)
  }
}

/// Hands over a clip's coded pictures as they become due.
struct CodedPictureCopier {
  let clip: CodedClip
  private var number = 0

  init(_ clip: CodedClip) { self.clip = clip }

  /// Hands over the pictures that are decoded before a time of the movie; all for `nil`.
  mutating func copy(
    until limit: Time?, sink: (MediaSample) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    while number < clip.places.index.count {
      if let limit, clip.places.decodeTime(number) >= limit { return }
      try sink(try clip.sample(number))
      number += 1
    }
  }
}

extension SampleEntry {
  /// Whether every picture brings all that a decoder needs.
  fileprivate var standsAlone: Bool {
    ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x", "AVdn", "AVdh"].contains(format)
  }

  /// The codec of pictures that consist of network units, and its configuration; `nil` for others.
  fileprivate var networkCoding: (DecoderConfiguration.Codec, [UInt8])? {
    let codec: DecoderConfiguration.Codec
    switch format {
    case "avc1", "avc3": codec = .h264
    case "hvc1", "hev1": codec = .hevc
    default: return nil
    }
    let names: Set<FourCC> = [codec == .hevc ? "hvcC" : "avcC", "glbl"]
    guard let box = extensions.first(where: { names.contains($0.type) }) else { return nil }
    return (codec, Array(box.data))
  }
}

extension Box {
  /// The same sample entry under the name that tells that no parameter sets stand among the pictures,
  /// which is so if all stand in it.
  fileprivate var namedForSetsOfTheirOwn: Box {
    switch type {
    case "hev1": Box("hvc1", data: data)
    case "avc3": Box("avc1", data: data)
    default: self
    }
  }
}
