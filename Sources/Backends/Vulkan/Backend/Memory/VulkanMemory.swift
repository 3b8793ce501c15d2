// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering
import Synchronization

/// Memory that kernels are bound to.
final class VulkanMemory: DeviceMemory {
  let buffer: DeviceBuffer
  private let channel: TransferChannel

  var byteCount: Int { buffer.byteCount }

  /// - Throws: `outOfMemory`, `deviceLost`.
  init(byteCount: Int, _ channel: TransferChannel) throws(CinematicError) {
    let device = channel.device
    buffer = try DeviceBuffer(
      device, byteCount: byteCount, for: device.isUnified ? .sharedWithHost : .kernels)
    self.channel = channel
  }

  /// Over a buffer that is there already.
  init(_ buffer: DeviceBuffer, _ channel: TransferChannel) {
    self.buffer = buffer
    self.channel = channel
  }

  func read(
    _ destination: UnsafeMutableRawBufferPointer, from offset: Int
  ) throws(CinematicError) {
    precondition(offset >= 0 && offset + destination.count <= byteCount, "read past device memory")
    try buffer.device.checkAlive()
    if let address = buffer.address {
      destination.copyMemory(
        from: UnsafeRawBufferPointer(start: address.pointer + offset, count: destination.count))
    } else {
      try channel.read(destination, from: buffer, at: offset)
    }
  }

  func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(CinematicError) {
    precondition(offset >= 0 && offset + source.count <= byteCount, "write past device memory")
    try buffer.device.checkAlive()
    if let address = buffer.address {
      UnsafeMutableRawBufferPointer(start: address.pointer + offset, count: source.count)
        .copyMemory(from: source)
    } else {
      try channel.write(source, to: buffer, at: offset)
    }
  }
}

/// Copies between the host and memory that it cannot reach, piece by piece, outside submissions.
final class TransferChannel: Sendable {
  let device: VulkanDevice
  private let resources = Mutex<Resources?>(nil)

  /// Bytes of a piece.
  private static let capacity = 8 << 20

  private struct Resources: Sendable {
    var list: CommandList
    var fence: Owned<Vulkan.Fence>
    var staging: DeviceBuffer
  }

  init(_ device: VulkanDevice) { self.device = device }

  func read(
    _ destination: UnsafeMutableRawBufferPointer, from buffer: DeviceBuffer, at offset: Int
  ) throws(CinematicError) {
    try inPieces(destination.count) { (done, count, resources) throws(CinematicError) in
      try self.run(resources) { list in
        list.copy(buffer, at: offset + done, to: resources.staging, at: 0, byteCount: count)
        list.barrier(.copies, .host)
      }
      UnsafeMutableRawBufferPointer(rebasing: destination[done..<done + count]).copyMemory(
        from: UnsafeRawBufferPointer(start: resources.staging.bytes, count: count))
    }
  }

  func write(
    _ source: UnsafeRawBufferPointer, to buffer: DeviceBuffer, at offset: Int
  ) throws(CinematicError) {
    try inPieces(source.count) { (done, count, resources) throws(CinematicError) in
      UnsafeMutableRawBufferPointer(start: resources.staging.bytes, count: count).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: source[done..<done + count]))
      try self.run(resources) { list in
        list.copy(resources.staging, at: 0, to: buffer, at: offset + done, byteCount: count)
      }
    }
  }

  private func inPieces(
    _ byteCount: Int, _ body: (_ done: Int, _ count: Int, Resources) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    let result = resources.withLock { kept -> Result<Void, CinematicError> in
      do throws(CinematicError) {
        let resources: Resources
        if let kept { resources = kept } else { resources = try self.makeResources() }
        // Any failure below may leave the staging buffer in use: then it is not used again.
        kept = nil
        var done = 0
        while done < byteCount {
          let count = min(byteCount - done, Self.capacity)
          try body(done, count, resources)
          done += count
        }
        kept = resources
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private func makeResources() throws(CinematicError) -> Resources {
    Resources(
      list: try CommandList(device, family: device.compute.family.index),
      fence: try device.makeFence(),
      staging: try DeviceBuffer(device, byteCount: Self.capacity, for: .download))
  }

  private func run(
    _ resources: Resources, _ record: (CommandList) -> Void
  ) throws(CinematicError) {
    try device.reset(resources.fence)
    try resources.list.begin()
    resources.list.barrier(device.isBorrowed ? .everything : .kernelsAndCopies, .copies)
    record(resources.list)
    if device.isBorrowed { resources.list.barrier(.copies, .everything) }
    try resources.list.end()
    try device.compute.submit(
      resources.list.commands, fence: resources.fence.handle, on: device)
    try device.wait(for: resources.fence)
  }
}
