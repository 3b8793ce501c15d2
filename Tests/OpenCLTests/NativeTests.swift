// SPDX-License-Identifier: Apache-2.0

import COpenCL
import ConformanceKit
import FocalCore
import FocalRendering
import Testing

@testable import FocalOpenCL

/// A program's own context, queue and buffers, and the engine's in its hands.
@Suite(.enabled(if: Machine.isEquipped, Machine.reason)) struct NativeTests {
  /// A program that has a context and a queue.
  private struct Program {
    let context: OpenCLContext
    let queue: OpenCLHandle<QueueObject>

    init() throws {
      let device = try #require(Device.openCL().first)
      context = try #require(device.backend as? OpenCLBackend).openContext()
      queue = try context.makeQueue(profiling: false)
    }

    func makeDevice(withQueue: Bool) throws -> Device {
      try Device.openCL(
        context: context.handle.pointer, device: context.info.device.pointer,
        commandQueue: withQueue ? queue.pointer : nil)
    }

    func makeBuffer(_ byteCount: Int) throws -> OpenCLHandle<MemoryObject> {
      try context.makeBuffer(byteCount: byteCount, flags: CL_MEM_READ_WRITE)
    }

    /// Enqueues a copy and leaves it running.
    func copy(
      _ source: OpenCLHandle<MemoryObject>, _ target: OpenCLHandle<MemoryObject>, _ byteCount: Int
    ) throws {
      // Written by way of a fill and an overwrite, so that there is something to wait for.
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
      defer { bytes.deallocate() }
      try context.connection.perform("clEnqueueReadBuffer") {
        $0.clEnqueueReadBuffer(
          queue.pointer, source.pointer, cl_bool(CL_TRUE), 0, byteCount, bytes, 0, nil, nil)
      }
      try context.connection.perform("clEnqueueWriteBuffer") {
        $0.clEnqueueWriteBuffer(
          queue.pointer, target.pointer, cl_bool(CL_TRUE), 0, byteCount, bytes, 0, nil, nil)
      }
    }
  }

  private func renderCase() throws -> RenderCase {
    var renderCase = RenderCase(
      source: try .noise(53, 37, seed: 9),
      disparity: try .disparity(53, 37) { x, y in (x / 9 + y / 11) % 2 == 0 ? 0.2 : 0.9 },
      focusDisparity: 0.2, fNumber: 1, blurScale: 0.3, quality: .preview)
    renderCase.source = try renderCase.source.converted(to: .rgba8, tags: .sRGB)
    return renderCase
  }

  /// Pixels from and to buffers of the caller's, whose rows are padded and begin at an offset.
  @Test(arguments: [true, false])
  func aFrameFromBufferToBuffer(withQueue: Bool) throws {
    let program = try Program()
    let renderCase = try renderCase()
    let device = try program.makeDevice(withQueue: withQueue)
    let expected = try renderCase.render(on: device).pixelBytes()
    #expect(try renderCase.render(on: Device.openCL()[0]).pixelBytes() == expected)

    let size = renderCase.source.dimensions
    let (offset, bytesPerRow) = (4096, size.width * 4 + 20)
    let byteCount = offset + bytesPerRow * size.height
    var input = [UInt8](repeating: 0xC5, count: byteCount)
    let pixels = renderCase.source.pixelBytes()
    for y in 0..<size.height {
      for x in 0..<size.width * 4 {
        input[offset + y * bytesPerRow + x] = pixels[y * size.width * 4 + x]
      }
    }
    let (staging, source, target) = (
      try program.makeBuffer(byteCount), try program.makeBuffer(byteCount),
      try program.makeBuffer(byteCount)
    )
    try input.withUnsafeBytes { try program.context.write($0, to: staging, at: 0) }
    func texture(_ buffer: OpenCLHandle<MemoryObject>) throws -> Texture {
      try Texture(
        device: device, openCLBuffer: buffer.pointer, offset: offset, format: .rgba8Unorm,
        dimensions: size, bytesPerRow: bytesPerRow)
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
    try program.copy(staging, source, byteCount)
    try program.copy(staging, target, byteCount)
    buffer.commit()
    buffer.waitUntilCompleted()
    #expect(buffer.error == nil)
    var output = [UInt8](repeating: 0, count: byteCount)
    try output.withUnsafeMutableBytes { bytes in
      try program.context.connection.perform("clEnqueueReadBuffer") {
        $0.clEnqueueReadBuffer(
          program.queue.pointer, target.pointer, cl_bool(CL_TRUE), 0, byteCount,
          bytes.baseAddress, 0, nil, nil)
      }
    }
    var rows: [UInt8] = []
    var padding: Set<UInt8> = []
    for y in 0..<size.height {
      let row = output[offset + y * bytesPerRow..<offset + (y + 1) * bytesPerRow]
      rows += row.prefix(size.width * 4)
      padding.formUnion(row.dropFirst(size.width * 4))
    }
    #expect(rows == expected)
    #expect(padding == [0xC5], "what lies between the rows was written")
  }

  /// The engine's own device and textures, used by commands of the caller's.
  @Test func theEnginesTextureInACallersCommands() throws {
    let device = try #require(Device.openCL().first)
    let handles = try #require(try device.openCLHandles())
    let context = try #require(device.backend as? OpenCLBackend).openContext()
    #expect(handles.context == context.handle.pointer)
    let texture = try Texture(
      device: device, format: .r16Unorm, dimensions: Dimensions(width: 9, height: 4))
    let bytes = (0..<72).map { UInt8($0) }
    try bytes.withUnsafeBytes { try texture.setBytes($0) }
    let handle = try #require(texture.openCLBuffer)
    let queue = try context.makeQueue(profiling: false)
    var read = [UInt8](repeating: 0, count: 72)
    try read.withUnsafeMutableBytes { read in
      try context.connection.perform("clEnqueueReadBuffer") {
        $0.clEnqueueReadBuffer(
          queue.pointer, handle.buffer, cl_bool(CL_TRUE), handle.offset, 72, read.baseAddress, 0,
          nil, nil)
      }
    }
    #expect(read == bytes)
  }

  @Test func whatIsRefused() throws {
    let program = try Program()
    let device = try program.makeDevice(withQueue: true)
    let buffer = try program.makeBuffer(4096)
    func error(
      _ device: Device, _ buffer: OpenCLHandle<MemoryObject>, offset: Int = 0, _ width: Int = 8,
      _ height: Int = 8, bytesPerRow: Int? = nil
    ) -> CinematicError.Code? {
      do {
        _ = try Texture(
          device: device, openCLBuffer: buffer.pointer, offset: offset, format: .rgba16Float,
          dimensions: Dimensions(width: width, height: height), bytesPerRow: bytesPerRow)
        return nil
      } catch { return error.code }
    }
    #expect(error(device, buffer) == nil)
    #expect(error(device, buffer, 100, 100) == .invalidParameter)
    #expect(error(device, buffer, offset: 4096) == .invalidParameter)
    #expect(error(device, buffer, offset: 128) == .invalidParameter)
    #expect(error(device, buffer, bytesPerRow: 60) == .invalidParameter)
    // Of another context.
    #expect(error(try Program().makeDevice(withQueue: false), buffer) == .incompatible)
    let piece: OpenCLHandle<MemoryObject> = try program.context.connection.make(
      "clCreateSubBuffer"
    ) { functions, status in
      var region = cl_buffer_region(origin: 0, size: 2048)
      return functions.clCreateSubBuffer(
        buffer.pointer, cl_mem_flags(CL_MEM_READ_WRITE),
        cl_buffer_create_type(CL_BUFFER_CREATE_TYPE_REGION), &region, status)
    }
    #expect(error(device, piece) == nil)
    #expect(error(device, piece, offset: 256) == .invalidParameter)
    // A queue of another context.
    let other = try Program()
    let queue = #expect(throws: CinematicError.self) {
      _ = try Device.openCL(
        context: program.context.handle.pointer, device: program.context.info.device.pointer,
        commandQueue: other.queue.pointer)
    }
    #expect(queue?.code == .incompatible)
    // Times of kernels on a queue of the caller's are not to be had.
    let profiling = try CommandQueue(device: device, isProfiling: true)
    let session = try RenderingSession(commandQueue: profiling, quality: .preview)
    let renderCase = try renderCase()
    let commands = profiling.makeCommandBuffer()
    try session.encodeRender(
      to: commands, frameAttributes: renderCase.frame, sourceImage: renderCase.source,
      sourceDisparity: renderCase.disparity,
      destinationImage: PixelBuffer(dimensions: renderCase.source.dimensions, format: .rgba8))
    commands.commit()
    commands.waitUntilCompleted()
    #expect(commands.error?.code == .unsupported)
  }
}
