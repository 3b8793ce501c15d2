// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalDevices
import FocalRendering

struct DevicesCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the devices of this machine, and whether they can be trusted.",
    discussion: """
      Each driver is asked in a process of its own, and each device renders two small frames that are \
      compared with the processor's. Their answers are remembered until a driver changes.
      """)

  @Flag(help: "Ask the drivers again, whatever is remembered.")
  var again = false
  @Flag(help: "Print one line of JSON.")
  var json = false

  private struct Report: Encodable {
    struct Row: Encodable {
      var device: String
      var kind: String
      var name: String
      var driver: String
      var memoryBytes: Int?
      var lacks: [String]
      var check: String
      var isTrusted: Bool
    }

    struct Skipped: Encodable {
      var name: String
      var reason: String
    }

    var devices: [Row]
    var skipped: [Skipped]
    var lockdown: String
  }

  func run() throws {
    var probe = DeviceSearch.probe
    probe.isAnew = again
    let catalog = DeviceCatalog(probe: probe)
    let rows = catalog.entries.map { entry in
      Report.Row(
        device: entry.device.identifier, kind: Self.name(of: entry.device.kind),
        name: entry.device.name, driver: entry.device.driver,
        memoryBytes: entry.device.memoryByteCount, lacks: entry.device.missingFeatures,
        check: entry.verdict.description, isTrusted: entry.verdict.isTrusted)
    }
    if json {
      try printJSON(
        Report(
          devices: rows,
          skipped: catalog.skipped.map { Report.Skipped(name: $0.name, reason: $0.reason) },
          lockdown: Lockdown.state))
      return
    }
    let table = rows.map { row in
      [row.device, row.kind, row.name, row.driver, Self.text(bytes: row.memoryBytes), row.check]
    }
    let lines = TextTable(
      header: ["device", "kind", "name", "driver", "memory", "check"], rows: table
    ).lines
    printLine(lines[0])
    for (line, row) in zip(lines.dropFirst(), rows) {
      printLine(line)
      if !row.lacks.isEmpty { printLine("  lacks \(row.lacks.joined(separator: ", "))") }
    }
    for skipped in catalog.skipped { printLine("skipped \(skipped)") }
    printLine("lockdown: \(Lockdown.state)")
  }

  private static func name(of kind: Device.Kind) -> String {
    switch kind {
    case .cpu: "processor"
    case .integratedGPU: "integrated"
    case .discreteGPU: "discrete"
    case .softwareGPU: "software"
    }
  }

  private static func text(bytes: Int?) -> String {
    guard let bytes else { return "host's" }
    let tenths = Double(bytes) / 1e8
    return "\(tenths.rounded() / 10) GB"
  }
}
