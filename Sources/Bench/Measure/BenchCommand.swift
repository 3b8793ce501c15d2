// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalRendering
import FocalSample
import Foundation

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure speed and picture quality on scenes whose true lens picture is known.",
    discussion: """
      Speed: frames rendered from and to half-float pictures in memory, after one that warms up. \
      Quality: the layered scene of four planes (radii up to 32 pixels at 1920) against its \
      lens-sampled truth, in display space.
      """)

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Qualities to measure.", valueName: "quality"))
  var quality: [QualityArgument] = QualityArgument.allCases
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Sizes to time. (default: 1280x720, 1920x1080, 3840x2160)", valueName: "wxh"),
    transform: SizeArgument.init(parsing:))
  var size: [SizeArgument] = [
    SizeArgument(dimensions: Dimensions(width: 1280, height: 720)),
    SizeArgument(dimensions: Dimensions(width: 1920, height: 1080)),
    SizeArgument(dimensions: Dimensions(width: 3840, height: 2160)),
  ]
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Largest radii to time, in pixels; by default 1/60 of the width.",
      valueName: "px"))
  var radius: [Float] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Frames timed for each figure.", valueName: "n"))
  var frames: Int = 3
  @Option(help: "The device: auto or cpu.")
  var device: String = "auto"
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Threads of the CPU device.", valueName: "n"))
  var threads: Int?
  @Flag(help: "Leave out the picture's quality.")
  var speedOnly = false
  @Flag(help: "Leave out the speed.")
  var qualityOnly = false
  @Flag(help: "Show the time of every kernel.")
  var kernels = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Lens points of the truth.", valueName: "n"))
  var lensPoints: Int = 800
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Decides the scene's details.", valueName: "n"))
  var seed: UInt64 = 1
  @Flag(help: "Print one line of JSON, when all is measured.")
  var json = false

  func validate() throws {
    guard (1...1000).contains(frames) else { throw ValidationError("--frames takes 1 to 1000") }
    guard radius.allSatisfy({ $0 >= 0 && $0 <= 4096 }) else {
      throw ValidationError("--radius takes 0 to 4096 pixels")
    }
    guard (1...100_000).contains(lensPoints) else {
      throw ValidationError("--lens-points takes 1 to 100000")
    }
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes 1 to 1024")
    }
    guard !speedOnly || !qualityOnly else {
      throw ValidationError("give --speed-only or --quality-only, not both")
    }
  }

  private struct Report: Encodable {
    var device: String
    var deviceName: String
    var speed: [SpeedResult]
    var quality: [QualityResult]
  }

  func run() throws {
    let device = try FocalCommand.device(named: device, threads: threads)
    var report = Report(
      device: device.identifier, deviceName: device.name, speed: [], quality: [])
    let qualities = quality.map(\.quality)
    if !json { print("device \(device)") }
    if !qualityOnly {
      if !json { print(SpeedResult.header) }
      for size in size.map(\.dimensions) {
        for radius in radius.isEmpty ? [Float(size.width) / 60] : radius {
          let test = try SpeedTest(seed: seed, size: size, radius: radius, frames: frames)
          for quality in qualities {
            let result = try test.measure(quality, on: device, kernels: kernels)
            report.speed.append(result)
            if !json { print(result.row) }
          }
        }
      }
    }
    if !speedOnly {
      if !json { print(QualityResult.header) }
      for test in try QualityTest.all(seed: seed, lensPoints: lensPoints) {
        for quality in qualities {
          let result = try test.measure(quality, on: device)
          report.quality.append(result)
          if !json { print(result.row) }
        }
      }
    }
    if json { try printJSON(report) }
  }
}
