// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import Foundation

/// Disparity from one eye, by any model in a file: `.onnx`, with its ``ModelDescription`` beside it.
///
/// The model runs on the processor by ONNX Runtime (``RuntimeLibrary``). It sees the picture upright, at the size and
/// in the numbers that the description says.
public final class ModelProvider: DisparityProvider {
  public let name = "model"
  /// The model's file.
  public var path: String { session.path }
  public let description: ModelDescription
  private let session: ModelSession
  private let input: Int
  private let output: Int
  private let isInterleaved: Bool

  /// - Parameters:
  ///   - threads: that a picture is worked on by.
  /// - Throws: `unsupported` for a model of another kind, as ``ModelDescription/init(besideModel:)`` and
  ///   ``ModelSession/init(_:library:threads:)``.
  public init(
    _ path: String, library: RuntimeLibrary,
    threads: Int = ProcessInfo.processInfo.activeProcessorCount
  ) throws(CinematicError) {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CinematicError(
        .unreadable, "there is no model \(path)", remedy: "check the file's name")
    }
    description = try ModelDescription(besideModel: path)
    guard description.output != .faces else {
      throw CinematicError(
        .unsupported, "\(path) finds faces, and no disparity",
        remedy: "give a model that gives disparity or depth")
    }
    session = try ModelSession(path, library: library, threads: threads)
    input = try session.index(of: description.inputName, among: session.inputs, "input")
    output = try session.index(of: description.outputName, among: session.outputs, "output")
    isInterleaved = try session.takesInterleavedPictures(input)
  }

  public func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
    let shown = input.turn.applied(to: input.picture.dimensions)
    let size = try session.inputSize(description, input: self.input, isInterleaved, for: shown)
    let picture = try EyePicture(input.picture, turn: input.turn, dimensions: size)
    let tensor = picture.tensor(description, isInterleaved: isInterleaved)
    let results = try session.run(tensor, input: self.input, outputs: [output])
    return DisparityEstimate(
      map: try map(results[0], for: shown),
      kind: description.output == .metricDepth ? .metric : .relative)
  }

  /// The output as a map of the picture's shape.
  private func map(_ result: Tensor, for shown: Dimensions) throws(CinematicError) -> PixelBuffer {
    let sides = result.sides.filter { $0 != 1 }
    let isInside = sides.allSatisfy { (2...PixelBuffer.maximumDimension).contains($0) }
    guard sides.count == 2, isInside else {
      throw CinematicError(
        .incompatible, "\(path) gives \(result.sides.text) numbers, and no map",
        remedy: "name the output that is one in \(ModelDescription.path(for: path))")
    }
    let (height, width) = (sides[0], sides[1])
    var values = result.values
    description.output.makeDisparities(&values)
    let made = Dimensions(width: width, height: height)
    let size = shown.scaled(longerSide: max(width, height))
    guard size != made else { return try .map(values, made) }
    // A model of one size has seen the picture stretched.
    var fitting = [Float](repeating: 0, count: size.count)
    let failed = focal_resize_map(
      values, Int32(width), Int32(height), &fitting, Int32(size.width), Int32(size.height))
    guard failed == 0 else { throw .noMemory(for: size) }
    return try .map(fitting, size)
  }
}

extension ModelSession {
  /// The index of a port by name; of the first one that takes floats without one.
  func index(
    of name: String?, among ports: [Port], _ end: String
  ) throws(CinematicError) -> Int {
    guard let index = ports.firstIndex(where: { $0.name == name ?? $0.name && $0.isFloat }) else {
      let there = ports.map(\.name).joined(separator: ", ")
      throw CinematicError(
        .incompatible,
        "\(path) has no \(end) of floats\(name.map { " called \($0)" } ?? ""); it has \(there)",
        remedy: "name the \(end) in \(ModelDescription.path(for: path))")
    }
    return index
  }

  /// Whether pixels go in with their components side by side, and not plane by plane.
  ///
  /// - Throws: `incompatible` for a model that takes no pictures of three components.
  func takesInterleavedPictures(_ input: Int) throws(CinematicError) -> Bool {
    let sides = inputs[input].sides
    if sides.count == 4, sides[0] == 1 || sides[0] == nil {
      if sides[1] == 3 || (sides[1] == nil && sides[3] != 3) { return false }
      if sides[3] == 3 { return true }
    }
    let shape = sides.map { $0.map(String.init) ?? "?" }.joined(separator: "x")
    throw CinematicError(
      .incompatible, "\(path) takes \(shape) numbers, and not one picture of three colours",
      remedy: "use a model that takes 1x3xHxW or 1xHxWx3")
  }

  /// The size at which a picture goes in.
  ///
  /// - Parameter shown: the picture's own.
  /// - Throws: `incomplete` where neither model nor description says one.
  func inputSize(
    _ description: ModelDescription, input: Int, _ isInterleaved: Bool, for shown: Dimensions
  ) throws(CinematicError) -> Dimensions {
    let sides = inputs[input].sides
    let (height, width) = isInterleaved ? (sides[1], sides[2]) : (sides[2], sides[3])
    let step = description.multiple
    func rounded(_ side: Int) -> Int { max(step, (side + step / 2) / step * step) }
    var size: Dimensions
    switch description.size?.count {
    case 2: size = Dimensions(width: description.size![0], height: description.size![1])
    case 1:
      size = shown.scaled(longerSide: description.size![0])
      size = Dimensions(width: rounded(size.width), height: rounded(size.height))
    default:
      guard let width, let height else {
        throw CinematicError(
          .incomplete, "\(path) takes pictures of any size, and none is said",
          remedy: "give a size in \(ModelDescription.path(for: path)), such as \"size\": 392")
      }
      size = Dimensions(width: width, height: height)
    }
    // A side that the model fixes is fixed.
    size = Dimensions(width: width ?? size.width, height: height ?? size.height)
    guard (1...4096).contains(size.width), (1...4096).contains(size.height) else {
      throw CinematicError(
        .incompatible, "\(path) takes pictures of \(size), which is no size to look at them",
        remedy: "use another model")
    }
    return size
  }
}

extension EyePicture {
  /// The picture as numbers for a model.
  func tensor(_ description: ModelDescription, isInterleaved: Bool) -> Tensor {
    let count = dimensions.count
    var values = [Float](repeating: 0, count: 3 * count)
    for channel in 0..<3 {
      let source = description.channels == .rgb ? channel : 2 - channel
      let factor = description.scale / description.deviation[channel]
      let offset = description.mean[channel] / description.deviation[channel]
      for index in 0..<count {
        let target = isInterleaved ? 3 * index + channel : channel * count + index
        values[target] = codes[3 * index + source] * factor - offset
      }
    }
    let (width, height) = (dimensions.width, dimensions.height)
    return Tensor(
      values: values, sides: isInterleaved ? [1, height, width, 3] : [1, 3, height, width])
  }
}

extension Dimensions {
  /// The size of the same shape whose longer side has so many pixels.
  func scaled(longerSide: Int) -> Dimensions {
    let longer = Double(max(width, height))
    func scaled(_ side: Int) -> Int {
      max(1, Int((Double(side) * Double(longerSide) / longer).rounded()))
    }
    return Dimensions(width: scaled(width), height: scaled(height))
  }
}
