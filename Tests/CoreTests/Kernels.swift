// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

typealias Kernel = (
  UnsafePointer<UnsafeMutableRawPointer?>?, UnsafeRawPointer?, UInt32, UInt32, UInt32
) -> Void

/// Runs a kernel over the ranges, in their order.
func run(
  _ kernel: Kernel, _ buffers: [UnsafeMutableRawPointer?], _ parameters: FocalPixelParameters,
  _ ranges: [Range<Int>]
) {
  withUnsafePointer(to: parameters) { parameters in
    buffers.withUnsafeBufferPointer { buffers in
      for range in ranges {
        kernel(
          buffers.baseAddress, parameters, UInt32(parameters.pointee.width),
          UInt32(range.lowerBound), UInt32(range.upperBound))
      }
    }
  }
}

/// `linear` turned and packed into `destination`, rows (of chroma, if there are any) by `ranges`.
func pack(
  _ linear: PixelBuffer, _ destination: PixelBuffer, turn: QuarterTurn = .identity,
  ranges: [Range<Int>]? = nil, dither: Bool = true
) {
  var parameters = destination.kernelParameters(turn: turn)
  if !dither { parameters.dither = 0 }
  let planes = destination.planes
  let rows = ranges ?? [0..<planes[planes.count - 1].dimensions.height]
  linear.withKernelPlanes { source in
    destination.withKernelPlanes { target in
      if planes.count == 2 {
        run(focal_packBiPlanar, [source[0], target[0], target[1]], parameters, rows)
      } else {
        run(focal_pack, [source[0], target[0]], parameters, rows)
      }
    }
  }
}

/// `source` unpacked into a new linear buffer, rows by `ranges`.
func unpack(_ source: PixelBuffer, ranges: [Range<Int>]) throws -> PixelBuffer {
  let result = try PixelBuffer.linear(source.width, source.height, source.tags) { _, _ in .zero }
  source.withKernelPlanes { planes in
    result.withKernelPlanes { target in
      run(focal_unpack, [planes[0], planes[1], target[0]], source.kernelParameters(), ranges)
    }
  }
  return result
}

/// `source`'s disparities as floats.
func unpackDisparity(_ source: PixelBuffer) -> [Float] {
  var result = [Float](repeating: .nan, count: source.dimensions.count)
  result.withUnsafeMutableBytes { target in
    source.withKernelPlanes { planes in
      run(
        focal_unpackDisparity, [planes[0], target.baseAddress], source.kernelParameters(),
        [0..<source.height])
    }
  }
  return result
}

let biPlanar: [PixelFormat] = [
  .yuv420Video8, .yuv420Full8, .yuv420Video10, .yuv420Full10,
]

/// A bi-planar picture of random codes.
func noise(
  _ width: Int, _ height: Int, _ format: PixelFormat, _ tags: ColorTags, seed: UInt64,
  luma: ClosedRange<Double> = 0...1, chroma: ClosedRange<Double> = 0...1
) throws -> PixelBuffer {
  let buffer = try PixelBuffer(width, height, format, tags)
  var random = Seeded(seed)
  let maximum = Double(1 << format.bitsPerComponent - 1)
  for (index, plane) in buffer.planes.enumerated() {
    let range = index == 0 ? luma : chroma
    for y in 0..<plane.dimensions.height {
      for x in 0..<plane.dimensions.width * (index + 1) {
        buffer.setCode(Int(maximum * Double.random(in: range, using: &random)), x, y, plane: index)
      }
    }
  }
  return buffer
}
