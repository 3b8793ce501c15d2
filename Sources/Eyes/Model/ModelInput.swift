// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import Foundation

/// How pictures go into a model that is open.
struct ModelInput: Sendable {
  let session: ModelSession
  let description: ModelDescription
  /// The index of the input.
  let index: Int
  /// Whether pixels go in with their components side by side, and not plane by plane.
  let isInterleaved: Bool

  /// The gray of what a picture does not fill, 0 to 1.
  private static let padding: Float = 114 / 255

  /// A picture as it goes in.
  struct View: Sendable {
    var tensor: Tensor
    /// Of the input, in pixels.
    var dimensions: Dimensions
    /// The part of it, at the top left, that the picture fills.
    var content: Dimensions
  }

  /// Opens a model.
  ///
  /// - Throws: `unreadable` for a missing file, as ``ModelSession/init(_:library:threads:)``; `incompatible` for a
  ///   model that takes no picture.
  init(
    _ path: String, _ description: ModelDescription, library: RuntimeLibrary, threads: Int
  ) throws(CinematicError) {
    session = try ModelSession(path, library: library, threads: threads)
    self.description = description
    index = try session.index(
      of: description.inputName, among: session.inputs, "input", takesBytes: true)
    isInterleaved = try session.takesInterleavedPictures(index)
  }

  /// A model's description, for those that give one of these.
  ///
  /// - Throws: `unsupported` for a model of another kind, as ``ModelDescription/init(ofModel:known:)``.
  static func description(
    of path: String, giving outputs: Set<ModelDescription.Output>, _ word: String
  ) throws(CinematicError) -> ModelDescription {
    let description = try ModelDescription(ofModel: path, wanted: outputs)
    guard outputs.contains(description.output) else {
      throw CinematicError(
        .unsupported, "\(path) gives \(description.output.rawValue), and no \(word)",
        remedy: "give a model of \(word)")
    }
    return description
  }

  /// A picture as it goes in.
  ///
  /// - Throws: `incomplete` where neither model nor description says a size, `outOfMemory`.
  func view(of picture: PixelBuffer, turn: QuarterTurn) throws(CinematicError) -> View {
    let shown = turn.applied(to: picture.dimensions)
    let size = try session.inputSize(description, input: index, isInterleaved, for: shown)
    var content = size
    if description.fit == .pad {
      let factor = min(
        Double(size.width) / Double(shown.width), Double(size.height) / Double(shown.height))
      content = Dimensions(
        width: max(1, min(size.width, Int((Double(shown.width) * factor).rounded()))),
        height: max(1, min(size.height, Int((Double(shown.height) * factor).rounded()))))
    }
    let eye = try EyePicture(picture, turn: turn, dimensions: content)
    return View(tensor: tensor(eye, in: size), dimensions: size, content: content)
  }

  /// The picture as numbers.
  private func tensor(_ picture: EyePicture, in size: Dimensions) -> Tensor {
    let (content, count) = (picture.dimensions, size.count)
    let scale = description.scale ?? (session.inputs[index].isByte ? 255 : 1)
    let values = [Float](unsafeUninitializedCapacity: 3 * count) { values, made in
      made = 3 * count
      picture.codes.withUnsafeBufferPointer { codes in
        for channel in 0..<3 {
          let source = description.channels == .rgb ? channel : 2 - channel
          let factor = scale / description.deviation[channel]
          let offset = description.mean[channel] / description.deviation[channel]
          let (step, first) = isInterleaved ? (3, channel) : (1, channel * count)
          if content != size {
            let gray = Self.padding * factor - offset
            for place in 0..<count { values[first + step * place] = gray }
          }
          for y in 0..<content.height {
            focal_take_component(
              codes.baseAddress! + 3 * y * content.width + source, Int32(content.width), factor,
              offset, Int32(step), values.baseAddress! + first + step * y * size.width)
          }
        }
      }
    }
    let (width, height) = (size.width, size.height)
    return Tensor(
      values: values, sides: isInterleaved ? [1, height, width, 3] : [1, 3, height, width])
  }
}

extension ModelSession {
  /// The index of a port by name; of the first one that takes floats without one.
  ///
  /// - Parameter takesBytes: whether a port of bytes will do.
  func index(
    of name: String?, among ports: [Port], _ end: String, takesBytes: Bool = false
  ) throws(CinematicError) -> Int {
    let found = ports.firstIndex { port in
      port.name == name ?? port.name && (port.isFloat || takesBytes && port.isByte)
    }
    guard let index = found else {
      let there = ports.map(\.name).joined(separator: ", ")
      throw CinematicError(
        .incompatible,
        "\(path) has no \(end) of floats\(name.map { " called \($0)" } ?? ""); it has \(there)",
        remedy: "name the \(end) in \(ModelDescription.path(for: path))")
    }
    return index
  }

  /// Indices of the outputs by name; of the first ones that give floats without names.
  func outputs(_ names: [String], count: Int) throws(CinematicError) -> [Int] {
    var result: [Int] = []
    for name in names { result.append(try index(of: name, among: outputs, "output")) }
    if names.isEmpty {
      result = Array(outputs.indices.filter { outputs[$0].isFloat }.prefix(count))
    }
    guard result.count == count else {
      throw CinematicError(
        .incompatible,
        "\(path) has \(result.count) outputs of floats where \(count) are needed",
        remedy: "check the description in \(ModelDescription.path(for: path))")
    }
    return result
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
