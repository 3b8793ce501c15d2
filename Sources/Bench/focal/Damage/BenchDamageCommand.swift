// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalDevices
import FocalMedia
import FocalScript
import Foundation

struct BenchDamageCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "bench-damage",
    abstract: "Read damaged copies of files, and count what comes of it.",
    discussion: """
      Each copy of a movie, a picture, a script (.json) or changes (.focus) has a few bytes changed. In four of five \
      these lie in coded pictures, so that the file around them is whole and decoders get them. Copies are read in a process \
      of its own. A copy that crashes it, that keeps it for more than 20 seconds or takes more memory than the budget is \
      told with its number, and the command ends with an error. The copies are the same in every run with the same --seed. \
      --first goes on where a run was ended.
      """)

  @Argument(help: "The files, which are not changed.")
  var files: [String]
  @Option(parsing: .unconditional, help: ArgumentHelp("How many copies.", valueName: "n"))
  var mutations = 10_000
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Another one gives other copies.", valueName: "n"))
  var seed: UInt64 = 1
  @Option(help: ArgumentHelp("A folder for the copies that were told.", valueName: "folder"))
  var keep: String?
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Print the result as a line of JSON.")
  var json = false
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The number of the first copy.", valueName: "n"))
  var first = 0
  @Option(help: .hidden) var from: Int?

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("name files") }
    guard (1...1_000_000_000).contains(mutations) else {
      throw ValidationError("--mutations takes 1 to 1000000000")
    }
    guard (0..<mutations).contains(first) else {
      throw ValidationError("--first is a number below --mutations")
    }
    if let from, !(0..<mutations).contains(from) { throw ValidationError("--from is too large") }
  }

  func run() throws {
    let copies = try DamagedCopies(of: files, seed: seed)
    if let from { return try read(copies, from: from) }
    let report = try interruptible { try watch(copies) }
    if json {
      try printJSON(report)
    } else {
      printLine(report.summary)
      for finding in report.findings {
        printLine("copy \(finding.copy) of \(finding.file): \(finding.what)")
      }
    }
    if !report.findings.isEmpty { throw ExitCode(1) }
  }

  // MARK: The parent

  private struct Report: Encodable {
    struct Finding: Encodable {
      var copy: Int
      var file: String
      var what: String
    }

    var copies = 0
    /// Of which only coded pictures were changed.
    var inside = 0
    /// Pictures and movies of which a decoder got some: those changed inside, and others that were read whole.
    var decoded = 0
    /// By what reading them gave: `whole`, or the kind of the error.
    var outcomes: [String: Int] = [:]
    var peakBytes = 0
    var slowestMilliseconds = 0
    var slowestCopy = 0
    var findings: [Finding] = []

    var summary: String {
      let kinds = outcomes.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
      return "\(copies) damaged copies, \(inside) changed inside of coded pictures, "
        + "\(decoded) decoded: " + kinds.joined(separator: ", ")
        + "; \(MemoryBudget.text(peakBytes)) at most, copy \(slowestCopy) the slowest with \(slowestMilliseconds) ms"
    }
  }

  /// Findings after which it is enough.
  private static let mostFindings = 20

  private func watch(_ copies: DamagedCopies) throws -> Report {
    var report = Report()
    var next = first
    while next < mutations, report.findings.count < Self.mostFindings {
      let ending = ChildProcess.run(
        DeviceProbe.ownExecutable(arguments: []).executable,
        [
          "bench-damage", "--mutations", "\(mutations)", "--seed", "\(seed)", "--from", "\(next)",
          "--memory-limit", "\(MemoryBudget.byteCount)", "--on-damage", safety.onDamage.rawValue,
        ] + files.map { $0.hasPrefix("-") ? "./\($0)" : $0 }, silence: .seconds(20)
      ) { line in
        let words = line.split(separator: " ")
        guard words.count == 4, let peak = Int(words[2]), let time = Int(words[3]) else { return }
        if time > report.slowestMilliseconds {
          (report.slowestMilliseconds, report.slowestCopy) = (time, next)
        }
        if words[0] == "inside" { report.inside += 1 }
        if words[0] == "inside" || words[1] == "whole" && copies.holdsPictures(next) {
          report.decoded += 1
        }
        next += 1
        report.copies += 1
        report.outcomes[String(words[1]), default: 0] += 1
        let isNew = peak > report.peakBytes
        report.peakBytes = max(report.peakBytes, peak)
        if isNew, peak > MemoryBudget.byteCount {
          found(next - 1, "took \(MemoryBudget.text(peak)) of memory", copies, &report)
        }
      }
      // One that ends before its last copy was ended by it, whatever its code.
      guard next < mutations else { break }
      if case .notStarted(let reason) = ending {
        throw CinematicError(.unknown, "no process could be started: \(reason)")
      }
      found(next, Self.text(ending), copies, &report)
      next += 1
    }
    return report
  }

  private func found(
    _ number: Int, _ what: String, _ copies: DamagedCopies, _ report: inout Report
  ) {
    let copy = copies.copy(number)
    report.findings.append(Report.Finding(copy: number, file: copy.path, what: what))
    guard let keep else { return }
    let name = copy.path.split(separator: "/").last.map(String.init) ?? "copy"
    try? MadeFolders.shared.make(keep)
    _ = FileManager.default.createFile(
      atPath: "\(keep)/\(number)-\(name)", contents: Data(copy.bytes))
  }

  private static func text(_ ending: ChildProcess.Ending) -> String {
    switch ending {
    case .signalled(let signal), .interrupted(let signal):
      "the process ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .exited(let code): "the process ended with code \(code)"
    case .silent: "no answer for 20 s"
    case .notStarted(let reason): reason
    }
  }

  // MARK: The child

  private func read(_ copies: DamagedCopies, from first: Int) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/focal-damage-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for number in first..<mutations {
      let copy = copies.copy(number)
      let ending = copy.path.split(separator: ".").last.map(String.init) ?? "bin"
      let path = "\(folder)/copy.\(ending)"
      try Data(copy.bytes).write(to: URL(fileURLWithPath: path))
      _ = ResidentMemory.restartPeak()
      let start = ContinuousClock.now
      let outcome = waiting { await Self.outcome(of: path, ending) }
      let time = Int((ContinuousClock.now - start) / .milliseconds(1))
      printLine(
        "\(copy.isInside ? "inside" : "anywhere") \(outcome) \(ResidentMemory.peak ?? 0) \(time)")
    }
  }

  /// Pictures of a movie that are read.
  private static let pictureCount = 8

  private static func outcome(of path: String, _ ending: String) async -> String {
    do throws(CinematicError) {
      let data = FileManager.default.contents(atPath: path) ?? Data()
      switch ending {
      case "json": _ = try Script(recording: Recording(jsonRepresentation: data))
      case "focus": _ = try Script.Changes(dataRepresentation: data)
      default:
        let reader = try await FrameReader.open(path)
        for _ in 0..<pictureCount {
          guard try await reader.next() != nil else { break }
        }
        // What an import copies is placed by the file's own times.
        _ = try await CodedClip.search(reader)
        if ending == "mov" { try await readCinematic(path) }
      }
      return "whole"
    } catch {
      return error.code.description
    }
  }

  /// The maps and metadata of a movie that has them.
  private static func readCinematic(_ path: String) async throws(CinematicError) {
    let info = try await AssetInfo(asset: Asset.named(path))
    guard info.capability == .renderable else { return }
    let reader = try await CinematicReader(info)
    for number in 0..<min(reader.frameCount, pictureCount) {
      _ = try await reader.frame(number: number)
    }
  }
}
