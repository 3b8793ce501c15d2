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
      --disparity writes numbered pictures (maps/%04d.png of 16 bits, .pfm or .exr of floats), as \
      stored, before the movie's rotation, into a folder that is made where there is none; or a movie \
      (maps.mov) of the maps as they are coded. --metadata writes a line of JSON for every sample of \
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
  @Flag(help: "Replace existing files.")
  var force = false

  func validate() throws {
    guard [disparity, metadata, script].filter({ $0 }).count == 1 else {
      throw ValidationError("give one of --disparity, --metadata and --script")
    }
  }

  func run() throws {
    try KeptInputs.check(output, inputs: [movie])
    try interruptible {
      let asset = try Asset.named(movie)
      let info = try waiting { () async throws(CinematicError) -> AssetInfo in
        try await AssetInfo(asset: asset)
      }
      if disparity {
        let reader = try waiting { () async throws(CinematicError) -> CinematicReader in
          try await CinematicReader(info)
        }
        try writeDisparity(info, reader)
      } else if metadata {
        try writeMetadata(info)
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
      }
    }
  }

  private func writeDisparity(_ info: AssetInfo, _ reader: CinematicReader) throws {
    let format = try OutputFormat(path: output)
    if case .movie = format { return try writeMovie(info, reader) }
    if case .still = format, reader.frameCount > 1 {
      throw CinematicError(
        .invalidParameter, "\(output) holds one map, and \(movie) has \(reader.frameCount)",
        remedy: "number them, as in maps/%04d.png")
    }
    let folders = try OutputFolder(of: output)
    do {
      try writeMaps(info, reader)
    } catch {
      folders.removeIfEmpty()
      throw error
    }
  }

  /// The maps as they are coded.
  private func writeMovie(_ info: AssetInfo, _ reader: CinematicReader) throws {
    try waiting { [output, force] () async throws(CinematicError) in
      try await DisparityMovie.write(info, to: output, overwrite: force)
    }
    let (low, high) = (reader.disparityRange.scale.low, reader.disparityRange.scale.high)
    note(
      "black is a disparity of \(low), white \(high): read it with --disparity-range \(low),\(high)"
    )
    if let hole = reader.disparityRange.holeCode {
      note("pixels of the luma code \(hole) have no disparity")
    }
  }

  private func writeMaps(_ info: AssetInfo, _ reader: CinematicReader) throws {
    var settings = WriterSettings(
      dimensions: try waiting { () async throws(CinematicError) -> Dimensions in
        try await info.cinematicDisparityTrack.load(.naturalSize)
      }, pixelFormat: .disparityFloat, tags: .linearBT709)
    settings.overwrite = force
    let writer = try FrameWriter.create(output, settings: settings)
    defer { writer.cancel() }
    for number in 0..<reader.frameCount {
      let map = try waiting { () async throws(CinematicError) -> PixelBuffer? in
        try await reader.disparity(number: number)
      }
      guard let map else {
        throw CinematicError(
          .incomplete, "\(movie) has no disparity for frame \(number)",
          remedy: "it cannot be extracted as a row of maps; render it as it is")
      }
      let range = reader.timeRange(ofFrame: number)
      try writer.append(map, time: range.start, duration: range.duration)
    }
    try writer.finish()
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

  /// The lines of one track after the other's.
  private func writeMetadata(_ info: AssetInfo) throws {
    let writer = try DataWriter(path: output, overwrite: force)
    defer { writer.cancel() }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for track in info.cinematicMetadataTracks {
      let reader = try waiting { () async throws(CinematicError) -> CinematicReader in
        try await CinematicReader(
          asset: info.asset, videoTrack: info.cinematicVideoTrack, metadataTrack: track)
      }
      for number in 0..<reader.metadataGroupCount {
        let group = try waiting { () async throws(CinematicError) -> TimedMetadataGroup in
          try await reader.metadataGroup(number)
        }
        let line = try encoder.encode(Line(group, track: track.trackID))
        try writer.append([UInt8](line) + [10])
      }
    }
    try writer.finish()
  }

  private func write(_ bytes: [UInt8]) throws(CinematicError) {
    let writer = try DataWriter(path: output, overwrite: force)
    try writer.write(bytes)
    try writer.finish()
  }
}
