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
  /// Where handlers are called, so that one may wait for what the device does meanwhile.
  let handling = DispatchQueue(label: "focal.handling", qos: .userInitiated)
  private static let handlingKey = DispatchSpecificKey<ObjectIdentifier>()

  /// - Throws: `deviceLost` when the device no longer answers.
  public init(device: Device, isProfiling: Bool = false) throws(CinematicError) {
    self.device = device
    self.isProfiling = isProfiling
    self.queue = try device.backend.makeQueue()
    handling.setSpecific(key: Self.handlingKey, value: ObjectIdentifier(self))
  }

  /// Whether the calling thread is the one for handlers.
  var isCallingHandlers: Bool {
    DispatchQueue.getSpecific(key: Self.handlingKey) == ObjectIdentifier(self)
  }

  /// An empty command buffer of this queue.
  public func makeCommandBuffer() -> CommandBuffer { CommandBuffer(queue: self) }
}
