// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The sound of an asset's track.
struct TrackSound: Sendable {
  let name: String
  /// Each stretch is read by another of its kind.
  let reader: any SampleReader
  let index: SampleIndex
  let timescale: Int32
  /// The parts of the media that are heard, in the order of the movie.
  let segments: [Timeline.Segment]
  let parameters: SoundParameters
  /// `nil` where the file is no movie file.
  let stored: StoredTrack?
  /// Of codings that are told by it.
  let firstPacket: [UInt8]

  /// - Throws: `invalidParameter` for a track of another kind, `unsupported` for a coding that FFmpeg
  ///   does not know or that changes, what loading the track throws.
  init(_ track: AssetTrack) async throws(CinematicError) {
    name = track.assetName
    guard track.mediaType == .audio, let coded = track.container as? any CodedTrack else {
      throw CinematicError(
        .invalidParameter, "track \(track.trackID) of \(name) is no sound",
        remedy: "give a track of the media type soun")
    }
    let index: SampleIndex = try await track.load(.sampleIndex)
    timescale = try await track.load(.naturalTimescale)
    self.index = index
    stored = try await coded.stored()
    segments = try await track.load(.timeline).segments
    // Only one description's packets can follow each other in one track.
    let isMixed = try await !coded.hasOneCoding()
    guard !isMixed, segments.allSatisfy({ $0.rate == 1 << 16 }) else {
      throw CinematicError(
        .unsupported,
        "the sound of \(name) \(isMixed ? "changes its coding" : "is played at another speed")",
        remedy: "leave its sound out (\(parameter: .noSound)), or convert it to one piece of AAC")
    }
    let said = try await coded.soundParameters()
    firstPacket = said.isToldByPackets && !index.isEmpty ? try await track.sampleData(0) : []
    parameters = try SoundParameters(said, toldBy: firstPacket, name: name) ?? said
    reader = try await track.container.sampleReader(track.sampleSource)
  }
}

/// Takes a stretch's packets out of an asset's track, those that lie side by side with one read.
final class TrackSoundReader {
  /// The most that is read at once, and that is held.
  private static let readSize = 256 << 10
  /// Plain samples that make a packet.
  private static let plainPacketLength = 4096
  /// The most packets that come before the first sound of a track: of AAC with its bands doubled.
  private static let longestLead = 8

  private let sound: TrackSound
  private let reader: any SampleReader
  private let segment: Timeline.Segment
  private var number: Int
  /// Samples that were read together, and where the next one's bytes begin.
  private var buffer: [UInt8] = []
  private var bufferedSamples: Range<Int> = 0..<0
  private var position = 0

  init(_ sound: TrackSound, segment: Timeline.Segment, from time: Time) {
    self.sound = sound
    reader = sound.reader.another()
    self.segment = segment
    let media = (time - segment.timeRange.start).converted(to: sound.timescale).value
    let wanted = segment.mediaStart + media
    let index = sound.index
    let later = (0..<index.count).partitionPoint { index[$0].decodeTime <= wanted }
    number = max(0, later - 1 - Int(sound.parameters.prerollCount))
    // A codec's start-up packets, before the first sound, are kept.
    if number <= Self.longestLead { number = 0 }
  }

  /// The next packet in the order of their times; `nil` after the last one.
  func next() throws(CinematicError) -> SoundPacket? {
    let index = sound.index
    guard number < index.count else { return nil }
    let first = index[number]
    var count = 1
    var duration = first.duration
    if sound.parameters.bytesPerFrame > 0, first.size <= 64 {
      // A sample each: many make a packet.
      let most = min(Self.plainPacketLength, index.count - number)
      var end = first.offset + Int64(first.size)
      while count < most {
        let sample = index[number + count]
        guard sample.offset == end else { break }
        end += Int64(sample.size)
        duration += sample.duration
        count += 1
      }
    }
    var data: [UInt8] = []
    for sample in number..<(number + count) { data += try bytes(of: sample) }
    number += count
    let start = first.decodeTime - segment.mediaStart
    return SoundPacket(
      data: data,
      time: segment.timeRange.start + Time(value: start, timescale: sound.timescale),
      duration: Time(value: duration, timescale: sound.timescale))
  }

  private func bytes(of number: Int) throws(CinematicError) -> ArraySlice<UInt8> {
    if !bufferedSamples.contains(number) { try read(from: number) }
    let size = sound.index[number].size
    defer { position += size }
    return buffer[position..<(position + size)]
  }

  private func read(from number: Int) throws(CinematicError) {
    let first = sound.index[number]
    var size = first.size
    var end = number + 1
    while end < sound.index.count {
      let sample = sound.index[end]
      guard sample.offset == first.offset + Int64(size), size + sample.size <= Self.readSize else {
        break
      }
      size += sample.size
      end += 1
    }
    buffer = try reader.samples(number..<end)
    position = 0
    bufferedSamples = number..<end
  }
}
