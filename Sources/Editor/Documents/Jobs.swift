// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// Exports and other long work: the program's own commands, run as they are from a shell, so that what they write is
/// what `focal export` writes. They end with the editor.
actor Jobs {
  private struct Job {
    var item: Message.Jobs.Item
    /// The file that it writes.
    var output: String
    var process: CommandProcess
    /// Removed at the end.
    var scratch: [String]
    var isCancelled = false
  }

  /// The output of a command, or its end.
  private enum Said {
    case line(Data)
    case end(CommandProcess.Ending)
  }

  private let program: String
  private let words: PageWords
  private let send: @Sendable (Data, String?) -> Void
  private var jobs: [Int: Job] = [:]
  private var count = 0
  private static let capacity = 4

  /// - Parameters:
  ///   - program: the path of `focal`.
  ///   - words: of what commands say.
  init(
    program: String, words: PageWords, send: @escaping @Sendable (Data, String?) -> Void
  ) {
    self.program = program
    self.words = words
    self.send = send
  }

  var isBusy: Bool { jobs.values.contains { $0.item.state == "running" } }

  /// Starts a command.
  ///
  /// - Parameters:
  ///   - output: the file that it writes.
  ///   - scratch: files that go when it has ended.
  ///   - whenDone: called with whether it succeeded.
  /// - Throws: `invalidState` where too many run, or one that writes the same file.
  func start(
    _ output: String, _ arguments: [String], scratch: [String] = [],
    whenDone: @escaping @Sendable (Bool) async -> Void = { _ in }
  ) throws(CinematicError) {
    let title = URL(fileURLWithPath: output).lastPathComponent
    let running = jobs.values.filter { $0.item.state == "running" }
    let isTaken = running.contains { $0.output == output }
    guard running.count < Self.capacity, !isTaken else {
      for path in scratch { unlink(path) }
      throw isTaken
        ? CinematicError(
          .invalidState, "\(title) is being written already",
          remedy: "give another name, or wait until it is done")
        : CinematicError(
          .invalidState, "\(Self.capacity) jobs are running already",
          remedy: "wait for one of them, or cancel it")
    }
    count += 1
    let task = count
    let (said, saying) = AsyncStream.makeStream(of: Said.self)
    let process: CommandProcess
    do throws(CinematicError) {
      process = try CommandProcess(program, arguments) {
        saying.yield(.line($0))
      } end: { ending in
        saying.yield(.end(ending))
        saying.finish()
      }
    } catch {
      for path in scratch { unlink(path) }
      throw error
    }
    let item = Message.Jobs.Item(task: task, title: title, done: 0, state: "running", notes: [])
    jobs[task] = Job(item: item, output: output, process: process, scratch: scratch)
    // Of the jobs that have ended, few are listed.
    for old in jobs.values.filter({ $0.item.state != "running" }).map(\.item.task).sorted()
      .dropLast(8)
    {
      jobs[old] = nil
    }
    tell()
    Task { [weak self] in
      for await part in said {
        switch part {
        case .line(let line): await self?.take(line, of: task)
        case .end(let ending):
          await self?.finish(task, ending)
          await whenDone(ending.isSuccess)
        }
      }
    }
  }

  func cancel(_ task: Int) {
    guard let job = jobs[task], job.item.state == "running" else { return }
    jobs[task]?.isCancelled = true
    // As Ctrl-C: nothing unfinished is left.
    job.process.signal(SIGINT)
  }

  /// Ends all jobs, and waits for them.
  func close() async {
    for task in jobs.keys { cancel(task) }
    for _ in 0..<100 where isBusy { try? await Task.sleep(for: .milliseconds(50)) }
    for job in jobs.values where job.item.state == "running" {
      job.process.signal(SIGKILL)
    }
  }

  /// The list of jobs, in the order of what is told about them.
  func describe(to mailbox: Mailbox) { mailbox.post(description(), key: "jobs") }

  private func description() -> Data {
    Message.data(Message.Jobs(jobs: jobs.values.map(\.item).sorted { $0.task < $1.task }))
  }

  private func tell() { send(description(), "jobs") }

  private func finish(_ task: Int, _ ending: CommandProcess.Ending) {
    guard let job = jobs[task] else { return }
    jobs[task]?.item.state = ending.isSuccess ? "done" : job.isCancelled ? "cancelled" : "failed"
    // A program that is ended so has no time to say why.
    if case .signal(let number) = ending, !job.isCancelled {
      jobs[task]?.item.notes.append(Self.note(ofSignal: number))
    }
    for path in job.scratch { unlink(path) }
    tell()
  }

  private static func note(ofSignal number: Int32) -> String {
    guard number == SIGKILL else { return "was ended by signal \(number); begin it again" }
    return "was ended by the system (signal \(number)), perhaps for want of memory;"
      + " export at a smaller size, or close other programs"
  }

  /// A line that a command said, as `--json` has it.
  private struct Line: Decodable {
    var event: String?
    var frames: Int?
    var total: Int?
    var secondsLeft: Double?
    var message: String?
    var remedy: String?
  }

  private func take(_ text: Data, of task: Int) {
    guard jobs[task] != nil else { return }
    guard let line = try? JSONDecoder().decode(Line.self, from: text) else {
      // A line for people, of commands that have no other.
      let plain = String(decoding: text.prefix(2000), as: UTF8.self)
      guard plain.hasPrefix("focal: ") else { return }
      jobs[task]?.item.notes.append(words.said(String(plain.dropFirst(7))))
      return tell()
    }
    switch line.event {
    case "progress":
      jobs[task]?.item.done = line.frames ?? 0
      jobs[task]?.item.total = line.total
      jobs[task]?.item.secondsLeft = line.secondsLeft
    case "note", "error":
      let remedy = line.remedy.map { "; \($0)" } ?? ""
      jobs[task]?.item.notes.append(words.said((line.message ?? "") + remedy))
    default: return
    }
    tell()
  }
}
