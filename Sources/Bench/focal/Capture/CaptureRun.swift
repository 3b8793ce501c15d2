// SPDX-License-Identifier: Apache-2.0

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

  /// How long commands wait for the first picture.
  private static let longestWait = Duration.seconds(10)

  /// - Parameter body: what is done beside, once the session runs; cancelled when it is over.
  /// - Throws: what starting throws, and what `body` throws. An order that cannot be done is told.
  func run(
    _ body: @escaping @Sendable (CaptureSession) async throws(CinematicError) -> Void
  ) async throws(CinematicError) {
    try stopAtSignals(session)
    try await session.start()
    let telling = Task { [events = session.events] in
      for await event in events { Self.tell(event) }
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
    let ordering = Task { await obey(since: begin) }
    let timer = Task {
      guard let duration else { return }
      guard (try? await Task.sleep(for: .seconds(duration))) != nil else { return }
      _ = await session.stop()
    }
    if readsOrders { readStandardInput() }
    await session.ended()
    timer.cancel()
    ordering.cancel()
    let failure = await work.value
    await ordering.value
    await telling.value
    if let failure { throw failure }
  }

  private func obey(since begin: ContinuousClock.Instant) async {
    for (index, order) in orders.enumerated() {
      if let time = order.time {
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
      guard !Task.isCancelled else { return tellMissed(orders[index...]) }
      guard await order.obey(on: session, rules) else {
        await session.stop()
        return tellMissed(orders[(index + 1)...])
      }
    }
  }

  private func tellMissed(_ orders: ArraySlice<CaptureOrderLine>) {
    for order in orders { note("the session ended before \(order.name)") }
  }

  /// Reads commands on a thread of its own, which may wait.
  private func readStandardInput() {
    let session = session
    let rules = rules
    Thread.detachNewThread {
      while let line = readLine() {
        let done = DispatchSemaphore(value: 0)
        Task {
          do throws(CinematicError) {
            if let order = try CaptureOrderLine(line), await !order.obey(on: session, rules) {
              await session.stop()
            }
          } catch {
            note("\(error)")
          }
          done.signal()
        }
        done.wait()
      }
    }
  }

  private static func tell(_ event: CaptureEvent) {
    switch event {
    case .sceneMonitoring(let statuses):
      note(statuses.isEmpty ? "there is enough light" : "there is not enough light: add some")
    case .note(let text): note(text)
    case .microphoneLost(let name, let error): note("\(name): \(error); what follows is silent")
    case .journalFailed(let path, let error):
      note("\(path): \(error); the movie is recorded without it")
    case .movieFailed(let path, let error): note("\(path): \(error)")
    case .recovered(let path): note("\(path): recovered from an interrupted recording")
    // The command ends by that error.
    case .recordingEnded, .ended: break
    }
  }
}

/// Ctrl-C, a hang-up or a request to end stops the session, so that its movies become whole; a second one ends the
/// program at once.
private func stopAtSignals(_ session: CaptureSession) throws(CinematicError) {
  let count = Counter()
  try Signals.answer([SIGINT, SIGTERM, SIGHUP]) { number in
    guard count.next() == 1 else { _exit(128 + number) }
    Task { await session.stop() }
  }
  Signals.makeErrorsOfOutput()
}

private final class Counter: Sendable {
  private let value = Mutex(0)

  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}
