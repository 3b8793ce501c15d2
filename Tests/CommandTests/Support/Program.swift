// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Builds of Scripts/sanitize.
enum Sanitizers {
  static let areOn = ProcessInfo.processInfo.environment["FOCAL_SANITIZER"] != nil
}

/// The built `focal`, and what a run of it gave.
enum Program {
  /// How a run ended.
  struct Outcome {
    /// The exit code; of a run that a signal ended, the signal's number negated.
    var code: Int32
    var output: String
    var errors: String
    /// From its start, without the wait for its turn.
    var duration: Duration

    var outputLines: [String] { output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// Every line of standard output as a JSON object.
    func objects() throws -> [[String: Any]] { try Self.objects(outputLines) }

    /// Every line of standard error as a JSON object.
    func errorObjects() throws -> [[String: Any]] { try Self.objects(errorLines) }

    private static func objects(_ lines: [String]) throws -> [[String: Any]] {
      try lines.map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object, "not a JSON object: \(line)")
      }
    }
  }

  /// The program lies beside the test bundle that this code is in.
  static let path: String = {
    let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let places = [
      folder, Bundle.main.bundleURL,
      URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
    ]
    let paths = places.map { $0.appendingPathComponent("focal").path }
    return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? paths[0]
  }()

  /// Runs `focal` in a folder.
  static func focal(_ arguments: [String], in folder: Folder) async throws -> Outcome {
    try await run([path] + arguments, in: folder)
  }

  /// Runs `focal` under a shell that first runs `preparation`.
  static func focal(
    _ arguments: [String], in folder: Folder, after preparation: String
  ) async throws -> Outcome {
    try await run(
      ["/bin/bash", "-c", "\(preparation); exec \"$@\"", "bash", path] + arguments, in: folder)
  }

  /// Runs a line of a shell, in which `focal` is the program. The line fails where any part of it does.
  static func shell(_ line: String, in folder: Folder) async throws -> Outcome {
    try await run(
      ["/bin/bash", "-o", "pipefail", "-c", "focal() { \"$0\" \"$@\"; }; \(line)", path],
      in: folder)
  }

  private static let turns = Turns(2)

  /// Runs a command to its end.
  ///
  /// - Parameter meanwhile: given the process's number and the file that its standard output goes to.
  static func run(
    _ command: [String], in folder: Folder,
    meanwhile: (@Sendable (_ process: Int32, _ output: String) async -> Void)? = nil
  ) async throws -> Outcome {
    await turns.take()
    do {
      let outcome = try await runNow(command, in: folder, meanwhile: meanwhile)
      await turns.giveBack()
      return outcome
    } catch {
      await turns.giveBack()
      throw error
    }
  }

  /// Waits while a run goes on until something is so: ten minutes at most, for machines with much
  /// other work.
  static func wait(for process: Int32, until condition: () -> Bool) async {
    for _ in 0..<120_000 {
      guard kill(process, 0) == 0, !condition() else { return }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Sends a run a signal as soon as something is so, or after ten minutes. The wait has a thread of its own: a task
  /// goes on when other tests leave it a thread, which may be seconds later and after the run's end.
  static func end(
    _ process: Int32, by signal: Int32, when condition: @escaping @Sendable () -> Bool
  ) async {
    await withCheckedContinuation { (over: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread {
        let last = ContinuousClock.now + .seconds(600)
        while kill(process, 0) == 0, !condition(), ContinuousClock.now < last { usleep(2000) }
        kill(process, signal)
        over.resume()
      }
    }
  }

  private static func runNow(
    _ command: [String], in folder: Folder,
    meanwhile: (@Sendable (_ process: Int32, _ output: String) async -> Void)?
  ) async throws -> Outcome {
    // Files, not pipes, which would have to be emptied, and they lie outside of the folder in question.
    let streams = Folder()
    for name in ["out", "err"] { streams.write([], to: name) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardInput = FileHandle.nullDevice
    let handles = ["out", "err"].map { FileHandle(forWritingAtPath: streams.file($0)) }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    let (ends, end) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    process.terminationHandler = { _ in
      end.yield(.now)
      end.finish()
    }
    let start = ContinuousClock.now
    try process.run()
    // Foundation keeps them open as long as the suite runs.
    for handle in handles { try? handle?.close() }
    let number = process.processIdentifier
    let limit = Task {
      try await Task.sleep(for: .seconds(1200))
      Issue.record("\(command.joined(separator: " ")) takes more than twenty minutes")
      kill(number, SIGKILL)
    }
    await meanwhile?(number, streams.file("out"))
    var duration = Duration.zero
    for await instant in ends { duration = instant - start }
    limit.cancel()
    let status = process.terminationStatus
    return Outcome(
      code: process.terminationReason == .exit ? status : -status,
      output: String(decoding: streams.read("out"), as: UTF8.self),
      errors: String(decoding: streams.read("err"), as: UTF8.self), duration: duration)
  }
}

/// Runs `focal`, which must do its work.
@discardableResult
func works(
  _ arguments: [String], in folder: Folder, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> Program.Outcome {
  let outcome = try await Program.focal(arguments, in: folder)
  try #require(
    outcome.code == 0, "\(arguments): \(outcome.code) \(outcome.errors)",
    sourceLocation: sourceLocation)
  #expect(folder.unfinished.isEmpty, sourceLocation: sourceLocation)
  return outcome
}

/// Runs `focal`, which must refuse: with its code, one line that names the things and says what to do,
/// nothing on standard output, and the folder exactly as before.
func refuses(
  _ arguments: [String], in folder: Folder, code: Int32 = 1, naming names: [String],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let before = folder.contents
  let outcome = try await Program.focal(arguments, in: folder)
  expectOneLine(outcome, code: code, naming: names, sourceLocation: sourceLocation)
  #expect(outcome.errorLines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
  #expect(outcome.output.isEmpty, "\(outcome.output)", sourceLocation: sourceLocation)
  #expect(folder.contents == before, "\(folder.names)", sourceLocation: sourceLocation)
}

/// One line of the run's says what is wrong and what to do, and it is the last one.
func expectOneLine(
  _ outcome: Program.Outcome, code: Int32 = 1, naming names: [String],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(outcome.code == code, "\(outcome.errors)", sourceLocation: sourceLocation)
  let errors = outcome.errorLines.filter { $0.hasPrefix("focal: error: ") }
  #expect(errors.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
  let line = outcome.errorLines.last ?? ""
  #expect(line == errors.last, "\(outcome.errors)", sourceLocation: sourceLocation)
  #expect(line.contains("; "), "no remedy: \(line)", sourceLocation: sourceLocation)
  for name in names {
    #expect(line.contains(name), "not named: \(name)", sourceLocation: sourceLocation)
  }
}
