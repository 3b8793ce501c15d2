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
  private static let hasBegun = Mutex(false)

  /// Registered once, after drivers have been loaded, so that it runs before what they registered.
  private static let registration: Void = {
    atexit { ProgramEnd.hasBegun.withLock { $0 = true } }
  }()

  /// To be called once drivers are loaded.
  static func watch() { registration }

  /// Destroys something, unless the program is ending; its end waits for `body`.
  static func destroy(_ body: () -> Void) {
    hasBegun.withLock { hasBegun in
      if !hasBegun { body() }
    }
  }
}
