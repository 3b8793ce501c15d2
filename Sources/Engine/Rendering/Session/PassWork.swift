// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A pass of a frame, and the bytes that it is bound to.
package struct PassWork: Sendable {
  package let kernel: Kernel
  /// Invocations of a graphics device.
  package let grid: Grid
  /// Bytes of the buffers that it reads, each whole.
  package let bytesRead: Int
  /// Bytes of those that it writes, changes in place or works in.
  package let bytesWritten: Int
}

extension RenderingSession {
  /// The passes of a frame that is not cut, without rendering it. Only the map is looked at.
  ///
  /// - Throws: as ``encodeRender(to:frameAttributes:sourceImage:sourceDisparity:destinationImage:)``.
  package func passes(
    frameAttributes: FrameAttributes, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer,
    destinationImage: PixelBuffer
  ) throws(CinematicError) -> [PassWork] {
    try frameAttributes.validate()
    let map = DisparityMap.pixelBuffer(sourceDisparity)
    let info = try readInfo(of: map) { _ in }
    let result = state.withLock { state in
      Result { () throws(CinematicError) in
        let (frame, blur) = try inputs(
          frameAttributes, .pixelBuffer(sourceImage), map, info, .pixelBuffer(destinationImage),
          &state)
        let cuts = FrameCut.candidates(
          height: frame.size.height, on: commandQueue.device.backend, isBlurred: blur != nil)
        return FramePasses(frame, blur: blur, cut: cuts[0]).list.work
      }
    }
    return try result.get()
  }
}

extension PassList {
  fileprivate var work: [PassWork] {
    passes.map { pass in
      var bytes = (read: 0, written: 0)
      for (argument, buffer) in zip(pass.arguments, pass.kernel.buffers) {
        let count = byteCount(of: argument)
        if buffer.access == .reads { bytes.read += count } else { bytes.written += count }
      }
      return PassWork(
        kernel: pass.kernel, grid: pass.dispatch.grid, bytesRead: bytes.read,
        bytesWritten: bytes.written)
    }
  }
}
