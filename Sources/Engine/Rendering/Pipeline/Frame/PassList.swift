// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The passes of a frame, in order, over working buffers that exist only as sizes yet.
///
/// ``WorkingMemory`` gives the buffers their memory, sharing it between those whose uses do not
/// overlap.
struct PassList {
  /// A working buffer.
  struct Buffer: Hashable {
    fileprivate let index: Int
  }

  /// The kind of a pass's buffer argument.
  enum Argument {
    case buffer(Buffer)
    case external(Binding)
  }

  struct Pass {
    let kernel: Kernel
    let arguments: [Argument]
    let dispatch: KernelDispatch
  }

  private(set) var passes: [Pass] = []
  private(set) var byteCounts: [Int] = []
  /// Where the passes may be submitted apart: indices of first passes.
  private var cuts: [Int] = []

  /// A new working buffer of `count` elements; its contents are undefined until a pass writes them.
  mutating func buffer<Element>(of type: Element.Type, count: Int) -> Buffer {
    byteCounts.append(max(count, 1) * MemoryLayout<Element>.stride)
    return Buffer(index: byteCounts.count - 1)
  }

  /// A pass over the elements of a picture, a map or layers: row by row where the processor runs it,
  /// an invocation an element on a graphics device.
  mutating func add<Arguments: KernelArguments>(
    _ arguments: Arguments, _ parameters: Arguments.Parameters, over size: Dimensions
  ) {
    add(arguments, parameters, items: size.height, grid: Grid(size.width, size.height))
  }

  /// A pass over `items` (tiles, rows of blocks); `grid` for a graphics device where it is not one
  /// invocation an item.
  mutating func add<Arguments: KernelArguments>(
    _ arguments: Arguments, _ parameters: Arguments.Parameters, items: Int, grid: Grid? = nil
  ) {
    passes.append(
      Pass(
        kernel: Arguments.kernel, arguments: arguments.list,
        dispatch: KernelDispatch(
          Arguments.kernel, [], parameters, items: items, grid: grid ?? Grid(items))))
  }

  /// Lets the passes that follow be submitted apart from those before, so that a device need not hold
  /// the pictures of all of them at once.
  mutating func cut() { cuts.append(passes.count) }

  /// Bytes of the largest plane of a picture that a pass is bound to.
  var largestPlaneByteCount: Int {
    var largest = 0
    for pass in passes {
      for case .external(.pixels(let buffer, let plane, _)) in pass.arguments {
        largest = max(largest, buffer.planes[plane].byteCount)
      }
    }
    return largest
  }

  /// Bytes of what an argument names.
  func byteCount(of argument: Argument) -> Int {
    switch argument {
    case .buffer(let buffer): byteCounts[buffer.index]
    case .external(.memory(let memory, let offset)): memory.byteCount - offset
    case .external(.pixels(let buffer, let plane, _)): buffer.planes[plane].byteCount
    case .external(.none): 0
    }
  }

  /// The first and last pass that use each buffer, by buffer index; `nil` where none does.
  var lifetimes: [ClosedRange<Int>?] {
    var lifetimes = [ClosedRange<Int>?](repeating: nil, count: byteCounts.count)
    for (index, pass) in passes.enumerated() {
      for case .buffer(let buffer) in pass.arguments {
        let first = lifetimes[buffer.index]?.lowerBound ?? index
        lifetimes[buffer.index] = first...index
      }
    }
    return lifetimes
  }

  /// The passes as dispatches, each buffer bound to the memory that `memory` names for its index, in
  /// the pieces that ``cut()`` made.
  func submissions(memory: (Int) -> any DeviceMemory) -> [[KernelDispatch]] {
    let ends = cuts.filter { $0 > 0 && $0 < passes.count } + [passes.count]
    return zip([0] + ends, ends).map { first, end in
      dispatches(of: passes[first..<end], memory: memory)
    }
  }

  private func dispatches(
    of passes: ArraySlice<Pass>, memory: (Int) -> any DeviceMemory
  ) -> [KernelDispatch] {
    passes.map { pass in
      var dispatch = pass.dispatch
      dispatch.bindings = pass.arguments.map { argument in
        switch argument {
        case .buffer(let buffer): .memory(memory(buffer.index))
        case .external(let binding): binding
        }
      }
      return dispatch
    }
  }
}
