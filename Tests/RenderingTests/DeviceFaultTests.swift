// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Foundation
import Synchronization
import Testing

/// A session's behaviour on a device that has too little memory or goes away: typed errors, no lost
/// frame, and a new session in the same process.
@Suite struct DeviceFaultTests {
  private func makeCase() throws -> RenderCase {
    try CutScene.renderCase(.blurredWithHoles, .preview, width: 47, height: 1603)
  }

  private func makeSession(_ backend: LimitedBackend, _ renderCase: RenderCase) throws
    -> RenderingSession
  {
    try RenderingSession(
      commandQueue: CommandQueue(device: backend.device), sessionAttributes: renderCase.session,
      quality: renderCase.quality)
  }

  private func makeDestination(_ renderCase: RenderCase) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: renderCase.source.dimensions, format: .rgbaFloat, tags: .linearBT709)
  }

  private func error(_ body: () throws -> Void) -> CinematicError? {
    do {
      try body()
      return nil
    } catch {
      return error as? CinematicError
    }
  }

  @Test(arguments: TestDevices.processors)
  func lessMemoryIsTriedUntilItIsGiven(_ device: Device) throws {
    let renderCase = try makeCase()
    let whole = try renderCase.render(on: device).pixelBytes()
    let unlimited = LimitedBackend(device)
    let session = try makeSession(unlimited, renderCase)
    try session.render(renderCase, to: makeDestination(renderCase))
    var limit = session.workingMemoryByteCount
    var cuts = 0
    while true {
      limit = limit * 2 / 3
      let limited = LimitedBackend(device, memoryLimit: limit)
      let session = try makeSession(limited, renderCase)
      let destination = try makeDestination(renderCase)
      if let error = error({ try session.render(renderCase, to: destination) }) {
        #expect(error.code == .outOfMemory)
        break
      }
      #expect(destination.pixelBytes() == whole, "with \(limit) bytes")
      let allocations = session.workingMemoryAllocationCount
      for _ in 0..<2 { try session.render(renderCase, to: destination) }
      #expect(session.workingMemoryAllocationCount == allocations, "warm frames allocate nothing")
      #expect(session.workingMemoryByteCount <= limit)
      cuts += 1
    }
    #expect(cuts >= 2)
  }

  /// One refusal at each point in turn, then memory again.
  @Test(arguments: TestDevices.processors)
  func memoryRefusedAtEachPoint(_ device: Device) throws {
    let renderCase = try makeCase()
    let whole = try renderCase.render(on: device).pixelBytes()
    let unlimited = try makeSession(LimitedBackend(device), renderCase)
    try unlimited.render(renderCase, to: makeDestination(renderCase))
    var given = 0
    while true {
      let limited = LimitedBackend(device)
      let session = try makeSession(limited, renderCase)
      limited.change { $0.givenBeforeRefusal = given }
      let destination = try makeDestination(renderCase)
      if let error = error({ try session.render(renderCase, to: destination) }) {
        #expect(error.code == .outOfMemory)
        try session.render(renderCase, to: destination)
      }
      #expect(destination.pixelBytes() == whole, "refused after \(given)")
      #expect(
        session.workingMemoryByteCount == unlimited.workingMemoryByteCount,
        "one refusal cuts no frame, after \(given)")
      var wasReached = false
      limited.change { wasReached = $0.givenBeforeRefusal == nil }
      guard wasReached else { break }
      given += 1
    }
    #expect(given >= 10)
  }

  /// While a frame waits for those in flight to give back memory, their handlers may ask the session.
  @Test(arguments: TestDevices.processors)
  func handlersMayAskWhileMemoryIsRefused(_ device: Device) throws {
    let (small, large) = (
      try CutScene.renderCase(.exact, .preview, width: 47, height: 503), try makeCase()
    )
    let whole = try large.render(on: device).pixelBytes()
    let limited = LimitedBackend(device)
    let session = try makeSession(limited, large)
    let first = session.commandQueue.makeCommandBuffer()
    let asked = Mutex(-1)
    first.addCompletedHandler { [session] _ in
      // The next frame has been refused by now, as a rule.
      Thread.sleep(forTimeInterval: 0.3)
      asked.withLock { $0 = session.workingMemoryByteCount }
    }
    try session.encode(small, to: makeDestination(small), first)
    first.commit()
    let destination = try makeDestination(large)
    let second = session.commandQueue.makeCommandBuffer()
    try session.encode(large, to: destination, second)
    // The first frame's buffers are there, and the larger one's are not.
    while session.workingMemoryByteCount == 0 { Thread.sleep(forTimeInterval: 0.001) }
    limited.change { $0.givenBeforeRefusal = 0 }
    second.commit()
    second.waitUntilCompleted()
    first.waitUntilCompleted()
    #expect(second.error == nil)
    #expect(destination.pixelBytes() == whole)
    #expect(asked.withLock { $0 } >= 0)
    var wasReached = false
    limited.change { wasReached = $0.givenBeforeRefusal == nil }
    #expect(wasReached)
  }

  @Test(arguments: TestDevices.processors)
  func cutFramesInFlightDoNotDisturbEachOther(_ device: Device) throws {
    let renderCase = try makeCase()
    let whole = try renderCase.render(on: device).pixelBytes()
    let limited = LimitedBackend(device, largestBinding: 1_450_000)
    let session = try makeSession(limited, renderCase)
    let order = Mutex<[Int]>([])
    let frames = try (0..<5).map { index in
      let buffer = session.commandQueue.makeCommandBuffer()
      let destination = try makeDestination(renderCase)
      try session.encode(renderCase, to: destination, buffer)
      buffer.addCompletedHandler { _ in order.withLock { $0.append(index) } }
      return (buffer, destination)
    }
    for (buffer, _) in frames { buffer.commit() }
    for (buffer, destination) in frames {
      buffer.waitUntilCompleted()
      #expect(buffer.error == nil)
      #expect(destination.pixelBytes() == whole)
    }
    #expect(order.withLock { $0 } == Array(0..<5))
    #expect(limited.submissionCount > 5)
  }

  /// Lost before the first frame, between the strips of one, and between frames.
  @Test(arguments: TestDevices.processors, [0, 1, 3, 12])
  func aLostDeviceIsSaidAndReplaced(_ device: Device, _ submissions: Int) async throws {
    let renderCase = try makeCase()
    let limited = LimitedBackend(device, largestBinding: 1_450_000)
    limited.change { $0.submissionsBeforeLoss = submissions }
    let session = try makeSession(limited, renderCase)
    let calls = Mutex(0)
    var buffers: [CommandBuffer] = []
    for _ in 0..<8 {
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encode(renderCase, to: makeDestination(renderCase), buffer)
      buffer.addCompletedHandler { _ in calls.withLock { $0 += 1 } }
      buffer.commit()
      buffers.append(buffer)
    }
    for buffer in buffers {
      if let error = await failure(of: buffer) { #expect(error.code == .deviceLost) }
      #expect((buffer.error == nil) == (buffer.status == .completed))
    }
    #expect(buffers.last?.status == .error)
    #expect(calls.withLock { $0 } == 8, "no frame is lost without a word")
    // Frames before the loss are there, all after it are not.
    let statuses = buffers.map { $0.status == .completed ? 0 : 1 }
    #expect(statuses == statuses.sorted())

    let again = try makeSession(LimitedBackend(device), renderCase)
    let destination = try makeDestination(renderCase)
    try again.render(renderCase, to: destination)
    #expect(try destination.pixelBytes() == renderCase.render(on: device).pixelBytes())
  }

  private func failure(of buffer: CommandBuffer) async -> CinematicError? {
    do {
      try await buffer.completed()
      return nil
    } catch {
      return error
    }
  }
}
