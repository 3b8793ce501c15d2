// SPDX-License-Identifier: Apache-2.0

import DeviceDoubles
import FocalCPU
import FocalCore
import FocalDevices
import FocalRendering
import Testing

@Suite struct DeviceCatalogTests {
  private static let software = Device.faulty(
    nil, identifier: "alpha:0", name: "Paint Pipe", kind: .softwareGPU)
  private static let integrated = Device.faulty(
    nil, identifier: "alpha:1", name: "Quiet Graphics 12", kind: .integratedGPU)
  private static let discrete = Device.faulty(
    nil, identifier: "beta:0", name: "Loud Graphics 90", kind: .discreteGPU)

  private static func module(
    _ name: String, _ devices: [Device], _ skipped: [SkippedDevice] = []
  ) -> BackendModule {
    BackendModule(name: name) { DeviceListing(devices: devices, skipped: skipped) }
  }

  private func catalog(_ modules: [BackendModule]) -> DeviceCatalog {
    DeviceCatalog(modules: [.cpu()] + modules, probe: nil)
  }

  @Test func allDevicesAreListedAndTheSkippedOnesNamed() {
    let skipped = SkippedDevice(name: "Old GPU", reason: "it has no compute queue")
    let all = catalog([
      Self.module("alpha", [Self.software, Self.integrated], [skipped]),
      Self.module("beta", [Self.discrete]),
    ])
    #expect(all.devices.map(\.identifier) == ["cpu", "alpha:0", "alpha:1", "beta:0"])
    #expect(all.skipped == [skipped])
    #expect(all.entries.map(\.verdict) == [.reference, .unchecked, .unchecked, .unchecked])
    #expect(Device.all().contains { $0.kind == .cpu })
  }

  @Test(
    arguments: [
      ("cpu", "cpu"), ("alpha", "alpha:1"), ("alpha:0", "alpha:0"), ("beta", "beta:0"),
      ("paint", "alpha:0"), ("graphics", "beta:0"), ("QUIET", "alpha:1"), ("Beta:0", "beta:0"),
    ])
  func namesFindDevices(_ name: String, _ identifier: String) throws {
    let all = catalog([
      Self.module("alpha", [Self.software, Self.integrated]), Self.module("beta", [Self.discrete]),
    ])
    #expect(try all.devices(named: name).map(\.identifier) == [identifier])
  }

  @Test func whatIsNotThereIsRefusedWithWhatIs() {
    let all = catalog([
      Self.module(
        "alpha", [Self.integrated], [SkippedDevice(name: "Old GPU", reason: "it is too old")])
    ])
    for name in ["gamma", "alpha:7", ""] {
      #expect {
        try all.devices(named: name)
      } throws: { error in
        let text = "\(error)"
        return (error as? CinematicError)?.code == .deviceLost && text.contains("'\(name)'")
          && text.contains("alpha:1 (Quiet Graphics 12)") && text.contains("cpu")
          && text.contains("Old GPU: it is too old")
      }
    }
  }

  /// Without a probe `auto` checks graphics devices here, and leaves those that fail and software devices.
  @Test func autoTakesOnlyWhatIsTrusted() throws {
    let wrong = Device.faulty(
      .notANumber(kernel: "composite", binding: 6), identifier: "gamma:0", kind: .discreteGPU)
    let all = catalog([
      Self.module("alpha", [Self.software, Self.integrated]), Self.module("beta", [Self.discrete]),
      Self.module("gamma", [wrong]),
    ])
    #expect(try all.devices(named: "auto").map(\.identifier) == ["beta:0", "alpha:1", "cpu"])
    #expect(all.devices.first?.kind == .cpu)
    #expect(try DeviceCatalog.choose("auto").last?.kind == .cpu)
    #expect(try DeviceCatalog.choose("cpu", threadCount: 3).map(\.name) == ["3 threads"])
  }
}
