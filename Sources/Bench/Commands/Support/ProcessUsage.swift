// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The resources that this process has used so far.
package struct ProcessUsage {
  /// Seconds of processor time on all cores, user and system.
  package var cpuSeconds: Double
  /// The largest resident size so far, in bytes.
  package var peakBytes: Int

  package static var current: ProcessUsage {
    var usage = rusage()
    getrusage(.init(RUSAGE_SELF.rawValue), &usage)
    return ProcessUsage(usage)
  }

  /// The resources that its ended children used.
  package static var children: ProcessUsage {
    var usage = rusage()
    getrusage(.init(RUSAGE_CHILDREN.rawValue), &usage)
    return ProcessUsage(usage)
  }

  private init(_ usage: rusage) {
    #if canImport(Darwin)
      let unit = 1  // bytes
    #else
      let unit = 1024
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    peakBytes = Int(usage.ru_maxrss) * unit
  }
}
