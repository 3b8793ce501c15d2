// SPDX-License-Identifier: Apache-2.0

/// The result of a backend's search of a machine: the devices that can run the engine, and those that
/// cannot.
package struct DeviceListing: Sendable {
  package var devices: [Device]
  package var skipped: [SkippedDevice]

  package init(devices: [Device] = [], skipped: [SkippedDevice] = []) {
    self.devices = devices
    self.skipped = skipped
  }
}

/// A device, a driver or a whole backend that is not used, and why.
public struct SkippedDevice: Sendable, Hashable, CustomStringConvertible {
  /// The name that people know it by.
  public var name: String
  /// A clause without a final full stop, with the remedy where there is one.
  public var reason: String

  package init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }

  public var description: String { "\(name): \(reason)" }
}
