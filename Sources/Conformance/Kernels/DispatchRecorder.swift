// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import Synchronization

/// A dispatch with all that it read and wrote.
struct DispatchRecord: Sendable {
  struct Buffer: Sendable {
    /// Which piece of memory it was; `nil` for a plane of a picture.
    var memory: ObjectIdentifier?
    /// Empty for a plane of a picture.
    var before: [UInt8]
    var after: [UInt8]
  }

  var kernel: Kernel
  /// By binding index; `nil` for workspaces, for planes that are only read, and for nothing.
  var buffers: [Buffer?]
}

/// Takes down every dispatch of a frame.
final class DispatchRecorder: DispatchWatcher {
  private struct State {
    var records: [DispatchRecord] = []
    var before: [[UInt8]?] = []
  }

  private let state = Mutex(State())

  var records: [DispatchRecord] { state.withLock { $0.records } }

  func willSubmit(_ dispatches: [KernelDispatch]) {}

  func willRun(_ index: Int, _ dispatch: KernelDispatch) throws(CinematicError) {
    let before = try dispatch.bufferContents()
    state.withLock { $0.before = before }
  }

  func didRun(_ index: Int, _ dispatch: KernelDispatch) throws(CinematicError) {
    let after = try dispatch.bufferContents()
    state.withLock { state in
      let buffers = dispatch.bindings.indices.map { binding -> DispatchRecord.Buffer? in
        switch dispatch.bindings[binding] {
        case .memory(let memory, _):
          guard let before = state.before[binding], let after = after[binding] else { return nil }
          // One copy where nothing changed.
          return .init(
            memory: ObjectIdentifier(memory), before: before,
            after: after == before ? before : after)
        case .pixels(let picture, let plane, .write):
          return .init(before: [], after: picture.rowBytes(ofPlane: plane))
        case .pixels, .none: return nil
        }
      }
      state.records.append(DispatchRecord(kernel: dispatch.kernel, buffers: buffers))
    }
  }
}

extension KernelDispatch {
  /// The bytes of each memory binding from its offset on; `nil` for workspaces and for others.
  func bufferContents() throws(CinematicError) -> [[UInt8]?] {
    var result: [[UInt8]?] = []
    for (index, binding) in bindings.enumerated() {
      if case .memory(let memory, let offset) = binding, let memory = memory as? GuardedMemory,
        kernel.isCompared(index)
      {
        result.append(try memory.bytes(from: offset))
      } else {
        result.append(nil)
      }
    }
    return result
  }
}

extension PixelBuffer {
  /// A plane's pixels, padding left out.
  func rowBytes(ofPlane index: Int) -> [UInt8] {
    let plane = planes[index]
    let count = plane.dimensions.width * plane.bytesPerElement
    return withUnsafeBytes(ofPlane: index) { bytes in
      var result: [UInt8] = []
      result.reserveCapacity(count * plane.dimensions.height)
      for y in 0..<plane.dimensions.height {
        result += bytes[y * plane.bytesPerRow..<y * plane.bytesPerRow + count]
      }
      return result
    }
  }
}
