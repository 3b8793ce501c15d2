// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import FocalCapture
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import Synchronization

/// Runs a session for a command until it ends, its time is over, or the user ends it.
struct CaptureRun: Sendable {
  var session: CaptureSession
  /// Of the session, in seconds; `nil` for as long as the device lasts.
  var duration: Double?
  /// In the order of the file; those without a time wait for those before them.
  var orders: [CaptureOrderLine] = []
  /// Whether lines come from standard input, too.
  var readsOrders = false
  /// For all of them.
  var rules = CaptureOrderRules()
  /// When so many movies have failed, nothing is left to be recorded, and the session ends; 0 for a session with other
  /// outputs.
  var movieCount = 0

  /// The most seconds of a session: more than three years, and a length that every clock here can count to.
  static let mostSeconds = 1e8
  /// How long commands wait for the first picture.
  private static let longestWait = Duration.seconds(10)

  /// - Throws: `ValidationError` for a `--duration` that is none.
  static func check(duration: Double?) throws {
    guard let duration else { return }
    guard duration > 0, duration <= mostSeconds else {
      throw ValidationError(
        "--duration takes seconds above zero, at most \(Int(mostSeconds)); leave it out to go on until Ctrl-C"
      )
    }
  }

  /// - Parameter body: what is done beside, once the session runs; cancelled when it is over.
  /// - Throws: what starting throws, and what `body` throws. An order that cannot be done is told.
  func run(
    _ body: @escaping @Sendable (CaptureSession) async throws(CinematicError) -> Void
  ) async throws(CinematicError) {
    let signalled = try StopAtSignals(session)
    try await session.start()
    let telling = Task { [session, movieCount] in
      var failures = 0
      for await event in session.events {
        Self.tell(event)
        guard case .movieFailed = event else { continue }
        failures += 1
        if failures == movieCount { await session.stop() }
      }
    }
    let work = Task { () -> CinematicError? in
      do throws(CinematicError) {
        try await body(session)
        return nil
      } catch {
        await session.stop()
        return error
      }
    }
    let begin = ContinuousClock.now
    let ordering = Task {
      await obey(orders, since: begin)
      if readsOrders { await obeyTyped(since: begin) }
    }
    let timer = Task {
      guard let duration else { return }
      guard (try? await Task.sleep(for: .seconds(duration))) != nil else { return }
      _ = await session.stop()
    }
    await session.ended()
    timer.cancel()
    ordering.cancel()
    let failure = await work.value
    await timer.value
    await signalled.value()
    await ordering.value
    await telling.value
    if let failure { throw failure }
  }

  /// - Returns: whether the session goes on.
  @discardableResult private func obey(
    _ orders: [CaptureOrderLine], since begin: ContinuousClock.Instant
  ) async -> Bool {
    // Stills are written beside what follows, which is meant for its own time, and to their end.
    var stills: [Task<Bool, Never>] = []
    let goesOn = await obey(orders, since: begin, &stills)
    for still in stills { _ = await still.value }
    return goesOn
  }

  private func obey(
    _ orders: [CaptureOrderLine], since begin: ContinuousClock.Instant,
    _ stills: inout [Task<Bool, Never>]
  ) async -> Bool {
    for (index, order) in orders.enumerated() {
      if let time = order.time {
        tellIfLate(order, ContinuousClock.now - begin - .seconds(time))
        try? await Task.sleep(until: begin + .seconds(time), clock: .continuous)
      }
      if order.needsPicture {
        // A model's first map takes a while, and lines without a time are meant for the beginning. Those behind them are
        // done at their time.
        let next = orders[(index + 1)...].lazy.compactMap(\.time).first.map { Duration.seconds($0) }
        let end = begin + min(next ?? Self.longestWait, Self.longestWait)
        while await session.metadata == nil, !Task.isCancelled, ContinuousClock.now < end {
          try? await Task.sleep(for: .milliseconds(10))
        }
      }
      guard !Task.isCancelled else {
        tellMissed(orders[index...])
        return false
      }
      if case .photo = order.action {
        // The session writes two at a time.
        if stills.count == 2 { _ = await stills.removeFirst().value }
        stills.append(Task { await order.obey(on: session, rules) })
        continue
      }
      if order.changesStills {
        for still in stills { _ = await still.value }
        stills = []
      }
      guard await order.obey(on: session, rules) else {
        await session.stop()
        tellMissed(orders[(index + 1)...])
        return false
      }
    }
    return true
  }

  /// What commands may be late without a word: pictures are some hundredths of a second apart, and programs wait for
  /// their turn.
  private static let usualDelay = Duration.milliseconds(500)

  private func tellIfLate(_ order: CaptureOrderLine, _ delay: Duration) {
    guard delay > Self.usualDelay else { return }
    note(order.name + String(format: " comes %.1f s late", delay / .seconds(1)))
  }

  private func tellMissed(_ orders: ArraySlice<CaptureOrderLine>) {
    for order in orders { note("the session ended before \(order.name)") }
  }

  /// Does what is typed, each line when the one before it is done.
  private func obeyTyped(since begin: ContinuousClock.Instant) async {
    let taken = DispatchSemaphore(value: 0)
    for await line in Self.typedLines(taken) {
      do throws(CinematicError) {
        if let order = try CaptureOrderLine(line), await !obey([order], since: begin) { return }
      } catch {
        note(error.told)
      }
      taken.signal()
    }
  }

  /// The lines of standard input, read on a thread of its own, which may wait.
  ///
  /// - Parameter taken: signalled for each line before the next one is read.
  private static func typedLines(_ taken: DispatchSemaphore) -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() {
        continuation.yield(line)
        taken.wait()
      }
      continuation.finish()
    }
    return lines
  }

  private static func tell(_ event: CaptureEvent) {
    switch event {
    case .sceneMonitoring(let statuses):
      note(statuses.isEmpty ? "there is enough light" : "there is not enough light: add some")
    case .note(let text): note(text)
    case .microphoneLost(let name, let error):
      note("\(name): \(error.told); what follows is silent")
    case .journalFailed(_, let error):
      note("\(error.told); the movie is recorded without its journal")
    case .journalMoved(let from, let to):
      note("\(from) is of a recording that is no longer there: it is kept as \(to)")
    case .movieFailed(let path, let kept, let error):
      let rest = kept.map {
        "; what was recorded is kept in \($0): finish it with 'focal capture recover \($0)'"
      }
      note("\(path): \(error.told)\(rest ?? "")")
    case .recovered(let path): note("\(path): recovered from an interrupted recording")
    // The command ends by that error.
    case .recordingEnded, .ended: break
    }
  }
}

/// Ctrl-C, a hang-up or a request to end stops the session, so that its movies become whole; a second one ends the
/// program at once.
private final class StopAtSignals: Sendable {
  private let stop = Mutex<Task<Void, Never>?>(nil)

  /// - Throws: what answering signals throws.
  init(_ session: CaptureSession) throws(CinematicError) {
    try Signals.answer([SIGINT, SIGTERM, SIGHUP]) { [self] number in
      stop.withLock { stop in
        guard stop == nil else {
          HelperPrograms.endAll()
          _exit(128 + number)
        }
        stop = Task { _ = await session.stop() }
      }
    }
    Signals.makeErrorsOfOutput()
  }

  /// Waits for a stop that is under way.
  func value() async { await stop.withLock { $0 }?.value }
}
