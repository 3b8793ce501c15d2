// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import Foundation

/// How long the stages of an export take alone, and the export.
struct ExportTiming: Encodable, Sendable {
  struct Stage: Encodable, Sendable {
    var name: String
    /// By the clock, and of all cores.
    var seconds = 0.0
    var cpuSeconds = 0.0
  }

  var movie: String
  var device: String
  var quality: String
  var width: Int
  var height: Int
  var frames: Int
  var cores = ProcessInfo.processInfo.activeProcessorCount
  var decode = Stage(name: "decode")
  var render = Stage(name: "render")
  var encode = Stage(name: "encode")
  var export = Stage(name: "export")
  /// The slowest stage alone, by the clock: what an export takes where each has its own hardware.
  var slowestSeconds: Double { [decode, render, encode].map(\.seconds).max() ?? 0 }
  /// The time of all stages' work if every core works on it all the time.
  var sharedSeconds: Double {
    [decode, render, encode].reduce(0) { $0 + $1.cpuSeconds } / Double(cores)
  }
  /// The export's time in shares of the larger of the two.
  var ratio: Double { export.seconds / max(slowestSeconds, sharedSeconds, 1e-9) }

  /// Times an export, stage by stage and as a whole.
  ///
  /// - Throws: what reading, rendering and encoding throw.
  static func measure(
    movie path: String, maximumFrameCount: Int, device: Device, quality: RenderingQuality
  ) async throws(CinematicError) -> ExportTiming {
    let asset = Asset(path: path)
    let movie = try await MovieScript(asset: asset)
    let rendering = try await TimedRendering(movie, on: device, quality: quality)
    let settings = rendering.settings
    let shown = settings.dimensions
    let folder = try Folder()
    defer { folder.remove() }
    var timing = ExportTiming(
      movie: path, device: device.identifier, quality: quality.description, width: shown.width,
      height: shown.height, frames: 0)

    let reader = movie.reader
    timing.frames = min(maximumFrameCount, reader.frameCount)
    var watch = Watch()
    var frames: [CinematicFrame] = []
    for number in 0..<timing.frames { frames.append(try await reader.frame(number: number)) }
    timing.decode = watch.stage("decode")

    // Work that is done once is not timed.
    _ = try await rendering.pictures(of: frames.prefix(1))
    watch = Watch()
    let pictures = try await rendering.pictures(of: frames[...])
    timing.render = watch.stage("render")

    watch = Watch()
    try encode(pictures, frames, to: folder.path + "/encoded.mov", settings, rendering.startTime)
    timing.encode = watch.stage("encode")

    var export = ExportSession.Settings()
    export.quality = quality
    if timing.frames < reader.frameCount {
      export.timeRange = TimeRange(
        start: .zero, end: reader.timeRange(ofFrame: timing.frames - 1).end)
    }
    let exporter = try await ExportSession(
      assets: [asset], to: folder.path + "/exported.mov", devices: [device], settings: export)
    watch = Watch()
    try await exporter.export()
    timing.export = watch.stage("export")
    return timing
  }

  private static func encode(
    _ pictures: [PixelBuffer], _ frames: [CinematicFrame], to path: String,
    _ settings: WriterSettings, _ startTime: Time
  ) throws(CinematicError) {
    let writer = try FrameWriter.create(path, settings: settings)
    defer { writer.cancel() }
    for (frame, picture) in zip(frames, pictures) {
      try writer.append(
        picture, time: frame.timeRange.start - startTime, duration: frame.timeRange.duration)
    }
    try writer.finish()
  }

  /// Rows for people.
  var table: String {
    func row(_ stage: Stage) -> String {
      String(
        format: "  %@ %8.2f s %8.2f CPU s %8.1f ms a frame", stage.name, stage.seconds,
        stage.cpuSeconds, 1000 * stage.seconds / Double(max(frames, 1)))
    }
    let head =
      "\(movie): \(counted(frames, "frame")) of \(width)x\(height), \(quality) on \(device)"
    let bounds = String(
      format: "  slowest stage alone %.2f s; all work on %@ %.2f s; the export takes %.2f"
        + " times the larger", slowestSeconds, counted(cores, "core"), sharedSeconds, ratio)
    return ([head] + [decode, render, encode, export].map(row) + [bounds]).joined(separator: "\n")
  }
}

/// The time since it was made.
private struct Watch {
  let start = ContinuousClock.now
  let usage = ProcessUsage.current

  func stage(_ name: String) -> ExportTiming.Stage {
    ExportTiming.Stage(
      name: name, seconds: (ContinuousClock.now - start) / .seconds(1),
      cpuSeconds: ProcessUsage.current.cpuSeconds - usage.cpuSeconds)
  }
}

/// A folder for what is written only to be timed.
private struct Folder {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(
    "focal-bench-\(UUID().uuidString)"
  ).path

  init() throws(CinematicError) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw CinematicError(
        .unwritable, "cannot make the folder \(path)", remedy: "set TMPDIR to a folder with room")
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
