// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCapture
import FocalCommands
import FocalCore
import FocalMedia

struct CapturePreviewCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Show what would be recorded, at a reduced size.",
    usage: "focal capture preview <device> [--disparity <device> | …] [-o <output>] [<options>]",
    discussion: """
        focal capture preview v4l2:/dev/video0 --model midas-small.onnx | ffplay -

      Frames go to standard output with their blur, as Y4M if nothing else is asked for, and with what was found drawn \
      over them: yellow is in focus, solid if it stays there, thin white is not. A reader that is late misses frames.

      \(CaptureOrderLine.help)
      """)

  @OptionGroup var source: CaptureSourceOptions
  @Option(
    name: .shortAndLong,
    help: "Where the frames go: - for standard output, or numbered pictures, preview/%04d.jpg.")
  var output = "-"
  @Option(help: StreamArgument.help(usual: "y4m"))
  var format: StreamArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Pixels of the longer side, 16 or more.", valueName: "n"))
  var maximumSize: Int = 640
  @Flag(help: "Draw nothing over the frames.")
  var noOverlay = false
  @Flag(help: "Replace existing pictures.")
  var force = false
  @Option(
    parsing: .unconditional, help: ArgumentHelp("End after so many seconds.", valueName: "seconds"))
  var duration: Double?
  @Option(help: ArgumentHelp("A file of commands, or - for standard input.", valueName: "file"))
  var commands: String?
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Notes and errors are objects.")
  var json = false

  func validate() throws {
    guard maximumSize >= 16 else { throw ValidationError("--maximum-size takes 16 or more") }
    try CaptureRun.check(duration: duration)
  }

  func run() throws {
    let stream = try StreamArgument.stream(format?.stream, to: output, default: .y4m)
    let inputs = source.inputs + [commands].compactMap(\.self)
    try KeptInputs.check(output, inputs: inputs)
    let rules = CaptureOrderRules(source: source.device, overwrite: force, inputs: inputs)
    let orders = try rules.orders(in: commands)
    let statistics = try waiting { [self] () async throws(CinematicError) -> CaptureStatistics in
      let session = try await source.session()
      let run = CaptureRun(
        session: session, duration: duration, orders: orders, readsOrders: commands == "-",
        rules: rules)
      try await run.run { session throws(CinematicError) in
        let frames = try await session.preview(
          maximumSide: maximumSize, pixelFormat: .yuv420Video8)
        try await CapturedFrames(
          source: source.device, path: output, stream: stream, overwrite: force,
          showsDetections: !noOverlay
        ).write(frames, of: session)
      }
      if let error = await session.failure { throw error }
      return await session.statistics
    }
    note(
      "\(counted(statistics.analyzedFrameCount, "frame")), \(statistics.leftOut),"
        + " \(statistics.unreadFrameCount) not taken in time"
    )
  }
}
