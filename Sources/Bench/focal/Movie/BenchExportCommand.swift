// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import Foundation

struct BenchExportCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "bench-export",
    abstract: "Time decoding, rendering and encoding of a Cinematic movie, alone and together.",
    discussion: """
      An export decodes, renders and encodes at the same time. Where each has hardware of its own it \
      takes as long as the slowest; where they share the processor, as long as all their work takes \
      on all cores. Both bounds are printed with the time that the export took. The frames are held \
      in memory: give a short movie, or a few frames of it.
      """)

  @Argument(help: "The Cinematic movie.")
  var movie: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many frames, from the first on.", valueName: "n"))
  var frames = 48
  @Option(help: ArgumentHelp("From fast to exact.", valueName: "quality"))
  var quality: QualityArgument = .export
  @OptionGroup var device: DeviceOptions
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Print the result as a line of JSON.")
  var json = false

  func validate() throws {
    guard (2...10000).contains(frames) else {
      throw ValidationError("--frames takes a number from 2 to 10000")
    }
  }

  func run() throws {
    let device = try device.bestDevice()
    let timing = try interruptible {
      try waiting { () async throws(CinematicError) in
        try await ExportTiming.measure(
          movie: movie, maximumFrameCount: frames, device: device, quality: quality.quality)
      }
    }
    if json {
      try printJSON(timing)
    } else {
      printLine(timing.table)
    }
  }
}
