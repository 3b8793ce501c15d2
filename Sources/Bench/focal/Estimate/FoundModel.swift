// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalEyes

/// A model and what runs it.
struct FoundModel: Sendable {
  var path: String
  var library: RuntimeLibrary

  /// - Parameters:
  ///   - model: the one that is given; else the first one that is found.
  ///   - advice: which models there are, for messages.
  /// - Throws: `incomplete`, naming model and runtime, whichever is missing, and where both were looked for.
  init(
    _ model: String?, giving outputs: Set<ModelDescription.Output>, advice: String
  ) throws(CinematicError) {
    let search = ModelSearch()
    let found: String?
    if let model { found = model } else { found = try search.model(giving: outputs) }
    var missing: [String] = []
    var remedies: [String] = []
    if found == nil {
      missing.append("no described model in " + search.folders.joined(separator: ", "))
      remedies.append("put a model and its description there, or name one with --model")
      remedies.append(advice)
    }
    let library: RuntimeLibrary?
    do throws(CinematicError) {
      library = try RuntimeLibrary.find()
    } catch {
      guard error.code == .incomplete else { throw error }
      library = nil
      missing.append(error.message)
      if let remedy = error.remedy { remedies.append(remedy) }
    }
    guard let found, let library else {
      throw CinematicError(
        .incomplete, missing.joined(separator: "; "), remedy: remedies.joined(separator: "; "))
    }
    (path, self.library) = (found, library)
  }

  func tell(_ description: ModelDescription) {
    note(
      "model: \(description.name.map { "\($0), " } ?? "")\(path), on ONNX Runtime"
        + " \(library.version) (\(library.path))")
  }
}
