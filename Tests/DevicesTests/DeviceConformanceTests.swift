// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalDevices
import FocalRendering
import Testing

/// The cases of `focal conform` on every graphics device of this machine: on one without a GPU, on
/// the drivers that compute on the processor. One device after the other, since each takes every
/// core.
@Suite(.serialized) struct DeviceConformanceTests {
  private static let catalog = DeviceCatalog()
  private static let devices = catalog.devices.filter { $0.kind != .cpu }

  @Test(
    .enabled(
      if: !devices.isEmpty,
      "no graphics device: \(catalog.skipped.map(\.description).joined(separator: ", "))"),
    arguments: devices)
  func kernelsAlone(_ device: Device) {
    let run = ConformanceRun(device)
    for item in run.kernelCases {
      let result = run.runKernels(item)
      #expect(result.verdict != .failed, "\(device) \(result.name): \(result.notes)")
    }
  }

  /// A part of all frames, another part with each seed; `focal conform` runs them all.
  @Test(
    .enabled(
      if: !devices.isEmpty,
      "no graphics device: \(catalog.skipped.map(\.description).joined(separator: ", "))"),
    arguments: devices)
  func frames(_ device: Device) {
    let run = ConformanceRun(device, seed: 2)
    for (index, item) in run.frameCases.enumerated() where index % 4 == 0 {
      let result = run.runFrame(item)
      #expect(result.verdict != .failed, "\(device) \(result.name): \(result.notes)")
    }
  }
}
