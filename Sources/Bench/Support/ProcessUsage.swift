// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What this process has used so far.
struct ProcessUsage {
  /// Seconds of processor time on all cores, user and system.
  var cpuSeconds: Double
  /// The largest resident size so far, in bytes.
  var peakBytes: Int

  static var current: ProcessUsage {
    var usage = rusage()
    getrusage(.init(RUSAGE_SELF.rawValue), &usage)
    #if canImport(Darwin)
      let unit = 1  // bytes
    #else
      let unit = 1024
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    return ProcessUsage(
      cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
      peakBytes: Int(usage.ru_maxrss) * unit)
  }
}
