// SPDX-License-Identifier: Apache-2.0

/// How long one kernel of a command buffer ran.
public struct KernelTiming: Sendable, Hashable {
  /// The kernel's name, as its source file has it.
  public var kernel: String
  /// Seconds from its start to its end on the device.
  public var seconds: Double

  package init(kernel: String, seconds: Double) {
    self.kernel = kernel
    self.seconds = seconds
  }
}
