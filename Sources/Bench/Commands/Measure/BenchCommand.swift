// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalRendering
import FocalSample

struct BenchCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure speed and picture quality on scenes whose true lens picture is known.",
    discussion: """
      Speed: frames from and to half-float pictures in memory, after one that warms up; ms is the \
      time of a frame that is waited for, fps what three frames in flight give, upload, compute and \
      download are by the device's clock. The floor is reading source and map once and writing the \
      frame once at the device's own copy rate. Quality: the layered scene of four planes (radii up \
      to 32 pixels at 1920) against its lens-sampled truth, in display space; its map exact, or blurred and of 320x180, \
      as it is and brought to the outline of the head's mask, the true one and the one that a tap finds; lights above display white also \
      without those that something nearer hides from the sharp picture, of which no renderer can know. Discs: \
      lights of 1 and 3 pixels on a dark plane, behind the focus (negative radii) and in front of it. Scenes: each set of \
      focal sample at f/1.4 with its exact map, against its lens-sampled truth, in display space. \
      Passes: the bytes are those of the buffers that a pass is bound to, whole; pools of slices have room for the \
      largest tiles and the most slices that the frame may have.
      """)

  enum Rival: String, ExpressibleByArgument, CaseIterable {
    case ffmpeg
  }

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Qualities to measure.", valueName: "quality"))
  var quality: [QualityArgument] = QualityArgument.allCases
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Sizes to time. (default: 1280x720, 1920x1080, 3840x2160)", valueName: "WxH"),
    transform: SizeArgument.init(parsing:))
  var size: [SizeArgument] = []
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Largest radii to time, in pixels; by default 1/60 of the width.",
      valueName: "px"))
  var radius: [Float] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Frames timed for each figure. (default: 3)", valueName: "n"))
  var frames: Int?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Devices to measure, as 'focal devices' lists them, or all.",
      valueName: "device"))
  var device: [String] = ["auto"]
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Threads of the CPU device.", valueName: "n"))
  var threads: Int?
  @OptionGroup(title: "Shape options, of the speed") var shape: ShapeOptions
  @Option(help: ArgumentHelp("Also measure FFmpeg's varblur filter on the same frames."))
  var vs: Rival?
  @Option(
    help: ArgumentHelp(
      "Draw picture quality against time, and time against radius and pixels, a line a device.",
      valueName: "svg"))
  var plot: String?
  @Flag(help: "Replace an existing drawing.")
  var force = false
  @Flag(help: "Leave out the picture's quality.")
  var speedOnly = false
  @Flag(help: "Leave out the speed.")
  var qualityOnly = false
  @Flag(help: "Measure the discs of small lights, and nothing else.")
  var discs = false
  @Flag(help: "Measure the traced scenes of focal sample, and nothing else.")
  var scenes = false
  @Flag(help: "Count the passes of a frame and the bytes they are bound to, and nothing else.")
  var passes = false
  @Flag(help: "Show the time of every kernel.")
  var kernels = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Lens points of the truth. (default: 800)", valueName: "n"))
  var lensPoints: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Decides the scene's details. (default: 1)", valueName: "n"))
  var seed: UInt64?
  @Flag(help: "Print one line of JSON, when all is measured.")
  var json = false

  func validate() throws {
    guard (1...1000).contains(frames ?? 3) else {
      throw ValidationError("--frames takes 1 to 1000")
    }
    guard radius.allSatisfy({ $0 >= 0 && $0 <= 4096 }) else {
      throw ValidationError("--radius takes 0 to 4096 pixels")
    }
    guard !discs || radius.allSatisfy({ (4...256).contains($0) }) else {
      throw ValidationError("--radius takes 4 to 256 pixels with --discs")
    }
    guard (1...100_000).contains(lensPoints ?? 800) else {
      throw ValidationError("--lens-points takes 1 to 100000")
    }
    try DeviceSearch.validate(threads: threads)
    guard plot?.hasSuffix(".svg") ?? true else {
      throw ValidationError("--plot takes a file name that ends in .svg")
    }
    guard plot != nil || !force else { throw ValidationError("--force needs a --plot") }
    guard modes.count <= 1 else {
      throw ValidationError("give \(modes[0].rawValue) or \(modes[1].rawValue), not both")
    }
    guard let mode = modes.first else { return }
    let idle = idleOptions(of: mode)
    guard idle.isEmpty else {
      throw ValidationError(
        "\(mode.rawValue) makes no use of \(idle.joined(separator: ", ")): leave"
          + (idle.count == 1 ? " it out" : " them out"))
    }
  }

  /// What alone is measured; without one, speed and quality are.
  private enum Mode: String, CaseIterable {
    case speed = "--speed-only"
    case quality = "--quality-only"
    case discs = "--discs"
    case scenes = "--scenes"
    case passes = "--passes"
  }

  private var modes: [Mode] {
    Mode.allCases.filter { mode in
      switch mode {
      case .speed: speedOnly
      case .quality: qualityOnly
      case .discs: discs
      case .scenes: scenes
      case .passes: passes
      }
    }
  }

  /// The options that are given and that a measurement makes no use of.
  private func idleOptions(of mode: Mode) -> [String] {
    let uses: [(name: String, isGiven: Bool, modes: Set<Mode>)] = [
      ("--size", !size.isEmpty, [.speed, .passes]),
      ("--radius", !radius.isEmpty, [.speed, .discs, .passes]),
      ("--frames", frames != nil, [.speed]), ("--vs", vs != nil, [.speed, .quality]),
      ("--plot", plot != nil, [.speed]), ("--kernels", kernels, [.speed]),
      ("--lens-points", lensPoints != nil, [.quality, .scenes]),
      ("--seed", seed != nil, [.speed, .quality, .scenes, .passes]),
    ]
    return uses.filter { $0.isGiven && !$0.modes.contains(mode) }.map(\.name)
      + ([.speed, .passes].contains(mode) ? [] : shape.given)
  }

  private struct Report: Encodable {
    struct Row: Encodable {
      var device: String
      var name: String
      var driver: String
      /// Bytes read plus bytes written a second.
      var copyRate: Double?
    }

    var devices: [Row] = []
    var speed: [SpeedResult] = []
    var quality: [QualityResult] = []
    var discs: [DiscResult] = []
    var scenes: [SceneResult] = []
    var passes: [PassCount] = []
  }

  /// Whether one thing is measured that is neither speed nor the layered scene.
  private var isSpecial: Bool { discs || scenes || passes }

  func run() throws {
    let drawing = try plot.map { path throws(CinematicError) in
      try PlotFile(path, overwrite: force)
    }
    let devices = try DeviceSearch.devices(device, threads: threads)
    let rival = try vs.map { _ in try VarblurTest() }
    var report = Report()
    for device in devices {
      let rate = qualityOnly || isSpecial ? nil : try CopyRate.measure(device)
      report.devices.append(
        .init(
          device: device.identifier, name: device.name, driver: device.driver, copyRate: rate))
      let copies = rate.map { formatted(", copies %.1f GB/s", $0 / 1e9) } ?? ""
      tell("device \(device)\(copies)")
    }
    if discs { try measureDiscs(devices, &report) }
    if scenes { try measureScenes(devices, &report) }
    if passes { try countPasses(devices, &report) }
    if !qualityOnly, !isSpecial { try measureSpeed(devices, rival, &report) }
    if !speedOnly, !isSpecial { try measureQuality(devices, rival, &report) }
    if json { try printJSON(report) }
    try drawing?.write(BenchPlot(report.speed, quality: report.quality).svg)
  }

  /// The sizes to time.
  private var sizes: [Dimensions] {
    guard size.isEmpty else { return size.map(\.dimensions) }
    return [(1280, 720), (1920, 1080), (3840, 2160)].map { Dimensions(width: $0, height: $1) }
  }

  private func speedTest(_ size: Dimensions, _ radius: Float) throws -> SpeedTest {
    try SpeedTest(
      seed: seed ?? 1, size: size, radius: radius, frames: frames ?? 3, shape: shape)
  }

  private func tell(_ line: String) {
    if !json { printLine(line) }
  }

  private func measureSpeed(
    _ devices: [Device], _ rival: VarblurTest?, _ report: inout Report
  ) throws {
    tell(SpeedResult.header)
    for size in sizes {
      for radius in radius.isEmpty ? [Float(size.width) / 60] : radius {
        let test = try speedTest(size, radius)
        for (device, row) in zip(devices, report.devices) {
          for quality in quality.map(\.quality) {
            let result = try test.measure(
              quality, on: device, copyRate: row.copyRate ?? .infinity, kernels: kernels)
            report.speed.append(result)
            tell(result.row)
          }
        }
        if let rival {
          let result = try rival.measure(test)
          report.speed.append(result)
          tell(result.row)
        }
      }
    }
  }

  private func countPasses(_ devices: [Device], _ report: inout Report) throws {
    for size in sizes {
      for radius in radius.isEmpty ? [Float(size.width) / 60] : radius {
        let test = try speedTest(size, radius)
        for device in devices {
          for quality in quality.map(\.quality) {
            let count = PassCount(
              try test.passes(quality, on: device), device: device, quality, test)
            report.passes.append(count)
            count.lines.forEach(tell)
          }
        }
      }
    }
  }

  private func measureQuality(
    _ devices: [Device], _ rival: VarblurTest?, _ report: inout Report
  ) throws {
    tell(QualityResult.header)
    for test in try QualityTest.all(seed: seed ?? 1, lensPoints: lensPoints ?? 800) {
      for device in devices {
        for quality in quality.map(\.quality) {
          let result = try test.measure(quality, on: device)
          report.quality.append(result)
          tell(result.row)
        }
      }
      if let rival, test.mask == nil {
        let result = try rival.quality(test)
        report.quality.append(result)
        tell(result.row)
      }
    }
  }

  private func measureScenes(_ devices: [Device], _ report: inout Report) throws {
    tell(SceneResult.header)
    for kind in SampleScene.Kind.allCases {
      let test = try SceneTest(kind, seed: seed ?? 1, lensPoints: lensPoints ?? 800)
      for device in devices {
        for quality in quality.map(\.quality) {
          let result = try test.measure(quality, on: device)
          report.scenes.append(result)
          tell(result.row)
        }
      }
    }
  }

  /// Radius by radius, and the mean over the radii.
  private func measureDiscs(_ devices: [Device], _ report: inout Report) throws {
    tell(DiscResult.header)
    let radii = radius.isEmpty ? DiscTest.radii : radius.flatMap { [-$0, $0] }
    for device in devices {
      for quality in quality.map(\.quality) {
        var results: [DiscResult] = []
        for radius in radii {
          let result = try DiscTest(radius: radius).measure(quality, on: device)
          results.append(result)
          tell(result.row)
        }
        report.discs += results
        func mean(_ value: (DiscResult) -> Double) -> Double {
          results.map(value).reduce(0, +) / Double(results.count)
        }
        tell(
          DiscResult(
            device: device.identifier, quality: quality.description, radius: 0,
            ripple: mean(\.ripple), edge: mean(\.edge), energy: mean(\.energy)
          ).row + "  mean")
      }
    }
  }
}
