// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import FocalSample

/// Times frames of the layered scene at one size and one largest radius.
struct SpeedTest {
  let source: PixelBuffer
  let disparity: PixelBuffer
  let radius: Float
  let frames: Int
  let shape: ShapeOptions

  /// The layered scene's largest radius at its own f-number, as a share of the width.
  private static let sceneRadius: Float = 32 / 1920

  init(
    seed: UInt64, size: Dimensions, radius: Float, frames: Int, shape: ShapeOptions
  ) throws(CinematicError) {
    // Drawn at a fixed size and scaled: the scene costs more than the frames otherwise.
    let drawn = Dimensions(width: min(size.width, 1920), height: min(size.height, 1080))
    let scene = try LayeredScene(seed: seed, dimensions: drawn)
    source = try Self.enlarged(scene.image(), to: size)
    disparity = try scene.blurredDisparity()
    self.radius = radius
    self.frames = frames
    self.shape = shape
  }

  /// The picture as half floats, each pixel repeated where the size asks for it.
  private static func enlarged(
    _ picture: PixelBuffer, to size: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    let linear = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    picture.withUnsafeBytes { source in
      linear.withUnsafeMutableBytes { target in
        for y in 0..<size.height {
          let row = y * picture.height / size.height * picture.planes[0].bytesPerRow
          for x in 0..<size.width {
            target.storeBytes(
              of: source.loadUnaligned(
                fromByteOffset: row + x * picture.width / size.width * 16, as: SIMD4<Float>.self),
              toByteOffset: y * linear.planes[0].bytesPerRow + x * 16, as: SIMD4<Float>.self)
          }
        }
      }
    }
    let half = try PixelBuffer(dimensions: size, format: .rgbaHalf, tags: .linearBT709)
    try half.store(linearRGBA: linear)
    return half
  }

  /// Frames in flight where throughput is measured.
  private static let depth = 3

  var dimensions: Dimensions { source.dimensions }

  /// Bytes that a frame has to move at least: what it reads once, and what it writes once.
  private var leastByteCount: Int {
    source.pixelByteCount * 2 + disparity.pixelByteCount
  }

  /// - Parameters:
  ///   - copyRate: ``CopyRate``'s of the device.
  ///   - kernels: whether the time of every kernel is told.
  func measure(
    _ quality: RenderingQuality, on device: Device, copyRate: Double, kernels: Bool
  ) throws -> SpeedResult {
    // Profiling may keep a device from overlapping: a queue of its own, before the other one.
    let profile = try profile(quality, on: device)
    let frame = try TimedFrame(self, quality, on: device, isProfiling: false)
    let destinations = try (0..<Self.depth).map { _ in try makeDestination() }
    _ = try frame.run(to: destinations[0])
    let allocations = frame.session.workingMemoryAllocationCount
    let usage = ProcessUsage.current
    var times: [Double] = []
    for _ in 0..<frames {
      let start = ContinuousClock.now
      _ = try frame.run(to: destinations[0])
      times.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    let after = ProcessUsage.current
    let rate = try framesPerSecond(frame, destinations)
    let peak = ProcessUsage.current.peakBytes
    return SpeedResult(
      device: device.identifier, quality: quality.description, width: source.width,
      height: source.height, radius: radius, milliseconds: times.median ?? 0,
      framesPerSecond: rate, uploadMilliseconds: profile.upload * 1e3,
      computeMilliseconds: profile.kernels.values.reduce(0, +) * 1e3,
      downloadMilliseconds: profile.download * 1e3,
      floorMilliseconds: Double(leastByteCount) / copyRate * 1e3,
      cpuSecondsPerFrame: (after.cpuSeconds - usage.cpuSeconds) / Double(frames),
      workingMegabytes: Double(frame.session.workingMemoryByteCount) / 1e6,
      peakMegabytes: Double(peak) / 1e6,
      allocationsOnceWarm: frame.session.workingMemoryAllocationCount - allocations,
      kernels: kernels ? profile.kernels : nil)
  }

  /// The passes of a frame.
  func passes(_ quality: RenderingQuality, on device: Device) throws -> [PassWork] {
    let frame = try TimedFrame(self, quality, on: device, isProfiling: false)
    return try frame.passes(to: makeDestination())
  }

  /// Keeps several frames in flight, each with a destination of its own, and waits for the last.
  private func framesPerSecond(
    _ frame: TimedFrame, _ destinations: [PixelBuffer]
  ) throws -> Double {
    // What only several frames in flight need is allocated first.
    try runInFlight(Self.depth, frame, destinations)
    let count = frames + Self.depth - 1
    let start = ContinuousClock.now
    try runInFlight(count, frame, destinations)
    return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
  }

  private func runInFlight(
    _ count: Int, _ frame: TimedFrame, _ destinations: [PixelBuffer]
  ) throws {
    var inFlight: [CommandBuffer] = []
    for index in 0..<count {
      if inFlight.count == Self.depth { try finish(inFlight.removeFirst()) }
      inFlight.append(try frame.commit(to: destinations[index % Self.depth]))
    }
    for buffer in inFlight { try finish(buffer) }
  }

  private func finish(_ buffer: CommandBuffer) throws {
    buffer.waitUntilCompleted()
    if let error = buffer.error { throw error }
  }

  /// Of the fastest of a few frames by the device's clock.
  private func profile(
    _ quality: RenderingQuality, on device: Device
  ) throws -> (upload: Double, kernels: [String: Double], download: Double) {
    let frame = try TimedFrame(self, quality, on: device, isProfiling: true)
    let destination = try makeDestination()
    _ = try frame.run(to: destination)
    var best: CommandBuffer?
    func total(_ buffer: CommandBuffer) -> Double {
      buffer.kernelTimings.reduce(0) { $0 + $1.seconds }
    }
    for _ in 0..<min(frames, 5) {
      let buffer = try frame.run(to: destination)
      if best.map({ total(buffer) < total($0) }) ?? true { best = buffer }
    }
    let transfers = best?.transferSeconds ?? (upload: 0, download: 0)
    let kernels = (best?.kernelTimings ?? []).reduce(into: [:]) {
      $0[$1.kernel, default: 0] += $1.seconds
    }
    return (transfers.upload, kernels, transfers.download)
  }

  private func makeDestination() throws(CinematicError) -> PixelBuffer {
    try PixelBuffer(dimensions: source.dimensions, format: .rgbaHalf, tags: .linearBT709)
  }

  /// A session on a queue of its own, for frames of the test.
  private struct TimedFrame {
    let session: RenderingSession
    private let source: PixelBuffer
    private let disparity: PixelBuffer

    init(
      _ test: SpeedTest, _ quality: RenderingQuality, on device: Device, isProfiling: Bool
    ) throws(CinematicError) {
      source = test.source
      disparity = test.disparity
      session = try RenderingSession(
        commandQueue: CommandQueue(device: device, isProfiling: isProfiling),
        sessionAttributes: test.shape.applied(
          to: .init(
            blurScale: Float(LayeredScene.blurScale) * test.radius
              / (SpeedTest.sceneRadius * Float(test.source.width)))), quality: quality)
    }

    private static let attributes = RenderingSession.FrameAttributes(
      focusDisparity: Float(LayeredScene.focusDisparity), fNumber: Float(LayeredScene.fNumber))

    func passes(to destination: PixelBuffer) throws(CinematicError) -> [PassWork] {
      try session.passes(
        frameAttributes: Self.attributes, sourceImage: source, sourceDisparity: disparity,
        destinationImage: destination)
    }

    func commit(to destination: PixelBuffer) throws(CinematicError) -> CommandBuffer {
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeRender(
        to: buffer, frameAttributes: Self.attributes,
        sourceImage: source, sourceDisparity: disparity, destinationImage: destination)
      buffer.commit()
      return buffer
    }

    func run(to destination: PixelBuffer) throws(CinematicError) -> CommandBuffer {
      let buffer = try commit(to: destination)
      buffer.waitUntilCompleted()
      if let error = buffer.error { throw error }
      return buffer
    }
  }
}

extension PixelBuffer {
  /// Bytes of all planes' pixels, padding left out.
  fileprivate var pixelByteCount: Int {
    planes.reduce(0) { $0 + $1.dimensions.count * $1.bytesPerElement }
  }
}
