// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// The first error of several threads.
final class FirstError: Sendable {
  private let error = Mutex<CinematicError?>(nil)

  func add(_ other: CinematicError) {
    error.withLock { error in error = error ?? other }
  }

  /// - Throws: the error, if there was one.
  func throwIfAny() throws(CinematicError) {
    if let error = error.withLock({ $0 }) { throw error }
  }
}
