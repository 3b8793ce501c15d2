// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ConformanceKit
import FocalCore
import FocalDevices
import FocalRendering

struct ConformCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "conform",
    abstract: "Hold the devices to the processor: kernel by kernel, then in whole frames.",
    discussion: """
      The reference is the processor on one thread. A device passes a case when its bits are equal, \
      or within the case's tolerance; with --strict only when they are equal. The same seed gives \
      the same cases, and --case repeats one of them:

        focal conform --device vulkan --seed 7 --case sizes/1x1

      With --device all, drivers that are missing, and devices that cannot be used, are told and left out: the run passes \
      without them. --require-all fails then; so does a device that is named and not there.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Devices, as 'focal devices' lists them.", valueName: "device"))
  var device: [String] = ["all"]
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Decides what the cases' pictures and maps show.", valueName: "n"))
  var seed: UInt64 = 1
  @Option(
    name: .customLong("case"), parsing: .upToNextOption,
    help: ArgumentHelp(
      "Only cases whose names begin with one of these, such as kernels or radii/16.",
      valueName: "name"))
  var cases: [String] = []
  @Flag(help: "Take no difference at all.")
  var strict = false
  @Flag(help: "With --device all: fail if a driver or a device is left out.")
  var requireAll = false
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the pictures of failed cases go: actual, reference, difference.", valueName: "folder"))
  var output: String?
  @Flag(help: "List the cases and run none.")
  var list = false
  @Flag(help: "Print a line for every case.")
  var verbose = false
  @Flag(help: "Print a line of JSON for every case, and one for every device.")
  var json = false

  func validate() throws {
    guard takesAll || !requireAll else {
      throw ValidationError("--require-all needs --device all: one that is named has to be there")
    }
  }

  func run() throws {
    let isMeant = { (name: String) in
      cases.isEmpty || cases.contains { name.hasPrefix($0) }
    }
    let reference = Device.cpu(threadCount: 1)
    let all = ConformanceRun(reference, seed: seed)
    let kernelCases = all.kernelCases.filter { isMeant($0.name) }
    let frameCases = all.frameCases.filter { isMeant($0.name) }
    // One that is misspelled beside others would pass without a case.
    let idle = cases.filter { name in
      !(kernelCases + frameCases).contains { $0.name.hasPrefix(name) }
    }
    guard idle.isEmpty else {
      throw CinematicError(
        .invalidParameter, "no case begins with \(idle.joined(separator: " or "))",
        remedy: "--list shows the cases")
    }
    if list {
      for item in kernelCases + frameCases {
        try json ? printJSON(ConformReport.Listed(name: item.name)) : printLine(item.name)
      }
      return
    }
    let (devices, skipped) = try chosen()
    var failed = false
    for device in devices {
      let run = ConformanceRun(device, reference: reference, isStrict: strict, seed: seed)
      var report = ConformReport(device: device, seed: seed)
      if !json { printLine("device \(device)") }
      for item in kernelCases where !report.isLost { try add(run.runKernels(item), to: &report) }
      for item in frameCases where !report.isLost { try add(run.runFrame(item), to: &report) }
      try json ? printJSON(report.summary) : printLine("  \(report.line)")
      failed = failed || report.failed > 0
    }
    for device in skipped {
      if json {
        try printJSON(ConformReport.Skipped(skipped: device.name, reason: device.reason))
      } else {
        printLine("skipped \(device)")
      }
    }
    // The failures are reported already.
    if failed { throw ExitCode(1) }
    if requireAll, !skipped.isEmpty {
      throw CinematicError(
        .deviceLost, "left out: \(skipped.map(\.name).joined(separator: ", "))",
        remedy: "install what is missing, or leave out --require-all")
    }
  }

  private var takesAll: Bool { device.map { $0.lowercased() } == ["all"] }

  private func chosen() throws(CinematicError) -> (devices: [Device], skipped: [SkippedDevice]) {
    guard takesAll else { return (try DeviceSearch.devices(device), []) }
    let catalog = DeviceCatalog(probe: DeviceSearch.probe)
    return (catalog.devices, catalog.skipped)
  }

  private func add(_ result: ConformanceResult, to report: inout ConformReport) throws {
    report.add(result)
    var paths: [String] = []
    if let output, result.verdict == .failed, let pictures = result.pictures {
      // The largest difference becomes white.
      let largest = result.largest.isFinite ? result.largest : 1023
      paths = try PictureOutput.write(
        actual: pictures.actual, reference: pictures.reference,
        amplification: max(1, 1023 / max(largest, 1e-3)), to: output,
        name: "\(report.device.identifier)-\(result.name)")
    }
    if json {
      try printJSON(
        ConformReport.Case(
          device: report.device.identifier, name: result.name, verdict: result.verdict.rawValue,
          differing: result.differing, largest: result.largest, tolerance: result.tolerance,
          notes: result.notes, pictures: paths))
    } else if verbose || result.verdict == .failed {
      printLine("  \(result.verdict) \(result.name)")
      for note in result.notes { printLine("    \(note)") }
      if result.verdict == .failed { printLine("    tolerance: \(result.tolerance)") }
      for path in paths { printLine("    \(path)") }
    }
  }
}
