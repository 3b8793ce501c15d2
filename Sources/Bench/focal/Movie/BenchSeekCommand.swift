// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia
import Foundation

struct BenchSeekCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-seek",
    abstract: "Measure how fast any frame of a movie is reached, and that it is the right one.",
    discussion: """
      Times the loading of length and tracks, reads the first frames in order, then some of them in an \
      order drawn from the seed, and compares every picture. An access decodes from the nearest sync sample: its floor is that many frames at \
      the cost of one read in order, pictures that nothing refers to included. Processor seconds are \
      those of all cores.
      """)

  @Argument(help: "The movie, or its address.")
  var movie: String
  @Option(parsing: .unconditional, help: ArgumentHelp("Frames to reach.", valueName: "n"))
  var count = 20
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Frames among which they are.", valueName: "n"))
  var frames = 240
  @Option(parsing: .unconditional, help: ArgumentHelp("Decides the order.", valueName: "n"))
  var seed: UInt64 = 1
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (1...100_000).contains(count) else {
      throw ValidationError("--count takes 1 to 100000")
    }
    guard (1...1_000_000).contains(frames) else {
      throw ValidationError("--frames takes 1 to 1000000")
    }
  }

  private struct Report: Encodable {
    var frames: Int
    var accesses: Int
    /// The time for a length, and for a length and the tracks, in a movie not yet opened: the median of
    /// some.
    var durationMilliseconds: Double
    var tracksMilliseconds: Double
    /// Processor seconds of a frame read in order.
    var sequentialSeconds: Double
    /// Processor seconds of an access.
    var accessSeconds: Double
    /// Samples from the sync sample up to the frame's own, on average.
    var distance: Double
    /// The cost of decoding all of them.
    var floorSeconds: Double
    /// Frames that were not the ones read in order.
    var differences: Int
  }

  func run() throws {
    let report = try waiting { [self] () async throws(CinematicError) -> Report in
      try await measure()
    }
    if json {
      try printJSON(report)
    } else {
      printLine(
        String(
          format: "length: %.3f ms, with tracks %.3f ms", report.durationMilliseconds,
          report.tracksMilliseconds))
      printLine(
        String(
          format: "in order: %.4f CPU s a frame (%@)", report.sequentialSeconds,
          counted(report.frames, "frame")))
      printLine(
        String(
          format: "any order: %.4f CPU s an access (%d), %.1f samples from a sync sample",
          report.accessSeconds, report.accesses, report.distance))
      printLine(
        String(
          format: "decoding all of those: %.4f CPU s, %.2f times an access", report.floorSeconds,
          report.floorSeconds / max(report.accessSeconds, 1e-9)))
      printLine("pictures that differ: \(report.differences)")
    }
    guard report.differences == 0 else { throw ExitCode.failure }
  }

  private func measure() async throws(CinematicError) -> Report {
    let asset = try Asset.named(movie)
    guard let track = try await asset.loadTracks(withMediaType: .video).first else {
      throw CinematicError(.incomplete, "\(movie) has no video track", remedy: "give a movie")
    }
    let reader = try await CinematicReader(asset: asset, videoTrack: track)
    let (index, timeline) = try await track.load(.sampleIndex, .timeline)
    let total = min(frames, reader.frameCount)
    var marks: [UInt64] = []
    var start = ProcessUsage.current.cpuSeconds
    while marks.count < total, let frame = try await reader.next() {
      marks.append(Self.mark(frame.image))
    }
    let sequential = (ProcessUsage.current.cpuSeconds - start) / Double(max(marks.count, 1))
    guard !marks.isEmpty else {
      throw CinematicError(.incomplete, "\(movie) has no frame", remedy: "give a whole movie")
    }
    var state = seed
    var (distance, differences) = (0, 0)
    // Another reader: nothing is decoded yet.
    let other = try await CinematicReader(asset: asset, videoTrack: track)
    start = ProcessUsage.current.cpuSeconds
    for _ in 0..<count {
      // Knuth's generator; its high bits are good.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = Int(state >> 33) % marks.count
      let sample = timeline[number].sample
      distance += sample - index.decodingStart(for: sample) + 1
      let frame = try await other.frame(number: number)
      if Self.mark(frame.image) != marks[number] { differences += 1 }
    }
    let access = (ProcessUsage.current.cpuSeconds - start) / Double(count)
    let mean = Double(distance) / Double(count)
    let length = try await milliseconds { asset async throws(CinematicError) in
      _ = try await asset.load(.duration)
    }
    let tracks = try await milliseconds { asset async throws(CinematicError) in
      _ = try await asset.load(.duration, .tracks)
    }
    return Report(
      frames: marks.count, accesses: count,
      durationMilliseconds: length, tracksMilliseconds: tracks,
      sequentialSeconds: sequential, accessSeconds: access,
      distance: mean, floorSeconds: mean * sequential, differences: differences)
  }

  /// The median time of a load from an asset that has read nothing yet.
  private func milliseconds(
    _ load: (Asset) async throws(CinematicError) -> Void
  ) async throws(CinematicError) -> Double {
    // A server is asked less often than a disk.
    let repeats = HTTPByteSource.isAddress(movie) ? 3 : 101
    var times: [Double] = []
    for _ in 0..<repeats {
      let asset = try Asset.named(movie)
      let start = ContinuousClock.now
      try await load(asset)
      let time = ContinuousClock.now - start
      times.append(
        Double(time.components.seconds) * 1e3 + Double(time.components.attoseconds) * 1e-15)
    }
    return times.median ?? 0
  }

  /// A number that other pictures do not have, by any likelihood.
  private static func mark(_ picture: PixelBuffer) -> UInt64 {
    var mark: UInt64 = 0
    for index in picture.planes.indices {
      let plane = picture.planes[index]
      picture.withUnsafeBytes(ofPlane: index) { bytes in
        for y in 0..<plane.dimensions.height {
          let count = plane.dimensions.width * plane.bytesPerElement
          var x = y * plane.bytesPerRow
          let end = x + count
          while x + 8 <= end {
            let word = bytes.loadUnaligned(fromByteOffset: x, as: UInt64.self)
            mark = (mark ^ word) &* 0x9E37_79B9_7F4A_7C15
            mark ^= mark >> 32
            x += 8
          }
          while x < end {
            mark = (mark ^ UInt64(bytes[x])) &* 0x9E37_79B9_7F4A_7C15
            x += 1
          }
        }
      }
    }
    return mark
  }
}
