// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Foundation

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Render a Cinematic movie to an ordinary one.",
    usage: """
      focal export <movie> -o <output> [--changes <changes>] [<options>]
      """,
    discussion: """
      Focus and f-number come from the movie's script and the changes to it. Frame times, colours and \
      sound stay; high dynamic range stays high.
      """)

  @Argument(help: "The Cinematic movie.")
  var movie: String
  @Option(
    name: .shortAndLong, help: "What to write: .mp4, .mov or numbered pictures (out/%04d.png).")
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false
  @Option(help: ArgumentHelp("Changes to the movie's script.", valueName: "changes"))
  var changes: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The f-number, at least 0.1, instead of the script's; inf blurs nothing.", valueName: "n"))
  var fNumber: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only what is shown between two times.", valueName: "a-b"))
  var range: TimeRangeArgument?
  @Flag(help: "Draw the script's detections into the pictures, the one in focus yellow.")
  var overlay = false
  @Option(help: ArgumentHelp("From fast to exact.", valueName: "quality"))
  var quality: QualityArgument = .export
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The blur scale S, 0 to 16; the default suits disparities that span 0 to 1.", valueName: "s"))
  var blurScale: Float = RenderingSession.Attributes.defaultBlurScale
  @OptionGroup var device: DeviceOptions
  @Flag(help: "Print progress and result as lines of JSON.")
  var json = false

  func validate() throws {
    guard fNumber.map({ $0 >= 0.1 }) ?? true else {
      throw ValidationError("--f-number takes a number of at least 0.1")
    }
  }

  func run() throws {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    let device = try device.bestDevice()
    var settings = ExportSession.Settings()
    settings.quality = quality.quality
    settings.attributes = .init(blurScale: blurScale)
    settings.fNumber = fNumber
    settings.drawsDetections = overlay
    settings.overwrite = force
    if changes != nil || overlay || range != nil {
      let script = try ScriptFile.script(at: movie, changes: changes)
      if changes != nil || overlay { settings.script = script }
      if let range {
        settings.timeRange = TimeRange(
          start: try script.time(range.first), end: try script.time(range.last))
      }
    }
    let report = try interruptible {
      try waiting { [settings] () async throws(CinematicError) in
        try await export(device, settings, start, usage)
      }
    }
    if json {
      try printJSON(report)
    } else {
      print(report.summary)
    }
  }

  private func export(
    _ device: Device, _ settings: ExportSession.Settings, _ start: ContinuousClock.Instant,
    _ usage: ProcessUsage
  ) async throws(CinematicError) -> ExportReport {
    let session = try await ExportSession(
      path: movie, to: output, device: device, settings: settings)
    let watcher = Task { [json] in
      var progress = Progress(total: session.frameCount, start: start, json: json)
      for await state in session.progress {
        while progress.done < state.completedFrames { progress.advance() }
      }
      progress.finish()
    }
    do throws(CinematicError) {
      try await session.export()
    } catch {
      await watcher.value
      throw error
    }
    await watcher.value
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return ExportReport(
      output: output, width: session.dimensions.width, height: session.dimensions.height,
      frames: session.frameCount, quality: settings.quality.description,
      device: device.identifier, seconds: seconds,
      cpuSeconds: ProcessUsage.current.cpuSeconds - usage.cpuSeconds,
      framesPerSecond: Double(session.frameCount) / max(seconds, 1e-9))
  }
}

/// What an export did, for people and for programs.
struct ExportReport: Encodable {
  var event = "done"
  var output: String
  var width: Int
  var height: Int
  var frames: Int
  var quality: String
  var device: String
  var seconds: Double
  /// Of all cores, decoding and encoding included.
  var cpuSeconds: Double
  var framesPerSecond: Double

  var summary: String {
    "\(output): \(frames) frames of \(width)x\(height), \(quality) on \(device), "
      + String(format: "%.2f s (%.2f fps, %.2f CPU s)", seconds, framesPerSecond, cpuSeconds)
  }
}
