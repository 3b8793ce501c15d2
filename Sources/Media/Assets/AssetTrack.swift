// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A track of an asset.
public final class AssetTrack: AsyncPropertyLoading {
  /// The track's number in its movie.
  public let trackID: UInt32
  public let mediaType: MediaType
  public let loadedProperties = PropertyStore()
  let container: any TrackContainer
  /// Where the samples' bytes are read.
  package let sampleSource: any ByteSource

  /// The asset's name, for messages.
  package var assetName: String { sampleSource.name }

  /// The treatment of interlaced pictures when they are read.
  let interlacing: Interlacing

  init(
    _ container: any TrackContainer, samples sampleSource: any ByteSource,
    interlacing: Interlacing
  ) {
    self.interlacing = interlacing
    trackID = container.trackID
    mediaType = container.mediaType
    self.container = container
    self.sampleSource = sampleSource
  }

  /// From stored to shown, behind a mirror; angles between quarter turns are shown as the nearest one.
  package var quarterTurn: QuarterTurn {
    get async throws(CinematicError) {
      try await displayRotation.turn
    }
  }

  /// The same with the mirror before the turn.
  var displayRotation: DisplayRotation {
    get async throws(CinematicError) { DisplayRotation(try await load(.preferredTransform)) }
  }

  /// Of a track of maps: whether they are to be mirrored as their pictures are. A phone stores both alike, whatever
  /// the maps' own matrix says; this project's maps belong to pictures that are mirrored as they are read.
  var holdsMapsToMirror: Bool {
    get async throws(CinematicError) {
      let items = try await load(.metadata)
      guard !items.contains(where: { $0.key == CinematicKey.disparityLow }),
        let matrix = try await (container as? BoxTrack)?.pictureMatrix()
      else { return false }
      return DisplayRotation(matrix).isMirrored
    }
  }

  /// The bytes of a sample as the file has them.
  ///
  /// - Parameter number: in decoding order, from 0: its number in ``AsyncProperty/sampleIndex``.
  /// - Throws: `invalidParameter` for a number beyond the last, `malformed` where the file ends in it,
  ///   what loading the index and the source throw.
  public func sampleData(_ number: Int) async throws(CinematicError) -> [UInt8] {
    let index = try await load(.sampleIndex)
    guard (0..<index.count).contains(number) else {
      throw CinematicError(
        .invalidParameter, "track \(trackID) of \(assetName) has no sample \(number)",
        remedy: "it has \(index.count), counted from 0")
    }
    return try await container.sampleData(number, from: sampleSource)
  }

  fileprivate func characteristics() async throws(CinematicError) -> Set<MediaCharacteristic> {
    var result: Set<MediaCharacteristic> = []
    switch mediaType {
    case .video: result = [.visual, .frameBased]
    case .auxiliaryPicture: result = [.frameBased]
    case .audio: result = [.audible]
    case .text, .subtitle, .closedCaption: result = [.legible]
    default: break
    }
    guard mediaType == .video else { return result }
    let entries = try await load(.formatDescriptions)
    for entry in entries {
      // MV-HEVC: the second view's parameters, beside those of the first.
      if entry.extensions.contains(where: { $0.type == "lhvC" }) {
        result.insert(.containsStereoMultiviewVideo)
      }
      guard let color = entry.color else { continue }
      // H.273: 16 is PQ, 18 is HLG; 9, 11 and 12 are BT.2020, DCI-P3 and Display P3.
      if color.transfer == 16 || color.transfer == 18 { result.insert(.containsHDRVideo) }
      if [9, 11, 12].contains(color.primaries) { result.insert(.usesWideGamutColor) }
    }
    return result
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Bool {
  public static var isEnabled: Self {
    Self("isEnabled") { track throws(CinematicError) in try await track.container.isEnabled() }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == TimeRange {
  /// When the track is shown, on the movie's timeline.
  public static var timeRange: Self {
    Self("timeRange") { track throws(CinematicError) in try await track.container.timeRange() }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Dimensions {
  /// The size in pixels before ``preferredTransform``; zero for what is not seen.
  public static var naturalSize: Self {
    Self("naturalSize") { track throws(CinematicError) in
      try await track.container.naturalSize()
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == TransformMatrix {
  /// From stored to shown.
  public static var preferredTransform: Self {
    Self("preferredTransform") { track throws(CinematicError) in
      try await track.container.matrix()
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Int32 {
  /// Ticks a second of the samples' times.
  public static var naturalTimescale: Self {
    Self("naturalTimescale") { track throws(CinematicError) in
      try await track.container.timescale()
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == String? {
  /// The language as three letters of ISO 639-2.
  public static var languageCode: Self {
    Self("languageCode") { track throws(CinematicError) in
      try await track.container.languageCode()
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == [SampleEntry] {
  /// How the samples are coded.
  public static var formatDescriptions: Self {
    Self("formatDescriptions") { track throws(CinematicError) in
      try await track.container.sampleEntries()
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == [EditList.Edit] {
  /// Which parts of the media are shown; none where all of it is.
  public static var edits: Self {
    Self("edits") { track throws(CinematicError) in try await track.container.edits() }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == [FourCC: [UInt32]] {
  /// The tracks that this one refers to, by the kind of the reference.
  public static var references: Self {
    Self("references") { track throws(CinematicError) in try await track.container.references() }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == [MetadataItem] {
  /// The track's own metadata items.
  public static var metadata: Self {
    Self("metadata") { track throws(CinematicError) in try await track.container.metadata() }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Set<MediaCharacteristic> {
  public static var mediaCharacteristics: Self {
    Self("mediaCharacteristics") { track throws(CinematicError) in
      try await track.characteristics()
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == SampleIndex {
  /// Where every sample lies.
  public static var sampleIndex: Self {
    Self("sampleIndex") { track throws(CinematicError) in
      try await track.container.sampleIndex()
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Timeline {
  /// When every sample is shown.
  public static var timeline: Self {
    Self("timeline") { track throws(CinematicError) in try await track.container.timeline() }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Double {
  /// Samples shown a second; zero for a track that shows nothing. Where all are shown, by the exact times
  /// of the samples: an edit list's length is rounded to the movie's ticks.
  public static var nominalFrameRate: Self {
    Self("nominalFrameRate") { track throws(CinematicError) in
      let timeline = try await track.load(.timeline)
      guard timeline.count > 0 else { return 0 }
      // Media that begin late show nothing until then.
      let seconds = (timeline.shownRange.end - timeline[0].timeRange.start).seconds
      guard seconds > 0 else { return 0 }
      let rate = Double(timeline.count) / seconds
      let index = try await track.load(.sampleIndex)
      let stored = Double(index.decodeEnd) / Double(try await track.load(.naturalTimescale))
      guard index.count == timeline.count, abs(stored - seconds) * rate < 0.5 else { return rate }
      return Double(index.count) / stored
    }
  }

  /// Bits a second.
  public static var estimatedDataRate: Self {
    Self("estimatedDataRate") { track throws(CinematicError) in
      let index = try await track.load(.sampleIndex)
      let timescale = try await track.load(.naturalTimescale)
      guard index.decodeEnd > 0 else { return 0 }
      return Double(index.byteCount) * 8 * Double(timescale) / Double(index.decodeEnd)
    }
  }
}

extension SampleEntry {
  /// The values of `colr`, in the codes of ITU-T H.273.
  public var color: (primaries: UInt16, transfer: UInt16, matrix: UInt16, isFullRange: Bool?)? {
    for box in extensions where box.type == "colr" {
      var reader = ByteReader(box.data, box: "colr")
      guard let kind = try? reader.fourCC(), kind == "nclc" || kind == "nclx",
        let primaries = try? reader.u16(), let transfer = try? reader.u16(),
        let matrix = try? reader.u16()
      else { continue }
      let range = kind == "nclx" ? (try? reader.u8()).map { $0 & 0x80 != 0 } : nil
      return (primaries, transfer, matrix, range)
    }
    return nil
  }
}
