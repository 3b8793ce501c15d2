// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension RenderingSession {
  /// What a frame's passes depend on of a map: what the caller says, else what the map says.
  ///
  /// - Parameter run: as for ``CommandBuffer/Plan``.
  func readInfo(
    of map: DisparityMap, _ run: ([KernelDispatch]) throws(CinematicError) -> Void
  ) throws(CinematicError) -> DisparityMapInfo {
    if let info = map.info { return info }
    switch map.plane {
    case .host(let buffer): return DisparityMapInfo(buffer)
    case .texture(let texture):
      // Everything before may write the map.
      try run([])
      let buffer = try PixelBuffer(
        dimensions: texture.dimensions,
        format: texture.format == .r16Float ? .disparityHalf : .disparityFloat, tags: .linearBT709,
        bytesPerRowAlignment: 1)
      let result: Result<Void, CinematicError> = buffer.withUnsafeMutableBytes { bytes in
        Result { () throws(CinematicError) in try texture.getBytes(bytes) }
      }
      try result.get()
      return DisparityMapInfo(buffer)
    }
  }
}
