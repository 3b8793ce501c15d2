// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import Dispatch
import FocalCore
import FocalRendering
import Synchronization
import Testing

@testable import FocalVulkan

extension VulkanTests {
  /// Pictures in host memory, bound to kernels.
  @Suite struct PictureTests {
    /// A map whose rows are a part of wider rows, the rest filled with `padding`; the kernel sees the
    /// wider rows, `stride` floats each.
    private func paddedMap(
      _ width: Int, _ height: Int, stride: Int, values: [Float], padding: Float
    ) throws -> PixelBuffer {
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: stride * height * 4, alignment: 64)
      let floats = memory.bindMemory(to: Float.self)
      for y in 0..<height {
        for x in 0..<stride {
          floats[y * stride + x] = x < width ? values[y * stride + x] : padding
        }
      }
      return try PixelBuffer(
        dimensions: Dimensions(width: width, height: height), format: .disparityFloat,
        tags: .linearBT709, baseAddress: memory.baseAddress!, byteCount: memory.count,
        planes: [(0, stride * 4)], release: { $0.deallocate() })
    }

    private func allFloats(_ buffer: PixelBuffer) -> [Float] {
      buffer.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    @Test(arguments: Way.allCases)
    func onlyTheRowsOwnBytesComeBack(_ way: Way) throws {
      let device = try #require(makeDevice(way))
      let (width, height, stride) = (37, 11, 50)
      let values = randomFloats(stride * height, seed: 5)
      let source = try paddedMap(width, height, stride: stride, values: values, padding: -3)
      let destination = try paddedMap(
        width, height, stride: stride, values: [Float](repeating: 0, count: stride * height),
        padding: 77)
      // The kernel writes whole rows, padding and all.
      let result = try device.backend.makeQueue().run([
        circle(
          .pixels(source, plane: 0, access: .read), .pixels(destination, plane: 0, access: .write),
          stride, height, scale: 2)
      ])
      #expect(result.error == nil)
      let expected = (0..<stride * height).map { $0 % stride < width ? values[$0] * 2 : 77 }
      #expect(allFloats(destination) == expected)
    }

    /// Pictures of a frame that the next frames read: in order, though copies run beside kernels.
    @Test(arguments: Way.allCases)
    func aFrameReadsWhatTheFrameBeforeWrote(_ way: Way) throws {
      let device = try #require(makeDevice(way))
      let queue = try device.backend.makeQueue()
      let pictures = try (0..<3).map { _ in try PixelBuffer.disparity(64, 16) { _, _ in 0 } }
      for index in 0..<30 {
        queue.submit(
          [
            circle(
              .pixels(pictures[index % 3], plane: 0, access: .read),
              .pixels(pictures[(index + 1) % 3], plane: 0, access: .write), 64, 16, focus: -1)
          ], profiling: false
        ) { _ in }
      }
      queue.run([])
      #expect(try pictures[0].floats() == [Float](repeating: 30, count: 64 * 16))
      #expect(try pictures[2].floats() == [Float](repeating: 29, count: 64 * 16))
    }

    @Test(arguments: Way.allCases)
    func aPictureIsReadAndWrittenInPlace(_ way: Way) throws {
      let device = try #require(makeDevice(way))
      let picture = try PixelBuffer.disparity(40, 8) { x, y in Float(x - y) }
      let expected = try picture.floats().map { $0 + 5 }
      let middle = try device.memory([Float](repeating: 0, count: 320))
      let result = try device.backend.makeQueue().run([
        circle(.pixels(picture, plane: 0, access: .read), .memory(middle), 40, 8, focus: -2),
        circle(.memory(middle), .pixels(picture, plane: 0, access: .write), 40, 8, focus: -3),
      ])
      #expect(result.error == nil)
      #expect(try picture.floats() == expected)
    }

    @Test(arguments: Way.allCases)
    func framesInFlightKeepTheirOwnPictures(_ way: Way) throws {
      let device = try #require(makeDevice(way))
      let queue = try device.backend.makeQueue()
      let shared = try device.memory([Float](repeating: 0, count: 128 * 32))
      let sources = try (0..<12).map { try PixelBuffer.disparity(128, 32, seed: UInt64($0)) }
      let destinations = try sources.map { _ in try PixelBuffer.disparity(128, 32) { _, _ in 0 } }
      let results = Mutex<[SubmissionResult]>([])
      for (source, destination) in zip(sources, destinations) {
        queue.submit(
          [
            circle(.pixels(source, plane: 0, access: .read), .memory(shared), 128, 32, scale: 2),
            circle(
              .memory(shared), .pixels(destination, plane: 0, access: .write), 128, 32, scale: 2),
          ], profiling: false
        ) { result in results.withLock { $0.append(result) } }
      }
      queue.run([])
      #expect(results.withLock { $0.count } == 12)
      #expect(results.withLock { $0.allSatisfy { $0.error == nil } })
      for (source, destination) in zip(sources, destinations) {
        #expect(try destination.floats() == source.floats().map { $0 * 4 })
      }
    }

    /// Slots, parameters, descriptors and staging memory are kept.
    @Test(arguments: Way.allCases)
    func nothingIsAllocatedOnceWarm(_ way: Way) throws {
      let calls = Mutex<[String: Int]>([:])
      // A queue has three frames in flight. The first is held until the third is submitted: how many slots there are
      // is else left to the device's speed.
      let inFlight = 3
      let submissionsPerFrame = way == .withTransfersApart ? 3 : 1
      let isHeld = Mutex(false)
      let filled = DispatchSemaphore(value: 0)
      let device = try #require(
        makeDevice(way) { function in
          let name = "\(function)"
          let count = calls.withLock { calls in
            calls[name, default: 0] += 1
            return calls[name]
          }
          if name == "vkQueueSubmit", count == inFlight * submissionsPerFrame { filled.signal() }
          if name.hasPrefix("vkWait"), isHeld.withLock({ $0 }) {
            #expect(filled.wait(timeout: .now() + 120) == .success)
            isHeld.withLock { $0 = false }
          }
          return nil
        })
      let queue = try device.backend.makeQueue()
      let source = try PixelBuffer.disparity(64, 64, seed: 1)
      let destinations = try (0..<inFlight).map { _ in
        try PixelBuffer.disparity(64, 64) { _, _ in 0 }
      }
      func burst() {
        calls.withLock { $0 = [:] }
        for number in 0..<10 {
          queue.submit(
            [
              circle(
                .pixels(source, plane: 0, access: .read),
                .pixels(destinations[number % inFlight], plane: 0, access: .write), 64, 64)
            ], profiling: false
          ) { _ in }
        }
        queue.run([])
      }
      isHeld.withLock { $0 = true }
      burst()
      #expect(!isHeld.withLock { $0 })
      burst()
      let made = calls.withLock { $0.keys }.filter {
        $0.hasPrefix("vkCreate") || $0.hasPrefix("vkAllocate") || $0.hasPrefix("vkMap")
      }
      #expect(made.isEmpty)
      #expect(calls.withLock { $0["vkQueueSubmit"] } == 10 * submissionsPerFrame)
    }

    /// A handler that takes its time holds up no frame.
    @Test func handlersRunBesideTheWork() throws {
      let device = try #require(makeDevice())
      let queue = try device.backend.makeQueue()
      let memory = try device.memory([Float](repeating: 0, count: 64))
      let gate = DispatchSemaphore(value: 0)
      let last = DispatchSemaphore(value: 0)
      let step = circle(.memory(memory), .memory(memory), 64, 1, focus: -1)
      queue.submit([step], profiling: false) { _ in gate.wait() }
      for _ in 0..<8 { queue.submit([step], profiling: false) { _ in } }
      queue.submit([step], profiling: false) { _ in last.signal() }
      // Ten frames are done although the first one's handler still waits.
      var tries = 0
      while try memory.floats()[0] < 10, tries < 12_000 {
        tries += 1
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.01)
      }
      #expect(try memory.floats()[0] == 10)
      gate.signal()
      last.wait()
    }
  }
}

extension PixelBuffer {
  fileprivate static func disparity(
    _ width: Int, _ height: Int, seed: UInt64
  ) throws -> PixelBuffer {
    let values = randomFloats(width * height, seed: seed)
    return try disparity(width, height) { x, y in values[y * width + x] }
  }
}
