// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import Dispatch
import FocalCPU
import FocalCore
import FocalRendering
import ShaderTypes
import Synchronization
import Testing

@testable import FocalOpenCL

@Suite(.enabled(if: Machine.isEquipped, Machine.reason)) struct QueueTests {
  private func step(
    _ memory: any DeviceMemory, adding addend: Int, rounds: Int = 1
  ) -> KernelDispatch {
    let count = memory.byteCount / 4
    return KernelDispatch(
      TestKernels.step, [.memory(memory), .none],
      TestKernels.StepParameters(
        count: Int32(count), addend: Int32(addend), rounds: Int32(rounds)),
      items: count, grid: Grid(count))
  }

  @Test(arguments: [(1, 1), (33, 5), (257, 31)])
  func aKernelGivesTheBitsOfTheProcessor(width: Int, height: Int) throws {
    var generator = SeededGenerator(seed: UInt64(width))
    let disparity = (0..<width * height).map { _ in Float.random(in: -3...3, using: &generator) }
    var parameters = FocalCircleOfConfusionParameters()
    parameters.width = Int32(width)
    parameters.height = Int32(height)
    parameters.circles.focusDisparity = 0.37
    (parameters.circles.nearScale, parameters.circles.farScale) = (71.3, 55.1)
    parameters.circles.maximumRadius = 100
    let results = try [Machine().backend, Device.cpu().backend].map { backend in
      let input = try backend.makeMemory(byteCount: disparity.count * 4)
      let output = try backend.makeMemory(byteCount: disparity.count * 4)
      try input.write(disparity)
      let dispatch = KernelDispatch(
        .circleOfConfusion, [.memory(input), .memory(output)], parameters, items: height,
        grid: Grid(width, height))
      let error = try backend.makeQueue().run([dispatch]).error
      #expect(error == nil)
      return try output.values(UInt32(0))
    }
    #expect(results[0] == results[1])
  }

  @Test func manySubmissionsRunAndCompleteInOrder() throws {
    let backend = try Machine().backend
    let queue = try backend.makeQueue()
    let memory = try backend.makeMemory(byteCount: 4 * 100)
    try memory.write([UInt32](repeating: 1, count: 100))
    let order = Mutex<[Int]>([])
    var expected = UInt32(1)
    for index in 0..<60 {
      queue.submit([step(memory, adding: index), step(memory, adding: 7)], profiling: index == 30) {
        #expect($0.error == nil)
        order.withLock { $0.append(index) }
      }
      expected = (expected &* 3 &+ UInt32(index)) &* 3 &+ 7
    }
    #expect(queue.run([]).error == nil)
    #expect(order.withLock { $0 } == Array(0..<60))
    #expect(try memory.values(UInt32(0)) == [UInt32](repeating: expected, count: 100))
  }

  @Test func submittingReturnsAtOnce() throws {
    let backend = try Machine().backend
    let queue = try backend.makeQueue()
    let memory = try backend.makeMemory(byteCount: 4 * 64)
    let isFinished = Atomic(false)
    let work = [KernelDispatch](
      repeating: step(memory, adding: 1, rounds: 2_000_000), count: 8)
    queue.submit(work, profiling: false) { _ in isFinished.store(true, ordering: .releasing) }
    // Half a thousand million steps are behind the call: it cannot have waited for them.
    let early = isFinished.load(ordering: .acquiring)
    #expect(!early)
    _ = queue.run([])
    let late = isFinished.load(ordering: .acquiring)
    #expect(late)
  }

  @Test func aSlowHandlerKeepsTheOrder() throws {
    let backend = try Machine().backend
    let queue = try backend.makeQueue()
    let memory = try backend.makeMemory(byteCount: 4)
    let order = Mutex<[Int]>([])
    let gate = DispatchGroup()
    gate.enter()
    for index in 0..<8 {
      queue.submit([step(memory, adding: 1)], profiling: false) { _ in
        if index == 0 { gate.wait() }
        order.withLock { $0.append(index) }
      }
    }
    gate.leave()
    _ = queue.run([])
    #expect(order.withLock { $0 } == Array(0..<8))
  }

  @Test func twoQueuesShareAProgram() throws {
    let backend = try Machine().backend
    let queues = try (0..<2).map { _ in try backend.makeQueue() }
    let memories = try (0..<2).map { _ in try backend.makeMemory(byteCount: 4 * 10) }
    for memory in memories { try memory.write([UInt32](repeating: 0, count: 10)) }
    for round in 0..<20 {
      for (queue, memory) in zip(queues, memories) {
        queue.submit([step(memory, adding: round)], profiling: false) { #expect($0.error == nil) }
      }
    }
    for queue in queues { _ = queue.run([]) }
    let values = try memories.map { try $0.values(UInt32(0)) }
    #expect(values[0] == values[1])
    #expect(values[0][0] != 0)
  }

  @Test func everyDispatchOfAProfiledSubmissionIsTimed() throws {
    let backend = try Machine().backend
    let queue = try backend.makeQueue()
    let memory = try backend.makeMemory(byteCount: 4 * 1000)
    #expect(queue.run([step(memory, adding: 1)]).timings.isEmpty)
    var nothing = step(memory, adding: 1)
    nothing.grid = Grid(0)
    let long = step(memory, adding: 1, rounds: 500_000)
    let result = queue.run([long, nothing, step(memory, adding: 1)], profiling: true)
    #expect(result.timings.map(\.kernel) == ["markReach", "markReach", "markReach"])
    #expect(result.timings[0].seconds > 0)
    #expect(result.timings[1].seconds == 0)
    #expect(result.uploadSeconds == 0)
  }

  @Test func nothingIsKeptPastTheCompletion() throws {
    let backend = try Machine().backend
    let queue = try backend.makeQueue()
    weak var released: OpenCLMemory?
    do {
      let memory = try backend.makeMemory(byteCount: 64)
      released = memory as? OpenCLMemory
      queue.submit([step(memory, adding: 1)], profiling: false) { _ in }
    }
    for _ in 0..<2 { _ = queue.run([]) }
    #expect(released == nil)
  }
}
