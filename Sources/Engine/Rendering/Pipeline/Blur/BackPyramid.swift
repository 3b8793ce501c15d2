// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The background behind near surfaces, level by level, each half the size of the one before. The layers
/// themselves are level 0.
///
/// The fine levels may hold a window of the layers' rows, at multiples of ``unit``. The coarse ones,
/// from ``firstCoarse`` on, then are the whole picture's: their cells are larger than an apron.
struct BackPyramid {
  /// Sizes of the whole picture's levels.
  private let sizes: [Dimensions]
  /// The levels from ``firstCoarse`` on, of the whole picture, one after the other.
  private let coarse: PassList.Argument
  /// The first of the levels that are there whole, 1 or more.
  private let firstCoarse: Int
  /// Whether all of the layers are in memory, too.
  private let isWhole: Bool
  private let edge: Float
  /// Nearer surfaces are not of the focus plate, pixels of the layers.
  private let nearLimit: Float

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
  /// - Parameter memory: as ``coarseByteCount(of:_:)`` says.
  init(coarseOf layers: Dimensions, in memory: any DeviceMemory, _ blur: FramePasses.Blur) {
    self.init(layers, fineLevels: Self.mostFineLevels, blur) { _ in .external(.memory(memory)) }
  }

  /// Bytes of the coarse levels of layers of which only windows are in memory; `nil` if the layers are too
  /// small for a coarse level.
  static func coarseByteCount(of layers: Dimensions, _ blur: FramePasses.Blur) -> Int? {
    guard layers.height > leastHeight else { return nil }
    var cells = 0
    _ = BackPyramid(layers, fineLevels: mostFineLevels, blur) {
      cells = $0
      return .external(.none)
    }
    return cells * Int(FocalPyramidPlanes) * MemoryLayout<Float>.stride
  }

  /// Layers that are not higher are not worth windows.
  private static let leastHeight = 2 * unit

  /// - Parameter buffer: makes a buffer for as many cells.
  private init(
    _ layers: Dimensions, fineLevels: Int, _ blur: FramePasses.Blur,
    _ buffer: (Int) -> PassList.Argument
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
    } while sizes.count < 2
      || (sizes.last!.width >= 4 || sizes.last!.height >= 4)
        && 1 << sizes.count <= 8 * largest + 8 && sizes.count < 12
    self.sizes = sizes
    edge = BlurSettings.edge / scale
    nearLimit = BlurSettings.focusRange.nearLimit / scale
    // A picture that is cut into bands has several levels.
    firstCoarse = max(min(fineLevels, sizes.count - 1), 1)
    isWhole = fineLevels == 0
    coarse = buffer(sizes.dropFirst(firstCoarse).reduce(0) { $0 + $1.count })
  }

  private static func buffer(_ cells: Int, _ list: inout PassList) -> PassList.Buffer {
    list.buffer(of: Float.self, count: cells * Int(FocalPyramidPlanes))
  }

  /// A level in memory: a window of the whole one's rows.
  private struct Level {
    var buffer: PassList.Argument
    var size: Dimensions
    var firstRow = 0
  }

  /// Level `index` of the layers, up to the first coarse one; the fine ones of their window only.
  private func level(_ index: Int, of layers: FramePasses.Layers, _ list: inout PassList) -> Level {
    guard index < firstCoarse else {
      return Level(buffer: coarse, size: sizes[index])
    }
    let first = layers.rows.lowerBound >> index
    let end = (layers.rows.upperBound + (1 << index) - 1) >> index
    let size = Dimensions(width: sizes[index].width, height: end - first)
    return Level(buffer: .buffer(Self.buffer(size.count, &list)), size: size, firstRow: first)
  }

  // The lens looks behind an edge as far as the radii differ. A smaller step between the large
  // cells of a coarse level is the slant of one surface, which does not hide itself.
  private func parameters(
    _ index: Int, _ fine: Level, _ coarse: Level, rows: Range<Int>? = nil
  ) -> FocalPyramidParameters {
    FocalPyramidParameters(
      fineWidth: Int32(fine.size.width), fineHeight: Int32(fine.size.height),
      coarseWidth: Int32(coarse.size.width), coarseHeight: Int32(coarse.size.height),
      edge: max(edge, BlurSettings.steepestSlant * Float(1 << index)),
      last: index + 2 == sizes.count ? 1 : 0,
      rowShift: Int32(2 * coarse.firstRow - fine.firstRow),
      firstRow: Int32(rows?.lowerBound ?? 0), rows: Int32(rows?.count ?? 0), nearLimit: nearLimit)
  }

  /// The rows of `coarse`, the level behind `index`, that the rows of `fine` give.
  private func down(_ index: Int, _ fine: Level, _ coarse: Level, _ list: inout PassList) {
    let first = fine.firstRow / 2 - coarse.firstRow
    let rows = first..<first + (fine.size.height + 1) / 2
    let parameters = parameters(index, fine, coarse, rows: rows)
    let size = Dimensions(width: coarse.size.width, height: rows.count)
    if index == 0 {
      list.add(
        Kernel.PyramidBase(layers: fine.buffer, coarse: coarse.buffer), parameters, over: size)
    } else {
      list.add(
        Kernel.PyramidDown(fine: fine.buffer, coarse: coarse.buffer), parameters, over: size)
    }
  }

  /// The surfaces that the cells of `fine` hide, from the level behind it.
  private func up(_ index: Int, _ fine: Level, _ coarse: Level, _ list: inout PassList) {
    let parameters = parameters(index, fine, coarse)
    if index == 0 {
      list.add(
        Kernel.PyramidStore(layers: fine.buffer, coarse: coarse.buffer), parameters,
        over: fine.size)
    } else {
      list.add(
        Kernel.PyramidUp(fine: fine.buffer, coarse: coarse.buffer), parameters, over: fine.size)
    }
  }

  /// A window's levels: the layers, the fine ones, which are made, and the first coarse one.
  private func fineLevels(of layers: FramePasses.Layers, _ list: inout PassList) -> [Level] {
    let own = Level(
      buffer: .buffer(layers.buffer), size: layers.window, firstRow: layers.rows.lowerBound)
    let levels = [own] + (1...firstCoarse).map { level($0, of: layers, &list) }
    for index in 0..<firstCoarse - 1 { down(index, levels[index], levels[index + 1], &list) }
    return levels
  }

  /// Adds a window's rows to the first coarse level.
  func addFineLevels(of layers: FramePasses.Layers, to list: inout PassList) {
    let levels = fineLevels(of: layers, &list)
    down(firstCoarse - 1, levels[firstCoarse - 1], levels[firstCoarse], &list)
  }

  /// The coarse levels, once their first is whole: down, then what is hidden in the first.
  func addCoarseLevels(to list: inout PassList) {
    let count = sizes.count - firstCoarse
    guard count > 1 else { return }
    let steps = Int(FOCAL_PYRAMID_STEPS)
    for index in stride(from: 0, to: count - 1, by: steps) {
      add(
        Kernel.PyramidLevels(levels: coarse), from: index, levels: min(steps, count - 1 - index),
        groups: Dimensions(width: Int(FOCAL_PYRAMID_BLOCK), height: Int(FOCAL_PYRAMID_BLOCK)),
        to: &list)
    }
    add(
      Kernel.PyramidHidden(levels: coarse), from: 0, levels: count,
      groups: Dimensions(width: Int(FOCAL_HIDDEN_WIDTH), height: Int(FOCAL_HIDDEN_HEIGHT)),
      to: &list)
  }

  /// A pass over coarse levels.
  ///
  /// - Parameters:
  ///   - index: of the finest of them, counted from the first coarse one.
  ///   - levels: as the kernel counts them.
  ///   - groups: cells of the finest level that a workgroup is for.
  private func add<Arguments: KernelArguments>(
    _ arguments: Arguments, from index: Int, levels: Int, groups cells: Dimensions,
    to list: inout PassList
  ) where Arguments.Parameters == FocalPyramidLevelsParameters {
    let size = sizes[firstCoarse + index]
    let finer = sizes[firstCoarse..<firstCoarse + index].reduce(0) { $0 + $1.count }
    let groups = Grid(size.width, size.height).groups(of: Grid(cells.width, cells.height))
    list.add(
      arguments,
      FocalPyramidLevelsParameters(
        width: Int32(size.width), height: Int32(size.height),
        offset: Int32(finer * Int(FocalPyramidPlanes)), levels: Int32(levels), edge: edge,
        slant: BlurSettings.steepestSlant * Float(1 << (firstCoarse + index))),
      items: groups.y,
      grid: Grid(groups.x * Int(FOCAL_GROUP_WIDTH), groups.y * Int(FOCAL_GROUP_HEIGHT)))
  }

  /// Puts what was found behind the fronts of the layers that have no back.
  func extendBacks(of layers: FramePasses.Layers, in list: inout PassList) {
    let levels = fineLevels(of: layers, &list)
    if isWhole {
      down(0, levels[0], levels[1], &list)
      addCoarseLevels(to: &list)
    }
    for index in (0..<firstCoarse).reversed() {
      up(index, levels[index], levels[index + 1], &list)
    }
  }
}
