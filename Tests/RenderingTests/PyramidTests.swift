// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalCPU
import FocalRendering
import FocalSample
import ShaderTypes
import Synchronization
import Testing

/// The coarse levels of the background pyramid: made and searched several at once, they are bit for bit those of a
/// pass a level each way, which windows of the layers take.
@Suite struct PyramidTests {
  private static let edge: Float = 0.4
  private static let slant: Float = 0.25
  private static let planes = Int(FocalPyramidPlanes)

  /// Sizes of the levels, each half the one before.
  private static func sizes(_ width: Int, _ height: Int, levels: Int) -> [Dimensions] {
    var sizes = [Dimensions(width: width, height: height)]
    while sizes.count < levels {
      let fine = sizes[sizes.count - 1]
      sizes.append(Dimensions(width: (fine.width + 1) / 2, height: (fine.height + 1) / 2))
    }
    return sizes
  }

  /// The finest level's colours and radii: plateaus, slants and single cells.
  private static func surfaces(_ size: Dimensions) -> [Float] {
    var generator = SeededGenerator(seed: UInt64(1000 * size.width + size.height))
    var values = [Float](repeating: .nan, count: size.count * planes)
    for cell in 0..<size.count {
      let (x, y) = (cell % size.width, cell / size.width)
      let plateau = Float((x / 9 * 7 + y / 5 * 3) % 8) * 3 - 12
      let isOdd = Float.random(in: 0...1, using: &generator) < 0.1
      values[3 * size.count + cell] =
        isOdd ? Float.random(in: -20...20, using: &generator) : plateau + 0.05 * Float(x % 9)
      for plane in 0..<3 {
        values[plane * size.count + cell] = Float.random(in: 0...4, using: &generator)
      }
    }
    return values
  }

  @Test(
    arguments: TestDevices.processors + TestDevices.graphics,
    [(1, 1, 2), (3, 5, 3), (200, 3, 4), (65, 33, 7), (130, 70, 8), (257, 129, 10)])
  func areThoseOfSinglePasses(_ device: Device, _ pyramid: (width: Int, height: Int, levels: Int))
    throws
  {
    let sizes = Self.sizes(pyramid.width, pyramid.height, levels: pyramid.levels)
    let finest = Self.surfaces(sizes[0])
    let expected = try Self.singly(finest, sizes, on: .cpu(threadCount: 1))
    let found = try Self.together(finest, sizes, on: device)
    for (level, (expected, found)) in zip(expected, found).enumerated() {
      let count = sizes[level].count
      #expect(
        expected[..<(4 * count)].map(\.bitPattern) == found[..<(4 * count)].map(\.bitPattern),
        "level \(level)")
    }
    let count = sizes[0].count
    let radii = expected[0][(7 * count)...]
    #expect(radii.map(\.bitPattern) == found[0][(7 * count)...].map(\.bitPattern))
    for (cell, radius) in radii.enumerated() where radius > FOCAL_NO_SURFACE {
      for plane in 4..<7 {
        let place = plane * count + cell
        #expect(expected[0][place].bitPattern == found[0][place].bitPattern, "cell \(cell)")
      }
    }
    if sizes[0].count > 100 { #expect(radii.contains { $0 > FOCAL_NO_SURFACE }) }
  }

  /// A buffer a level and a pass a level each way.
  private static func singly(
    _ finest: [Float], _ sizes: [Dimensions], on device: Device
  ) throws -> [[Float]] {
    let levels = try sizes.map { try device.backend.makeMemory(byteCount: 4 * planes * $0.count) }
    try write(finest, to: levels[0])
    let steps = (0..<sizes.count - 1).map { index in
      FocalPyramidParameters(
        fineWidth: Int32(sizes[index].width), fineHeight: Int32(sizes[index].height),
        coarseWidth: Int32(sizes[index + 1].width), coarseHeight: Int32(sizes[index + 1].height),
        edge: max(edge, slant * Float(1 << index)), last: index + 2 == sizes.count ? 1 : 0,
        rowShift: 0, firstRow: 0, rows: 0, nearLimit: 0)
    }
    func dispatch(_ kernel: Kernel, _ index: Int, over size: Dimensions) -> KernelDispatch {
      KernelDispatch(
        kernel, [.memory(levels[index]), .memory(levels[index + 1])], steps[index],
        items: size.height, grid: Grid(size.width, size.height))
    }
    try run(
      steps.indices.map { dispatch(.pyramidDown, $0, over: sizes[$0 + 1]) }
        + steps.indices.reversed().map { dispatch(.pyramidUp, $0, over: sizes[$0]) }, on: device)
    return try zip(levels, sizes).map { try read($0, from: 0, count: planes * $1.count) }
  }

  /// One buffer, and the passes that a frame takes.
  private static func together(
    _ finest: [Float], _ sizes: [Dimensions], on device: Device
  ) throws -> [[Float]] {
    let places = sizes.indices.map { planes * sizes[..<$0].reduce(0) { $0 + $1.count } }
    let count = places.last! + planes * sizes.last!.count
    let memory = try device.backend.makeMemory(byteCount: 4 * count)
    try write(finest, to: memory)
    func dispatch(
      _ kernel: Kernel, from level: Int, _ levels: Int, _ width: Int32, _ height: Int32
    ) -> KernelDispatch {
      let size = sizes[level]
      let groups = Grid(size.width, size.height).groups(of: Grid(Int(width), Int(height)))
      return KernelDispatch(
        kernel, [.memory(memory)],
        FocalPyramidLevelsParameters(
          width: Int32(size.width), height: Int32(size.height), offset: Int32(places[level]),
          levels: Int32(levels), edge: edge, slant: slant * Float(1 << level)),
        items: groups.y,
        grid: Grid(groups.x * Int(FOCAL_GROUP_WIDTH), groups.y * Int(FOCAL_GROUP_HEIGHT)))
    }
    let most = Int(FOCAL_PYRAMID_STEPS)
    let down = stride(from: 0, to: sizes.count - 1, by: most).map { level in
      dispatch(
        .pyramidLevels, from: level, min(most, sizes.count - 1 - level), FOCAL_PYRAMID_BLOCK,
        FOCAL_PYRAMID_BLOCK)
    }
    let hidden = dispatch(
      .pyramidHidden, from: 0, sizes.count, FOCAL_HIDDEN_WIDTH, FOCAL_HIDDEN_HEIGHT)
    try run(down + [hidden], on: device)
    return try zip(places, sizes).map { try read(memory, from: $0, count: planes * $1.count) }
  }

  private static func run(_ dispatches: [KernelDispatch], on device: Device) throws {
    let error = Mutex<CinematicError?>(nil)
    let done = DispatchSemaphore(value: 0)
    let queue = try device.backend.makeQueue()
    queue.submit(dispatches, profiling: false) { result in
      error.withLock { $0 = result.error }
      done.signal()
    }
    done.wait()
    if let error = error.withLock({ $0 }) { throw error }
  }

  private static func write(_ values: [Float], to memory: any DeviceMemory) throws {
    try values.withUnsafeBytes { try memory.write($0, at: 0) }
  }

  private static func read(
    _ memory: any DeviceMemory, from place: Int, count: Int
  ) throws -> [Float] {
    var values = [Float](repeating: 0, count: count)
    try values.withUnsafeMutableBytes { try memory.read($0, from: 4 * place) }
    return values
  }
}
