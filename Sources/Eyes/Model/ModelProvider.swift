// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import Foundation

/// Disparity from one eye, by any model in a file: `.onnx`, with its ``ModelDescription``.
///
/// The model runs on the processor by ONNX Runtime (``RuntimeLibrary``). It sees the picture upright, at the size and
/// in the numbers that the description says.
public final class ModelProvider: DisparityProvider {
  public let name = "model"
  /// The model's file.
  public var path: String { input.session.path }
  public var description: ModelDescription { input.description }
  private let input: ModelInput
  private let output: Int

  /// - Parameters:
  ///   - threads: that a picture is worked on by.
  /// - Throws: `unsupported` for a model of another kind, as ``ModelDescription/init(ofModel:known:)`` and
  ///   ``ModelSession/init(_:library:threads:)``.
  public init(
    _ path: String, library: RuntimeLibrary,
    threads: Int = ProcessInfo.processInfo.activeProcessorCount
  ) throws(CinematicError) {
    let description = try ModelInput.description(
      of: path, giving: ModelDescription.depth, "disparity")
    input = try ModelInput(path, description, library: library, threads: threads)
    output = try input.session.index(
      of: description.outputNames.first, among: input.session.outputs, "output")
  }

  public func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
    let results = try run(tensor(for: input))
    return DisparityEstimate(
      map: try map(results[0], for: input.turn.applied(to: input.picture.dimensions)),
      kind: description.output == .metricDepth ? .metric : .relative)
  }

  /// The model's input.
  package func tensor(for input: EstimationInput) throws(CinematicError) -> Tensor {
    try self.input.view(of: input.picture, turn: input.turn).tensor
  }

  /// Runs the model alone.
  package func run(_ tensor: Tensor) throws(CinematicError) -> [Tensor] {
    try input.session.run(tensor, input: input.index, outputs: [output])
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
    let made = Dimensions(width: sides[1], height: sides[0])
    var values = result.values
    description.output.makeDisparities(&values)
    // A model of one size has seen the picture stretched.
    return try .map(values, made)
      .resizedMap(to: shown.scaled(longerSide: max(made.width, made.height)))
  }
}

extension PixelBuffer {
  /// A map of floats at another size.
  ///
  /// - Throws: `outOfMemory`.
  package func resizedMap(to size: Dimensions) throws(CinematicError) -> PixelBuffer {
    guard size != dimensions else { return self }
    var values = [Float](repeating: 0, count: size.count)
    let failed = focal_resize_map(
      cells, Int32(width), Int32(height), &values, Int32(size.width), Int32(size.height))
    guard failed == 0 else { throw .noMemory(for: size) }
    return try .map(values, size)
  }
}
