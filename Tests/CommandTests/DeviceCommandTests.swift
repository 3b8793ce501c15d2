// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCore
import Foundation
import Testing

@testable import FocalCommands

/// `focal devices` and `focal conform`, and `--device`.
@Suite struct DeviceCommandTests {
  @Test func devices() async throws {
    let folder = Folder()
    let table = try await works(["devices"], in: folder)
    #expect(table.outputLines.first?.hasPrefix("device") == true)
    #expect(table.outputLines.contains { $0.hasPrefix("cpu ") && $0.hasSuffix("the reference") })
    let outcome = try await works(["devices", "--json"], in: folder)
    #expect(outcome.outputLines.count == 1)
    let report = try #require(outcome.objects().first)
    let rows = try #require(report["devices"] as? [[String: Any]])
    let processor = try #require(rows.first { $0["device"] as? String == "cpu" })
    #expect(processor["isTrusted"] as? Bool == true)
    for row in rows {
      for key in ["kind", "name", "driver", "check"] { #expect(row[key] is String, "\(key)") }
      #expect(row["lacks"] is [Any])
    }
    #expect((report["lockdown"] as? String)?.contains("no network") == true)
    let open = try await works(["--no-lockdown", "devices", "--json"], in: folder)
    #expect((try open.objects().first?["lockdown"] as? String)?.contains("--no-lockdown") == true)
    for skipped in try #require(report["skipped"] as? [[String: Any]]) {
      #expect((skipped["reason"] as? String)?.isEmpty == false)
    }
    #expect(folder.names.isEmpty)
  }

  /// A command that starts another one passes on what it was told.
  @Test func optionsForOthers() {
    var options = DeviceOptions()
    (options.device, options.threads) = ("auto", nil)
    #expect(options.arguments.isEmpty)
    (options.device, options.threads) = ("vulkan", 3)
    #expect(options.arguments == ["--device", "vulkan", "--threads", "3"])
  }

  @Test func conform() async throws {
    let folder = Folder()
    let outcome = try await works(
      [
        "conform", "--device", "cpu", "--case", "kernels/thumbnail", "sizes/1x1", "--strict",
        "--json", "--seed", "9",
      ], in: folder)
    let objects = try outcome.objects()
    let cases = objects.filter { $0["verdict"] != nil }
    #expect(cases.count == 8)
    for item in cases {
      #expect(item["verdict"] as? String == "identical", "\(item)")
      #expect((item["tolerance"] as? String)?.contains("equal") == true)
    }
    let summary = try #require(objects.last)
    #expect(summary["passed"] as? Bool == true)
    #expect(summary["identical"] as? Int == 8)
    #expect(summary["seed"] as? Int == 9)
    let list = try await works(["conform", "--list", "--case", "radii/16"], in: folder)
    #expect(list.outputLines.count == 4)
    #expect(list.outputLines.allSatisfy { $0.hasPrefix("radii/16") })
    let lines = try await works(["conform", "--list", "--json", "--case", "radii/16"], in: folder)
    #expect(try lines.objects().map { $0["name"] as? String } == list.outputLines)
    #expect(folder.names.isEmpty)
    try await refuses(["conform", "--case", "nothing/like"], in: folder, naming: ["nothing/like"])
    // Beside one that there is, too.
    try await refuses(
      ["conform", "--device", "cpu", "--case", "sizes/1x1", "nothing/like"], in: folder,
      naming: ["begins with nothing/like;"])
    try await refuses(["conform", "--device", "gpu9"], in: folder, naming: ["gpu9", "cpu"])
  }

  /// What is left out of all devices is told, and fails the run if all are required.
  @Test func conformOnAllDevices() async throws {
    let folder = Folder()
    let arguments = ["conform", "--device", "all", "--case", "sizes/1x1/thumbnail"]
    let hidden = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"]
    let preparation = "export " + hidden.map { "\($0)=/nowhere" }.joined(separator: " ")
    let outcome = try await Program.focal(arguments, in: folder, after: preparation)
    #expect(outcome.code == 0, "\(outcome.errors)")
    for name in ["Vulkan", "OpenCL"] {
      #expect(
        outcome.outputLines.contains { $0.lowercased().hasPrefix("skipped \(name.lowercased())") },
        "\(outcome.output)")
    }
    let required = try await Program.focal(
      arguments + ["--require-all"], in: folder, after: preparation)
    expectOneLine(required, naming: ["left out", "--require-all"])
    try await refuses(
      ["conform", "--device", "cpu", "--require-all"], in: folder, code: 64,
      naming: ["--require-all", "--device all"])
  }

  @Test func aDeviceThatIsNotThereIsNamedWithThoseThatAre() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try await refuses(
      ["render", "in.png", "--disparity", "map.png", "-o", "out.png", "--device", "gpu9"],
      in: folder, naming: ["gpu9", "auto", "cpu"])
    try await refuses(
      ["render", "in.png", "--disparity", "map.png", "-o", "out.png", "--threads", "0"],
      in: folder, code: 64, naming: ["--threads"])
  }

  /// The program is its own child for asking drivers.
  @Test func probing() async throws {
    let folder = Folder()
    let outcome = try await works(["probe-devices", "cpu"], in: folder)
    let lines = outcome.outputLines.filter { $0.hasPrefix("focal-probe ") }
    #expect(lines.count == 5, "\(outcome.output)")
    #expect(lines.last?.contains("finished") == true)
    let refused = try await Program.focal(["probe-devices", "gamma"], in: folder)
    #expect(refused.code == 64)
  }

  @Test func picturesOfAFailedCase() throws {
    let folder = Folder()
    let actual = try PixelBuffer.linear(5, 3) { x, _ in SIMD3(repeating: Float(x) / 4) }
    let expected = try PixelBuffer.linear(5, 3) { _, _ in SIMD3(repeating: 0.5) }
    let paths = try PictureOutput.write(
      actual: actual, reference: expected, amplification: 2, to: folder.file("new/place"),
      name: "cpu-sizes/5x3")
    #expect(
      paths.map { ($0 as NSString).lastPathComponent }
        == ["actual", "reference", "difference"].map { "cpu-sizes-5x3-\($0).ppm" })
    for path in paths {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(data.starts(with: Data("P6 5 3 65535\n".utf8)))
      #expect(data.count == 13 + 5 * 3 * 6)
    }
    #expect(throws: CinematicError.self) {
      try PictureOutput.write(
        actual: actual, reference: expected, amplification: 2, to: "/proc/nothing", name: "x")
    }
  }
}
