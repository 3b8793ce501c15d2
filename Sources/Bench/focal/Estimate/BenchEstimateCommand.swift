// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalEyes
import FocalImport
import Foundation

struct BenchEstimateCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "bench-estimate",
    abstract: "Measure what a model costs a picture, and what is added to it.",
    discussion: """
      Estimates the disparity of noise by the model, and runs the model alone on the same numbers, in turn, one \
      thread each. The times are medians of processor time; the overhead is the median of the differences of neighbours, as \
      a share of the runtime's own time.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The model of disparity, .onnx. (default: the first one found)", valueName: "file"))
  var model: String?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Sizes of the pictures. (default: 1920x1080)", valueName: "WxH"),
    transform: SizeArgument.init(parsing:))
  var size = [SizeArgument(dimensions: Dimensions(width: 1920, height: 1080))]
  @Option(parsing: .unconditional, help: ArgumentHelp("How often each is run.", valueName: "n"))
  var count = 30
  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (3...1000).contains(count) else { throw ValidationError("--count takes 3 to 1000") }
  }

  private static let formats: [(name: String, format: PixelFormat)] = [
    ("RGBA, 8 bits", .rgba8), ("4:2:0, 8 bits", .yuv420Video8),
    ("4:2:0, 10 bits", .yuv420Video10), ("RGBA, half", .rgbaHalf),
  ]

  private struct Row: Encodable {
    var width: Int
    var height: Int
    var format: String
    /// Processor seconds of the runtime alone, and of the whole.
    var runtimeSeconds: Double
    var wholeSeconds: Double
    /// A share of the runtime's.
    var overhead: Double
  }

  private struct Report: Encodable {
    var model: String
    var runtime: String
    var rows: [Row] = []
  }

  func run() throws {
    let found = try FoundModel(model, giving: ModelDescription.depth, to: .program)
    let provider = try ModelProvider(found.path, library: found.library, threads: 1)
    found.tell(provider.description, to: .program)
    var report = Report(model: found.path, runtime: found.library.version)
    if !json { printLine("size        format            runtime       whole   overhead") }
    for size in size.map(\.dimensions) {
      for (name, format) in Self.formats {
        let picture = try Self.noise(size, format)
        let row = try waiting { () async throws(CinematicError) -> Row in
          try await measure(provider, picture, name)
        }
        report.rows.append(row)
        guard !json else { continue }
        printLine(
          padded("\(size)", 12) + padded(name, 14)
            + String(format: "%8.2f ms", 1000 * row.runtimeSeconds)
            + String(format: " %8.2f ms", 1000 * row.wholeSeconds)
            + String(format: "   %5.2f %%", 100 * row.overhead))
      }
    }
    if json { try printJSON(report) }
  }

  private func measure(
    _ provider: ModelProvider, _ picture: PixelBuffer, _ format: String
  ) async throws(CinematicError) -> Row {
    let input = EstimationInput(picture: picture)
    let tensor = try provider.tensor(for: input)
    var (runtime, whole): ([Double], [Double]) = ([], [])
    // The first turn warms up.
    for turn in 0...count {
      let start = ProcessUsage.current.cpuSeconds
      _ = try provider.run(tensor)
      let middle = ProcessUsage.current.cpuSeconds
      _ = try await provider.estimate(input)
      guard turn > 0 else { continue }
      runtime.append(middle - start)
      whole.append(ProcessUsage.current.cpuSeconds - middle)
    }
    let alone = runtime.median ?? 0
    return Row(
      width: picture.width, height: picture.height, format: format, runtimeSeconds: alone,
      wholeSeconds: whole.median ?? 0,
      overhead: (zip(whole, runtime).map { $0 - $1 }.median ?? 0) / alone)
  }

  private static func noise(
    _ size: Dimensions, _ format: PixelFormat
  ) throws(CinematicError) -> PixelBuffer {
    // Clips are of BT.709, which is one step more than a screen's own codes.
    let picture = try PixelBuffer(
      dimensions: size, format: format, tags: format.isBiPlanar ? .bt709 : .sRGB)
    var state: UInt32 = 1
    picture.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        let byte = UInt8(truncatingIfNeeded: state >> 24)
        // Halfs of 0.5 to 1.
        bytes[index] = format == .rgbaHalf && index % 2 == 1 ? 0x38 | byte & 3 : byte
      }
    }
    return picture
  }
}
