// SPDX-License-Identifier: Apache-2.0

import FocalRendering

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Asks drivers in a child process, so that one that crashes or hangs does not take the program with
/// it, and remembers what they said.
///
/// The child process is an executable that calls ``serve(_:)`` with the arguments that follow
/// ``arguments``: the program itself with a hidden command, say.
public struct DeviceProbe: Sendable {
  public var executable: String
  /// The argument that stands before those of ``serve(_:)``.
  public var arguments: [String]
  /// How long a driver may be silent before it is said to hang. The first check of a device compiles
  /// every kernel.
  public var silence: Duration = .seconds(60)
  /// Where verdicts are remembered; `nil` remembers nothing.
  public var cacheFolder: String?
  /// Whether devices that compute on the processor are checked as well. Where they are not, a backend
  /// that has no other device is not loaded, and its devices are left out.
  public var checksSoftwareDevices = true
  /// Whether remembered verdicts are left aside; new ones are remembered.
  public var isAnew = false

  /// Verdicts go to `$FOCAL_CACHE_DIR`, else `$XDG_CACHE_HOME/focal`, else `~/.cache/focal`.
  public init(executable: String, arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
    cacheFolder = CacheFolder.path
  }

  /// The running program as its own child.
  public static func ownExecutable(arguments: [String]) -> DeviceProbe {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    return DeviceProbe(
      executable: own.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
        ?? "/proc/self/exe", arguments: arguments)
  }

  /// The verdicts on a backend's devices: remembered, or found now.
  func record(of backend: String, anew: Bool) -> ProbeRecord {
    let fingerprint = DriverFingerprint.make(executable: executable)
    let cache = cacheFolder.map { VerdictCache(folder: $0) }
    if !anew, !isAnew, let record = cache?.record(of: backend, fingerprint: fingerprint),
      record.checksSoftwareDevices || !checksSoftwareDevices
    {
      return record
    }
    let record = ask(backend)
    if !record.saysNothing { cache?.store(record, of: backend, fingerprint: fingerprint) }
    return record
  }

  /// One child after the other, until one gets through all checks: each leaves out what ended those
  /// before it.
  private func ask(_ backend: String) -> ProbeRecord {
    var failures: [DeviceIdentity: String] = [:]
    while true {
      var record = ProbeRecord()
      record.checksSoftwareDevices = checksSoftwareDevices
      var isListed = false
      var isFinished = false
      var pending: DeviceIdentity?
      let options =
        failures.keys.flatMap { ["--without", $0.identifier] }
        + (checksSoftwareDevices ? [] : ["--hardware"])
      let ending = ChildProcess.run(
        executable, arguments + [backend] + options, silence: silence
      ) { line in
        guard line.hasPrefix(ProbeEvent.mark),
          let event = try? JSONDecoder().decode(
            ProbeEvent.self, from: Data(line.dropFirst(ProbeEvent.mark.count).utf8))
        else { return }
        switch event {
        case .device(let identity):
          record.devices.append(.init(identity: identity, failure: failures[identity]))
        case .skipped(let skipped): record.skipped.append(skipped)
        case .listed: isListed = true
        case .checking(let identity): pending = identity
        case .checked(let identity, let verdict):
          pending = nil
          if let index = record.devices.firstIndex(where: { $0.identity == identity }) {
            record.devices[index].verdict = verdict
          }
        case .finished: isFinished = true
        }
      }
      // A driver that crashes only on the way out has done its work.
      if isFinished { return record }
      switch ending {
      case .interrupted, .notStarted:
        // It says nothing about the driver.
        return ProbeRecord(
          failure: Self.reason(ending, silence, "while its devices were checked"),
          checksSoftwareDevices: checksSoftwareDevices, saysNothing: true)
      case .exited, .signalled, .silent: break
      }
      guard isListed, let pending, failures[pending] == nil else {
        return ProbeRecord(
          failure: Self.reason(ending, silence, "while its devices were listed"),
          checksSoftwareDevices: checksSoftwareDevices)
      }
      failures[pending] = Self.reason(ending, silence, "while it was checked")
    }
  }

  private static func reason(
    _ ending: ChildProcess.Ending, _ silence: Duration, _ when: String
  ) -> String {
    switch ending {
    case .signalled(let signal):
      "its driver crashed \(when) (signal \(signal): \(String(cString: strsignal(signal))));"
        + " update or remove the driver"
    case .interrupted(let signal):
      "interrupted \(when) (signal \(signal): \(String(cString: strsignal(signal)))); try again"
    case .exited(let code):
      "its driver ended the process \(when) (code \(code)); update or remove the driver"
    case .silent:
      "its driver did not answer within \(silence.components.seconds) s \(when);"
        + " update or remove the driver"
    case .notStarted(let reason): "no process could be started to ask its driver: \(reason)"
    }
  }
}
