// SPDX-License-Identifier: Apache-2.0

import CVulkan
import Dispatch
import FocalCore
import FocalRendering
import Synchronization
import Testing

@testable import FocalVulkan

extension VulkanTests {
  /// A driver that fails.
  @Suite struct FaultTests {
    /// Fails the call with a number, or all from there on, of those that can fail.
    private final class Fault: Sendable {
      private let state: Mutex<(count: Int, first: Int?, isLasting: Bool)>
      private let result: VkResult

      init(_ result: VkResult) {
        self.result = result
        state = Mutex((0, nil, false))
      }

      /// Counts anew from 0; fails nothing with `nil`.
      func arm(_ first: Int?, isLasting: Bool = false) {
        state.withLock { $0 = (0, first, isLasting) }
      }

      var count: Int { state.withLock { $0.count } }

      /// The calls whose failure somebody is told of: a queue that goes has nobody to tell.
      let toldCount = Mutex(Int.max)

      var hook: CallHook {
        { _ in
          self.state.withLock { state in
            defer { state.count += 1 }
            guard let first = state.first else { return nil }
            return state.count == first || state.isLasting && state.count > first
              ? self.result : nil
          }
        }
      }
    }

    /// Finds a device, makes everything anew, renders a few frames and reads them back.
    ///
    /// - Returns: the errors of what failed; every frame has ended, rightly or with an error.
    private func wholeLife(_ way: Way, _ fault: Fault, profiling: Bool = false) -> [CinematicError]
    {
      let listing = DeviceListing.vulkan(way.options(hook: fault.hook))
      guard let device = listing.devices.first else {
        #expect(!listing.skipped.isEmpty)
        return [CinematicError(.unsupported, "\(listing.skipped)")]
      }
      let errors = Mutex<[CinematicError]>([])
      let frames = 3
      do {
        let queue = try device.backend.makeQueue()
        let memory = try device.memory([Float](repeating: 1, count: 64))
        let source = try PixelBuffer.disparity(64, 1) { _, _ in 3 }
        let destinations = try (0..<frames).map { _ in
          try PixelBuffer.disparity(64, 1) { _, _ in -1 }
        }
        let ends = Mutex(0)
        for destination in destinations {
          queue.submit(
            [
              circle(.pixels(source, plane: 0, access: .read), .memory(memory), 64, 1, scale: 2),
              circle(.memory(memory), .pixels(destination, plane: 0, access: .write), 64, 1),
            ], profiling: profiling
          ) { result in
            ends.withLock { $0 += 1 }
            if let error = result.error {
              errors.withLock { $0.append(error) }
              return
            }
            let values = try? destination.floats()
            #expect(values == [Float](repeating: 6, count: 64))
          }
        }
        let last = queue.run([])
        #expect(ends.withLock { $0 } == frames)
        if let error = last.error { errors.withLock { $0.append(error) } }
        _ = try memory.floats()
        withExtendedLifetime(queue) { fault.toldCount.withLock { $0 = fault.count } }
      } catch let error as CinematicError {
        errors.withLock { $0.append(error) }
      } catch {
        Issue.record(error)
      }
      return errors.withLock { $0 }
    }

    /// Each call in turn fails once with "out of memory": an error says so, or it was not needed;
    /// nothing crashes, hangs or is lost.
    @Test(arguments: [Way.everything, .withoutBoth, .withTransfersApart, .inSmallJobs])
    func eachCallRunsOutOfMemory(_ way: Way) {
      let fault = Fault(VK_ERROR_OUT_OF_DEVICE_MEMORY)
      #expect(wholeLife(way, fault).isEmpty)
      let calls = fault.count
      #expect(calls > 20)
      for index in 0..<calls {
        fault.arm(index)
        let errors = wholeLife(way, fault, profiling: index % 2 == 1)
        for error in errors { #expect([.outOfMemory, .unsupported].contains(error.code)) }
      }
      fault.arm(nil)
      #expect(wholeLife(way, fault).isEmpty)
    }

    /// Each call in turn finds the device lost, and all after it: every frame fails, and a device
    /// made anew works.
    @Test(arguments: [Way.everything, .withTransfersApart, .inSmallJobs])
    func eachCallLosesTheDevice(_ way: Way) {
      let fault = Fault(VK_ERROR_DEVICE_LOST)
      fault.arm(nil)
      #expect(wholeLife(way, fault).isEmpty)
      for index in 0..<fault.count {
        fault.arm(index, isLasting: true)
        let errors = wholeLife(way, fault)
        // How many slots are made depends on how fast frames end: the last calls may not come.
        #expect(!errors.isEmpty || fault.toldCount.withLock { $0 } <= index)
        for error in errors { #expect([.deviceLost, .unsupported].contains(error.code)) }
      }
      fault.arm(nil)
      #expect(wholeLife(way, fault).isEmpty)
    }

    @Test(arguments: Way.allCases)
    func aLostDeviceStaysLostWithTheSameError(_ way: Way) throws {
      let isLost = Mutex(false)
      let device = try #require(
        makeDevice(way) { name in
          "\(name)" == "vkQueueSubmit" && isLost.withLock { $0 } ? VK_ERROR_DEVICE_LOST : nil
        })
      let queue = try device.backend.makeQueue()
      let memory = try device.memory([Float](repeating: 1, count: 8))
      let step = circle(.memory(memory), .memory(memory), 8, 1)
      #expect(queue.run([step]).error == nil)
      isLost.withLock { $0 = true }
      let error = try #require(queue.run([step]).error)
      #expect(error.code == .deviceLost)
      // The driver works again, but what it held is gone.
      isLost.withLock { $0 = false }
      #expect(queue.run([step]).error == error)
      #expect(throws: error) { _ = try memory.floats() }
      #expect(throws: error) { _ = try device.backend.makeMemory(byteCount: 4) }
      #expect(throws: error) { _ = try device.backend.makeQueue() }
      let again = try #require(makeDevice(way))
      #expect(try again.memory([4]).floats() == [4])
    }

    @Test func aWaitThatNeverAnswersForWantOfMemoryEndsAsLoss() throws {
      let device = try #require(
        makeDevice { name in
          "\(name)" == "vkWaitSemaphores" || "\(name)" == "vkWaitForFences"
            ? VK_ERROR_OUT_OF_HOST_MEMORY : nil
        })
      let queue = try device.backend.makeQueue()
      let memory = try device.memory([Float](repeating: 1, count: 8))
      #expect(
        queue.run([circle(.memory(memory), .memory(memory), 8, 1)]).error?.code == .deviceLost)
    }

    /// With memory for one frame in flight but not for two, frames run one after the other.
    @Test(arguments: Way.allCases)
    func fewerFramesInFlightWhereMemoryIsShort(_ way: Way) throws {
      let inUse = Mutex<(@Sendable () -> Int)?>(nil)
      let limit = Mutex(Int.max)
      let device = try #require(
        makeDevice(way) { name in
          guard "\(name)" == "vkAllocateMemory", let count = inUse.withLock({ $0 })?() else {
            return nil
          }
          return count > limit.withLock { $0 } ? VK_ERROR_OUT_OF_DEVICE_MEMORY : nil
        })
      let memory = try #require(try device.memory([0]) as? VulkanMemory)
      let vulkan = memory.buffer.device
      // Memory still to be allocated is counted already.
      inUse.withLock { $0 = { [weak vulkan] in vulkan?.allocationCount ?? 0 } }
      let queue = try device.backend.makeQueue()
      let source = try PixelBuffer.disparity(64, 8) { x, y in Float(x * y) }
      let destinations = try (0..<6).map { _ in try PixelBuffer.disparity(64, 8) { _, _ in 0 } }
      func dispatch(_ destination: PixelBuffer) -> KernelDispatch {
        circle(
          .pixels(source, plane: 0, access: .read), .pixels(destination, plane: 0, access: .write),
          64, 8, scale: 3)
      }
      #expect(queue.run([dispatch(destinations[0])]).error == nil)
      limit.withLock { $0 = vulkan.allocationCount }
      let errors = Mutex<[CinematicError?]>([])
      for destination in destinations {
        queue.submit([dispatch(destination)], profiling: false) { result in
          errors.withLock { $0.append(result.error) }
        }
      }
      queue.run([])
      #expect(errors.withLock { $0 } == Array(repeating: nil, count: 6))
      for destination in destinations {
        #expect(try destination.floats() == source.floats().map { $0 * 3 })
      }
    }
  }
}
