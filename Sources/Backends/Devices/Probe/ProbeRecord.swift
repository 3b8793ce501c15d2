// SPDX-License-Identifier: Apache-2.0

import FocalRendering

/// The facts that tell one device of a backend from another, and a driver from its next version.
struct DeviceIdentity: Codable, Sendable, Hashable {
  var identifier: String
  var name: String
  var driver: String
  /// ``Device/Kind``'s raw value.
  var kind: String
}

extension Device {
  var identity: DeviceIdentity {
    DeviceIdentity(
      identifier: identifier, name: name, driver: driver, kind: kind.rawValue)
  }
}

/// The findings of a child process about the devices of one backend.
struct ProbeRecord: Codable, Sendable {
  struct Probed: Codable, Sendable {
    var identity: DeviceIdentity
    var verdict = DeviceVerdict.unchecked
    /// How the device's check ended the child process; `nil` where it did not.
    var failure: String?

    /// The device as one that is not used; `nil` for one that may be.
    var skipped: SkippedDevice? {
      failure.map { SkippedDevice(name: "\(identity.identifier) (\(identity.name))", reason: $0) }
    }
  }

  struct Skipped: Codable, Sendable {
    var name: String
    var reason: String
  }

  /// Why no device of the backend can be used: listing them ended the child process.
  var failure: String?
  var devices: [Probed] = []
  var skipped: [Skipped] = []
  /// Whether devices that compute on the processor were checked as well.
  var checksSoftwareDevices = false
  /// Whether the checks were interrupted, or could not begin for want of processes or descriptors, so that they say
  /// nothing; such a record is not remembered.
  var saysNothing = false

  /// Whether something is missing that may be there tomorrow: a driver misbehaved, a device failed its
  /// check, perhaps because another program had its memory, or there was none. Worth another look
  /// before long.
  var mayChange: Bool {
    failure != nil || devices.isEmpty
      || devices.contains { device in
        if case .failed = device.verdict { return true }
        return device.failure != nil
      }
  }
}

/// One line of a child process.
enum ProbeEvent: Codable, Sendable {
  case device(DeviceIdentity)
  case skipped(ProbeRecord.Skipped)
  /// All devices have been named.
  case listed
  case checking(DeviceIdentity)
  case checked(DeviceIdentity, DeviceVerdict)
  case finished

  /// The beginning of the lines: drivers may write to standard output as well.
  static let mark = "focal-probe "
}
