// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import Foundation
import Synchronization
import Testing

@testable import FocalOpenCL

/// Pictures on their way to the device and back: in place, and copied.
@Suite(.enabled(if: Machine.isEquipped, Machine.reason)) struct PlaneTests {
  private func noise(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (index &* 2_654_435_761) >> 7)
  }

  /// A copy's bytes with `addend` added, where `old` stood before.
  private func expected(
    _ source: PaddedPicture, adding addend: Int, over old: [UInt8], _ destination: PaddedPicture
  ) -> [UInt8] {
    var bytes = old
    let input = source.bytes
    for y in 0..<source.buffer.height {
      for x in 0..<source.buffer.width * 4 {
        bytes[y * destination.bytesPerRow + x] =
          input[y * source.bytesPerRow + x] &+ UInt8(truncatingIfNeeded: addend)
      }
    }
    return bytes
  }

  @Test(arguments: [true, false], [(1, 1), (33, 7), (640, 301)])
  func rowsArriveAndPaddingStays(inPlace: Bool, size: (Int, Int)) throws {
    let queue = try Machine(usesHostMemory: inPlace).backend.makeQueue()
    for (sourcePadding, padding) in [(0, 0), (12, 20), (0, 100), (2048, 4)] {
      let source = try PaddedPicture(size.0, size.1, padding: sourcePadding, value: noise)
      let destination = try PaddedPicture(size.0, size.1, padding: padding) { ~noise($0) }
      let old = destination.bytes
      #expect(queue.run([source.copied(to: destination, adding: 5)]).error == nil)
      #expect(destination.bytes == expected(source, adding: 5, over: old, destination))
    }
  }

  @Test(arguments: [true, false])
  func aPictureLargerThanAPieceArrivesWhole(inPlace: Bool) throws {
    let queue = try Machine(usesHostMemory: inPlace).backend.makeQueue()
    // 18 MB: three pieces of 8 MiB at most.
    let source = try PaddedPicture(3000, 1500, padding: 0, value: noise)
    let destination = try PaddedPicture(3000, 1500, padding: 64) { _ in 1 }
    let old = destination.bytes
    let result = queue.run([source.copied(to: destination, adding: 1)], profiling: true)
    #expect(result.error == nil)
    #expect(destination.bytes == expected(source, adding: 1, over: old, destination))
    // Only what is copied takes time.
    #expect((result.uploadSeconds > 0) == !inPlace)
    #expect((result.downloadSeconds > 0) == !inPlace)
  }

  private final class Order: Sendable {
    let events = Mutex<[String]>([])
    func add(_ event: String) { events.withLock { $0.append(event) } }
  }

  /// What a device has over a picture's bytes is gone before they are.
  @Test(.enabled(if: Machine.isUnified, Machine.separationReason))
  func buffersGoBeforeTheirPictures() throws {
    let order = Order()
    var checkedRounds = 0
    let queue = try Machine(interceptor: { function, call in
      let status = call()
      order.add("\(function)")
      return status
    }).backend.makeQueue()
    for _ in 0..<10 {
      order.events.withLock { $0 = [] }
      do {
        let released: @Sendable () -> Void = { order.add("picture") }
        // Graphics devices reach whole pages.
        let source = try PaddedPicture(
          64, 32, padding: 0, alignment: 4096, released: released, value: noise)
        let destination = try PaddedPicture(
          64, 32, padding: 0, alignment: 4096, released: released
        ) { _ in 0 }
        let dispatch = source.copied(to: destination, adding: 5)
        queue.submit([dispatch], profiling: false) { _ in order.add("end") }
      }
      var events: [String] = []
      // Ends as soon as the queue's threads have let go of the pictures.
      for _ in 0..<2000 where events.count(where: { $0 == "picture" }) < 2 {
        usleep(5000)
        events = order.events.withLock { $0 }
      }
      let first = try #require(events.firstIndex(of: "picture"))
      // Pictures that were copied have no buffers of their own.
      guard !events.contains("clEnqueueWriteBuffer") else { continue }
      checkedRounds += 1
      #expect(events[..<first].count { $0 == "clReleaseMemObject" } == 2)
    }
    #expect(checkedRounds > 0, "\(Machine.deviceName) copied the pictures of every round")
  }

  @Test(arguments: [true, false])
  func aSubmissionReadsWhatItWroteBefore(inPlace: Bool) throws {
    let queue = try Machine(usesHostMemory: inPlace).backend.makeQueue()
    let first = try PaddedPicture(40, 30, padding: 8, value: noise)
    let second = try PaddedPicture(40, 30, padding: 0) { _ in 0 }
    let third = try PaddedPicture(40, 30, padding: 4) { _ in 77 }
    let dispatches = [
      first.copied(to: second, adding: 1), second.copied(to: third, adding: 2),
      third.copied(to: first, adding: 3),
    ]
    let original = first.bytes
    let expectedThird = expected(first, adding: 3, over: third.bytes, third)
    #expect(queue.run(dispatches).error == nil)
    #expect(third.bytes == expectedThird)
    #expect(first.bytes == expected(third, adding: 3, over: original, first))
  }

  @Test(arguments: [true, false])
  func aSubmissionReadsWhatOneInFlightWrites(inPlace: Bool) throws {
    let queue = try Machine(usesHostMemory: inPlace).backend.makeQueue()
    var pictures = [try PaddedPicture(64, 64, padding: 4, value: noise)]
    let original = pictures[0].bytes
    for index in 1...12 {
      let next = try PaddedPicture(64, 64, padding: 4, value: noise)
      queue.submit([pictures[index - 1].copied(to: next, adding: Int32(index))], profiling: false) {
        #expect($0.error == nil)
      }
      pictures.append(next)
    }
    _ = queue.run([])
    let sum = UInt8((1...12).reduce(0, +))
    let result = pictures[12].bytes
    #expect((0..<64 * 4).allSatisfy { result[$0] == original[$0] &+ sum })
  }

  /// Pictures over rows of one memory, each a row further than the one before.
  @Test(arguments: [true, false])
  func overlappingPicturesSeeEachOther(inPlace: Bool) throws {
    let queue = try Machine(usesHostMemory: inPlace).backend.makeQueue()
    let (width, height) = (16, 12)
    let whole = try PaddedPicture(width, height + 1, padding: 0, value: noise)
    let memory = whole.buffer.withUnsafeMutableBytes { $0 }
    func view(from row: Int) throws -> PixelBuffer {
      try PixelBuffer(
        dimensions: Dimensions(width: width, height: height), format: .rgba8, tags: .sRGB,
        baseAddress: memory.baseAddress! + row * width * 4, byteCount: width * height * 4,
        planes: [(offset: 0, bytesPerRow: width * 4)], release: { [whole] _ in _ = whole })
    }
    let other = try PaddedPicture(width, height, padding: 0) { _ in 0 }
    func copy(_ source: PixelBuffer, _ destination: PixelBuffer) -> KernelDispatch {
      KernelDispatch(
        TestKernels.copy,
        [.pixels(source, plane: 0, access: .read), .pixels(destination, plane: 0, access: .write)],
        TestKernels.CopyParameters(
          rowByteCount: Int32(width * 4), rowCount: Int32(height), sourcePitch: Int32(width * 4),
          destinationPitch: Int32(width * 4), addend: 1), items: height,
        grid: Grid(width * 4, height))
    }
    let original = whole.bytes
    let (top, bottom) = (try view(from: 0), try view(from: 1))
    // Down by a row, twice, through another picture; then the same in two submissions.
    let shift = [copy(top, other.buffer), copy(other.buffer, bottom)]
    #expect(PlanePlan.stages(of: shift + shift).count == 2)
    #expect(queue.run(shift + shift).error == nil)
    queue.submit(shift, profiling: false) { #expect($0.error == nil) }
    #expect(queue.run(shift).error == nil)

    var model = original
    for _ in 0..<4 {
      let rows = model[..<(width * 4 * height)].map { $0 &+ 2 }
      model.replaceSubrange((width * 4)..., with: rows)
    }
    #expect(whole.bytes == model)
  }

  @Test func onceWarmNoFrameAllocates() throws {
    let watch = CallWatch()
    let queue = try Machine(usesHostMemory: false, interceptor: watch.interceptor).backend
      .makeQueue()
    let source = try PaddedPicture(100, 100, padding: 4, value: noise)
    let destinations = try (0..<4).map { _ in
      try PaddedPicture(100, 100, padding: 0) { _ in 0 }
    }
    func commit(_ count: Int) {
      for index in 0..<count {
        queue.submit([source.copied(to: destinations[index % 4], adding: 1)], profiling: false) {
          #expect($0.error == nil)
        }
      }
      _ = queue.run([])
    }
    // Three flights at most are under way: as many sets of buffers are made, whatever the luck.
    commit(40)
    let allocations = watch.count("clCreateBuffer")
    #expect((2...12).contains(allocations))
    // Every set is there now, unless fewer flights were under way at once so far.
    commit(200)
    #expect(watch.count("clCreateBuffer") <= 12)
  }
}
