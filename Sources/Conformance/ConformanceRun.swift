// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalRendering

/// How one case ended on one device.
package struct ConformanceResult: Sendable {
  package enum Verdict: String, Sendable, Codable {
    /// The same bits.
    case identical
    /// Other bits, within the tolerance.
    case close
    case failed
  }

  package var name: String
  package var verdict = Verdict.identical
  /// Differences and near misses, a line each.
  package var notes: [String] = []
  /// Pixels of frames, or elements of kernels' buffers, whose bits differ.
  package var differing = 0
  /// The largest difference of a frame in codes of ten bits; of a kernel's floats, as a share.
  package var largest = 0.0
  package var tolerance: String
  /// How often each kernel was compared alone.
  package var checkedKernels: [Kernel: Int] = [:]
  /// Of a case that is not identical, the first frame that differs.
  package var pictures: (actual: PixelBuffer, reference: PixelBuffer)?
  /// Why the device gave no result at all.
  package var error: CinematicError?

  mutating func fail(_ note: String) {
    verdict = .failed
    notes.append(note)
  }
}

/// Holds a device to a reference, case by case.
package struct ConformanceRun: Sendable {
  package let device: Device
  package let reference: Device
  /// Whether close is not good enough.
  package let isStrict: Bool
  package let seed: UInt64

  /// Frames alone with their kernels, then whole frames.
  package var kernelCases: [FrameCase] { KernelCases.all(seed: seed) }
  package var frameCases: [FrameCase] { FrameCases.all(seed: seed) }

  /// - Parameter reference: the processor on one thread, unless told otherwise.
  package init(
    _ device: Device, reference: Device = .cpu(threadCount: 1), isStrict: Bool = false,
    seed: UInt64 = 1
  ) {
    self.device = device
    self.reference = reference
    self.isStrict = isStrict
    self.seed = seed
  }

  /// The largest difference of a kernel's floats that is taken for rounding.
  static let kernelTolerance = 1.0 / 1023

  /// Runs every dispatch of a case's frame alone, on what the reference's had.
  package func runKernels(_ item: FrameCase) -> ConformanceResult {
    var result = ConformanceResult(
      name: item.name,
      tolerance: isStrict
        ? "none: the bits must be equal"
        : "floats 1/1023 of the larger of 1 and their size, as much as a frame may differ;"
          + " integers none, they are decisions")
    do {
      let (sources, map) = (try item.makeSources(), try item.makeMap())
      let recorder = DispatchRecorder()
      let expected = try FrameRun(
        item, sources: sources, map: map, on: reference, tilesAtOnce: device.backend.tilesAtOnce,
        watcher: recorder)
      let replay = DispatchReplay(recorder.records)
      let actual = try FrameRun(item, sources: sources, map: map, on: device, watcher: replay)
      // A case of kernels has one frame.
      let (frame, meant) = (actual.pictures[0], expected.pictures[0])
      let frames = FrameComparison(frame, expected: meant)
      for finding in replay.findings {
        result.differing += finding.differing
        if finding.largest.isFinite { result.largest = max(result.largest, finding.largest) }
        let isClose =
          finding.isPicture
          ? frames.largestCodes <= FrameComparison.tolerance(of: frame.format)
          : finding.isRounding && finding.largest <= Self.kernelTolerance
        let note = "\(finding.kernel) (dispatch \(finding.index)): \(finding.text)"
        if isClose, !isStrict {
          result.verdict = result.verdict == .failed ? .failed : .close
          result.notes.append(note)
        } else {
          result.fail(note)
        }
      }
      for breach in expected.breaches + actual.breaches { result.fail(breach) }
      result.checkedKernels = replay.checked
      if replay.checked.isEmpty { result.fail("no kernel of the frame was compared") }
    } catch {
      result.stop(error)
    }
    return result
  }

  /// Renders a case's frames on both devices.
  package func runFrame(_ item: FrameCase) -> ConformanceResult {
    var result = ConformanceResult(name: item.name, tolerance: "none: the bits must be equal")
    do {
      let (sources, map) = (try item.makeSources(), try item.makeMap())
      let expected = try FrameRun(item, sources: sources, map: map, on: reference)
      let actual = try FrameRun(item, sources: sources, map: map, on: device)
      let tolerance = FrameComparison.tolerance(of: actual.pictures[0].format)
      if !isStrict {
        result.tolerance =
          tolerance > 1
          ? "one code of 8 bits, which the smallest difference may turn"
          : "one code of 10 bits, which is invisible"
      }
      let count = sources.count
      for (number, pair) in zip(actual.pictures, expected.pictures).enumerated() {
        let comparison = FrameComparison(pair.0, expected: pair.1)
        guard !comparison.isIdentical else { continue }
        result.differing += comparison.differingPixels
        result.largest = max(result.largest, comparison.largestCodes)
        if result.pictures == nil { result.pictures = pair }
        let place = count > 1 ? "frame \(number + 1) of \(count): " : ""
        if comparison.largestCodes <= tolerance, !isStrict {
          if result.verdict == .identical { result.verdict = .close }
          result.notes.append(place + comparison.description)
        } else {
          result.fail(place + comparison.description)
        }
      }
      for breach in actual.breaches { result.fail(breach) }
    } catch {
      result.stop(error)
    }
    return result
  }
}

extension ConformanceResult {
  fileprivate mutating func stop(_ error: any Error) {
    self.error =
      error as? CinematicError ?? CinematicError(.unknown, String(describing: error))
    fail(String(describing: error))
  }
}
