// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The tables of what films and pictures keep, measured again by other programs.
@Suite struct KeptTablesTests {
  struct Table: CustomTestStringConvertible, Sendable {
    var script: String
    var tools: [String]
    var testDescription: String { script }

    /// The programs that this machine lacks.
    var missing: [String] {
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      return tools.filter { tool in
        !folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
      }
    }
  }

  static let tables = [
    Table(script: "formats", tools: ["ffmpeg", "ffprobe", "mediainfo", "exiftool"]),
    Table(script: "picture-formats", tools: ["ffmpeg", "exiftool", "heif-convert"]),
  ]
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func rows(_ text: String) -> [[String]] {
    text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// Whether two cells say the same. Encoders of another version differ a little.
  private static func isSame(_ a: String, _ b: String) -> Bool {
    let decibels = /([0-9]+) dB/
    guard let first = a.firstMatch(of: decibels), let second = b.firstMatch(of: decibels),
      let x = Int(first.1), let y = Int(second.1)
    else { return a == b }
    return abs(x - y) <= 1 && a.replacing(decibels, with: "") == b.replacing(decibels, with: "")
  }

  @Test(
    .enabled(
      if: tables.allSatisfy(\.missing.isEmpty),
      "missing here: \(tables.flatMap(\.missing).joined(separator: ", "))"), arguments: tables)
  func everyCell(_ table: Table) async throws {
    let folder = Folder()
    let outcome = try await Program.run(
      [Self.root.appendingPathComponent("Scripts/\(table.script)").path, Program.path], in: folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let stated = Self.rows(
      try String(
        contentsOf: Self.root.appendingPathComponent("Documentation/\(table.script).md"),
        encoding: .utf8))
    let measured = Self.rows(outcome.output)
    #expect(measured.count == stated.count && stated.count > 8)
    for (now, then) in zip(measured, stated) {
      #expect(now.count == then.count, "\(now)")
      for (a, b) in zip(now, then) where !Self.isSame(a, b) {
        Issue.record("\(then[0]) \(then[1]): \(a) where the table has \(b)")
      }
    }
  }
}
