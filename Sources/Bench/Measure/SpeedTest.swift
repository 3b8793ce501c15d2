// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import FocalSample
import Foundation

/// What one timing gave.
struct SpeedResult: Encodable {
  var quality: String
  var width: Int
  var height: Int
  var radius: Float
  /// Median wall-clock time of a frame.
  var milliseconds: Double
  /// Mean of all cores.
  var cpuSecondsPerFrame: Double
  /// Working memory of the session on its device.
  var workingMegabytes: Double
  /// The process's largest resident size so far, pictures included.
  var peakMegabytes: Double
  /// Allocations of working memory in the timed frames.
  var allocationsOnceWarm: Int
  /// Seconds of each kernel in the last frame.
  var kernels: [String: Double]?

  static let header =
    "quality      size        radius      ms   CPU s/frame  working MB  peak MB  allocations"

  var row: String {
    let name = quality.padding(toLength: 12, withPad: " ", startingAt: 0)
    let size = "\(width)x\(height)".padding(toLength: 10, withPad: " ", startingAt: 0)
    var text = String(
      format: "%@ %@ %7.1f %8.1f %12.3f %11.0f %8.0f %12d", name, size, radius, milliseconds,
      cpuSecondsPerFrame, workingMegabytes, peakMegabytes, allocationsOnceWarm)
    for (kernel, seconds) in (kernels ?? [:]).sorted(by: { $0.value > $1.value }) {
      text += String(
        format: "\n  %@ %8.2f ms", kernel.padding(toLength: 26, withPad: " ", startingAt: 0),
        seconds * 1e3)
    }
    return text
  }
}

/// Times frames of the layered scene at one size and one largest radius.
struct SpeedTest {
  private let source: PixelBuffer
  private let disparity: PixelBuffer
  private let radius: Float
  private let frames: Int

  /// The layered scene's largest radius at its own f-number, as a share of the width.
  private static let sceneRadius: Float = 32 / 1920

  init(seed: UInt64, size: Dimensions, radius: Float, frames: Int) throws(CinematicError) {
    // Drawn at a fixed size and scaled: the scene costs more than the frames otherwise.
    let drawn = Dimensions(width: min(size.width, 1920), height: min(size.height, 1080))
    let scene = try LayeredScene(seed: seed, dimensions: drawn)
    source = try Self.enlarged(scene.image(), to: size)
    disparity = try scene.blurredDisparity()
    self.radius = radius
    self.frames = frames
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

  func measure(
    _ quality: RenderingQuality, on device: Device, kernels: Bool
  ) throws -> SpeedResult {
    let queue = try CommandQueue(device: device, isProfiling: kernels)
    let scale = Float(LayeredScene.blurScale) * radius / (Self.sceneRadius * Float(source.width))
    let session = try RenderingSession(
      commandQueue: queue, sessionAttributes: .init(blurScale: scale), quality: quality)
    let destination = try PixelBuffer(
      dimensions: source.dimensions, format: .rgbaHalf, tags: .linearBT709)
    let attributes = RenderingSession.FrameAttributes(
      focusDisparity: Float(LayeredScene.focusDisparity), fNumber: Float(LayeredScene.fNumber))

    func frame() throws -> CommandBuffer {
      let buffer = queue.makeCommandBuffer()
      try session.encodeRender(
        to: buffer, frameAttributes: attributes, sourceImage: source, sourceDisparity: disparity,
        destinationImage: destination)
      buffer.commit()
      buffer.waitUntilCompleted()
      if let error = buffer.error { throw error }
      return buffer
    }

    _ = try frame()
    let allocations = session.workingMemoryAllocationCount
    let usage = ProcessUsage.current
    var times: [Double] = []
    var last: CommandBuffer?
    for _ in 0..<frames {
      let start = ContinuousClock.now
      last = try frame()
      times.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    let after = ProcessUsage.current
    var perKernel: [String: Double]?
    if kernels, let last {
      perKernel = last.kernelTimings.reduce(into: [:]) { $0[$1.kernel, default: 0] += $1.seconds }
    }
    return SpeedResult(
      quality: quality.description, width: source.width, height: source.height, radius: radius,
      milliseconds: times.sorted()[frames / 2],
      cpuSecondsPerFrame: (after.cpuSeconds - usage.cpuSeconds) / Double(frames),
      workingMegabytes: Double(session.workingMemoryByteCount) / 1e6,
      peakMegabytes: Double(after.peakBytes) / 1e6,
      allocationsOnceWarm: session.workingMemoryAllocationCount - allocations, kernels: perKernel)
  }
}
