// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import FocalSample
import Foundation

struct BenchSteadyCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "bench-steady",
    abstract: "Measure how much of the flicker of a clip's maps is taken out.",
    discussion: """
      Renders the sample scene with clean maps, with maps whose noise, scale and offset change from frame to \
      frame, and with these made steady. Flicker is the mean difference between frames beyond the clean \
      film's own, in codes of 8 bits; the error is the distance from the clean film.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Size of the film. (default: 640x360)", valueName: "WxH"),
    transform: SizeArgument.init(parsing:))
  var size = SizeArgument(dimensions: Dimensions(width: 640, height: 360))
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Size of the maps. (default: 320x180)", valueName: "WxH"),
    transform: SizeArgument.init(parsing:))
  var mapSize = SizeArgument(dimensions: Dimensions(width: 320, height: 180))
  @Option(parsing: .unconditional, help: ArgumentHelp("How many frames.", valueName: "n"))
  var frames = 40
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of the noise, in relative disparity.", valueName: "d"))
  var noise = 0.02
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of the maps' scale.", valueName: "share"))
  var scaleJitter = 0.01
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Standard deviation of the maps' offset.", valueName: "d"))
  var offsetJitter = 0.005
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Maps before and after one that count.", valueName: "n"))
  var reach = SteadyMaps.usualReach
  @Option(help: ArgumentHelp("From fast to exact.", valueName: "quality"))
  var quality: QualityArgument = .preview
  @Option(parsing: .unconditional, help: ArgumentHelp("Decides noise and scene.", valueName: "n"))
  var seed: UInt64 = 1
  @OptionGroup var device: DeviceOptions
  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (2...300).contains(frames) else { throw ValidationError("--frames takes 2 to 300") }
    guard (1...16).contains(reach) else { throw ValidationError("--reach takes 1 to 16") }
    for (name, deviation) in [
      ("noise", noise), ("scale-jitter", scaleJitter), ("offset-jitter", offsetJitter),
    ] where !(0...1).contains(deviation) {
      throw ValidationError("--\(name) takes a number from 0 to 1")
    }
  }

  /// A film against the one with clean maps.
  private struct Film: Encodable {
    /// Codes of 8 bits from frame to frame, beyond the clean film's.
    var flicker: Double
    /// In dB.
    var psnr: Double
    /// Root mean square difference of the maps from the clean ones.
    var mapError: Double
  }

  private struct Report: Encodable {
    /// The clean film's own differences between frames, in codes.
    var motion: Double
    var given: Film
    var steady: Film
    /// Processor seconds a map.
    var steadySeconds: Double
  }

  func run() throws {
    guard let device = try device.devices().first else { return }
    let report = try waiting { [self] () async throws(CinematicError) -> Report in
      try await measure(on: device)
    }
    if json {
      try printJSON(report)
      return
    }
    printLine(String(format: "the film's own motion: %.3f codes a frame", report.motion))
    printLine("maps     flicker, codes    PSNR, dB   error of the maps")
    for (name, film) in [("given", report.given), ("steady", report.steady)] {
      printLine(
        padded(name, 8)
          + String(format: "%15.3f  %10.2f   %17.4f", film.flicker, film.psnr, film.mapError))
    }
    printLine(String(format: "steady: %.4f CPU s a map", report.steadySeconds))
  }

  private func measure(on device: Device) async throws(CinematicError) -> Report {
    let scene = SampleScene(seed: seed)
    var clean: [PixelBuffer] = []
    var given: [PixelBuffer] = []
    var sharp: [PixelBuffer] = []
    var options = PhoneDisparityOptions()
    options.dimensions = mapSize.dimensions
    for number in 0..<frames {
      let time = Time(value: Int64(number), timescale: 30)
      (options.noise, options.scaleJitter, options.offsetJitter) = (0, 0, 0)
      clean.append(try scene.phoneDisparity(at: time, options: options))
      (options.noise, options.scaleJitter, options.offsetJitter) = (
        noise, scaleJitter, offsetJitter
      )
      given.append(try scene.phoneDisparity(at: time, options: options))
      sharp.append(try scene.frame(at: time, dimensions: size.dimensions).image)
    }
    let usage = ProcessUsage.current
    let maps = given
    let steadier = SteadyMaps(reach: reach) { number in number < maps.count ? maps[number] : nil }
    var steady: [PixelBuffer] = []
    for number in 0..<frames {
      if let map = try await steadier.map(number) { steady.append(map) }
    }
    let steadySeconds = ProcessUsage.current.cpuSeconds - usage.cpuSeconds
    let reference = try await film(sharp, clean, on: device)
    let motion = try Self.motion(reference)
    func compare(_ maps: [PixelBuffer]) async throws(CinematicError) -> Film {
      let film = try await film(sharp, maps, on: device)
      var squares = 0.0
      for (shown, reference) in zip(film, reference) {
        squares +=
          try PictureComparison(shown, reference: reference, includesSSIM: false).meanSquaredError
      }
      return Film(
        flicker: try Self.motion(film) - motion,
        psnr: PictureComparison.psnr(ofMeanSquaredError: squares / Double(frames)),
        mapError: Self.error(of: maps, clean))
    }
    return Report(
      motion: motion, given: try await compare(given), steady: try await compare(steady),
      steadySeconds: steadySeconds / Double(frames))
  }

  /// The film in display codes, focused on the one who is to be seen.
  private func film(
    _ sharp: [PixelBuffer], _ maps: [PixelBuffer], on device: Device
  ) async throws(CinematicError) -> [PixelBuffer] {
    let lead = SampleScene(seed: seed).subjects(at: .zero).first {
      $0.groupID == SampleScene.Group.lead.rawValue
    }
    let focus = Float(lead?.focusDisparity ?? 0.5)
    var film: [PixelBuffer] = []
    for (picture, map) in zip(sharp, maps) {
      let rendered = try await picture.rendered(
        disparity: map, focus: focus, fNumber: 2.8,
        quality: quality.quality,
        attributes: .init(blurScale: Float(SampleScene.suggestedBlurScale)), on: device)
      film.append(try PictureComparison.displayPicture(ofLinear: rendered))
    }
    return film
  }

  /// The mean difference between a frame and the next, in codes.
  private static func motion(_ film: [PixelBuffer]) throws(CinematicError) -> Double {
    var sum = 0.0
    for (earlier, later) in zip(film, film.dropFirst()) {
      let error = try PictureComparison(later, reference: earlier, includesSSIM: false)
        .meanAbsoluteError
      sum += 255 * (error.x + error.y + error.z) / 3
    }
    return sum / Double(film.count - 1)
  }

  private static func error(of maps: [PixelBuffer], _ clean: [PixelBuffer]) -> Double {
    var (squares, count) = (0.0, 0)
    for (map, clean) in zip(maps, clean) {
      for (value, other) in zip(map.cells, clean.cells) {
        squares += Double((value - other) * (value - other))
        count += 1
      }
    }
    return (squares / Double(max(count, 1))).squareRoot()
  }
}
