// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalRendering

/// Renders frames of one size with one session: working memory is allocated once, and all frames
/// are in flight together. They complete in order.
func render(
  _ picture: PixelBuffer, _ disparity: PixelBuffer, focus: [Float]
) async throws -> [PixelBuffer] {
  let queue = try CommandQueue(device: .cpu())
  let session = try RenderingSession(commandQueue: queue, quality: .export)
  let frames = try focus.map { focus in
    let destination = try PixelBuffer(dimensions: picture.dimensions, format: .rgba8)
    let commandBuffer = queue.makeCommandBuffer()
    try session.encodeRender(
      to: commandBuffer, frameAttributes: .init(focusDisparity: focus, fNumber: 1.4),
      sourceImage: picture, sourceDisparity: disparity, destinationImage: destination)
    commandBuffer.commit()
    return (commandBuffer, destination)
  }
  for (commandBuffer, _) in frames { try await commandBuffer.completed() }
  return frames.map(\.1)
}
