// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCommands
import FocalCore
import FocalMedia
import Foundation
import Synchronization

/// Waits for asynchronous work. For the program's main thread, which no task runs on.
///
/// - Throws: what the work throws.
func waiting<Value: Sendable, Failure: Error>(
  for body: @escaping @Sendable () async throws(Failure) -> Value
) throws(Failure) -> Value {
  do throws(CinematicError) {
    try ThreadSupply.check()
  } catch {
    end(by: error)
  }
  let outcome = Outcome<Value, Failure>()
  Task {
    let result: Result<Value, Failure>
    do throws(Failure) {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    outcome.result.withLock { $0 = result }
    outcome.isThere.signal()
  }
  var watch = StandstillWatch()
  while outcome.isThere.wait(timeout: .now() + StandstillWatch.step) == .timedOut {
    if watch.standsStill() { end(by: ThreadSupply.shortage(EAGAIN)) }
  }
  guard let result = outcome.result.withLock({ $0 }) else {
    preconditionFailure("the work ended without a result")
  }
  return try result.get()
}

/// Ends the program while work may still hang, which no error could end.
private func end(by error: CinematicError) -> Never {
  TemporaryFiles.shared.removeAll()
  HelperPrograms.endAll()
  MadeFolders.shared.removeEmpty(closing: true)
  tell(
    Failure(
      kind: error.code.description, message: error.toldMessage, remedy: error.toldRemedy,
      exitCode: 1))
  _exit(1)
}

/// Notices work that waits for threads which the system does not allow: queues ask for them again and again, for ever.
private struct StandstillWatch {
  static let step = DispatchTimeInterval.seconds(5)
  /// Steps without work after which no thread is expected any more.
  private static let most = 3

  private var count = 0
  private var processorTime = Self.processorTime

  mutating func standsStill() -> Bool {
    let before = processorTime
    processorTime = Self.processorTime
    // Asking the system takes a little of it, too.
    let isIdle = processorTime - before < 0.1
    count = isIdle && ThreadSupply.isExhausted ? count + 1 : 0
    return count >= Self.most
  }

  /// Of all threads so far, in seconds.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
  let result = Mutex<Result<Value, Failure>?>(nil)
  let isThere = DispatchSemaphore(value: 0)
}
