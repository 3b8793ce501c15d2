// SPDX-License-Identifier: Apache-2.0

import FocalRendering

/// How far the bytes of a buffer are from what they should be.
struct BufferComparison: Sendable {
  /// Elements whose bits differ.
  private(set) var differing = 0
  /// Of those, floats that are not finite where they should be, which are looked at first.
  private(set) var notFinite = 0
  /// Of those, elements that are not there, because the bytes end before them.
  private(set) var missing = 0
  /// The largest difference of a float, as a share of the larger of 1 and its own size; of another
  /// element, 1.
  private(set) var largest = 0.0
  /// The first element that differs; one that is not finite if there is any.
  private(set) var first: Int?
  private(set) var firstActual = ""
  private(set) var firstExpected = ""

  var isIdentical: Bool { differing == 0 }

  /// Memory is shared by the buffers of several passes, which devices have of their own: it may end elsewhere, behind the
  /// bytes that the reference wrote.
  ///
  /// - Parameters:
  ///   - before: what the reference had, where it wrote what is expected.
  ///   - mask: bytes that count, those that were written; `nil` counts all that both have.
  init(
    _ actual: [UInt8], expected: [UInt8], before: [UInt8], of buffer: KernelBuffer,
    mask: [Bool]? = nil
  ) {
    self.init(
      actual, expected: expected, element: buffer.element, recordLength: buffer.recordLength,
      unused: buffer.unused, mask: mask
    ) { at in
      mask?[at].contains(true) ?? (expected[at] != before[at])
    }
  }

  /// Bytes of a picture's plane.
  init(pixels actual: [UInt8], expected: [UInt8]) {
    self.init(
      actual, expected: expected, element: .byte, recordLength: 1, unused: [], mask: nil
    ) { _ in true }
  }

  /// - Parameter isNeeded: whether the bytes of an element have to be there.
  private init(
    _ actual: [UInt8], expected: [UInt8], element: KernelBuffer.Element, recordLength: Int,
    unused: Set<Int>, mask: [Bool]?, isNeeded: (Range<Int>) -> Bool
  ) {
    guard actual != expected || mask != nil else { return }
    let size = element.byteCount
    let count = min(actual.count, expected.count) / size
    actual.withUnsafeBytes { a in
      expected.withUnsafeBytes { b in
        for index in 0..<count {
          let at = index * size
          if let mask, !mask[at..<at + size].contains(true) { continue }
          if unused.contains(index % recordLength) { continue }
          switch element {
          case .float: addFloat(a, b, at, index)
          case .byte: add(a[at], b[at], index)
          case .integer:
            add(
              a.loadUnaligned(fromByteOffset: at, as: Int32.self),
              b.loadUnaligned(fromByteOffset: at, as: Int32.self), index)
          }
        }
      }
    }
    for index in count..<max(count, expected.count / size)
    where !unused.contains(index % recordLength) && isNeeded(index * size..<(index + 1) * size) {
      addMissing(index)
    }
  }

  private mutating func addMissing(_ index: Int) {
    differing += 1
    missing += 1
    largest = .infinity
    if first == nil { note(index, "nothing", "anything") }
  }

  private mutating func addFloat(
    _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ offset: Int, _ index: Int
  ) {
    let bits = a.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    let expectedBits = b.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    guard bits != expectedBits else { return }
    let (x, y) = (Float(bitPattern: bits), Float(bitPattern: expectedBits))
    differing += 1
    if !x.isFinite, y.isFinite {
      if notFinite == 0 { note(index, "\(x)", "\(y)") }
      notFinite += 1
      largest = .infinity
      return
    }
    if first == nil { note(index, "\(x)", "\(y)") }
    let difference = abs(Double(x) - Double(y)) / max(1, abs(Double(y)))
    // Two that are not finite, of other bits: as far apart as can be.
    largest = max(largest, difference.isFinite ? difference : .infinity)
  }

  private mutating func add<Value: Equatable>(_ a: Value, _ b: Value, _ index: Int) {
    guard a != b else { return }
    differing += 1
    largest = max(largest, 1)
    if first == nil { note(index, "\(a)", "\(b)") }
  }

  private mutating func note(_ index: Int, _ actual: String, _ expected: String) {
    first = index
    firstActual = actual
    firstExpected = expected
  }

  /// For people, of a buffer that differs.
  func description(_ type: KernelBuffer.Element) -> String {
    var text = "\(differing) \(type.name)s differ"
    if notFinite > 0 { text += ", \(notFinite) of them not finite" }
    if missing > 0 { text += ", \(missing) of them behind the buffer's end" }
    if type == .float, largest.isFinite { text += ", by up to \(Float(largest))" }
    if let first { text += ", first \(type.name) \(first): \(firstActual), not \(firstExpected)" }
    return text
  }
}

extension KernelBuffer.Element {
  var byteCount: Int { self == .byte ? 1 : 4 }

  var name: String {
    switch self {
    case .byte: "byte"
    case .float: "float"
    case .integer: "integer"
    }
  }
}

extension Kernel {
  /// Whether buffer `index` means anything before and after: of parts of fused kernels none does,
  /// which are compared where the next common kernel reads what they leave.
  func isCompared(_ index: Int) -> Bool {
    role != .part && index < buffers.count && buffers[index].access != .workspace
  }
}
