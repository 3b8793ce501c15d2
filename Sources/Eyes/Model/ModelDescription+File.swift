// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Foundation

extension ModelDescription {
  private static let keys: Set<String> = [
    "name", "gives", "input", "output", "size", "multiple", "scale", "mean", "deviation",
    "channels", "fit", "boxes", "classes", "confidence", "logits", "licence", "source",
    "template", "backbone",
  ]

  /// The description of a model in the file beside it; without one, what is known of the model's file.
  ///
  /// - Parameters:
  ///   - model: the `.onnx` file.
  ///   - known: files that need no description.
  ///   - wanted: the example of a missing description is one of these.
  /// - Throws: `unreadable` for a missing model, `incomplete` for an unknown one without a description, `malformed` for
  ///   a description that is not understood, or of which numbers are out of range, naming the key.
  public init(
    ofModel model: String, known: [KnownModel] = KnownModel.all, wanted: Set<Output> = depth
  ) throws(CinematicError) {
    guard FileManager.default.fileExists(atPath: model) else {
      throw CinematicError(
        .unreadable, "there is no model \(model)", remedy: "check the file's name")
    }
    let path = Self.path(for: model)
    guard let data = FileManager.default.contents(atPath: path) else {
      if let known = KnownModel.identify(model, among: known) {
        try known.description.checkNumbers(of: known.name)
        self = known.description
        return
      }
      throw CinematicError(
        .incomplete,
        "\(model) has no description: \(path) is not there, and the file is none of those that are known",
        remedy:
          "write it, such as \(Self.example(of: wanted)); gives is one of \(Self.outputs)")
    }
    guard data.count < 1 << 20, let object = try? JSONSerialization.jsonObject(with: data),
      let fields = object as? [String: Any]
    else {
      throw CinematicError(
        .malformed, "\(path): it is no JSON object", remedy: "correct the model's description")
    }
    try self.init(DescriptionFields(path: path, values: fields))
  }

  private init(_ fields: DescriptionFields) throws(CinematicError) {
    for key in fields.values.keys.sorted() where !Self.keys.contains(key) {
      throw fields.wrong("the key \(key) is not known")
    }
    guard let gives = try fields.text("gives"), let output = Output(rawValue: gives) else {
      throw fields.wrong("gives must be one of \(Self.outputs)")
    }
    self.init(output: output)
    name = try fields.text("name")
    inputName = try fields.text("input")
    outputNames = try fields.texts("output")
    if let order = try fields.choice("channels", Channels.self) { channels = order }
    // What is no whole number is 0, which is out of range.
    if let sides = try fields.numbers("size", [1, 2]) {
      size = sides.map { Int(exactly: $0) ?? 0 }
    }
    if let step = try fields.numbers("multiple", [1]) { multiple = Int(exactly: step[0]) ?? 0 }
    if let factor = try fields.numbers("scale", [1]) { scale = Float(factor[0]) }
    if let values = try fields.numbers("mean", [3]) { mean = values.map { Float($0) } }
    if let values = try fields.numbers("deviation", [3]) { deviation = values.map { Float($0) } }
    try readDetections(fields)
    if let given = fields.values["logits"] {
      guard let flag = given as? Bool else { throw fields.wrong("logits is true or false") }
      guard output == .people else { throw fields.wrong("logits is for people") }
      givesLogits = flag
    }
    try checkNumbers(of: fields.path)
  }

  /// Checks the numbers by which pictures go in and answers come out, wherever the description comes from.
  ///
  /// - Parameter source: for messages.
  /// - Throws: `malformed`.
  private func checkNumbers(of source: String) throws(CinematicError) {
    func wrong(_ reason: String) -> CinematicError { .wrong(reason, in: source) }
    if let size {
      guard (1...2).contains(size.count), size.allSatisfy({ (8...4096).contains($0) }) else {
        throw wrong("size takes one or two whole numbers from 8 to 4096")
      }
      guard output != .tracks || size.count == 2 else {
        throw wrong("size of tracks has other than 2 numbers, of template and search")
      }
    }
    guard (1...512).contains(multiple) else {
      throw wrong("multiple is a whole number from 1 to 512")
    }
    guard scale.map({ $0 > 0 && $0.isFinite }) ?? true else {
      throw wrong("scale is no finite number above 0")
    }
    guard mean.count == 3, mean.allSatisfy(\.isFinite) else {
      throw wrong("mean has other than 3 finite numbers")
    }
    guard deviation.count == 3, deviation.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw wrong("deviation has other than 3 finite numbers above 0")
    }
    guard leastConfidence.map({ (0...1).contains($0) }) ?? true else {
      throw wrong("confidence is 0 to 1")
    }
    guard classes.keys.allSatisfy({ $0 >= 0 }) else { throw wrong("a class has a number below 0") }
  }

  /// Reads the fields that only models of detections have.
  private mutating func readDetections(_ fields: DescriptionFields) throws(CinematicError) {
    let isDetector = Self.detections.contains(output)
    if fields.values["fit"] != nil, !isDetector {
      throw fields.wrong("fit is for faces and objects")
    }
    if fields.values["confidence"] != nil, !isDetector, output != .tracks {
      throw fields.wrong("confidence is for faces, objects and tracks")
    }
    if let given = try fields.choice("fit", Fit.self) { fit = given }
    if let share = try fields.numbers("confidence", [1]) { leastConfidence = Float(share[0]) }
    try readTracking(fields)
    guard output != .tracks else { return }
    boxes = try fields.choice("boxes", Boxes.self)
    try readClasses(fields)
    guard output == .objects else {
      for key in ["boxes", "classes"] where fields.values[key] != nil {
        throw fields.wrong("\(key) is for objects")
      }
      guard outputNames.count <= 1 else { throw fields.wrong("output has other than 1 name") }
      return
    }
    guard let boxes else {
      throw fields.wrong(
        "objects need boxes, one of \(Boxes.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard outputNames.isEmpty || outputNames.count == boxes.outputCount else {
      throw fields.wrong("boxes of \(boxes.rawValue) are in \(boxes.outputCount) outputs")
    }
    guard !classes.isEmpty else {
      throw fields.wrong(
        "objects need classes, the model's names in their order or by number, one of which is one of"
          + " \(Self.kinds.keys.sorted().joined(separator: ", "))")
    }
  }

  /// Reads the fields that only models of tracks have.
  private mutating func readTracking(_ fields: DescriptionFields) throws(CinematicError) {
    guard output == .tracks else {
      for key in ["template", "backbone"] where fields.values[key] != nil {
        throw fields.wrong("\(key) is for tracks")
      }
      return
    }
    guard fields.values["classes"] == nil else { throw fields.wrong("classes is for objects") }
    guard let form = try fields.choice("boxes", Tracking.self) else {
      throw fields.wrong(
        "tracks need boxes, one of \(Tracking.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard outputNames.isEmpty || outputNames.count == form.outputCount else {
      throw fields.wrong("boxes of \(form.rawValue) are in \(form.outputCount) outputs")
    }
    tracking = form
    templateName = try fields.text("template")
    backbone = try fields.text("backbone")
  }

  /// The model's classes: all names in order, or some by their numbers.
  private mutating func readClasses(_ fields: DescriptionFields) throws(CinematicError) {
    var names: [Int: String] = [:]
    switch fields.values["classes"] {
    case nil: return
    case let list as [String]:
      for (number, name) in list.enumerated() { names[number] = name }
    case let table as [String: String]:
      for (text, name) in table {
        guard let number = Int(text), (0..<100_000).contains(number) else {
          throw fields.wrong("\(text) is no number of a class")
        }
        guard Self.kinds[name] != nil else {
          throw fields.wrong(
            "the class \(name) is none of \(Self.kinds.keys.sorted().joined(separator: ", "))")
        }
        names[number] = name
      }
    default: throw fields.wrong("classes are a list of names, or an object of numbers and names")
    }
    // Of a list, what focus is never set on is left out.
    classes = names.compactMapValues { Self.kinds[$0] }
  }

  /// The description of a model that is wanted.
  private static func example(of wanted: Set<Output>) -> String {
    if !wanted.isDisjoint(with: depth) {
      return #"{"gives": "disparity", "size": 392, "mean": [0.485, 0.456, 0.406],"#
        + #" "deviation": [0.229, 0.224, 0.225]}"#
    }
    if wanted.contains(.people) { return #"{"gives": "people", "size": [256, 144]}"# }
    if wanted.contains(.tracks) {
      return #"{"gives": "tracks", "boxes": "centers", "size": [128, 256]}"#
    }
    if wanted.contains(.objects) {
      return #"{"gives": "objects", "boxes": "yolox", "classes": ["person"], "scale": 255}"#
    }
    return #"{"gives": "faces"}"#
  }

  private static var outputs: String {
    Output.allCases.map(\.rawValue).joined(separator: ", ")
  }
}

/// The fields of a description, with errors that name them.
private struct DescriptionFields {
  var path: String
  var values: [String: Any]

  func wrong(_ reason: String) -> CinematicError { .wrong(reason, in: path) }

  func text(_ key: String) throws(CinematicError) -> String? {
    guard let value = values[key] else { return nil }
    guard let text = value as? String else { throw wrong("\(key) is no text") }
    return text
  }

  /// One text or a list.
  func texts(_ key: String) throws(CinematicError) -> [String] {
    guard let value = values[key] else { return [] }
    guard let list = value as? [String] ?? (value as? String).map({ [$0] }), !list.isEmpty else {
      throw wrong("\(key) is no text")
    }
    return list
  }

  func numbers(_ key: String, _ counts: Set<Int>) throws(CinematicError) -> [Double]? {
    guard let value = values[key] else { return nil }
    let list = value as? [Double] ?? (value as? Double).map { [$0] }
    guard let list, counts.contains(list.count), list.allSatisfy(\.isFinite) else {
      throw wrong(
        "\(key) has other than \(counts.sorted().map(String.init).joined(separator: " or ")) numbers"
      )
    }
    return list
  }

  func choice<Value: RawRepresentable & CaseIterable>(
    _ key: String, _: Value.Type
  ) throws(CinematicError) -> Value? where Value.RawValue == String {
    guard let text = try text(key) else { return nil }
    guard let value = Value(rawValue: text) else {
      throw wrong("\(key) is \(Value.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    return value
  }
}

extension CinematicError {
  fileprivate static func wrong(_ reason: String, in source: String) -> CinematicError {
    CinematicError(.malformed, "\(source): \(reason)", remedy: "correct the model's description")
  }
}
