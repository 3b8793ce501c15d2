// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalMedia
import Foundation
import Testing

/// The libraries name parameters, and the programs alone name options.
@Suite struct OptionNameTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

  /// The lines of Swift that are no comments, by the path of their file in Sources.
  private static func lines() throws -> [(file: String, text: String)] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    return try names.sorted().filter { $0.hasSuffix(".swift") }.flatMap { name in
      let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
      return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.hasPrefix("//") }.map { (name, $0) }
    }
  }

  @Test func librariesNameNoOptions() throws {
    // Arguments of child programs are literals of their own.
    let starters = ["Editor/Editor.swift", "Editor/Documents/MovieDocument.swift"]
    let lines = try Self.lines().filter {
      !$0.file.hasPrefix("Bench/") && !$0.file.hasPrefix("Tools/")
    }
    #expect(lines.count > 10_000)
    for (file, line) in lines where line.contains("--") {
      // An option of another program.
      let text = line.replacingOccurrences(of: "iconv --list", with: "")
      let isStarter = starters.contains(file) || file.hasPrefix("Backends/Devices/Probe/")
      let left = isStarter ? text.replacing(/"--[a-z-]+"/, with: "") : text
      #expect(left.firstMatch(of: /--[a-z]/) == nil, "\(file): \(line)")
    }
  }

  @Test func librariesNameNoCommands() throws {
    for (file, line) in try Self.lines()
    where !file.hasPrefix("Bench/") && !file.hasPrefix("Tools/") {
      #expect(line.firstMatch(of: /(with|by|run) '?focal [a-z]/) == nil, "\(file): \(line)")
    }
  }

  /// Errors that the programs tell people are worded with options.
  @Test func programsTellErrorsWithOptions() throws {
    let lines = try Self.lines().filter { $0.file.hasPrefix("Bench/") && $0.text.contains("error") }
    for (file, line) in lines {
      #expect(!line.contains("error.remedy"), "\(file): \(line)")
      #expect(!line.contains("message: error.message"), "\(file): \(line)")
      // What Foundation throws has no remedy.
      guard !file.hasSuffix("/CaptionsCommand.swift") else { continue }
      #expect(!line.contains(#"\(error)"#), "\(file): \(line)")
    }
  }

  @Test func everyParameterHasAnOption() throws {
    let declarations = try Self.lines().filter {
      $0.file.hasSuffix("/Parameters.swift") || $0.file.hasSuffix("/CinematicError+Wording.swift")
    }
    let names = declarations.compactMap {
      $0.text.firstMatch(of: #/static let \w+ = Self\(rawValue: "([^"]+)"\)/#).map { String($0.1) }
    }
    #expect(Set(names).count == names.count)
    #expect(Set(names) == Set(optionNames.keys))
    for (name, option) in optionNames {
      #expect(option.hasPrefix("--") || option.hasPrefix("focal "), "\(name)")
    }
  }

  @Test func bothWordings() {
    let error = CinematicError(
      .incomplete, "a.exr holds several pictures: a, b",
      remedy: "choose one with \(parameter: .layer), or give \(parameter: .missing, to: "skip")")
    let api = "choose one with ReadOptions.layer, or give ReadOptions.missing = skip"
    #expect(error.remedy == api)
    let program = "choose one with --layer, or give --on-missing skip"
    #expect(error.toldRemedy == program)
    #expect(error.told == "a.exr holds several pictures: a, b; \(program)")
  }
}
