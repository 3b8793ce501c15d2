// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCapture
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript
import Foundation

struct CaptureRecordCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a Cinematic movie, a film with the blur in it, or both.",
    usage: """
      focal capture record <device> [--disparity <device> | --stereo <device> | --model <file>] [-o <movie.mov>] \
      [--baked <film.mp4>] [<options>]
      """,
    discussion: """
        focal capture record v4l2:/dev/video0 --model midas-small.onnx --sound alsa:default -o movie.mov
        focal capture record left.mov --stereo right.mov -o movie.mov --baked film.mp4
        focal capture record clip.mov --disparity maps.mov --commands taps.txt -o movie.mov
        focal capture record /dev/video0 --stereo /dev/video2 --frames - | ffplay -

      Estimated disparities become shares of a range, 0 far and 1 near, which the first map that shows any distance \
      settles and those that reach far beyond it widen; --disparity-range says it from the start, in the provider's own \
      numbers. With --disparity it is that of the map's codes.

      It ends with the device or the file, after --duration, by the command stop, or by Ctrl-C, with whole movies; \
      without --frames also when no movie can be written any more. A movie grows beside its name, as \
      movie.recording.mov, and plays up to its last quarter of a second or so if the program is killed: \
      focal capture recover finishes it.

      \(CaptureOrderLine.recordingHelp)
      """)

  @OptionGroup var source: CaptureSourceOptions
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The Cinematic movie to record, whose focus can be decided later.", valueName: "movie.mov"))
  var output: String?
  @Option(help: ArgumentHelp("A film with the blur in it.", valueName: "film.mp4"))
  var baked: String?
  @Option(
    help: ArgumentHelp(
      "Where the frames with their blur go as they come: - for standard output, or numbered pictures; a reader that"
        + " is late misses some.", valueName: "output"))
  var frames: String?
  @Option(help: StreamArgument.help("--frames -", usual: "y4m"))
  var format: StreamArgument?
  @Flag(help: "Replace existing outputs.")
  var force = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Focus stays at the distance of this point of the first picture: \(PointArgument.corners).",
      valueName: "x,y"), transform: PointArgument.init(parsing:))
  var focusAt: PointArgument?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("End after so many seconds.", valueName: "seconds"))
  var duration: Double?
  @Option(help: ArgumentHelp("A file of commands, or - for standard input.", valueName: "file"))
  var commands: String?
  @OptionGroup(title: "Coding options") var coding: CodingOptions
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Print the result as a line of JSON; notes and errors become objects, too.")
  var json = false

  /// The result of the recording, for programs.
  private struct Report: Encodable {
    struct Movie: Encodable {
      var path: String
      var frames: Int
      var error: String?
    }
    var event = "done"
    var movies: [Movie]
    var frames: Int
    var seconds: Double
    var arrivedFrames: Int
    var droppedFrames: Int
    var unpairedFrames: Int
    /// Those that the reader of --frames did not take in time.
    var unreadFrames: Int
    var longestQueue: Int
    var droppedSounds: Int
    var clampedMaps: Int
    var fNumber: Float
    var disparityLow: Float?
    var disparityHigh: Float?
    var estimatedLow: Float?
    var estimatedHigh: Float?
    var wallSeconds: Double
    var cpuSeconds: Double
    var peakMegabytes: Int
  }

  func validate() throws {
    guard output != nil || baked != nil || frames != nil else {
      throw ValidationError("name something to record: -o, --baked or --frames")
    }
    guard frames != nil || format == nil else {
      throw ValidationError("--format says what --frames sends, and that is not given")
    }
    if output == nil, baked == nil, let first = coding.given.first {
      throw ValidationError("\(first) is for movies: give -o or --baked")
    }
    try CaptureRun.check(duration: duration)
  }

  func run() throws {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try checkMovies()
    let inputs = source.inputs + [commands].compactMap(\.self)
    if let frames { try KeptInputs.check(frames, inputs: inputs) }
    for path in [output, baked].compactMap({ $0 }) {
      try KeptInputs.check(path, inputs: inputs)
      try coding.check(path, codec: coding.codec?.codec ?? .automatic)
    }
    let stream = try frames.map { path throws(CinematicError) in
      try StreamArgument.stream(format?.stream, to: path, default: .y4m)
    }
    let recordsMovie = output != nil || baked != nil
    let rules = CaptureOrderRules(
      source: source.device, recordsMovie: recordsMovie, overwrite: force, inputs: inputs)
    let orders = try rules.orders(in: commands)
    let (report, statistics) = try waiting {
      [self] () async throws(CinematicError) -> (CaptureRecordingReport?, CaptureStatistics) in
      let session = try await source.session()
      if recordsMovie {
        let recording = recording()
        try await CaptureNotes(
          source: source.device, properties: session.sourceProperties, recording: recording,
          hearsSource: source.sound == nil
        ).tell()
        try await session.startRecording(recording)
      }
      let run = CaptureRun(
        session: session, duration: duration, orders: orders, readsOrders: commands == "-",
        rules: rules,
        movieCount: frames == nil ? [output, baked].compactMap(\.self).count : 0)
      try await run.run { session throws(CinematicError) in
        if let focusAt { try await Self.fix(focusAt.point, on: session) }
        if let frames {
          try await CapturedFrames(
            source: source.device, path: frames, stream: stream ?? nil, overwrite: force
          ).write(await session.bakedFrames(), of: session)
        }
        await session.ended()
      }
      if recordsMovie {
        return (try await session.stopRecording(), await session.statistics)
      }
      if let error = await session.failure { throw error }
      return (nil, await session.statistics)
    }
    try tell(report, statistics, start, usage)
  }

  /// - Throws: `invalidParameter` for pipes: the front of a movie is written again at its end.
  private func checkMovies() throws(CinematicError) {
    for (path, kind) in [(output, "Cinematic movie"), (baked, "film that is recorded")] {
      guard let path, PipePath.isPipe(path) else { continue }
      throw CinematicError(
        .invalidParameter, "a \(kind) cannot go into a pipe",
        remedy: "--frames - writes frames there")
    }
  }

  private func recording() -> CaptureRecording {
    var recording = CaptureRecording(editableMovie: output, bakedMovie: baked)
    coding.apply(to: &recording.coding)
    recording.constantRateFactor = coding.rateFactor
    recording.overwrite = force
    recording.recordsSound = source.sound != "none"
    return recording
  }

  /// Waits for the first picture.
  private static func fix(
    _ point: NormalizedPoint, on session: CaptureSession
  ) async throws(CinematicError) {
    for _ in 0..<1000 where await !session.showsDistances {
      try? await Task.sleep(for: .milliseconds(10))
    }
    try await session.setFixedFocus(at: point, focusMode: .strong)
  }

  private func tell(
    _ report: CaptureRecordingReport?, _ statistics: CaptureStatistics,
    _ start: ContinuousClock.Instant, _ usage: ProcessUsage
  ) throws {
    let report = report ?? CaptureRecordingReport()
    // Nothing was recorded, and this is why.
    if report.frameCount == 0, let error = report.endedBy { throw error }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let cpu = ProcessUsage.current.cpuSeconds - usage.cpuSeconds
    let isOutputTaken = frames.map { PipePath.isPipe($0) } ?? false
    let line = Report(
      movies: report.movies.map {
        Report.Movie(path: $0.path, frames: $0.frameCount, error: $0.error?.told)
      },
      frames: report.frameCount, seconds: report.duration.seconds,
      arrivedFrames: statistics.arrivedFrameCount, droppedFrames: statistics.droppedFrameCount,
      unpairedFrames: statistics.unpairedFrameCount, unreadFrames: statistics.unreadFrameCount,
      longestQueue: statistics.longestQueue,
      droppedSounds: report.droppedSoundCount, clampedMaps: report.clampedMapCount,
      fNumber: report.fNumber, disparityLow: report.disparityRange?.lowerBound,
      disparityHigh: report.disparityRange?.upperBound,
      estimatedLow: report.estimatedRange?.low, estimatedHigh: report.estimatedRange?.high,
      wallSeconds: seconds, cpuSeconds: cpu,
      peakMegabytes: (ResidentMemory.peak ?? 0) >> 20)
    if report.clampedMapCount > 0, let codes = report.disparityRange {
      note(
        "\(report.clampedMapCount) of \(counted(report.frameCount, "map")) reached beyond the disparities that the"
          + " movie's codes stand for, \(codes.lowerBound) to \(codes.upperBound), and"
          + " \(report.clampedMapCount == 1 ? "was" : "were") clipped: give wider ones with --disparity-range"
      )
    }
    if json {
      if isOutputTaken { note(try jsonLine(line)) } else { try printJSON(line) }
    } else {
      var text = report.movies.filter { $0.error == nil }.map(\.path).joined(separator: ", ")
      if !text.isEmpty { text += ": " }
      text +=
        "\(counted(report.movies.isEmpty ? statistics.analyzedFrameCount : report.frameCount, "frame"))"
      text += ", \(statistics.leftOut), "
      if frames != nil { text += "\(statistics.unreadFrameCount) not taken in time, " }
      text += String(format: "%.2f s (%.2f CPU s)", seconds, cpu)
      if isOutputTaken { note(text) } else { printLine(text) }
    }
    if let failed = report.movies.first(where: { $0.error != nil })?.error { throw failed }
    if let error = report.endedBy { throw error }
  }
}
