// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Waits for asynchronous work. For the program's main thread, which no task runs on.
///
/// - Throws: what the work throws.
func waiting<Value: Sendable, Failure: Error>(
  for body: @escaping @Sendable () async throws(Failure) -> Value
) throws(Failure) -> Value {
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
  outcome.isThere.wait()
  guard let result = outcome.result.withLock({ $0 }) else {
    preconditionFailure("the work ended without a result")
  }
  return try result.get()
}

private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
  let result = Mutex<Result<Value, Failure>?>(nil)
  let isThere = DispatchSemaphore(value: 0)
}
