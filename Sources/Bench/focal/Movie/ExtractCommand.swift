// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import Foundation

struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Take the disparity, the metadata or the script out of a Cinematic movie.",
    discussion: """
      --disparity writes numbered pictures (maps/%04d.png of 16 bits, .pfm or .exr of floats) that lie \
      as the movie is shown, into a folder that is made where there is none; or a movie (maps.mov) of \
      the maps as they are coded, with the movie's rotation. focal import takes either beside the \
      same pictures, and makes the same maps of it, of floats with the --disparity-range that is \
      printed. --metadata writes a line of JSON for every sample of \
      every Cinematic metadata track, with the track's number and the bytes of each value in \
      hexadecimal. --script writes the JSON that focal script reads.
      """)

  @Argument(help: "The movie, or its address.")
  var movie: String
  @Flag(help: "The disparity maps.")
  var disparity = false
  @Flag(help: "The timed metadata.")
  var metadata = false
  @Flag(help: "The focus script.")
  var script = false
  @Option(name: .shortAndLong, help: "Where to write.")
  var output: String
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Replace existing files.")
  var force = false
  @Flag(help: "Print one JSON object; notes and errors become objects, too, on standard error.")
  var json = false

  /// The report on the output, for programs.
  struct Report: Encodable {
    var event = "done"
    var output: String
    /// `disparity`, `metadata` or `script`.
    var content: String
    /// Of maps, samples of metadata, or scripts.
    var count: Int
    /// Of maps, as they are shown, and the disparities of the movie's smallest and largest code.
    var width: Int?
    var height: Int?
    var low: Float?
    var high: Float?
  }

  func validate() throws {
    guard [disparity, metadata, script].filter({ $0 }).count == 1 else {
      throw ValidationError("give one of --disparity, --metadata and --script")
    }
  }

  func run() throws {
    try KeptInputs.check(output, inputs: [movie])
    if output == PipePath.standard { Results.moveToStandardError() }
    let done = try interruptible(writing: [output]) { () throws -> Report in
      let asset = try Asset.named(movie)
      let info = try waiting { () async throws(CinematicError) -> AssetInfo in
        try await AssetInfo(asset: asset)
      }
      if disparity {
        let reader = try waiting { () async throws(CinematicError) -> CinematicReader in
          try await CinematicReader(info)
        }
        let maps = ExtractedMaps(info: info, reader: reader, output: output, overwrite: force)
        let (size, path) = try maps.write()
        let scale = reader.disparityRange.scale
        return Report(
          output: path, content: "disparity", count: reader.frameCount, width: size.width,
          height: size.height, low: scale.low, high: scale.high)
      } else if metadata {
        return Report(output: output, content: "metadata", count: try writeMetadata(info))
      } else {
        let data = try waiting { () async throws(CinematicError) -> Data? in
          try await MovieScript(asset: asset).scriptData
        }
        guard let data else {
          throw CinematicError(
            .incomplete, "\(movie) carries no focus script of this program",
            remedy: "a phone's own script is in a form that only its maker reads; make one with"
              + " focal script direct or focal edit")
        }
        try write([UInt8](data))
        return Report(output: output, content: "script", count: 1)
      }
    }
    if json { try printJSON(done) }
  }

  /// A sample as a line.
  private struct Line: Encodable {
    struct Value: Encodable {
      var key: String
      var text: String?
      var bytes: String
    }

    var track: UInt32
    var time: Double
    var duration: Double
    var values: [Value]

    init(_ group: TimedMetadataGroup, track: UInt32) {
      self.track = track
      time = group.timeRange.start.seconds
      duration = group.timeRange.duration.seconds
      values = group.items.map { item in
        Value(
          key: item.key.identifier, text: item.value.text,
          bytes: item.bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
          }.joined())
      }
    }
  }

  /// Groups that are read before they are written: one at a time, most of the time would go into waiting.
  private static let groupsAtOnce = 64

  /// The lines of one track after the other's.
  ///
  /// - Returns: how many.
  private func writeMetadata(_ info: AssetInfo) throws -> Int {
    var count = 0
    let writer = try DataWriter(path: output, overwrite: force)
    defer { writer.cancel() }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for track in info.cinematicMetadataTracks {
      let reader = try waiting { () async throws(CinematicError) -> CinematicReader in
        try await CinematicReader(
          asset: info.asset, videoTrack: info.cinematicVideoTrack, metadataTrack: track)
      }
      let stored = try waiting { () async throws(CinematicError) -> Int64 in
        try await track.load(.sampleIndex).byteCount
      }
      // Edits may show a few samples again and again: a small file, and a full disk.
      var rest = max(64 << 20, 64 * Int(clamping: stored))
      let end = reader.metadataGroupCount
      for first in stride(from: 0, to: end, by: Self.groupsAtOnce) {
        let numbers = first..<min(first + Self.groupsAtOnce, end)
        let groups = try waiting { () async throws(CinematicError) -> [TimedMetadataGroup] in
          var groups: [TimedMetadataGroup] = []
          for number in numbers { groups.append(try await reader.metadataGroup(number)) }
          return groups
        }
        for group in groups {
          let line = try encoder.encode(Line(group, track: track.trackID))
          rest -= line.count + 1
          guard rest >= 0 else {
            throw CinematicError(
              .malformed,
              "the edit list of \(movie) shows the metadata of track \(track.trackID) again and again",
              remedy: "write the movie again without repetitions")
          }
          try writer.append([UInt8](line) + [10])
          count += 1
        }
      }
    }
    try writer.finish()
    return count
  }

  private func write(_ bytes: [UInt8]) throws(CinematicError) {
    let writer = try DataWriter(path: output, overwrite: force)
    try writer.write(bytes)
    try writer.finish()
  }
}
