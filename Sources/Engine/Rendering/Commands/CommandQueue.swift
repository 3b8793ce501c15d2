// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore

/// Runs command buffers on a device, in the order in which they were committed.
///
/// Making a queue costs more than a frame: make one and keep it. Any number of command buffers may
/// be in flight; they complete in order.
public final class CommandQueue: Sendable {
  public let device: Device
  /// Whether command buffers of this queue record ``CommandBuffer/kernelTimings``.
  public let isProfiling: Bool

  let queue: any DeviceQueue
  /// Where the work of committed buffers is planned, in the order of their commits.
  let planning = DispatchQueue(label: "focal.planning", qos: .userInitiated)

  /// - Throws: `deviceLost` when the device no longer answers.
  public init(device: Device, isProfiling: Bool = false) throws(CinematicError) {
    self.device = device
    self.isProfiling = isProfiling
    self.queue = try device.backend.makeQueue()
  }

  /// An empty command buffer of this queue.
  public func makeCommandBuffer() -> CommandBuffer { CommandBuffer(queue: self) }
}
