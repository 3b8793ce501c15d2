// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalDevices
import FocalRendering

/// `--device` and `--threads`, of commands that work on one device.
package struct DeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The device: auto, cpu, a backend, an identifier or a part of a name, as 'focal devices'"
        + " lists them.", valueName: "device"))
  package var device: String = "auto"
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Threads of the CPU device; one a core by default.", valueName: "n"))
  package var threads: Int?

  package init() {}

  package func validate() throws { try DeviceSearch.validate(threads: threads) }

  /// The options as they were given, for commands that this one starts.
  package var arguments: [String] {
    (device == "auto" ? [] : ["--device", device]) + (threads.map { ["--threads", "\($0)"] } ?? [])
  }

  /// The devices meant, best first: several for `auto`, one otherwise.
  ///
  /// - Throws: `deviceLost` for one that this machine does not have.
  package func devices() throws(CinematicError) -> [Device] {
    let devices = try DeviceCatalog.choose(
      device, probe: DeviceSearch.probe, threadCount: threads)
    Lockdown.settle(on: devices)
    return devices
  }

  /// The processor, for work that needs no other device. A device that is named is looked for all the same.
  ///
  /// - Throws: as ``devices()``.
  package func processor() throws(CinematicError) -> [Device] {
    guard device.lowercased() == "auto" else { return try devices() }
    let processor = [Device.cpu(threadCount: threads)]
    Lockdown.settle(on: processor)
    return processor
  }

  /// The best of them.
  package func bestDevice() throws(CinematicError) -> Device {
    guard let best = try devices().first else {
      throw CinematicError(.deviceLost, "there is no device '\(device)' on this machine")
    }
    return best
  }
}

/// How the commands look for devices.
enum DeviceSearch {
  /// Drivers are asked in a child process: this program with a hidden command.
  static var probe: DeviceProbe { .ownExecutable(arguments: [ProbeCommand.name]) }

  static func validate(threads: Int?) throws {
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes 1 to 1024")
    }
  }

  /// The devices that several names mean, each once; `all` means every one.
  static func devices(_ names: [String], threads: Int? = nil) throws(CinematicError) -> [Device] {
    var devices: [Device] = []
    for name in names {
      let meant =
        name.lowercased() == "all"
        ? DeviceCatalog(probe: probe, threadCount: threads).devices
        : Array(
          try DeviceCatalog.choose(name, probe: probe, threadCount: threads).prefix(1))
      for device in meant where !devices.contains(where: { $0.identifier == device.identifier }) {
        devices.append(device)
      }
    }
    return devices
  }
}
