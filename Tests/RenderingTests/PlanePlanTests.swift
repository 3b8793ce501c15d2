// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalRendering
import Synchronization
import Testing

/// Which planes are copied and waited for, worked out without a device.
@Suite struct PlanePlanTests {
  private static let size = Dimensions(width: 8, height: 6)

  private func picture() throws -> PixelBuffer {
    try PixelBuffer(dimensions: Self.size, format: .rgba8, tags: .sRGB)
  }

  private func dispatch(
    reading source: PixelBuffer? = nil, writing destination: PixelBuffer? = nil
  ) -> KernelDispatch {
    KernelDispatch(
      .pack,
      [
        source.map { .pixels($0, plane: 0, access: .read) } ?? .none,
        destination.map { .pixels($0, plane: 0, access: .write) } ?? .none,
      ], Int32(0), items: 1, grid: Grid(1))
  }

  @Test func onlyWhatIsReadFirstIsCopiedIn() throws {
    let (a, b, c) = (try picture(), try picture(), try picture())
    let plan = PlanePlan([
      dispatch(reading: a, writing: b), dispatch(reading: b, writing: c),
      dispatch(reading: c, writing: a), dispatch(reading: a),
    ])
    #expect(plan.uses.map(\.startsWithRead) == [true, false, false])
    #expect(plan.uses.map(\.isWritten) == [true, true, true])
    #expect(plan.uses.map(\.plane) == [a, b, c].map { HostPlane($0, plane: 0) })
    #expect(plan.index(of: HostPlane(c, plane: 0)) == 2)
    #expect(plan.index(of: HostPlane(try picture(), plane: 0)) == nil)
  }

  /// The same bytes are one plane, whichever picture names them.
  @Test func planesAreTheirBytes() throws {
    let picture = try picture()
    let same = picture.tagged(.linearBT709)
    let plan = PlanePlan([dispatch(reading: picture), dispatch(writing: same)])
    #expect(plan.uses.count == 1)
    #expect(plan.uses[0].startsWithRead && plan.uses[0].isWritten)
    let chroma = try PixelBuffer(dimensions: Self.size, format: .yuv420Video8, tags: .bt709)
    let planes = (0..<2).map { HostPlane(chroma, plane: $0) }
    #expect(planes[0] != planes[1] && !planes[0].overlaps(planes[1]))
    #expect(planes[1].byteCount <= chroma.planes[1].byteCount)
  }

  /// Copies of any size, by any number of cores, bring every byte of the picture and none beside it: the padding between
  /// rows keeps what it holds.
  @Test(
    arguments: [
      Dimensions(width: 3, height: 2), Dimensions(width: 1021, height: 1025),
      Dimensions(width: 1024, height: 1024), Dimensions(width: 2049, height: 1537),
    ], [true, false])
  func copiesBringAllBytes(size: Dimensions, isParallel: Bool) throws {
    let source = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    let result = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    let (from, to) = (HostPlane(source, plane: 0), HostPlane(result, plane: 0))
    source.withUnsafeMutableBytes { bytes in
      for i in bytes.indices { bytes[i] = UInt8(truncatingIfNeeded: (i &* 2_654_435_761) >> 13) }
    }
    result.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 7) }
    var staging = [UInt8](repeating: 0, count: from.byteCount + 3)
    staging.withUnsafeMutableBytes { staging in
      // Where no line of a cache begins.
      let base = staging.baseAddress! + 3
      from.copy(to: base, isParallel: isParallel)
      to.copy(from: base, isParallel: isParallel)
    }
    #expect(staging[..<3] == [0, 0, 0])
    let (rowBytes, pitch) = (4 * size.width, source.planes[0].bytesPerRow)
    let isEqual = source.withUnsafeBytes { source in
      result.withUnsafeBytes { result in
        (0..<size.height).allSatisfy { row in
          let pixels = row * pitch..<row * pitch + rowBytes
          let isLast = row == size.height - 1
          return source[pixels].elementsEqual(result[pixels])
            && (isLast || result[pixels.upperBound..<(row + 1) * pitch].allSatisfy { $0 == 7 })
        }
      }
    }
    #expect(isEqual)
  }

  /// A stage ends where bytes that were written as one piece are used as another.
  @Test func stages() throws {
    let whole = try picture()
    let other = try picture()
    let top = whole.part(columns: 0..<8, rows: 0..<4)
    let bottom = whole.part(columns: 0..<8, rows: 2..<6)
    let apart = whole.part(columns: 0..<8, rows: 4..<6)
    let down = [dispatch(reading: top, writing: other), dispatch(reading: other, writing: bottom)]
    #expect(PlanePlan.stages(of: []).map(\.count) == [0])
    #expect(PlanePlan.stages(of: down).map(\.count) == [2])
    #expect(PlanePlan.stages(of: down + down).map(\.count) == [2, 2])
    // Both written, with bytes in common: the later copy must come last.
    #expect(
      PlanePlan.stages(of: [dispatch(writing: top), dispatch(writing: bottom)]).map(\.count)
        == [1, 1])
    // Pieces that only lie beside each other, and the same piece again.
    #expect(
      PlanePlan.stages(of: [
        dispatch(writing: top), dispatch(writing: apart), dispatch(reading: top),
      ]).map(\.count) == [3])
    // Reading alone parts nothing.
    #expect(
      PlanePlan.stages(of: [dispatch(reading: top), dispatch(reading: bottom)]).map(\.count) == [2])
  }

  /// A stage ends before its planes take more than they may, unless a plane that it writes is used later.
  @Test func stagesWithinALimit() throws {
    let (source, result, other) = (try picture(), try picture(), try picture())
    let bytes = HostPlane(source, plane: 0).byteCount
    let frames = [
      dispatch(reading: source), dispatch(writing: result), dispatch(reading: other),
      dispatch(reading: other),
    ]
    #expect(PlanePlan.stages(of: frames, limit: 3 * bytes).map(\.count) == [4])
    #expect(PlanePlan.stages(of: frames, limit: 2 * bytes).map(\.count) == [2, 2])
    // A dispatch alone may have more; one whose planes are there already adds nothing.
    #expect(PlanePlan.stages(of: frames, limit: 1).map(\.count) == [1, 1, 2])
    let inParts = [dispatch(writing: result), dispatch(reading: other), dispatch(writing: result)]
    #expect(PlanePlan.stages(of: inParts, limit: 1).map(\.count) == [3])
  }

  /// Jobs hold at most so much work, unless one dispatch alone has more.
  @Test func jobs() throws {
    func dispatch(_ width: Int) -> KernelDispatch {
      KernelDispatch(.circleOfConfusion, [], UInt32(0), items: 1, grid: Grid(width, 10))
    }
    #expect(DeviceJobs.jobs(of: []) == [0..<0])
    let dispatches = [4, 6, 1, 30, 2].map { dispatch($0) }
    #expect(DeviceJobs.jobs(of: dispatches[...]) == [0..<5])
    #expect(DeviceJobs.jobs(of: dispatches[...], largest: 100) == [0..<2, 2..<3, 3..<4, 4..<5])
    #expect(DeviceJobs.jobs(of: dispatches[1...2], largest: 1) == [1..<2, 2..<3])
  }

  /// Whether a use has to wait for a write in flight, by whether both are copied.
  @Test(arguments: [true, false], [true, false])
  func whatWaits(isWriteCopied: Bool, isUseCopied: Bool) throws {
    let picture = try picture()
    let plane = HostPlane(picture, plane: 0)
    let writes = WritesInFlight()
    for (read, waits) in [
      // The bytes arrive by a copy, or by kernels that work in the host's memory.
      (true, isWriteCopied || isUseCopied), (false, isWriteCopied && !isUseCopied),
    ] {
      let dispatch = read ? dispatch(reading: picture) : dispatch(writing: picture)
      let use = PlanePlan([dispatch]).uses[0]
      let elsewhere = PlanePlan([self.dispatch(reading: try self.picture())]).uses[0]
      writes.begin(7, writing: [.init(plane: plane, isCopied: isWriteCopied)])
      writes.wait(for: elsewhere, isCopied: isUseCopied)
      let hasEnded = Atomic(false)
      let done = DispatchSemaphore(value: 0)
      // Keeps the end back for as long as anything could slip through.
      DispatchQueue.global().async {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.02)
        hasEnded.store(true, ordering: .releasing)
        writes.end(7)
        done.signal()
      }
      writes.wait(for: use, isCopied: isUseCopied)
      let isOver = hasEnded.load(ordering: .acquiring)
      #expect(isOver || !waits)
      done.wait()
      if !waits {
        // A use that needs no waiting returns while the write is in flight.
        writes.begin(8, writing: [.init(plane: plane, isCopied: isWriteCopied)])
        writes.wait(for: use, isCopied: isUseCopied)
        writes.end(8)
      }
    }
  }

  @Test(arguments: [true, false])
  func copiesLeaveThePaddingAlone(isParallel: Bool) throws {
    // Enough rows that a parallel copy has several pieces, the last one shorter.
    let (width, height, bytesPerRow) = (500, 2501, 2048)
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: bytesPerRow * height, alignment: 64)
    for index in memory.indices { memory[index] = 9 }
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: .rgba8, tags: .sRGB,
      baseAddress: memory.baseAddress!, byteCount: memory.count, planes: [(0, bytesPerRow)],
      release: { $0.deallocate() })
    let plane = HostPlane(picture, plane: 0)
    #expect(plane.isPadded)
    #expect(plane.byteCount == bytesPerRow * (height - 1) + width * 4)
    var staging = (0..<bytesPerRow * height).map { UInt8(truncatingIfNeeded: $0 / 7) }
    staging.withUnsafeMutableBytes {
      plane.copy(from: $0.baseAddress!, isParallel: isParallel)
    }
    let isRight = memory.indices.allSatisfy {
      memory[$0] == ($0 % bytesPerRow < width * 4 ? staging[$0] : 9)
    }
    #expect(isRight)
    var back = [UInt8](repeating: 3, count: staging.count)
    back.withUnsafeMutableBytes { plane.copy(to: $0.baseAddress!, isParallel: isParallel) }
    let isSame = back.indices.allSatisfy {
      back[$0] == ($0 % bytesPerRow < width * 4 ? staging[$0] : 3)
    }
    #expect(isSame)
  }
}
