// SPDX-License-Identifier: Apache-2.0

import KernelDeclarations

/// A SPIR-V module as a list of instructions.
struct SPIRVModule {
  private static let magic: UInt32 = 0x0723_0203

  /// Version, generator, bound of the identifiers, schema.
  private var header: [UInt32]
  /// Each with its first word: count of words, operation.
  private var instructions: [[UInt32]] = []

  /// - Throws: when the words are not instructions from end to end.
  init(_ words: [UInt32], of path: String) throws(CompilerError) {
    guard words.count >= 5, words[0] == Self.magic else {
      throw CompilerError("\(path): error: its SPIR-V has no header")
    }
    header = Array(words[..<5])
    var index = 5
    while index < words.count {
      let count = Int(words[index] >> 16)
      guard count > 0, index + count <= words.count else {
        throw CompilerError("\(path): error: its SPIR-V breaks off at word \(index)")
      }
      instructions.append(Array(words[index..<index + count]))
      index += count
    }
  }

  var words: [UInt32] { header + instructions.flatMap { $0 } }

  /// The words in little-endian order.
  var bytes: [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
  }

  private static func operation(_ instruction: [UInt32]) -> UInt32 { instruction[0] & 0xFFFF }

  /// Leaves out names, source texts and line numbers.
  mutating func removeDebugInformation() {
    // OpSourceContinued, OpSource, OpSourceExtension, OpName, OpMemberName, OpString, OpLine,
    // OpNoLine, OpModuleProcessed.
    let operations: Set<UInt32> = [2, 3, 4, 5, 6, 7, 8, 317, 330]
    instructions.removeAll { operations.contains(Self.operation($0)) }
  }

  /// Decorates every arithmetic result on floats with NoContraction, so that no driver fuses a
  /// multiplication and an addition: rounding twice is what gives the same bits on every device.
  mutating func forbidContraction() {
    // OpFNegate, OpFAdd, OpFSub, OpFMul, OpFDiv, OpFRem, OpFMod, OpVectorTimesScalar,
    // OpMatrixTimesScalar, OpVectorTimesMatrix, OpMatrixTimesVector, OpMatrixTimesMatrix,
    // OpOuterProduct, OpDot.
    let arithmetic: Set<UInt32> = [
      127, 129, 131, 133, 136, 140, 141, 142, 143, 144, 145, 146, 147, 148,
    ]
    let decorate: UInt32 = 71
    let noContraction: UInt32 = 42
    var decorated: Set<UInt32> = []
    var results: [UInt32] = []
    for instruction in instructions {
      if Self.operation(instruction) == decorate, instruction.count >= 3,
        instruction[2] == noContraction
      {
        decorated.insert(instruction[1])
      } else if arithmetic.contains(Self.operation(instruction)), instruction.count >= 3 {
        results.append(instruction[2])
      }
    }
    let new = results.filter { !decorated.contains($0) }
      .map { [3 << 16 | decorate, $0, noContraction] }
    instructions.insert(contentsOf: new, at: endOfAnnotations)
  }

  /// The place behind the last annotation: before the first type, constant or variable.
  private var endOfAnnotations: Int {
    // The preamble (capabilities, extensions, memory model, entry points, execution modes), debug
    // information and annotations.
    let before: Set<UInt32> = [
      2, 3, 4, 5, 6, 7, 8, 10, 11, 14, 15, 16, 17, 71, 72, 73, 74, 75, 317, 330, 331, 332, 5632,
      5633,
    ]
    return instructions.firstIndex { !before.contains(Self.operation($0)) } ?? instructions.count
  }

  /// Identifiers of results that carry the decoration NoContraction.
  var uncontracted: Set<UInt32> {
    Set(
      instructions.compactMap {
        Self.operation($0) == 71 && $0.count >= 3 && $0[2] == 42 ? $0[1] : nil
      })
  }
}
