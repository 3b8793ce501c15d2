// SPDX-License-Identifier: Apache-2.0

import FocalCore
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

extension DeviceProbe {
  /// The child process's part: lists one backend's devices, checks each, and tells its parent about
  /// every step on standard output.
  ///
  /// - Parameter arguments: the backend's name, then `--hardware` and `--without identifier`.
  /// - Returns: the exit code: 0, or 64 for arguments that are not understood.
  public static func serve(_ arguments: [String]) -> Int32 {
    serve(arguments, modules: BackendModule.all())
  }

  package static func serve(_ arguments: [String], modules: [BackendModule]) -> Int32 {
    // Should the parent go away while a driver hangs, this process ends all the same.
    alarm(600)
    var isHardwareOnly = false
    var without: Set<String> = []
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      if argument == "--hardware" {
        isHardwareOnly = true
      } else if argument == "--without", let identifier = rest.popFirst() {
        without.insert(identifier)
      } else {
        return 64
      }
    }
    guard let module = modules.first(where: { $0.name == arguments.first }) else { return 64 }
    let listing = module.list()
    for device in listing.devices { tell(.device(device.identity)) }
    for skipped in listing.skipped {
      tell(.skipped(.init(name: skipped.name, reason: skipped.reason)))
    }
    tell(.listed)
    for device in listing.devices where !without.contains(device.identifier) {
      if isHardwareOnly, device.kind == .softwareGPU { continue }
      tell(.checking(device.identity))
      tell(.checked(device.identity, SelfCheck.verdict(of: device)))
    }
    tell(.finished)
    return 0
  }

  /// Written at once: the next step may be the last.
  private static func tell(_ event: ProbeEvent) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(event) else { return }
    var bytes = Array(ProbeEvent.mark.utf8) + data + [UInt8(ascii: "\n")]
    // Drivers that write without an end of line must not spoil the mark.
    bytes.insert(UInt8(ascii: "\n"), at: 0)
    _ = bytes.withUnsafeBytes { DescriptorOutput.writeAll($0, to: STDOUT_FILENO) }
  }
}
