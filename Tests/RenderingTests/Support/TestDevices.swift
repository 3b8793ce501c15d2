// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalRendering

/// The devices that tests of a device's duties run on.
enum TestDevices {
  static let all: [Device] = [.cpu(threadCount: 1), .cpu()]
}
