// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import ModelRuntime

/// Floats with their shape: what goes into a model, and what comes out.
public struct Tensor: Hashable, Sendable {
  /// In rows of the last side.
  public var values: [Float]
  /// Up to 8.
  public var sides: [Int]

  /// - Precondition: as many values as the sides say.
  public init(values: [Float], sides: [Int]) {
    precondition(sides.reduce(1, *) == values.count, "a tensor has as many values as its sides say")
    (self.values, self.sides) = (values, sides)
  }

  /// Whether the runtime can read it: it has 1 to 8 sides above zero, and as many values as they say.
  var isWhole: Bool {
    guard (1...Int(FOCAL_MODEL_RANK)).contains(sides.count) else { return false }
    var count = 1
    for side in sides {
      let (product, isTooLarge) = count.multipliedReportingOverflow(by: side)
      guard side > 0, !isTooLarge else { return false }
      count = product
    }
    return count == values.count
  }
}

/// A model that ONNX Runtime has opened.
// @unchecked Sendable: the session behind the handle never changes, and may run on several threads at once.
public final class ModelSession: @unchecked Sendable {
  /// An input or an output.
  public struct Port: Hashable, Sendable {
    public var name: String
    /// `nil` for a side that is open.
    public var sides: [Int?]
    /// Whether it takes or gives floats.
    public var isFloat: Bool
    /// Whether it takes or gives bytes. Floats go into an input of them rounded, from 0 to 255.
    public var isByte: Bool
  }

  /// Results of more numbers are refused: a map of 8192 × 8192.
  static let mostNumbers = 1 << 26

  /// The model's file.
  public let path: String
  public let inputs: [Port]
  public let outputs: [Port]
  private let library: RuntimeLibrary
  private let handle: OpaquePointer

  /// - Parameter threads: that a run uses, at least 1.
  /// - Throws: `unreadable` for a missing file, `malformed` for one that the runtime refuses.
  public init(
    _ path: String, library: RuntimeLibrary, threads: Int
  ) throws(CinematicError) {
    var handle: OpaquePointer?
    if let problem = focal_session_open(library.handle, path, Int32(max(1, threads)), &handle).taken
    {
      throw CinematicError(
        .malformed, "ONNX Runtime \(library.version) cannot open \(path): \(problem)",
        remedy: "check that it is a whole .onnx file, or download it again")
    }
    guard let handle else { throw CinematicError(.unknown, "\(path) gave no session") }
    self.path = path
    self.library = library
    self.handle = handle
    inputs = Self.ports(handle, isOutput: 0)
    outputs = Self.ports(handle, isOutput: 1)
  }

  deinit { focal_session_close(handle) }

  private static func ports(_ handle: OpaquePointer, isOutput: Int32) -> [Port] {
    (0..<focal_session_count(handle, isOutput)).map { index in
      var port = focal_session_port(handle, isOutput, index).pointee
      let rank = Int(port.rank)
      let name = withUnsafeBytes(of: &port.name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let sides: [Int?] = withUnsafeBytes(of: &port.sides) { bytes in
        bytes.bindMemory(to: Int64.self).prefix(min(rank, Int(FOCAL_MODEL_RANK))).map {
          $0 < 0 ? nil : Int($0)
        }
      }
      return Port(
        name: name, sides: sides,
        isFloat: port.elementType == Int32(FOCAL_MODEL_FLOAT)
          && rank <= Int(FOCAL_MODEL_RANK),
        isByte: port.elementType == Int32(FOCAL_MODEL_BYTE)
          && rank <= Int(FOCAL_MODEL_RANK))
    }
  }

  /// Runs the model once.
  ///
  /// - Parameters:
  ///   - input: the index of the input; models with others that must be given are refused by the runtime.
  ///   - outputs: indices of the wanted outputs.
  /// - Throws: `invalidParameter` for an index that the model does not have, or a tensor that has not 1 to 8 sides above
  ///   zero and as many values as they say; `incompatible` for what the model refuses, or for results that are no floats.
  public func run(
    _ tensor: Tensor, input: Int = 0, outputs wanted: [Int]
  ) throws(CinematicError) -> [Tensor] {
    try run([(input, tensor)], outputs: wanted)
  }

  /// Runs the model once on several inputs, by their indices.
  ///
  /// - Throws: as ``run(_:input:outputs:)``.
  public func run(
    _ given: [(input: Int, tensor: Tensor)], outputs wanted: [Int]
  ) throws(CinematicError) -> [Tensor] {
    try Self.check(given, outputs: wanted, of: path, (inputs.count, outputs.count))
    var results = [FocalModelTensor](repeating: FocalModelTensor(), count: wanted.count)
    // Inputs of several tensors lie one behind the other, in memory that stays where it is.
    let values = given.count == 1 ? given[0].tensor.values : given.flatMap(\.tensor.values)
    let problem = values.withUnsafeBufferPointer { values in
      // The runtime reads them only.
      var next = UnsafeMutablePointer(mutating: values.baseAddress)
      let tensors = given.map { _, tensor in
        var one = FocalModelTensor()
        one.values = next
        next = next.map { $0 + tensor.values.count }
        one.rank = Int32(tensor.sides.count)
        withUnsafeMutableBytes(of: &one.sides) { bytes in
          let sides = bytes.bindMemory(to: Int64.self)
          for (index, side) in tensor.sides.prefix(sides.count).enumerated() {
            sides[index] = Int64(side)
          }
        }
        return one
      }
      return focal_session_run(
        handle, given.map { Int32($0.input) }, tensors, Int32(given.count),
        wanted.map { Int32($0) }, Int32(wanted.count), Int64(Self.mostNumbers), &results
      ).taken
    }
    if let problem {
      let sides = given.map(\.tensor.sides.text).joined(separator: " and ")
      throw CinematicError(
        .incompatible, "\(path) does not run on an input of \(sides): \(problem)",
        remedy: "check size and input in the description beside it")
    }
    return results.map { result in
      var result = result
      let sides = withUnsafeBytes(of: &result.sides) { bytes in
        bytes.bindMemory(to: Int64.self).prefix(Int(result.rank)).map { Int($0) }
      }
      let count = sides.reduce(1, *)
      defer { free(result.values) }
      return Tensor(
        values: [Float](UnsafeBufferPointer(start: result.values, count: count)), sides: sides)
    }
  }

  /// Checks what a run is given, before the runtime reads it.
  ///
  /// - Parameter counts: how many inputs and outputs the model has.
  /// - Throws: `invalidParameter`.
  static func check(
    _ given: [(input: Int, tensor: Tensor)], outputs wanted: [Int], of path: String,
    _ counts: (inputs: Int, outputs: Int)
  ) throws(CinematicError) {
    func checkIndex(_ index: Int, below count: Int, _ end: String) throws(CinematicError) {
      guard (0..<count).contains(index) else {
        throw CinematicError(
          .invalidParameter, "\(path) has no \(end) of the index \(index)",
          remedy: "give one below \(count)")
      }
    }
    for (input, tensor) in given {
      try checkIndex(input, below: counts.inputs, "input")
      guard tensor.isWhole else {
        throw CinematicError(
          .invalidParameter,
          "\(path) cannot run on \(tensor.values.count) values with the sides \(tensor.sides.text)",
          remedy: "give 1 to \(FOCAL_MODEL_RANK) sides above zero, and as many values as they say")
      }
    }
    for output in wanted { try checkIndex(output, below: counts.outputs, "output") }
  }
}

extension [Int] {
  /// `1x3x224x392`.
  var text: String { map(String.init).joined(separator: "x") }
}
