// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// How an asset's properties come out of its file. Nothing is read before the first call.
protocol AssetContainer: Sendable {
  func duration() async throws(CinematicError) -> Time
  /// When pictures and sound start on the container's own clock, if that is after zero; below zero for a broadcast's
  /// clock that wraps.
  func startTime() async throws(CinematicError) -> Time
  /// When they start on the tracks' timelines: at ``startTime()`` if those keep the container's clock,
  /// at zero if they are counted from its start.
  func timelineStart() async throws(CinematicError) -> Time
  func tracks() async throws(CinematicError) -> [any TrackContainer]
  func metadata() async throws(CinematicError) -> [MetadataItem]
  func fileType() async throws(CinematicError) -> FileType?
  func containsFragments() async throws(CinematicError) -> Bool
  /// A movie file's description of itself; `nil` for a container of another kind.
  func storedMovie() async throws(CinematicError) -> StoredMovie?
}

extension AssetContainer {
  func timelineStart() async throws(CinematicError) -> Time { try await startTime() }
  func storedMovie() async throws(CinematicError) -> StoredMovie? { nil }
}

/// How a track's properties come out of its file.
protocol TrackContainer: Sendable {
  var trackID: UInt32 { get }
  var mediaType: MediaType { get }
  func isEnabled() async throws(CinematicError) -> Bool
  func timeRange() async throws(CinematicError) -> TimeRange
  func naturalSize() async throws(CinematicError) -> Dimensions
  func matrix() async throws(CinematicError) -> TransformMatrix
  func timescale() async throws(CinematicError) -> Int32
  func languageCode() async throws(CinematicError) -> String?
  func sampleEntries() async throws(CinematicError) -> [SampleEntry]
  func edits() async throws(CinematicError) -> [EditList.Edit]
  func references() async throws(CinematicError) -> [FourCC: [UInt32]]
  func metadata() async throws(CinematicError) -> [MetadataItem]
  func sampleIndex() async throws(CinematicError) -> SampleIndex
  func timeline() async throws(CinematicError) -> Timeline
  /// The bytes of a sample by its number in ``sampleIndex()``.
  func sampleData(
    _ number: Int, from source: any ByteSource
  ) async throws(CinematicError) -> [UInt8]
  /// The samples for a decoder on a thread of its own.
  ///
  /// - Parameter source: the asset's bytes, perhaps with some of them kept.
  func sampleReader(_ source: any ByteSource) async throws(CinematicError) -> any SampleReader
  /// The facts about the pictures of a video track.
  func pictureFacts() async throws(CinematicError) -> PictureFacts
  /// Decodes the pictures of a video track.
  ///
  /// - Parameters:
  ///   - source: as for ``sampleReader(_:)``.
  ///   - options: which of the pictures of a picture file.
  func pictureDecoder(
    _ source: any ByteSource, _ options: ReadOptions
  ) async throws(CinematicError) -> any PictureDecoder
}

/// A track whose samples one decoder takes, one after another.
protocol CodedTrack: TrackContainer {
  func decoderMaker() async throws(CinematicError) -> DecoderMaker
  /// The description of the samples: of several that they refer to, the first.
  func usedEntry() async throws(CinematicError) -> SampleEntry?
  /// Whether that fits every sample.
  func hasOneCoding() async throws(CinematicError) -> Bool
  /// How the sound of a track of sound is coded.
  ///
  /// - Throws: `unsupported` for a coding that FFmpeg does not know, `malformed`.
  func soundParameters() async throws(CinematicError) -> SoundParameters
  /// A movie file's description of the track; `nil` in a container of another kind.
  func stored() async throws(CinematicError) -> StoredTrack?
}

extension CodedTrack {
  func usedEntry() async throws(CinematicError) -> SampleEntry? { try await sampleEntries().first }

  func pictureDecoder(
    _ source: any ByteSource, _ options: ReadOptions
  ) async throws(CinematicError) -> any PictureDecoder {
    let order = try await timeline().order
    let entries = try await sampleEntries()
    for entry in entries { try entry.checkBase(name: source.name) }
    let decoder = try TrackDecoder(
      name: source.name, reader: try await sampleReader(source), index: try await sampleIndex(),
      order: order, entries: entries, maker: try await decoderMaker(),
      damage: options.damage)
    guard options.interlacing != .keep, case .picture = options.content else { return decoder }
    return FieldDecoder(
      decoder, name: source.name, order: order, fieldOrder: try await pictureFacts().fieldOrder,
      deinterlaces: options.interlacing == .deinterlace)
  }
}
