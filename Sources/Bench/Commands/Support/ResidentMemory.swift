// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The memory that the process holds, where the system tells (Linux).
package enum ResidentMemory {
  /// The largest resident size in bytes since ``restartPeak()``.
  package static var peak: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return Int(line.filter(\.isNumber)).map { $0 * 1024 }
  }

  /// Begins a new peak.
  ///
  /// - Returns: the bytes that are resident now; `nil` where the peak cannot be restarted.
  package static func restartPeak() -> Int? {
    guard (try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))) != nil
    else { return nil }
    return peak
  }
}
