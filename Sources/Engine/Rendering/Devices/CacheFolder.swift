// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the engine keeps what it can make again: compiled programs, verdicts on drivers.
package enum CacheFolder {
  /// `FOCAL_CACHE_DIR`, else `focal` in `XDG_CACHE_HOME`, else `~/.cache/focal`; `nil` where the
  /// environment names none. It need not exist.
  package static var path: String? { path { name in getenv(name).map { String(cString: $0) } } }

  package static func path(environment: (String) -> String?) -> String? {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let folder = value("FOCAL_CACHE_DIR") { return folder }
    // A relative path there is to be ignored, as the specification of these folders has it.
    if let caches = value("XDG_CACHE_HOME"), caches.hasPrefix("/") { return "\(caches)/focal" }
    return value("HOME").map { "\($0)/.cache/focal" }
  }
}
