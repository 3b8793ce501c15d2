// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

extension RenderingSession {
  /// The state that a session keeps from frame to frame.
  struct State {
    var memory = WorkingMemory()
    /// Where maps on the device are measured.
    var measuring: [any DeviceMemory] = []
    var measuringAllocationCount = 0
    /// The cut of the last frame that had to be cut.
    var lastCut: FrameCut?
    /// Bytes of working memory that the device is known not to give for what has this size; `nil` while it
    /// gave all.
    var refused: (size: Dimensions, byteCount: Int)?
    var tables: (lensCounts: [Int], tables: BlurTables)?

    /// The tables of `settings`; another picture size may need others.
    mutating func tables(
      for settings: BlurSettings, _ session: Attributes, _ backend: any DeviceBackend
    ) throws(CinematicError) -> BlurTables {
      if let tables, tables.lensCounts == settings.lensCounts { return tables.tables }
      let made = try BlurTables(
        settings: settings, shape: session.apertureShape, character: session.lensCharacter,
        backend: backend)
      tables = (settings.lensCounts, made)
      return made
    }

    /// Passes, cut as little as their device allows, with memory for them.
    ///
    /// - Parameters:
    ///   - size: what is cut: its rows, and for messages.
    ///   - limit: bytes that are taken if any cut keeps to them; else the cut that takes least.
    ///   - mayCut: whether a refusal of memory means a smaller cut; else it is thrown.
    ///   - passes: those of a cut.
    /// - Throws: `outOfMemory` when not even the lowest strips fit.
    mutating func bind(
      _ size: Dimensions, isBlurred: Bool, limit: Int?, on backend: any DeviceBackend,
      mayCut: Bool, _ passes: (FrameCut) -> FramePasses
    ) throws(CinematicError) -> [[KernelDispatch]] {
      if refused?.size != size { refused = nil }
      let candidates = FrameCut.candidates(
        height: size.height, on: backend, isBlurred: isBlurred)
      let likely = [candidates[0]] + (lastCut.map { [$0] } ?? [])
      var refusal: CinematicError?
      var smallest = Int.max
      // The size that comes nearest to a limit that no cut keeps.
      var lowest: (cut: FrameCut, total: Int)?
      for isLimited in limit == nil ? [false] : [true, false] {
        let cuts = isLimited || lowest == nil ? likely + candidates.dropFirst() : [lowest!.cut]
        for cut in cuts {
          let list = passes(cut).list
          let layout = WorkingMemory.layout(list)
          let largest = max(layout.largest, list.largestPlaneByteCount)
          smallest = min(smallest, max(largest, layout.total))
          guard largest <= backend.largestBindingByteCount, layout.total <= ceiling(of: backend)
          else { continue }
          if isLimited, let limit, layout.total > limit {
            if layout.total < lowest?.total ?? .max { lowest = (cut, layout.total) }
            continue
          }
          do {
            let submissions = try memory.bind(list, as: layout, on: backend)
            if cut != candidates[0] { lastCut = cut }
            return submissions
          } catch {
            guard error.code == .outOfMemory else { throw error }
            // Memory from this attempt, or from other frames, is in the way.
            memory.release()
            guard mayCut else { throw error }
            refusal = error
            refused = (size, layout.total)
          }
        }
        guard lowest != nil else { break }
      }
      throw refusal ?? Self.shortage(of: smallest, for: size, on: backend)
    }

    /// Bytes that working memory may take.
    private func ceiling(of backend: any DeviceBackend) -> Int {
      let own = min(Self.deviceCeiling(of: backend), Self.budgetCeiling(of: backend) ?? .max)
      // After a refusal a good deal less is tried at once: memory is given in pieces.
      return min(own, refused.map { $0.byteCount / 4 * 3 } ?? .max)
    }

    /// Pictures on their way to and from the device need theirs.
    private static func deviceCeiling(of backend: any DeviceBackend) -> Int {
      backend.memoryByteCount.map { $0 / 4 * 3 } ?? .max
    }

    /// A device without memory of its own takes the host's, of which decoders and encoders need some; `nil` for others.
    private static func budgetCeiling(of backend: any DeviceBackend) -> Int? {
      backend.kind == .discreteGPU ? nil : MemoryBudget.byteCount / 2
    }

    /// The error of a frame of which no cut fits.
    ///
    /// - Parameter byteCount: what the one that takes least needs.
    private static func shortage(
      of byteCount: Int, for size: Dimensions, on backend: any DeviceBackend
    ) -> CinematicError {
      let needs =
        "a frame of \(size) needs \(MemoryBudget.text(byteCount)) of the device \(backend.identifier)"
        + " at once, even strip by strip"
      if let half = budgetCeiling(of: backend), byteCount > half,
        byteCount <= deviceCeiling(of: backend)
      {
        let limit = MemoryBudget.text(MemoryBudget.byteCount)
        // Whole megabytes, rounded up.
        let enough = (2 * byteCount + 999_999) / 1_000_000
        return CinematicError(
          .outOfMemory,
          "\(needs), and half of the memory limit of \(limit) is \(MemoryBudget.text(half))",
          remedy: """
            raise the limit (\(parameter: .memoryLimit)) to \(enough) MB at least, or render at a \
            smaller size
            """)
      }
      return CinematicError(
        .outOfMemory, needs, remedy: "render at a smaller size or on another device")
    }
  }

  /// Does something that takes memory, and once more if the device refuses it: frames in flight hold theirs until they
  /// are done. They are waited for without the session's lock, which their handlers may ask for.
  ///
  /// - Parameters:
  ///   - run: runs dispatches after everything that was encoded before, and waits.
  ///   - bind: told whether a frame may be cut for want of memory.
  func binding<Result>(
    _ run: ([KernelDispatch]) throws(CinematicError) -> Void,
    _ bind: (_ mayCut: Bool) throws(CinematicError) -> Result
  ) throws(CinematicError) -> Result {
    do throws(CinematicError) {
      return try bind(false)
    } catch {
      guard error.code == .outOfMemory else { throw error }
      try run([])
      return try bind(true)
    }
  }

  /// Memory for measuring a map, kept from frame to frame.
  ///
  /// - Throws: `outOfMemory`.
  func measuringMemory(byteCounts: [Int]) throws(CinematicError) -> [any DeviceMemory] {
    let backend = commandQueue.device.backend
    let result = state.withLock { state in
      Result { () throws(CinematicError) in
        for (index, byteCount) in byteCounts.enumerated() {
          let isThere = index < state.measuring.count
          guard !isThere || state.measuring[index].byteCount < byteCount else { continue }
          let memory = try backend.makeMemory(byteCount: byteCount)
          if isThere { state.measuring[index] = memory } else { state.measuring.append(memory) }
          state.measuringAllocationCount += 1
        }
        return state.measuring
      }
    }
    return try result.get()
  }
}
