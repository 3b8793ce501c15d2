// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalRendering

extension Device {
  /// Every device of this machine that the engine can use, the processor first.
  ///
  /// Drivers are asked within this process; ``DeviceCatalog`` can ask them in one of its own, and
  /// ``DeviceCatalog/choose(_:probe:threadCount:)`` gives them best first.
  public static func all() -> [Device] { DeviceCatalog().devices }
}

/// The devices of this machine, and those that were left out, with the reason.
public struct DeviceCatalog: Sendable {
  /// A device and what is known about it.
  public struct Entry: Sendable {
    public let device: Device
    public let verdict: DeviceVerdict
  }

  /// The processor first, then backend by backend in the driver's order.
  public private(set) var entries: [Entry] = []
  public private(set) var skipped: [SkippedDevice] = []
  /// Whether devices were checked in a process of their own, as far as they are to be checked.
  let isProbed: Bool

  /// All devices in the order of ``entries``, checked or not: the processor first. Renderers take them best first, as
  /// ``devices(named:)`` gives them.
  public var devices: [Device] { entries.map(\.device) }

  /// Lists what there is. A driver may take seconds, the first time.
  ///
  /// - Parameters:
  ///   - probe: how drivers are asked and devices are checked, in a process of their own; `nil`
  ///     queries them here, where a driver that crashes or hangs takes the program with it, and
  ///     checks nothing yet: ``devices(named:)`` does for `auto`.
  ///   - backend: only this backend, and the processor: `vulkan`; `nil` for all.
  ///   - threadCount: threads of the processor's device; `nil` for one a core.
  public init(probe: DeviceProbe? = nil, backend: String? = nil, threadCount: Int? = nil) {
    self.init(modules: BackendModule.all(threadCount: threadCount), probe: probe, backend: backend)
  }

  package init(modules: [BackendModule], probe: DeviceProbe?, backend: String? = nil) {
    isProbed = probe != nil
    for module in modules {
      if !module.usesDrivers {
        add(module.list()) { .init(device: $0, verdict: SelfCheck.verdict(of: $0)) }
      } else if let backend, backend != module.name {
        continue
      } else if let probe {
        add(module, probe)
      } else {
        add(module.list()) { .init(device: $0, verdict: .unchecked) }
      }
    }
  }

  private mutating func add(_ listing: DeviceListing, entry: (Device) -> Entry) {
    entries += listing.devices.map(entry)
    skipped += listing.skipped
  }

  private mutating func add(_ module: BackendModule, _ probe: DeviceProbe) {
    // A record that no longer fits what the driver lists is made anew, once.
    for attempt in 0..<2 {
      let record = probe.record(of: module.name, anew: attempt > 0)
      if let failure = record.failure {
        skipped.append(SkippedDevice(name: module.name, reason: failure))
        return
      }
      let left = record.skipped.map { SkippedDevice(name: $0.name, reason: $0.reason) }
      // Nothing of use: the driver is not loaded at all. A caller that leaves software devices
      // unchecked has no use for them.
      let isOfUse = { (device: ProbeRecord.Probed) in
        device.failure == nil
          && (probe.checksSoftwareDevices
            || device.identity.kind != Device.Kind.softwareGPU.rawValue)
      }
      guard record.devices.contains(where: isOfUse) else {
        skipped += left + record.devices.compactMap(\.skipped)
        return
      }
      let listing = module.list()
      guard listing.devices.map(\.identity) == record.devices.map(\.identity) || attempt > 0 else {
        continue
      }
      for device in listing.devices {
        let probed = record.devices.first { $0.identity == device.identity }
        if let probed, let skipped = probed.skipped {
          self.skipped.append(skipped)
        } else {
          entries.append(Entry(device: device, verdict: probed?.verdict ?? .unchecked))
        }
      }
      skipped += listing.skipped
      return
    }
  }
}
