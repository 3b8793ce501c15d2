// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes

/// A model and what runs it.
package struct FoundModel: Sendable {
  package var path: String
  package var library: RuntimeLibrary

  /// - Parameters:
  ///   - model: the one that is given; else the first one that is found.
  ///   - outputs: what it is to give.
  /// - Throws: `incomplete`, naming model and runtime, whichever is missing, and where both were looked for.
  package init(
    _ model: String?, giving outputs: Set<ModelDescription.Output>, to note: Notes
  ) throws(CinematicError) {
    let search = ModelSearch()
    let found: String?
    if let model { found = model } else { found = search.usableModel(giving: outputs, to: note) }
    var missing: [String] = []
    var remedies: [CinematicError.Wording] = []
    if found == nil {
      missing.append(
        "no model of \(Self.words(outputs)) in " + search.folders.joined(separator: ", "))
      let parameter: CinematicError.Parameter =
        outputs == [.tracks]
        ? .trackerModel
        : outputs.isSubset(of: ModelDescription.detections) ? .detectionModels : .estimationModel
      remedies.append(
        """
        put one there, well known or with its description beside it, or name it with \
        \(parameter: parameter)
        """)
      // A stand-in is no advice where more can be had.
      let usual = outputs == [.people] ? outputs : outputs.subtracting([.people])
      remedies.append("\(KnownModel.advice(for: usual))")
    }
    let library: RuntimeLibrary?
    do throws(CinematicError) {
      library = try RuntimeLibrary.find()
    } catch {
      guard error.code == .incomplete else { throw error }
      library = nil
      missing.append(error.message)
      if let remedy = error.structuredRemedy { remedies.append(remedy) }
    }
    guard let found, let library else {
      throw CinematicError(
        .incomplete, missing.joined(separator: "; "), remedy: remedies.joined(separator: "; "))
    }
    (path, self.library) = (found, library)
  }

  private static func words(_ outputs: Set<ModelDescription.Output>) -> String {
    let kinds: [(word: String, outputs: Set<ModelDescription.Output>)] = [
      ("disparity", ModelDescription.depth), ("people", [.people]), ("faces", [.faces]),
      ("objects", [.objects]), ("tracks", [.tracks]),
    ]
    return kinds.filter { !$0.outputs.isDisjoint(with: outputs) }.map(\.word)
      .joined(separator: " or ")
  }

  package func tell(_ description: ModelDescription, to note: Notes) {
    note(
      "model: \(description.name.map { "\($0), " } ?? "")\(path), on ONNX Runtime"
        + " \(library.version) (\(library.path))")
  }
}

extension ModelSearch {
  /// The first model that gives one of these. Descriptions that cannot be read are passed over, and that is said, once of
  /// each, however often models are looked for.
  func usableModel(giving outputs: Set<ModelDescription.Output>, to note: Notes) -> String? {
    model(giving: outputs) { error in
      guard note.isNew(error.message) else { return }
      note(worded: "a model is passed over: \(error.wording)")
    }
  }
}
