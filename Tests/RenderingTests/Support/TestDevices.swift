// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalDevices
import FocalRendering

/// The devices that tests of a device's duties run on.
enum TestDevices {
  static let processors: [Device] = [.cpu(threadCount: 1), .cpu()]
  /// Every graphics device of the machine, software ones too.
  static let graphics: [Device] = Device.all().filter { $0.kind != .cpu }
}
