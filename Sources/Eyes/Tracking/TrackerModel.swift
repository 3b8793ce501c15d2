// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// A model that finds what one picture, the template, shows in another, the search: one file, or a head and the backbone
/// that both pictures go through first. Its description says the form of its answer (``ModelDescription/Tracking``).
struct TrackerModel: Sendable {
  /// The model's answer for a square of a picture, cell by cell.
  struct Answer: Sendable {
    /// Cells of a side.
    var side: Int
    /// How certain the object's middle lies in each cell, 0 to 1.
    var scores: [Float]
    /// Left, top, right and bottom by cell, in pixels of the search.
    var boxes: [(left: Double, top: Double, right: Double, bottom: Double)]
  }

  let description: ModelDescription
  let form: ModelDescription.Tracking
  /// Pixels of the squares that go in.
  let templateSide: Int
  let searchSide: Int
  private let head: ModelSession
  private let backbone: ModelSession?
  private let inputs: (template: Int, search: Int)
  private let outputs: [Int]

  var path: String { head.path }

  /// - Throws: `unsupported` for a model of another kind, `unreadable` for a missing file, `incompatible` for one whose
  ///   inputs or answers have another form than its description says.
  init(
    _ path: String, library: RuntimeLibrary, threads: Int
  ) throws(CinematicError) {
    let description = try ModelInput.description(of: path, giving: [.tracks], "tracks")
    let form = description.tracking ?? .centers
    let head = try ModelSession(path, library: library, threads: threads)
    let ports = head.inputs.indices.filter { head.inputs[$0].isFloat }
    guard ports.count >= 2 else {
      throw CinematicError(
        .incompatible,
        "\(path) takes \(ports.count) of the two tensors that a tracker's model does, a template and a search",
        remedy: "use a model of both; of two files the head, and name the other as its backbone")
    }
    let template = try head.index(
      of: description.templateName ?? head.inputs[ports[0]].name, among: head.inputs, "input")
    let other = ports.first { $0 != template } ?? template
    let search = try head.index(
      of: description.inputName ?? head.inputs[other].name, among: head.inputs, "input")
    backbone = try description.backbone.map { name throws(CinematicError) in
      try Self.backbone(name, of: path, library: library, threads: threads)
    }
    outputs = try head.outputs(description.outputNames, count: form.outputCount)
    inputs = (template, search)
    let usual = form == .centers ? [128, 256] : [127, 255]
    var squares = description.size ?? usual
    if backbone == nil {
      // Sides that the model fixes are fixed.
      if let fixed = try Self.side(template, of: head) { squares[0] = fixed }
      if let fixed = try Self.side(search, of: head) { squares[1] = fixed }
    }
    (templateSide, searchSide) = (squares[0], squares[1])
    (self.description, self.form, self.head) = (description, form, head)
    // The model's answer is looked at once, before a clip is followed.
    let gray = Tensor(
      values: [Float](repeating: 0.5, count: 3 * templateSide * templateSide),
      sides: [1, 3, templateSide, templateSide])
    let square = Tensor(
      values: [Float](repeating: 0.5, count: 3 * searchSide * searchSide),
      sides: [1, 3, searchSide, searchSide])
    _ = try answer(to: square, template: try features(of: gray))
  }

  private static func backbone(
    _ name: String, of path: String, library: RuntimeLibrary, threads: Int
  ) throws(CinematicError) -> ModelSession {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let file = name.hasPrefix("/") ? name : folder.appendingPathComponent(name).path
    guard FileManager.default.fileExists(atPath: file) else {
      throw CinematicError(
        .unreadable, "there is no \(file), the backbone of \(path)",
        remedy: "put it there, or correct backbone in \(ModelDescription.path(for: path))")
    }
    return try ModelSession(file, library: library, threads: threads)
  }

  /// The side of the squares that go into an input; `nil` for one that is open.
  private static func side(_ port: Int, of head: ModelSession) throws(CinematicError) -> Int? {
    let isInterleaved = try head.takesInterleavedPictures(port)
    let sides = head.inputs[port].sides
    guard !isInterleaved, sides[2] == sides[3], (8...1024).contains(sides[2] ?? 8) else {
      let shape = sides.map { $0.map(String.init) ?? "?" }.joined(separator: "x")
      throw CinematicError(
        .incompatible, "\(head.path) takes \(shape) numbers, and not 1x3xNxN, a square",
        remedy: "use another model")
    }
    return sides[2]
  }

  /// A template as ``answer(to:template:)`` takes it.
  func features(of picture: Tensor) throws(CinematicError) -> Tensor {
    guard let backbone else { return picture }
    let input = try backbone.index(of: nil, among: backbone.inputs, "input")
    return try backbone.run(
      picture, input: input, outputs: try backbone.outputs([], count: 1))[0]
  }

  func answer(to search: Tensor, template: Tensor) throws(CinematicError) -> Answer {
    let results = try head.run(
      [(inputs.template, template), (inputs.search, try features(of: search))], outputs: outputs)
    let answer = form == .centers ? centers(results) : sides(results)
    guard let answer else {
      throw CinematicError(
        .incompatible,
        "\(path) gives \(results.map(\.sides.text).joined(separator: ", ")) numbers, and no answer of the form"
          + " \(form.rawValue)",
        remedy: "check boxes and output in \(ModelDescription.path(for: path))")
    }
    return answer
  }

  /// The sides of a square of cells of so many numbers, if it is one.
  private func cells(_ count: Int) -> Int? {
    let side = Int(Double(count).squareRoot().rounded())
    return side >= 2 && side <= 256 && side * side == count ? side : nil
  }

  private func centers(_ results: [Tensor]) -> Answer? {
    let (scores, sizes, offsets) = (results[0].values, results[1].values, results[2].values)
    guard let side = cells(scores.count), sizes.count == 2 * scores.count,
      offsets.count == sizes.count
    else { return nil }
    let (count, extent) = (scores.count, Double(searchSide))
    let boxes = scores.indices.map { place in
      let x = (Double(place % side) + Double(offsets[place])) / Double(side) * extent
      let y = (Double(place / side) + Double(offsets[count + place])) / Double(side) * extent
      let width = Double(sizes[place]) * extent
      let height = Double(sizes[count + place]) * extent
      return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    }
    return Answer(side: side, scores: scores, boxes: boxes)
  }

  private func sides(_ results: [Tensor]) -> Answer? {
    let (odds, distances) = (results[0].values, results[1].values)
    guard odds.count % 2 == 0, let side = cells(odds.count / 2),
      distances.count == 2 * odds.count
    else { return nil }
    let count = side * side
    // Cells are a power of two apart, and the middle one lies in the search's middle.
    let stride = exp2(log2(Double(searchSide) / Double(side)).rounded())
    let scores = (0..<count).map { 1 / (1 + exp(odds[$0] - odds[count + $0])) }
    let boxes = (0..<count).map { place in
      let x = Double(place % side - side / 2) * stride + Double(searchSide / 2)
      let y = Double(place / side - side / 2) * stride + Double(searchSide / 2)
      func distance(_ plane: Int) -> Double { Double(distances[plane * count + place]) }
      return (x - distance(0), y - distance(1), x + distance(2), y + distance(3))
    }
    return Answer(side: side, scores: scores, boxes: boxes)
  }
}
