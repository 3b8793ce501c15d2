// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import Dispatch
import FocalCPU
import FocalCore
import FocalRendering
import Synchronization
import Testing

@Suite struct CommandBufferTests {
  let queue: CommandQueue
  let session: RenderingSession
  let source: PixelBuffer
  let disparity: PixelBuffer

  init() throws {
    queue = try CommandQueue(device: .cpu(threadCount: 2))
    session = try RenderingSession(commandQueue: queue, quality: .preview)
    source = try .noise(64, 48, seed: 1)
    disparity = try .disparity(16, 12) { x, _ in Float(x) / 15 }
  }

  private func encoded(
    to destination: PixelBuffer? = nil
  ) throws -> (buffer: CommandBuffer, destination: PixelBuffer) {
    let destination =
      try destination
      ?? PixelBuffer(dimensions: source.dimensions, format: .rgbaFloat, tags: .linearBT709)
    let buffer = queue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: .init(focusDisparity: 0.5, fNumber: 2),
      sourceImage: source, sourceDisparity: disparity, destinationImage: destination)
    return (buffer, destination)
  }

  @Test func statusesFollowTheWork() throws {
    let (buffer, _) = try encoded()
    #expect(buffer.status == .notEnqueued)
    buffer.commit()
    #expect(buffer.status >= .committed)
    buffer.waitUntilCompleted()
    #expect(buffer.status == .completed)
    #expect(buffer.error == nil)
  }

  @Test func buffersCompleteInTheOrderOfTheirCommits() async throws {
    let order = Mutex<[Int]>([])
    var buffers: [CommandBuffer] = []
    for index in 0..<12 {
      let (buffer, _) = try encoded()
      buffer.addCompletedHandler { _ in order.withLock { $0.append(index) } }
      buffers.append(buffer)
    }
    for buffer in buffers { buffer.commit() }
    for buffer in buffers.reversed() { try await buffer.completed() }
    #expect(order.withLock { $0 } == Array(0..<12))
  }

  @Test func framesInFlightDoNotDisturbEachOther() throws {
    let alone = try encoded()
    alone.buffer.commit()
    alone.buffer.waitUntilCompleted()
    let many = try (0..<6).map { _ in try encoded() }
    for frame in many { frame.buffer.commit() }
    for frame in many {
      frame.buffer.waitUntilCompleted()
      #expect(frame.destination.pixelBytes() == alone.destination.pixelBytes())
    }
  }

  @Test func handlersRunBeforeWaitReturns() throws {
    let calls = Mutex(0)
    let (buffer, _) = try encoded()
    for _ in 0..<3 { buffer.addCompletedHandler { _ in calls.withLock { $0 += 1 } } }
    buffer.commit()
    buffer.waitUntilCompleted()
    #expect(calls.withLock { $0 } == 3)
  }

  /// Also for a buffer with handlers, one behind others, and the handler's own.
  @Test(.timeLimit(.minutes(10))) func handlersMayWaitForOtherBuffers() throws {
    let order = Mutex<[String]>([])
    @Sendable func note(_ name: String) { order.withLock { $0.append(name) } }
    let (first, _) = try encoded()
    let others = try (0..<3).map { _ in try encoded().buffer }
    first.addCompletedHandler { own in
      note("first")
      own.waitUntilCompleted()
      for other in others { other.commit() }
      others[0].waitUntilCompleted()
      others[2].waitUntilCompleted()
      note("end of the first")
    }
    first.addCompletedHandler { _ in note("second") }
    others[1].addCompletedHandler { _ in note("between") }
    others[2].addProgressHandler { completed, total in note("\(completed) of \(total)") }
    others[2].addCompletedHandler { _ in note("last") }
    first.commit()
    first.waitUntilCompleted()
    let known = order.withLock { Array($0.prefix(5)) }
    #expect(known == ["first", "1 of 1", "last", "end of the first", "second"])
    others[1].waitUntilCompleted()
    #expect(order.withLock { $0.last } == "between")
    #expect(others.allSatisfy { $0.status == .completed })
  }

  /// A handler that takes its time holds up no buffer without handlers.
  @Test(.timeLimit(.minutes(10))) func theDeviceGoesOnWhileHandlersRun() throws {
    let (first, second) = (try encoded().buffer, try encoded().buffer)
    let isFree = DispatchSemaphore(value: 0)
    first.addCompletedHandler { _ in isFree.wait() }
    first.commit()
    second.commit()
    second.waitUntilCompleted()
    #expect(first.status == .completed)
    isFree.signal()
    first.waitUntilCompleted()
  }

  @Test func anEmptyBufferCompletes() async throws {
    let buffer = queue.makeCommandBuffer()
    buffer.commit()
    try await buffer.completed()
    #expect(buffer.status == .completed)
  }

  @Test func aBufferKeepsWhatItUsesAlive() throws {
    let released = ReleaseFlag()
    let buffer = queue.makeCommandBuffer()
    do {
      let count = source.planes[0].byteCount
      let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
      let destination = try PixelBuffer(
        dimensions: source.dimensions, format: .rgbaFloat, tags: .linearBT709,
        baseAddress: memory, byteCount: count,
        planes: [(offset: 0, bytesPerRow: source.planes[0].bytesPerRow)],
        release: { pointer in
          pointer.deallocate()
          released.set()
        })
      try session.encodeRender(
        to: buffer, frameAttributes: .init(focusDisparity: 0.5, fNumber: 2),
        sourceImage: source, sourceDisparity: disparity, destinationImage: destination)
    }
    #expect(!released.isSet, "an encoded destination must outlive its last other owner")
    buffer.commit()
    buffer.waitUntilCompleted()
    // The queue lets go of the work right after the completion; an empty submission is behind it.
    for _ in 0..<2 {
      let fence = queue.makeCommandBuffer()
      fence.commit()
      fence.waitUntilCompleted()
    }
    #expect(released.isSet, "a completed buffer must let go of its pictures")
  }

  @Test func timingsNameEveryKernelOfAProfilingQueue() throws {
    let profiling = try CommandQueue(device: .cpu(), isProfiling: true)
    let session = try RenderingSession(commandQueue: profiling, quality: .preview)
    let buffer = profiling.makeCommandBuffer()
    let destination = try PixelBuffer(
      dimensions: source.dimensions, format: .rgbaFloat, tags: .linearBT709)
    try session.encodeRender(
      to: buffer, frameAttributes: .init(focusDisparity: 0.5, fNumber: 2),
      sourceImage: source, sourceDisparity: disparity, destinationImage: destination)
    buffer.commit()
    buffer.waitUntilCompleted()
    #expect(buffer.kernelTimings.first?.kernel == "unpackDisparity")
    #expect(buffer.kernelTimings.last?.kernel == "pack")
    #expect(buffer.kernelTimings.allSatisfy { $0.seconds >= 0 })
  }

  @Test func committingTwiceStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      let buffer = try CommandQueue(device: .cpu()).makeCommandBuffer()
      buffer.commit()
      buffer.commit()
    }
  }

  @Test func encodingAfterTheCommitStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      let queue = try CommandQueue(device: .cpu())
      let session = try RenderingSession(commandQueue: queue, quality: .preview)
      let buffer = queue.makeCommandBuffer()
      buffer.commit()
      let picture = try PixelBuffer.noise(8, 8, seed: 1)
      try session.encodeRender(
        to: buffer, frameAttributes: .init(focusDisparity: 0, fNumber: 2), sourceImage: picture,
        sourceDisparity: .disparity(8, 8) { _, _ in 0 },
        destinationImage: PixelBuffer(dimensions: picture.dimensions, format: .rgba8))
    }
  }
}

private final class ReleaseFlag: Sendable {
  private let flag = Atomic(false)
  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}
