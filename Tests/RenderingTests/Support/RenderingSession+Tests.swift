// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCore
import FocalRendering

extension RenderingSession {
  /// Renders a case's frame and waits for it.
  func render(_ renderCase: RenderCase, to destination: PixelBuffer) throws(CinematicError) {
    let buffer = commandQueue.makeCommandBuffer()
    try encode(renderCase, to: destination, buffer)
    buffer.commit()
    buffer.waitUntilCompleted()
    if let error = buffer.error { throw error }
  }

  func encode(
    _ renderCase: RenderCase, to destination: PixelBuffer, _ buffer: CommandBuffer
  ) throws(CinematicError) {
    try encodeRender(
      to: buffer, frameAttributes: renderCase.frame, sourceImage: renderCase.source,
      sourceDisparity: renderCase.disparity, destinationImage: destination)
  }
}
