// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import FocalCommands

@Suite struct BenchTests {
  @Test func speed() async throws {
    let folder = Folder()
    let outcome = try await works(
      [
        "bench", "--json", "--speed-only", "--size", "64x36", "33x17", "--frames", "1",
        "--quality", "preview", "export", "--radius", "0", "3", "--plot", "plot.svg",
        "--device", "cpu",
      ], in: folder)
    let report = try #require(outcome.objects().first)
    #expect(outcome.outputLines.count == 1)
    let speed = try #require(report["speed"] as? [[String: Any]])
    #expect(speed.count == 8)
    for row in speed {
      for key in ["milliseconds", "framesPerSecond", "computeMilliseconds", "floorMilliseconds"] {
        #expect((row[key] as? Double ?? 0) > 0, "\(key)")
      }
      #expect(row["allocationsOnceWarm"] as? Int == 0)
      for key in [
        "cpuSecondsPerFrame", "peakMegabytes", "workingMegabytes", "radius", "uploadMilliseconds",
        "downloadMilliseconds",
      ] {
        #expect(row[key] as? Double != nil, "\(key)")
      }
      #expect(row["device"] as? String == "cpu")
    }
    let devices = try #require(report["devices"] as? [[String: Any]])
    #expect(devices.count == 1)
    #expect((devices.first?["copyRate"] as? Double ?? 0) > 1e6)
    #expect((report["quality"] as? [Any])?.isEmpty == true)
    #expect(folder.names == ["plot.svg"])
    let plot = String(decoding: folder.read("plot.svg"), as: UTF8.self)
    #expect(plot.hasPrefix("<svg ") && plot.hasSuffix("</svg>\n"))
    for text in ["preview", "export", "megapixels", ">cpu<"] { #expect(plot.contains(text)) }
  }

  @Test func discs() async throws {
    let folder = Folder()
    let outcome = try await works(
      [
        "bench", "--json", "--discs", "--quality", "preview", "--radius", "12", "--device", "cpu",
      ], in: folder)
    let report = try #require(outcome.objects().first)
    let discs = try #require(report["discs"] as? [[String: Any]])
    #expect(discs.map { $0["radius"] as? Double } == [-12, 12])
    for disc in discs {
      #expect((disc["ripple"] as? Double ?? 1) < 0.06)
      #expect((disc["edge"] as? Double ?? 9) < 3)
      #expect(abs((disc["energy"] as? Double ?? 0) - 1) < 0.005)
    }
    #expect((report["speed"] as? [Any])?.isEmpty == true)
  }

  @Test func badValues() async throws {
    let folder = Folder()
    for options in [
      ["--frames", "0"], ["--size", "0x1"], ["--quality", "best"], ["--radius", "nan"],
      ["--threads", "0"], ["--speed-only", "--quality-only"], ["--plot", "plot.png"],
      ["--plot", "plot.svg", "--quality-only"], ["--vs", "magic"], ["--discs", "--kernels"],
    ] {
      try await refuses(["bench"] + options, in: folder, code: 64, naming: [options[0]])
    }
    try await refuses(["bench", "--device", "gpu9"], in: folder, naming: ["gpu9"])
  }

  /// What is not measured takes no options.
  @Test func optionsWithoutEffect() async throws {
    let folder = Folder()
    for (mode, option) in [
      (["--quality-only"], ["--frames", "2"]), (["--quality-only"], ["--size", "64x36"]),
      (["--quality-only"], ["--kernels"]), (["--speed-only"], ["--lens-points", "9"]),
      (["--discs"], ["--size", "64x36"]), (["--discs"], ["--seed", "2"]),
      (["--scenes"], ["--radius", "9"]), (["--scenes"], ["--blades", "5"]),
      (["--passes"], ["--frames", "2"]), ([], ["--force"]),
    ] {
      try await refuses(
        ["bench"] + mode + option, in: folder, code: 64, naming: mode + [option[0]])
    }
  }

  /// Nothing is measured for a drawing that cannot be written, and none is replaced.
  @Test func drawingsAreOutputs() async throws {
    let folder = Folder()
    folder.write(Array("precious".utf8), to: "there.svg")
    folder.make("folder.svg")
    let bench = [
      "bench", "--speed-only", "--size", "64x36", "--frames", "1", "--quality", "preview",
      "--device", "cpu", "--plot",
    ]
    try await refuses(bench + ["there.svg"], in: folder, naming: ["there.svg", "--force"])
    try await refuses(bench + ["no/plot.svg"], in: folder, naming: ["no/plot.svg"])
    try await refuses(bench + ["folder.svg", "--force"], in: folder, naming: ["folder.svg"])
    try await works(bench + ["there.svg", "--force"], in: folder)
    #expect(String(decoding: folder.read("there.svg"), as: UTF8.self).hasPrefix("<svg "))
  }

  @Test func rivals() async throws {
    let folder = Folder()
    let arguments = [
      "bench", "--json", "--speed-only", "--size", "64x36", "--frames", "1", "--quality",
      "thumbnail", "--vs", "ffmpeg", "--device", "cpu",
    ]
    let missing = try await Program.focal(
      arguments.filter { $0 != "--json" }, in: folder, after: "export PATH=/nowhere")
    expectOneLine(missing, naming: ["ffmpeg", "--vs"])
    // Its quality alone is measured, too.
    let quality = try await Program.focal(
      ["bench", "--quality-only", "--vs", "ffmpeg", "--device", "cpu"], in: folder,
      after: "export PATH=/nowhere")
    expectOneLine(quality, naming: ["ffmpeg", "--vs"])
    for mode in ["--discs", "--scenes", "--passes"] {
      try await refuses(
        ["bench", mode, "--vs", "ffmpeg"], in: folder, code: 64, naming: [mode, "--vs"])
    }
    let outcome = try await Program.focal(arguments, in: folder)
    if outcome.code != 0, outcome.errors.contains("no ffmpeg on PATH") {
      return  // this machine has none, which the first half of the test covers
    }
    #expect(outcome.code == 0, "\(outcome.errors)")
    let speed = try #require(outcome.objects().first?["speed"] as? [[String: Any]])
    #expect(speed.map { $0["device"] as? String } == ["cpu", "ffmpeg"])
    #expect((speed.last?["milliseconds"] as? Double ?? 0) > 0)
  }

  @Test func aPlotOfNothingIsAPlot() {
    #expect(BenchPlot([]).svg.hasPrefix("<svg "))
    let one = SpeedResult(
      device: "a<b", quality: "export", width: 10, height: 10, radius: 0, milliseconds: 1,
      cpuSecondsPerFrame: 1)
    #expect(BenchPlot([one]).svg.contains("a&lt;b"))
  }
}
