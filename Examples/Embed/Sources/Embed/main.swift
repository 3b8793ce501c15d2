// SPDX-License-Identifier: Apache-2.0
//
// Renders one frame with a shallow depth of field, with nothing but the engine and its CPU backend.

import FocalCPU
import FocalCore
import FocalRendering

let size = Dimensions(width: 640, height: 360)

// A sharp picture, 8-bit RGBA in sRGB: a checkerboard.
let picture = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
picture.withUnsafeMutableBytes { bytes in
  for y in 0..<size.height {
    for x in 0..<size.width {
      let value: UInt8 = (x / 20 + y / 20) % 2 == 0 ? 235 : 20
      let pixel = y * picture.planes[0].bytesPerRow + x * 4
      for channel in 0..<3 { bytes[pixel + channel] = value }
      bytes[pixel + 3] = 255
    }
  }
}

// Its relative disparity, which may be smaller: far at the left, near at the right.
let disparity = try PixelBuffer(
  dimensions: Dimensions(width: 64, height: 36), format: .disparityFloat)
disparity.withUnsafeMutableBytes { bytes in
  for y in 0..<36 {
    for x in 0..<64 {
      bytes.storeBytes(
        of: Float(x) / 63, toByteOffset: y * disparity.planes[0].bytesPerRow + x * 4, as: Float.self
      )
    }
  }
}

let session = try RenderingSession(
  commandQueue: CommandQueue(device: .cpu()), quality: .export)
let rendered = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
let commandBuffer = session.commandQueue.makeCommandBuffer()
try session.encodeRender(
  to: commandBuffer, frameAttributes: .init(focusDisparity: 0.5, fNumber: 1.4),
  sourceImage: picture, sourceDisparity: disparity, destinationImage: rendered)
commandBuffer.commit()
try await commandBuffer.completed()

// How much of the checkerboard's contrast is left in each eighth of the width.
let row = rendered.withUnsafeBytes { bytes in
  (0..<size.width).map { Int(bytes[170 * rendered.planes[0].bytesPerRow + $0 * 4]) }
}
let contrast = stride(from: 0, to: size.width, by: size.width / 8).map { x in
  let part = row[x..<x + size.width / 8]
  return part.max()! - part.min()!
}
print("contrast from far to near, sharp in the middle: \(contrast)")
