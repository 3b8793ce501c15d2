// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Where sound comes from: a track of an asset, wherever its bytes lie, or of any file that FFmpeg reads.
public struct SoundSource: Sendable {
  enum Origin: Sendable {
    case file(FileSound)
    case track(TrackSound)
  }

  let origin: Origin
  let parameters: SoundParameters

  /// The sound of an asset's track.
  ///
  /// A writer reads its packets when they are due and waits for them: it is not to be used from a
  /// task then, whose threads must not wait for each other.
  ///
  /// - Throws: `unsupported` for a coding that FFmpeg does not know, and what loading the track
  ///   throws.
  public init(_ track: AssetTrack) async throws(CinematicError) {
    do throws(CinematicError) {
      let sound = try await TrackSound(track)
      origin = .track(sound)
      parameters = sound.parameters
    } catch {
      // FFmpeg distinguishes more codings than the boxes do.
      guard error.code == .unsupported, let file = track.sampleSource as? FileByteSource,
        let tracks = try? FileSound.tracks(of: file.path),
        let sound = tracks.first(where: { $0.trackID == track.trackID })
      else { throw error }
      origin = .file(sound)
      parameters = sound.parameters
    }
  }

  /// A sound track of a local file of any kind.
  ///
  /// - Parameter number: which of its sound tracks, from 0.
  /// - Throws: `invalidParameter` where there is no such track, and the error of a file that cannot
  ///   be read.
  public init(path: String, track number: Int = 0) throws(CinematicError) {
    let tracks = try FileSound.tracks(of: path)
    guard tracks.indices.contains(number) else {
      throw CinematicError(
        .invalidParameter, "\(path) has no sound track \(number)",
        remedy: "it has \(tracks.count), counted from 0")
    }
    self.init(tracks[number])
  }

  init(_ sound: FileSound) {
    origin = .file(sound)
    parameters = sound.parameters
  }

  /// What the file's boxes say of the track; `nil` for a file without boxes.
  func storedDescription() throws(CinematicError) -> StoredSound? {
    switch origin {
    case .file(let sound): try sound.storedDescription()
    case .track(let sound): sound.stored
    }
  }

  /// The first packet of the track, whose head says of some codings what the file does not.
  func firstPacket() throws(CinematicError) -> [UInt8] {
    switch origin {
    case .file(let sound): try FileSoundReader(sound).next()?.data ?? []
    case .track(let sound): sound.firstPacket
    }
  }

  /// The path or address, for messages.
  public var name: String {
    switch origin {
    case .file(let sound): sound.path
    case .track(let sound): sound.name
    }
  }

  /// The uncut stretches of a part of the source.
  ///
  /// - Parameters:
  ///   - start: on the source's timeline.
  ///   - length: `nil` up to the end of the sound.
  ///   - time: where `start` lies in the movie that is written.
  func stretches(from start: Time, length: Time?, at time: Time) -> [SoundStretch] {
    switch origin {
    case .file:
      return [SoundStretch(source: self, segment: 0, sourceTime: start, length: length, time: time)]
    case .track(let sound):
      let end = length.map { start + $0 }
      return sound.segments.enumerated().compactMap { number, segment in
        let from = max(start, segment.timeRange.start)
        let to = end.map { min($0, segment.timeRange.end) } ?? segment.timeRange.end
        guard from < to else { return nil }
        return SoundStretch(
          source: self, segment: number, sourceTime: from, length: to - from,
          time: time + (from - start))
      }
    }
  }
}

/// A part of a source that is heard without a cut.
struct SoundStretch {
  var source: SoundSource
  /// Which uncut segment of the source's track.
  var segment: Int
  /// Where it begins on the source's timeline.
  var sourceTime: Time
  /// `nil` up to the end of the sound.
  var length: Time?
  /// Where it begins in the movie that is written.
  var time: Time

  var end: Time? { length.map { time + $0 } }

  /// Reads its packets from some time before its start on.
  func makeReader() throws(CinematicError) -> any SoundReader {
    switch source.origin {
    case .file(let sound): try FileSoundReader(sound)
    case .track(let sound):
      TrackSoundReader(sound, segment: sound.segments[segment], from: sourceTime)
    }
  }
}

/// What a QuickTime or MP4 file says of a track of sound beyond its coding.
struct StoredSound: Sendable {
  /// How the sound is coded, as it stands in the file; `nil` where it is coded in several ways.
  var entry: Box?
  /// Descriptions of the track.
  var extras: [Box] = []
}

/// A packet of coded sound.
struct SoundPacket {
  var data: [UInt8]
  /// On the source's timeline; before zero where a codec begins with samples that are not heard.
  var time: Time
  var duration: Time
  /// What of it is not heard, by the container's word: at its start and at its end.
  var hiddenStart = Time.zero
  var hiddenEnd = Time.zero
}

/// Hands out packets in the order of their times.
protocol SoundReader: AnyObject {
  /// Whether the first packet is the file's, so that what the codec begins with is not heard.
  var beginsWithFile: Bool { get }
  /// `nil` after the last one.
  func next() throws(CinematicError) -> SoundPacket?
}
