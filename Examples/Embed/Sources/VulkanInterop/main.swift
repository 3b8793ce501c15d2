// SPDX-License-Identifier: Apache-2.0
//
// Renders from a buffer of a Vulkan program into another one, on the program's own device and queue.

import FocalCore
import FocalRendering
import FocalVulkan
import Foundation

// The program's own device; see Program.swift.
guard let program = Program() else {
  print("no Vulkan device: nothing to show")
  exit(0)
}

// Its pictures: RGBA of 8 bits, a checkerboard; and a disparity map, far at the left, near at the right.
let size = Dimensions(width: 640, height: 360)
let source = program.makeBuffer(byteCount: 4 * size.count)
let map = program.makeBuffer(byteCount: 4 * size.count)
let result = program.makeBuffer(byteCount: 4 * size.count)
for index in 0..<size.count {
  let value: UInt32 = (index % size.width / 20 + index / size.width / 20) % 2 == 0 ? 235 : 20
  source.bytes.storeBytes(
    of: value | value << 8 | value << 16 | 255 << 24, toByteOffset: 4 * index, as: UInt32.self)
  map.bytes.storeBytes(
    of: Float(index % size.width) / Float(size.width), toByteOffset: 4 * index, as: Float.self)
}

// The engine on the same queue. This program uses it from this thread alone and while no frame is in
// flight, so that no lock is needed.
let shared = try Device.vulkan(program.handles)
func texture(_ buffer: Program.Buffer, _ format: Texture.Format) throws -> Texture {
  try Texture(
    device: shared, vulkanBuffer: buffer.handle, byteCount: 4 * size.count, format: format,
    dimensions: size)
}
do {
  let session = try RenderingSession(
    commandQueue: CommandQueue(device: shared), quality: .export)
  let commandBuffer = session.commandQueue.makeCommandBuffer()
  try session.encodeRender(
    to: commandBuffer, frameAttributes: .init(focusDisparity: 0.5, fNumber: 1.4),
    source: .texture(texture(source, .rgba8Unorm), tags: .sRGB),
    // The program knows its map, so that the engine need not look.
    disparity: .texture(
      texture(map, .r32Float),
      info: DisparityMapInfo(range: 0...1, hasHoles: false, hasSharpEdges: true)),
    destination: .texture(texture(result, .rgba8Unorm), tags: .sRGB))
  commandBuffer.commit()
  try await commandBuffer.completed()
}

// The program goes on with its buffer; here it only looks, through the memory that it has mapped.
let middle = result.bytes.load(fromByteOffset: 4 * (180 * size.width + 320), as: UInt8.self)
let left = result.bytes.load(fromByteOffset: 4 * (180 * size.width + 20), as: UInt8.self)
print("rendered \(size) on \(shared.name), nothing by way of the host")
print("  in focus \(middle), far away \(left)")
precondition(left > 20 && left < 235, "the far end of the picture is not blurred")
precondition([20, 235].contains(middle), "the middle of the picture is not in focus")
