// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The background behind near surfaces, level by level, each half the size of the one before.
///
/// The fine levels may hold a window of the layers' rows, at multiples of ``unit``. The coarse ones,
/// from ``firstCoarse`` on, then are the whole picture's: their cells are larger than an apron.
struct BackPyramid {
  /// Sizes of the whole picture's levels.
  private let sizes: [Dimensions]
  /// Buffers of the levels from ``firstCoarse`` on, of the whole picture.
  private let coarse: [PassList.Argument]
  /// The first of the levels that are there whole.
  private let firstCoarse: Int
  private let edge: Float

  /// Windows of the layers begin and end at its multiples.
  static let unit = 16
  /// Rows at the border of a window that are not the whole picture's.
  static let margin = 8
  /// A level whose cells are at most ``unit`` rows high.
  private static let mostFineLevels = 3

  /// The pyramid of layers that are in memory whole.
  init(wholeOf layers: Dimensions, _ list: inout PassList, _ blur: FramePasses.Blur) {
    self.init(layers, fineLevels: 0, blur) { .buffer(Self.buffer($0, &list)) }
  }

  /// The pyramid of layers of which only windows are in memory.
  init(coarseOf layers: Dimensions, _ list: inout PassList, _ blur: FramePasses.Blur) {
    self.init(layers, fineLevels: Self.mostFineLevels, blur) { .buffer(Self.buffer($0, &list)) }
  }

  /// The same with its coarse levels in memory that outlives a list of passes.
  ///
  /// - Parameter memory: as ``coarseByteCounts(of:_:)`` says.
  init(coarseOf layers: Dimensions, in memory: [any DeviceMemory], _ blur: FramePasses.Blur) {
    var rest = memory[...]
    self.init(layers, fineLevels: Self.mostFineLevels, blur) { _ in
      .external(.memory(rest.removeFirst()))
    }
  }

  /// Bytes of the coarse levels of layers of which only windows are in memory; `nil` if the layers are too
  /// small for a coarse level.
  static func coarseByteCounts(of layers: Dimensions, _ blur: FramePasses.Blur) -> [Int]? {
    var counts: [Int] = []
    let pyramid = BackPyramid(layers, fineLevels: mostFineLevels, blur) { size in
      counts.append(size.count * Int(FocalPyramidPlanes) * MemoryLayout<Float>.stride)
      return .external(.none)
    }
    return pyramid.firstCoarse > 0 && layers.height > leastHeight ? counts : nil
  }

  /// Layers that are not higher are not worth windows.
  private static let leastHeight = 2 * unit

  private init(
    _ layers: Dimensions, fineLevels: Int, _ blur: FramePasses.Blur,
    _ buffer: (Dimensions) -> PassList.Argument
  ) {
    let scale = Float(blur.settings.scale)
    let largest = Int(blur.largestRadius / scale)
    // A lens sees behind an edge as far as the largest diameter of a circle. The coarsest cells are up to
    // four such diameters wide. One diameter costs the sample scene (focal_blur.h) 0.03 dB; eight make no
    // difference.
    var sizes: [Dimensions] = []
    var size = layers
    repeat {
      sizes.append(size)
      size = Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    } while sizes.last!.width >= 4 || sizes.last!.height >= 4
      ? 1 << sizes.count <= 8 * largest + 8 && sizes.count < 12 : false
    self.sizes = sizes
    edge = BlurSettings.edge / scale
    // A picture that is cut into bands has several levels.
    firstCoarse = min(fineLevels, sizes.count - 1)
    coarse = sizes[firstCoarse...].map(buffer)
  }

  private static func buffer(_ size: Dimensions, _ list: inout PassList) -> PassList.Buffer {
    list.buffer(of: Float.self, count: size.count * Int(FocalPyramidPlanes))
  }

  /// A level in memory: a window of the whole one's rows.
  private struct Level {
    var buffer: PassList.Argument
    var size: Dimensions
    var firstRow = 0
  }

  /// Level `index` of the layers, the fine ones of their window only.
  private func level(_ index: Int, of layers: FramePasses.Layers, _ list: inout PassList) -> Level {
    guard index < firstCoarse else {
      return Level(buffer: coarse[index - firstCoarse], size: sizes[index])
    }
    let first = layers.rows.lowerBound >> index
    let end = (layers.rows.upperBound + (1 << index) - 1) >> index
    let size = Dimensions(width: sizes[index].width, height: end - first)
    return Level(buffer: .buffer(Self.buffer(size, &list)), size: size, firstRow: first)
  }

  // The lens looks behind an edge as far as the radii differ. A smaller step between the large
  // cells of a coarse level is the slant of one surface, which does not hide itself.
  private func parameters(
    _ index: Int, _ fine: Level, _ coarse: Level?, rows: Range<Int>? = nil, isFinest: Bool = false
  ) -> FocalPyramidParameters {
    let below = coarse?.size ?? Dimensions(width: 0, height: 0)
    let rowShift = coarse.map { 2 * $0.firstRow - fine.firstRow } ?? 0
    return FocalPyramidParameters(
      fineWidth: Int32(fine.size.width), fineHeight: Int32(fine.size.height),
      coarseWidth: Int32(below.width), coarseHeight: Int32(below.height),
      edge: max(edge, BlurSettings.steepestSlant * Float(1 << index)),
      last: index == sizes.count - 1 ? 1 : 0, rowShift: Int32(rowShift),
      firstRow: Int32(rows?.lowerBound ?? 0), rows: Int32(rows?.count ?? 0),
      finest: isFinest ? 1 : 0)
  }

  private func base(_ layers: FramePasses.Layers, _ fine: Level, _ list: inout PassList) {
    list.add(
      Kernel.PyramidBase(layers: .buffer(layers.buffer), fine: fine.buffer),
      parameters(0, fine, nil), over: layers.window)
  }

  /// The rows of `coarse` that the rows of `fine` give.
  private func down(_ index: Int, _ fine: Level, _ coarse: Level, _ list: inout PassList) {
    let first = fine.firstRow / 2 - coarse.firstRow
    let rows = first..<first + (fine.size.height + 1) / 2
    list.add(
      Kernel.PyramidDown(fine: fine.buffer, coarse: coarse.buffer),
      parameters(index, fine, coarse, rows: rows),
      over: Dimensions(width: coarse.size.width, height: rows.count))
  }

  private func up(
    _ index: Int, _ fine: Level, _ coarse: Level, _ layers: PassList.Argument,
    _ list: inout PassList
  ) {
    list.add(
      Kernel.PyramidUp(
        layers: layers, fine: fine.buffer, coarse: coarse.buffer),
      parameters(index, fine, coarse, isFinest: index == 0), over: fine.size)
  }

  /// The fine levels of a window, and with them the first coarse one.
  private func fineLevels(of layers: FramePasses.Layers, _ list: inout PassList) -> [Level] {
    let levels = (0...firstCoarse).map { level($0, of: layers, &list) }
    base(layers, levels[0], &list)
    for index in 0..<firstCoarse - 1 { down(index, levels[index], levels[index + 1], &list) }
    return levels
  }

  /// Adds a window's rows to the first coarse level.
  func addFineLevels(of layers: FramePasses.Layers, to list: inout PassList) {
    let levels = fineLevels(of: layers, &list)
    down(firstCoarse - 1, levels[firstCoarse - 1], levels[firstCoarse], &list)
  }

  /// The coarse levels, once their first is whole: down, then back up.
  func addCoarseLevels(to list: inout PassList) {
    let levels = (firstCoarse..<sizes.count).map {
      Level(buffer: coarse[$0 - firstCoarse], size: sizes[$0])
    }
    for (index, (fine, coarse)) in zip(levels, levels.dropFirst()).enumerated() {
      down(firstCoarse + index, fine, coarse, &list)
    }
    for index in levels.indices.reversed() where firstCoarse + index > 0 {
      up(
        firstCoarse + index, levels[index], levels[min(index + 1, levels.count - 1)],
        .external(.none), &list)
    }
  }

  /// Puts what was found behind the fronts of the layers that have no back.
  func extendBacks(of layers: FramePasses.Layers, in list: inout PassList) {
    let whole = PassList.Argument.buffer(layers.buffer)
    let levels: [Level]
    if firstCoarse == 0 {
      levels = sizes.indices.map { Level(buffer: coarse[$0], size: sizes[$0]) }
      base(layers, levels[0], &list)
      addCoarseLevels(to: &list)
    } else {
      levels = fineLevels(of: layers, &list)
      for index in (1..<firstCoarse).reversed() {
        up(index, levels[index], levels[index + 1], .external(.none), &list)
      }
    }
    up(0, levels[0], levels[min(1, levels.count - 1)], whole, &list)
    list.add(
      Kernel.PyramidStore(fine: levels[0].buffer, layers: whole),
      parameters(0, levels[0], nil), over: layers.window)
  }
}
