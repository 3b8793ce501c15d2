// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import Synchronization

/// Waits for asynchronous work. For the program's main thread, which no task runs on.
///
/// - Throws: what the work throws.
func waiting<Value: Sendable>(
  for body: @escaping @Sendable () async throws(CinematicError) -> Value
) throws(CinematicError) -> Value {
  let outcome = Outcome<Value>()
  Task {
    let result: Result<Value, CinematicError>
    do throws(CinematicError) {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    outcome.result.withLock { $0 = result }
    outcome.isThere.signal()
  }
  outcome.isThere.wait()
  guard let result = outcome.result.withLock({ $0 }) else {
    throw CinematicError(.unknown, "the work ended without a result")
  }
  return try result.get()
}

private final class Outcome<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, CinematicError>?>(nil)
  let isThere = DispatchSemaphore(value: 0)
}
