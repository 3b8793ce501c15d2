// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// The JSON file beside a model, of the same name: how pictures go in, and the meaning of what comes out.
///
/// ```json
/// { "gives": "disparity", "size": 392, "multiple": 14, "channels": "rgb",
///   "mean": [0.485, 0.456, 0.406], "deviation": [0.229, 0.224, 0.225] }
/// ```
public struct ModelDescription: Hashable, Sendable {
  /// What a model's output is.
  public enum Output: String, Hashable, Sendable, CaseIterable {
    /// Larger is nearer, scale and offset unknown.
    case disparity
    /// Larger is farther, scale unknown.
    case depth
    /// Metres.
    case metricDepth = "metric-depth"
    /// Faces, by the outputs of YuNet.
    case faces
  }

  /// The outputs that become maps.
  public static let depth: Set<Output> = [.disparity, .depth, .metricDepth]

  /// The order of a pixel's components.
  public enum Channels: String, Hashable, Sendable, CaseIterable {
    case rgb, bgr
  }

  /// For people.
  public var name: String?
  public var output: Output
  /// The input's name; by default the only one.
  public var inputName: String?
  /// The output's name; by default the first one.
  public var outputName: String?
  /// The size of what goes in: two numbers for width and height, one for the longer side of a picture that keeps its
  /// shape; by default what the model says.
  public var size: [Int]?
  /// Sides are made multiples of this.
  public var multiple = 1
  /// The codes of a picture, 0 to 1, are multiplied by this; then the mean is subtracted, and the rest divided by the
  /// deviation.
  public var scale: Float = 1
  public var mean: [Float] = [0, 0, 0]
  public var deviation: [Float] = [1, 1, 1]
  public var channels = Channels.rgb

  private static let keys: Set<String> = [
    "name", "gives", "input", "output", "size", "multiple", "scale", "mean", "deviation",
    "channels",
    "licence", "source",
  ]

  public init(output: Output) { self.output = output }

  /// The description's path for a model's.
  public static func path(for model: String) -> String {
    (model.hasSuffix(".onnx") ? String(model.dropLast(5)) : model) + ".json"
  }

  /// - Parameter model: the `.onnx` file.
  /// - Throws: `incomplete` for a model without a description, `malformed` for one that is not understood, naming
  ///   the key.
  public init(besideModel model: String) throws(CinematicError) {
    let path = Self.path(for: model)
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CinematicError(
        .incomplete, "\(model) has no description: \(path) is not there",
        remedy:
          "write it, such as {\"gives\": \"disparity\", \"size\": 392, \"mean\": [0.485, 0.456, 0.406],"
          + " \"deviation\": [0.229, 0.224, 0.225]}; gives is one of \(Self.outputs)")
    }
    func wrong(_ reason: String) -> CinematicError {
      CinematicError(.malformed, "\(path): \(reason)", remedy: "correct the model's description")
    }
    guard data.count < 1 << 20, let object = try? JSONSerialization.jsonObject(with: data),
      let fields = object as? [String: Any]
    else { throw wrong("it is no JSON object") }
    for key in fields.keys.sorted() where !Self.keys.contains(key) {
      throw wrong("the key \(key) is not known")
    }
    func text(_ key: String) throws(CinematicError) -> String? {
      guard let value = fields[key] else { return nil }
      guard let text = value as? String else { throw wrong("\(key) is no text") }
      return text
    }
    func numbers(_ key: String, _ counts: Set<Int>) throws(CinematicError) -> [Double]? {
      guard let value = fields[key] else { return nil }
      let list = value as? [Double] ?? (value as? Double).map { [$0] }
      guard let list, counts.contains(list.count), list.allSatisfy(\.isFinite) else {
        throw wrong(
          "\(key) has other than \(counts.sorted().map(String.init).joined(separator: " or ")) numbers"
        )
      }
      return list
    }
    guard let gives = try text("gives"), let output = Output(rawValue: gives) else {
      throw wrong("gives must be one of \(Self.outputs)")
    }
    self.init(output: output)
    name = try text("name")
    inputName = try text("input")
    outputName = try text("output")
    if let order = try text("channels") {
      guard let channels = Channels(rawValue: order) else { throw wrong("channels is rgb or bgr") }
      self.channels = channels
    }
    if let sides = try numbers("size", [1, 2]) {
      guard sides.allSatisfy({ (8...4096).contains($0) && $0 == $0.rounded() }) else {
        throw wrong("size takes whole numbers from 8 to 4096")
      }
      size = sides.map { Int($0) }
    }
    if let step = try numbers("multiple", [1]) {
      guard (1...512).contains(step[0]), step[0] == step[0].rounded() else {
        throw wrong("multiple is a whole number from 1 to 512")
      }
      multiple = Int(step[0])
    }
    if let factor = try numbers("scale", [1]) {
      guard factor[0] > 0 else { throw wrong("scale is not above 0") }
      scale = Float(factor[0])
    }
    if let values = try numbers("mean", [3]) { mean = values.map { Float($0) } }
    if let values = try numbers("deviation", [3]) {
      guard values.allSatisfy({ $0 > 0 }) else { throw wrong("a deviation is not above 0") }
      deviation = values.map { Float($0) }
    }
  }

  private static var outputs: String {
    Output.allCases.map(\.rawValue).joined(separator: ", ")
  }
}

extension ModelDescription.Output {
  /// A model's numbers as disparities, in place: of depth the reciprocal; what is no disparity becomes not a number.
  func makeDisparities(_ values: inout [Float]) {
    if self != .disparity {
      for index in values.indices { values[index] = values[index] > 0 ? 1 / values[index] : .nan }
    }
    for index in values.indices where !(abs(values[index]) <= PixelBuffer.largestDisparity) {
      values[index] = .nan
    }
  }
}
