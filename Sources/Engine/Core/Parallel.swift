// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs `body` for 0..<count, on every core or on a given number of threads.
///
/// The order is not defined: each call writes what no other call writes, so that the result is the
/// same for any number of threads.
///
/// - Parameter threads: 1 runs on the calling thread; `nil` leaves the number to the system.
package func parallelFor(_ count: Int, threads: Int?, _ body: (Int) -> Void) {
  precondition(threads ?? 1 >= 1, "a number of threads is at least 1")
  if threads == 1 {
    for i in 0..<count { body(i) }
    return
  }
  withoutActuallyEscaping(body) { body in
    let work = SharedWork(body: body)
    guard let threads else {
      DispatchQueue.concurrentPerform(iterations: count) { work.body($0) }
      return
    }
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      var i = thread
      while i < count {
        work.body(i)
        i += threads
      }
    }
  }
}

/// A closure that several threads call at once.
// @unchecked Sendable: parallelFor's contract is that its calls write to different places.
private struct SharedWork: @unchecked Sendable {
  let body: (Int) -> Void
}
