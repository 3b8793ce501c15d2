// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Keeps objects from being destroyed while the program ends.
///
/// The last reference to a device may go on a thread of a queue's, after `main` has returned: by then
/// drivers and layers are taking themselves apart, and a call would crash.
enum ProgramEnd {
  private struct State {
    var hasBegun = false
    /// How many calls of ``destroy(_:)`` are on their way.
    var running = 0
  }

  private static let state = Mutex(State())

  /// Milliseconds that the end waits for what is being destroyed. A device that does not answer would
  /// hold it up for ever.
  private static let longestWait = 5000

  /// Registered once, after drivers have been loaded, so that it runs before what they registered.
  private static let registration: Void = {
    atexit { ProgramEnd.begin() }
  }()

  /// To be called once drivers are loaded.
  static func watch() { registration }

  private static func begin() {
    state.withLock { $0.hasBegun = true }
    for _ in 0..<longestWait where state.withLock({ $0.running > 0 }) { usleep(1000) }
  }

  /// Destroys something, unless the program is ending; its end waits for `body`.
  ///
  /// `body` runs without a lock: a caller's function may be part of it, which takes locks of its own
  /// and lets go of further objects.
  static func destroy(_ body: () -> Void) {
    let isAllowed = state.withLock { state in
      if !state.hasBegun { state.running += 1 }
      return !state.hasBegun
    }
    guard isAllowed else { return }
    body()
    state.withLock { $0.running -= 1 }
  }
}
