// SPDX-License-Identifier: Apache-2.0

import DeviceDoubles
import FocalCPU
import FocalDevices
import FocalRendering
import Testing

@Suite struct SelfCheckTests {
  @Test func aDeviceThatRendersAlikeIsTrusted() {
    #expect(SelfCheck.verdict(of: .cpu()) == .reference)
    #expect(SelfCheck.verdict(of: .faulty(nil)) == .identical)
    let rounded = SelfCheck.verdict(
      of: .faulty(.flippedBit(kernel: "composite", binding: 6, bit: 0)))
    #expect(rounded == .close(differing: 1))
    for verdict in [DeviceVerdict.reference, .identical, rounded] { #expect(verdict.isTrusted) }
    #expect(!DeviceVerdict.unchecked.isTrusted)
  }

  @Test(
    arguments: [
      (.flippedBit(kernel: "composite", binding: 6, bit: 30), "differ"),
      (.notANumber(kernel: "composite", binding: 6), "differ"),
      // Of an export alone.
      (.wrongElement(of: .yuv420Video10), "differ"),
      (.lost(from: 0), "does not answer"),
      // The second frame.
      (.lost(from: 1), "does not answer"),
      (.outOfMemory(from: 0), "no memory left"),
    ] as [(DeviceFault, String)])
  func aDeviceThatDoesNotIsNot(_ fault: DeviceFault, _ text: String) {
    let verdict = SelfCheck.verdict(of: .faulty(fault))
    #expect(!verdict.isTrusted)
    guard case .failed(let reason) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(reason.contains(text), "\(reason)")
  }
}
