// SPDX-License-Identifier: Apache-2.0

import CLockdown

/// The handling of memory that is freed.
package enum FreedMemory {
  /// From now on, pictures and maps that are freed do not stay with the program, which may run for hours.
  package static func goesBack() { focal_return_freed_memory() }
}
