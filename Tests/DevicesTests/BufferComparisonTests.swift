// SPDX-License-Identifier: Apache-2.0

import FocalRendering
import Testing

@testable import ConformanceKit

@Suite struct BufferComparisonTests {
  /// Floats.
  private let buffer = Kernel.matte.buffers[2]

  private func bytes(_ values: [Float]) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: value) { [UInt8]($0) } }
  }

  /// What the reference wrote has to be there; memory that it did not touch may be missing, and more may follow.
  @Test func aBufferThatEndsEarlyDiffers() {
    let before = bytes([1, 2, 3, 4])
    let after = bytes([1, 2, 5, 4])
    for values in [[1, 2, 5, 4], [1, 2, 5], [1, 2, 5, 4, 9]] as [[Float]] {
      let comparison = BufferComparison(
        bytes(values), expected: after, before: before, of: buffer)
      #expect(comparison.isIdentical, "\(values)")
    }
    let short = BufferComparison(bytes([1, 2]), expected: after, before: before, of: buffer)
    #expect(short.differing == 1 && short.missing == 1 && short.largest == .infinity)
    #expect(short.first == 2)
    #expect(short.description(.float).contains("1 of them behind the buffer's end"))
    let none = BufferComparison([], expected: after, before: before, of: buffer)
    #expect(none.missing == 1)
  }

  @Test func aMaskSaysWhatWasWritten() {
    let expected = bytes([1, 2, 3])
    func comparison(_ isWritten: [Bool]) -> BufferComparison {
      BufferComparison(
        bytes([1]), expected: expected, before: expected, of: buffer,
        mask: isWritten.flatMap { [Bool](repeating: $0, count: 4) })
    }
    #expect(comparison([true, false, false]).isIdentical)
    #expect(comparison([true, false, true]).missing == 1)
  }

  @Test func planesHaveOneLength() {
    #expect(BufferComparison(pixels: [1, 2], expected: [1, 2]).isIdentical)
    #expect(BufferComparison(pixels: [1], expected: [1, 2]).missing == 1)
  }
}
