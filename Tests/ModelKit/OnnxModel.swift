// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Small models, written byte by byte: ONNX files are protocol buffers.
public enum OnnxModel {
  /// A side of a shape: a number, or open.
  public typealias Side = Int?

  /// A node of the graph: an operator with its inputs, outputs and attributes of whole numbers.
  public struct Node: Sendable {
    var kind: String
    var inputs: [String]
    var outputs: [String]
    var integers: [String: Int]
    var lists: [String: [Int]]

    public init(
      kind: String, inputs: [String], outputs: [String], integers: [String: Int] = [:],
      lists: [String: [Int]] = [:]
    ) {
      (self.kind, self.inputs, self.outputs) = (kind, inputs, outputs)
      (self.integers, self.lists) = (integers, lists)
    }
  }

  /// - Parameters:
  ///   - constants: by name, with their sides.
  ///   - takesBytes: whether inputs are of bytes, and not of floats.
  public static func file(
    inputs: [(String, [Side])], outputs: [(String, [Side])], nodes: [Node],
    constants: [(String, [Int], [Float])] = [], takesBytes: Bool = false
  ) -> [UInt8] {
    var graph: [UInt8] = []
    for node in nodes { graph += field(1, bytes: bytes(of: node)) }
    graph += field(2, text: "graph")
    for (name, sides, values) in constants {
      var tensor: [UInt8] = []
      for side in sides { tensor += field(1, number: side) }
      tensor += field(2, number: 1)
      tensor += field(8, text: name)
      tensor += field(
        9,
        bytes: values.flatMap { value in
          withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
        })
      graph += field(5, bytes: tensor)
    }
    for (name, sides) in inputs {
      graph += field(11, bytes: value(name, sides, type: takesBytes ? 2 : 1))
    }
    for (name, sides) in outputs { graph += field(12, bytes: value(name, sides)) }
    var model = field(1, number: 8)
    model += field(7, bytes: graph)
    model += field(8, bytes: field(1, text: "") + field(2, number: 13))
    return model
  }

  /// A model whose map is one plane of the picture that goes in, of any size.
  public static func plane(_ index: Int) -> [UInt8] {
    var weights: [Float] = [0, 0, 0]
    weights[index] = 1
    return file(
      inputs: [("image", [1, 3, nil, nil])], outputs: [("map", [1, 1, nil, nil])],
      nodes: [Node(kind: "Conv", inputs: ["image", "weights"], outputs: ["map"])],
      constants: [("weights", [1, 3, 1, 1], weights)])
  }

  private static func bytes(of node: Node) -> [UInt8] {
    var result: [UInt8] = []
    for name in node.inputs { result += field(1, text: name) }
    for name in node.outputs { result += field(2, text: name) }
    result += field(4, text: node.kind)
    for (name, number) in node.integers.sorted(by: { $0.key < $1.key }) {
      result += field(
        5, bytes: field(1, text: name) + field(3, number: number) + field(20, number: 2))
    }
    for (name, list) in node.lists.sorted(by: { $0.key < $1.key }) {
      var attribute = field(1, text: name)
      for number in list { attribute += field(8, number: number) }
      result += field(5, bytes: attribute + field(20, number: 7))
    }
    return result
  }

  /// A tensor by name and shape, of floats (1) or bytes (2).
  private static func value(_ name: String, _ sides: [Side], type: Int = 1) -> [UInt8] {
    var shape: [UInt8] = []
    for (index, side) in sides.enumerated() {
      shape += field(
        1, bytes: side.map { field(1, number: $0) } ?? field(2, text: "\(name)\(index)"))
    }
    let tensor = field(1, number: type) + field(2, bytes: shape)
    return field(1, text: name) + field(2, bytes: field(1, bytes: tensor))
  }

  private static func varint(_ number: UInt64) -> [UInt8] {
    var (rest, result) = (number, [UInt8]())
    while rest >= 0x80 {
      result.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return result + [UInt8(rest)]
  }

  private static func field(_ tag: UInt64, number: Int) -> [UInt8] {
    varint(tag << 3) + varint(UInt64(bitPattern: Int64(number)))
  }

  private static func field(_ tag: UInt64, bytes: [UInt8]) -> [UInt8] {
    varint(tag << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  private static func field(_ tag: UInt64, text: String) -> [UInt8] {
    field(tag, bytes: Array(text.utf8))
  }
}
