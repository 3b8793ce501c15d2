// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCore
import FocalRendering

/// How a device has fared so far.
struct ConformReport {
  let device: Device
  let seed: UInt64
  private(set) var identical = 0
  private(set) var close = 0
  private(set) var failed = 0
  /// Of whole frames.
  private(set) var differingPixels = 0
  private(set) var largestCodes = 0.0
  private(set) var kernels: Set<Kernel> = []
  /// Whether the device stopped answering: what follows would fail for that reason alone.
  private(set) var isLost = false

  init(device: Device, seed: UInt64) {
    self.device = device
    self.seed = seed
  }

  mutating func add(_ result: ConformanceResult) {
    switch result.verdict {
    case .identical: identical += 1
    case .close: close += 1
    case .failed: failed += 1
    }
    kernels.formUnion(result.checkedKernels.keys)
    if result.checkedKernels.isEmpty {
      differingPixels += result.differing
      largestCodes = max(largestCodes, result.largest)
    }
    if result.error?.code == .deviceLost { isLost = true }
  }

  /// A case that could be run.
  struct Listed: Encodable {
    var name: String
  }

  /// One case on one device.
  struct Case: Encodable {
    var device: String
    var name: String
    var verdict: String
    var differing: Int
    var largest: Double
    var tolerance: String
    var notes: [String]
    var pictures: [String]
  }

  struct Summary: Encodable {
    var device: String
    var deviceName: String
    var seed: UInt64
    var passed: Bool
    var identical: Int
    var close: Int
    var failed: Int
    var kernels: Int
    var differingPixels: Int
    var largestCodes: Double
  }

  struct Skipped: Encodable {
    var skipped: String
    var reason: String
  }

  var summary: Summary {
    Summary(
      device: device.identifier, deviceName: device.name, seed: seed, passed: failed == 0,
      identical: identical, close: close, failed: failed, kernels: kernels.count,
      differingPixels: differingPixels, largestCodes: largestCodes)
  }

  var line: String {
    var text = failed == 0 ? "passed" : "FAILED"
    text += ": \(counted(identical, "case")) identical, \(close) close, \(failed) failed"
    text += "; \(counted(kernels.count, "kernel")) alone"
    if differingPixels > 0 {
      text += "; \(differingPixels) pixels of frames differ, by up to"
      text += " \((largestCodes * 1000).rounded() / 1000) codes of 10 bits"
    }
    if isLost { text += "; the device was lost, and the rest was left out" }
    return text
  }
}
