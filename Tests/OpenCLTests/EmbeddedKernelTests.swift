// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

@testable import FocalOpenCL

/// The engine's own kernels, as they are part of the module.
@Suite(.enabled(if: Machine.isEquipped, Machine.reason)) struct EmbeddedKernelTests {
  @Test func everyKernelCompiles() throws {
    let backend = try Machine(sources: { $0.openCLSource }).backend
    let queue = try backend.makeQueue()
    #expect(!EmbeddedKernels.names.isEmpty)
    for name in EmbeddedKernels.names {
      let kernel = try #require(Kernel(rawValue: name), "\(name).cl is no kernel of the engine's")
      // Nothing to start, so no argument is looked at; the program and its kernel are made.
      let result = queue.run([KernelDispatch(kernel, [], Int32(0), items: 0, grid: Grid(0))])
      #expect(result.error == nil, "\(name)")
    }
  }

  @Test(arguments: [true, false], [PixelFormat.rgba8, .rgbaHalf, .yuv420Video10])
  func aSharpPictureIsTheProcessorsBitForBit(inPlace: Bool, format: PixelFormat) throws {
    let source = try PixelBuffer.noise(67, 45, seed: 7)
    let devices = [
      Device(backend: try Machine(usesHostMemory: inPlace, sources: { $0.openCLSource }).backend),
      Device.cpu(),
    ]
    let pictures = try devices.map { device in
      let queue = try CommandQueue(device: device)
      let session = try RenderingSession(commandQueue: queue, quality: .preview)
      let destination = try PixelBuffer(
        dimensions: source.dimensions, format: format, tags: .sRGB)
      let buffer = queue.makeCommandBuffer()
      try session.encodeRender(
        to: buffer, frameAttributes: .init(focusDisparity: 0.5, fNumber: 2), sourceImage: source,
        sourceDisparity: .disparity(8, 8) { _, _ in 0.5 }, destinationImage: destination)
      buffer.commit()
      buffer.waitUntilCompleted()
      if let error = buffer.error { throw error }
      return destination.pixelBytes()
    }
    #expect(pictures[0] == pictures[1])
  }
}
