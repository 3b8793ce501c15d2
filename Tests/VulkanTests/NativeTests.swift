// SPDX-License-Identifier: Apache-2.0

import CVulkan
import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@testable import FocalVulkan

extension VulkanTests {
  /// A program's own device, queue and buffers, and the engine's in its hands.
  @Suite struct NativeTests {
    /// A program that has a device, and takes turns at its queue.
    private final class Program: Sendable {
      let device: VulkanDevice
      private let turn = Mutex(())

      init() throws {
        let instance = try VulkanInstance(VulkanOptions())
        let physical = try instance.physicalDevices().map { try PhysicalDevice($0, of: instance) }
        device = try VulkanDevice(
          try #require(physical.first { $0.obstacle == nil }), of: instance)
      }

      var handles: VulkanHandles {
        VulkanHandles(
          instance: device.instance.handle.pointer,
          physicalDevice: device.physical.handle.pointer, device: device.handle.pointer,
          queue: device.compute.handle.pointer, queueFamilyIndex: device.compute.family.index,
          hasTimelineSemaphores: device.hasTimelines)
      }

      func makeDevice(timelines: Bool = true) throws -> Device {
        var handles = handles
        handles.hasTimelineSemaphores = handles.hasTimelineSemaphores && timelines
        return try Device.vulkan(handles) { [self] body in turn.withLock { _ in body() } }
      }

      /// Submits a copy from buffer to buffer, without a barrier of its own, and leaves it running.
      func copy(_ source: DeviceBuffer, _ target: DeviceBuffer) throws -> CommandList {
        let list = try CommandList(device, family: device.compute.family.index)
        try list.begin()
        list.copy(source, at: 0, to: target, at: 0, byteCount: source.byteCount)
        try list.end()
        let error = turn.withLock { _ -> CinematicError? in
          do throws(CinematicError) {
            try device.compute.submit(list.commands, on: device)
            return nil
          } catch { return error }
        }
        if let error { throw error }
        return list
      }

      func drain() { turn.withLock { _ in device.compute.drain(on: device) } }
    }

    private func renderCase() throws -> RenderCase {
      var renderCase = RenderCase(
        source: try .noise(53, 37, seed: 9),
        disparity: try .disparity(53, 37) { x, y in
          (x / 9 + y / 11) % 2 == 0 ? 0.2 : 0.9
        }, focusDisparity: 0.2, fNumber: 1, blurScale: 0.3, quality: .preview)
      renderCase.source = try renderCase.source.converted(to: .rgba8, tags: .sRGB)
      return renderCase
    }

    /// Pixels from and to buffers of the caller's, whose rows are padded and begin at an offset; what
    /// the caller does on the queue before and after needs no wait and no barrier.
    @Test(arguments: [true, false])
    func aFrameFromBufferToBuffer(timelines: Bool) throws {
      let program = try Program()
      defer { withExtendedLifetime(program) {} }
      let renderCase = try renderCase()
      let device = try program.makeDevice(timelines: timelines)
      let expected = try renderCase.render(on: device).pixelBytes()
      #expect(try renderCase.render(on: .cpu()).pixelBytes() == expected)

      let size = renderCase.source.dimensions
      let (offset, bytesPerRow) = (512, size.width * 4 + 20)
      let byteCount = offset + bytesPerRow * size.height
      // The host's side, and buffers that only the device needs to reach.
      let input = try DeviceBuffer(program.device, byteCount: byteCount, for: .upload)
      let output = try DeviceBuffer(program.device, byteCount: byteCount, for: .download)
      let source = try DeviceBuffer(program.device, byteCount: byteCount, for: .kernels)
      let target = try DeviceBuffer(program.device, byteCount: byteCount, for: .kernels)
      for index in 0..<byteCount {
        input.bytes.storeBytes(of: 0xC5, toByteOffset: index, as: UInt8.self)
      }
      let pixels = renderCase.source.pixelBytes()
      for y in 0..<size.height {
        for x in 0..<size.width * 4 {
          input.bytes.storeBytes(
            of: pixels[y * size.width * 4 + x], toByteOffset: offset + y * bytesPerRow + x,
            as: UInt8.self)
        }
      }
      let released = Atomic(0)
      do {
        func texture(_ buffer: DeviceBuffer) throws -> Texture {
          try Texture(
            device: device, vulkanBuffer: buffer.buffer.pointer, byteCount: byteCount,
            offset: offset, format: .rgba8Unorm, dimensions: size, bytesPerRow: bytesPerRow
          ) { released.add(1, ordering: .relaxed) }
        }
        let session = try RenderingSession(
          commandQueue: CommandQueue(device: device), sessionAttributes: renderCase.session,
          quality: renderCase.quality)
        let buffer = session.commandQueue.makeCommandBuffer()
        try session.encodeRender(
          to: buffer, frameAttributes: renderCase.frame,
          source: .texture(try texture(source), tags: .sRGB),
          disparity: .pixelBuffer(renderCase.disparity),
          destination: .texture(try texture(target), tags: .sRGB))
        let first = [try program.copy(input, source), try program.copy(input, target)]
        buffer.commit()
        buffer.waitUntilCompleted()
        #expect(buffer.error == nil)
        let last = try program.copy(target, output)
        program.drain()
        withExtendedLifetime((first, last)) {}
      }
      var rows: [UInt8] = []
      var padding: Set<UInt8> = []
      let bytes = UnsafeRawBufferPointer(start: output.bytes, count: byteCount)
      for y in 0..<size.height {
        let row = bytes[offset + y * bytesPerRow..<offset + (y + 1) * bytesPerRow]
        rows += row.prefix(size.width * 4)
        padding.formUnion(row.dropFirst(size.width * 4))
      }
      #expect(rows == expected)
      #expect(padding == [0xC5], "what lies between the rows was written")
      // The queue lets go of a frame's textures just after it has completed.
      for _ in 0..<20_000 where released.load(ordering: .relaxed) < 2 { usleep(1000) }
      #expect(released.load(ordering: .relaxed) == 2)
    }

    @Test func bytesOfACallersBuffer() throws {
      let program = try Program()
      defer { withExtendedLifetime(program) {} }
      let device = try program.makeDevice()
      let buffer = try DeviceBuffer(program.device, byteCount: 1024, for: .kernels)
      let texture = try Texture(
        device: device, vulkanBuffer: buffer.buffer.pointer, byteCount: 1024, offset: 256,
        format: .r16Unorm, dimensions: Dimensions(width: 7, height: 3), bytesPerRow: 20)
      let bytes = (0..<60).map { UInt8($0) }
      try bytes.withUnsafeBytes { try texture.setBytes($0) }
      var read = [UInt8](repeating: 0, count: 60)
      try read.withUnsafeMutableBytes { try texture.getBytes($0) }
      #expect((0..<60).allSatisfy { $0 % 20 >= 14 || read[$0] == bytes[$0] })
      let handle = try #require(texture.vulkanBuffer)
      #expect(handle.buffer == buffer.buffer.pointer)
      #expect(handle.offset == 256 && handle.byteCount == 1024)
    }

    /// A caller's function that lets go of another texture, and takes the caller's lock.
    @Test func aBufferThatIsReleasedReleasesAnother() throws {
      let program = try Program()
      defer { withExtendedLifetime(program) {} }
      let device = try program.makeDevice()
      let buffer = try DeviceBuffer(program.device, byteCount: 1024, for: .kernels)
      let released = Mutex<[Int]>([])
      func texture(_ number: Int, before other: Texture? = nil) throws -> Texture {
        let other = Mutex(other)
        return try Texture(
          device: device, vulkanBuffer: buffer.buffer.pointer, byteCount: 1024, format: .r16Unorm,
          dimensions: Dimensions(width: 7, height: 3)
        ) {
          released.withLock { $0.append(number) }
          other.withLock { $0 = nil }
        }
      }
      _ = try texture(1, before: texture(2))
      #expect(released.withLock { $0 } == [1, 2])
    }

    /// The engine's own device and textures, used by commands of the caller's.
    @Test func theEnginesTextureInACallersCommands() throws {
      let device = try #require(makeDevice())
      let handles = try #require(try device.vulkanHandles())
      let backend = try #require(device.backend as? VulkanBackend)
      let opened = try backend.openDevice()
      #expect(handles.device == opened.handle.pointer)
      #expect(handles.queue == opened.compute.handle.pointer)
      let renderCase = try renderCase()
      let expected = try renderCase.render(on: device).pixelBytes()
      let size = renderCase.source.dimensions
      let texture = try Texture(device: device, format: .rgba8Unorm, dimensions: size)
      let session = try RenderingSession(
        commandQueue: CommandQueue(device: device), sessionAttributes: renderCase.session,
        quality: renderCase.quality)
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeRender(
        to: buffer, frameAttributes: renderCase.frame, source: .pixelBuffer(renderCase.source),
        disparity: .pixelBuffer(renderCase.disparity),
        destination: .texture(texture, tags: .sRGB))
      buffer.commit()
      buffer.waitUntilCompleted()
      #expect(buffer.error == nil)
      let handle = try #require(texture.vulkanBuffer)
      let output = try DeviceBuffer(opened, byteCount: expected.count, for: .download)
      let list = try CommandList(opened, family: handles.queueFamilyIndex)
      try list.begin()
      var region = VkBufferCopy(srcOffset: 0, dstOffset: 0, size: VkDeviceSize(expected.count))
      opened.functions.cmdCopyBuffer(
        list.commands.pointer, handle.buffer, output.buffer.pointer, 1, &region)
      list.barrier(.copies, .host)
      try list.end()
      try opened.compute.submit(list.commands, on: opened)
      opened.compute.drain(on: opened)
      let bytes = [UInt8](UnsafeRawBufferPointer(start: output.bytes, count: expected.count))
      #expect(bytes == expected)
      #expect(try Device.cpu().vulkanHandles() == nil)
    }

    @Test func whatIsRefused() throws {
      let program = try Program()
      defer { withExtendedLifetime(program) {} }
      let device = try program.makeDevice()
      let buffer = try DeviceBuffer(program.device, byteCount: 4096, for: .kernels)
      func error(
        _ device: Device, offset: Int = 0, _ width: Int = 8, _ height: Int = 8,
        bytesPerRow: Int? = nil
      ) -> CinematicError? {
        do {
          _ = try Texture(
            device: device, vulkanBuffer: buffer.buffer.pointer, byteCount: 4096, offset: offset,
            format: .rgba16Float, dimensions: Dimensions(width: width, height: height),
            bytesPerRow: bytesPerRow
          ) { Issue.record("released though it was never taken") }
          return nil
        } catch { return error }
      }
      #expect(error(.cpu())?.code == .incompatible)
      #expect(error(device, 100, 100)?.code == .invalidParameter)
      #expect(error(device, offset: 4096)?.code == .invalidParameter)
      #expect(error(device, offset: 128)?.code == .invalidParameter)
      #expect(error(device, offset: -256)?.code == .invalidParameter)
      #expect(error(device, bytesPerRow: 60)?.code == .invalidParameter)
      #expect(error(device, bytesPerRow: 65)?.code == .invalidParameter)
      #expect(error(device, 0, 8)?.code == .invalidParameter)
      var handles = program.handles
      handles.queueFamilyIndex = 77
      let family = #expect(throws: CinematicError.self) { _ = try Device.vulkan(handles) }
      #expect(family?.code == .unsupported)
    }
  }
}
