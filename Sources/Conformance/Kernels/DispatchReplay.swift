// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import Synchronization

/// Runs a frame's dispatches on a device, each on exactly what the reference's had before it, and
/// compares what each leaves.
///
/// A device may have passes of its own in place of some of the reference's. Both lists are laid side
/// by side by their kernels; what such a group of passes leaves is compared where the next common
/// kernel reads it.
final class DispatchReplay: DispatchWatcher {
  /// The differences found in one dispatch.
  struct Finding: Sendable {
    var kernel: String
    /// Of the device's list.
    var index: Int
    var text: String
    /// For a difference, ``BufferComparison/largest``; infinite for a write out of bounds.
    var largest: Double
    var differing: Int
    /// Whether a difference is one of floats, which may be rounded.
    var isRounding: Bool
    /// Whether a picture differs, whose codes the whole frame's comparison judges.
    var isPicture = false
  }

  private struct State {
    /// Of the submission that runs: the reference's dispatch of each of the device's; `nil` for
    /// passes of its own.
    var partners: [Int?] = []
    /// The first of the reference's dispatches that has no partner yet, nor one behind it.
    var next = 0
    var checked: [Kernel: Int] = [:]
    var alone: Set<Kernel> = []
    var findings: [Finding] = []
  }

  private let records: [DispatchRecord]
  private let state = Mutex(State())

  init(_ records: [DispatchRecord]) { self.records = records }

  var findings: [Finding] { state.withLock { $0.findings } }
  /// How often each kernel was compared.
  var checked: [Kernel: Int] { state.withLock { $0.checked } }
  /// Kernels that only the device's list has.
  var alone: Set<Kernel> { state.withLock { $0.alone } }

  func willSubmit(_ dispatches: [KernelDispatch]) {
    state.withLock { state in
      let next = state.next
      state.partners = Self.align(
        dispatches.map(\.kernel), with: records[next...].map(\.kernel)
      ).map { $0.map { next + $0 } }
      for (dispatch, partner) in zip(dispatches, state.partners) where partner == nil {
        state.alone.insert(dispatch.kernel)
      }
    }
  }

  func willRun(_ index: Int, _ dispatch: KernelDispatch) throws(CinematicError) {
    guard let partner = state.withLock({ $0.partners[index] }) else { return }
    try compareGroup(before: index, dispatch, partner)
    for (binding, buffer) in records[partner].buffers.enumerated() {
      guard let buffer, buffer.memory != nil, binding < dispatch.bindings.count,
        case .memory(let memory, let offset) = dispatch.bindings[binding]
      else { continue }
      try buffer.before.withUnsafeBytes { bytes in
        Result { () throws(CinematicError) in
          try memory.write(
            UnsafeRawBufferPointer(rebasing: bytes.prefix(memory.byteCount - offset)), at: offset)
        }
      }.get()
    }
  }

  /// The results of the device's own passes for this dispatch, where the reference's passes in
  /// their place wrote.
  private func compareGroup(
    before index: Int, _ dispatch: KernelDispatch, _ partner: Int
  ) throws(CinematicError) {
    let first = state.withLock { state in
      defer { state.next = partner + 1 }
      return state.next
    }
    guard first < partner else { return }
    let replaced = records[first..<partner]
    let contents = try dispatch.bufferContents()
    let names = replaced.map(\.kernel.name).joined(separator: ", ")
    for (binding, buffer) in records[partner].buffers.enumerated() {
      guard let buffer, let memory = buffer.memory, let actual = contents[binding] else { continue }
      var mask = [Bool](repeating: false, count: buffer.before.count)
      for record in replaced {
        for written in record.buffers {
          guard let written, written.memory == memory, written.after != written.before else {
            continue
          }
          for at in mask.indices where written.after[at] != written.before[at] { mask[at] = true }
        }
      }
      guard mask.contains(true) else { continue }
      note(
        BufferComparison(
          actual, expected: buffer.before, before: buffer.before,
          of: records[partner].kernel.buffers[binding], mask: mask),
        index, "the passes in place of \(names)", binding, records[partner].kernel)
    }
    state.withLock { state in
      for record in replaced { state.checked[record.kernel, default: 0] += 1 }
    }
  }

  func didRun(_ index: Int, _ dispatch: KernelDispatch) throws(CinematicError) {
    for case .memory(let memory, _) in dispatch.bindings {
      guard let memory = memory as? GuardedMemory, let offset = try memory.takeBreach() else {
        continue
      }
      add(
        Finding(
          kernel: dispatch.kernel.name, index: index,
          text: "byte \(offset) of a buffer of \(memory.byteCount) bytes was written",
          largest: .infinity, differing: 0, isRounding: false))
    }
    guard let partner = state.withLock({ $0.partners[index] }) else { return }
    let record = records[partner]
    let contents = try dispatch.bufferContents()
    for (binding, buffer) in record.buffers.enumerated() {
      guard let buffer, binding < dispatch.bindings.count else { continue }
      if buffer.memory != nil, let actual = contents[binding] {
        note(
          BufferComparison(
            actual, expected: buffer.after, before: buffer.before,
            of: dispatch.kernel.buffers[binding]), index,
          dispatch.kernel.name, binding, dispatch.kernel)
      } else if case .pixels(let picture, let plane, .write) = dispatch.bindings[binding] {
        note(
          BufferComparison(
            pixels: picture.rowBytes(ofPlane: plane), expected: buffer.after), index,
          dispatch.kernel.name, binding, dispatch.kernel, isPicture: true)
      }
    }
    state.withLock { $0.checked[dispatch.kernel, default: 0] += 1 }
  }

  private func note(
    _ comparison: BufferComparison, _ index: Int, _ name: String, _ binding: Int, _ kernel: Kernel,
    isPicture: Bool = false
  ) {
    guard !comparison.isIdentical else { return }
    let buffer = kernel.buffers[binding]
    let type = isPicture ? .byte : buffer.element
    add(
      Finding(
        kernel: name, index: index,
        text: "buffer '\(buffer.name)': \(comparison.description(type))",
        largest: comparison.largest,
        differing: comparison.differing, isRounding: type == .float && comparison.notFinite == 0,
        isPicture: isPicture && comparison.missing == 0))
  }

  private func add(_ finding: Finding) { state.withLock { $0.findings.append(finding) } }

  /// The longest list of common kernels in order: for each of `list`, its place in `reference`.
  static func align(_ list: [Kernel], with reference: [Kernel]) -> [Int?] {
    let (n, m) = (list.count, reference.count)
    // longest[i][j]: of list[i...] and reference[j...].
    var longest = [[Int]](repeating: [Int](repeating: 0, count: m + 1), count: n + 1)
    for i in (0..<n).reversed() {
      for j in (0..<m).reversed() {
        longest[i][j] =
          list[i] == reference[j]
          ? longest[i + 1][j + 1] + 1 : max(longest[i + 1][j], longest[i][j + 1])
      }
    }
    var partners = [Int?](repeating: nil, count: n)
    var (i, j) = (0, 0)
    while i < n, j < m {
      if list[i] == reference[j] {
        partners[i] = j
        (i, j) = (i + 1, j + 1)
      } else if longest[i + 1][j] >= longest[i][j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return partners
  }
}
