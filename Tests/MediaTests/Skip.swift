// SPDX-License-Identifier: Apache-2.0

import Testing

/// Ends a test, or the argument of one that is under way, as skipped, with the reason. Swift 6.2 has no such end: there the
/// reason is printed.
func skip(_ reason: String) throws {
  #if compiler(>=6.3)
    try Test.cancel(Comment(rawValue: reason))
  #else
    print("skipped: \(reason)")
  #endif
}
