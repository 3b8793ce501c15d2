// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

extension RenderingSession {
  /// The facts of a map that a frame's passes depend on: the caller's, else the map's own.
  ///
  /// - Parameter run: as for ``CommandBuffer/Plan``.
  func readInfo(
    of map: DisparityMap, _ run: ([KernelDispatch]) throws(CinematicError) -> Void
  ) throws(CinematicError) -> DisparityMapInfo {
    var info: DisparityMapInfo
    switch (map.info, map.plane) {
    case (let known?, _): info = known
    case (nil, .host(let buffer)): info = try DisparityMapInfo(of: buffer)
    case (nil, .texture): info = try measure(map.stored, run)
    }
    if sessionAttributes.mapEdges != .measured {
      info.hasSharpEdges = sessionAttributes.mapEdges == .sharp
    }
    return info
  }

  /// Measures a map on the device: its range first, then the edges that stand out against the range.
  /// The result is 20 bytes for 64 cells.
  private func measure(
    _ map: StoredPicture, _ run: ([KernelDispatch]) throws(CinematicError) -> Void
  ) throws(CinematicError) -> DisparityMapInfo {
    let size = map.dimensions
    let count = DisparityMapInfo.pieceCount(size)
    let memory = try measuringMemory(
      byteCounts: [
        size.count * MemoryLayout<Float>.stride, count * MemoryLayout<FocalMapRange>.stride,
        count * MemoryLayout<FocalMapEdges>.stride,
      ])
    let pieces = memory.map { PassList.Argument.external(.memory($0)) }
    var parameters = FocalMapParameters()
    parameters.width = Int32(size.width)
    parameters.height = Int32(size.height)
    let grid = Dimensions(width: count / size.height, height: size.height)

    var first = PassList()
    first.add(
      Kernel.UnpackDisparity(words: .external(map.planes[0]), map: pieces[0]), map.parameters,
      over: size)
    first.add(Kernel.MeasureRange(map: pieces[0], ranges: pieces[1]), parameters, over: grid)
    try run(first.dispatches)
    var info = DisparityMapInfo(ranges: try memory[1].records(count, FocalMapRange()))

    var second = PassList()
    parameters.edgeThreshold = info.edgeThreshold
    second.add(Kernel.MeasureEdges(map: pieces[0], edges: pieces[2]), parameters, over: grid)
    try run(second.dispatches)
    info.setEdges(try memory[2].records(count, FocalMapEdges()))
    return info
  }
}

extension PassList {
  /// The dispatches of passes that have no working buffers.
  fileprivate var dispatches: [KernelDispatch] {
    submissions { _ in preconditionFailure("the passes have no working buffers") }.flatMap { $0 }
  }
}

extension DeviceMemory {
  /// The first `count` records.
  fileprivate func records<Record: BitwiseCopyable>(
    _ count: Int, _ record: Record
  ) throws(CinematicError) -> [Record] {
    var records = [Record](repeating: record, count: count)
    let result: Result<Void, CinematicError> = records.withUnsafeMutableBytes { bytes in
      Result { () throws(CinematicError) in try read(bytes, from: 0) }
    }
    try result.get()
    return records
  }
}
