// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// Looks for models: in the folders of `FOCAL_MODELS`, and in the user's data folder.
public struct ModelSearch: Sendable {
  /// Folders in the order in which they are searched.
  public let folders: [String]

  public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let home = environment["HOME"] ?? ""
    let data = environment["XDG_DATA_HOME"] ?? "\(home)/.local/share"
    folders =
      (environment["FOCAL_MODELS"] ?? "").split(separator: ":").map(String.init)
      + ["\(data)/focal/models"]
  }

  /// The first model by name that is described, or well known, and gives one of these. One whose description cannot be
  /// read is none to choose, and hides no other.
  ///
  /// - Parameters:
  ///   - known: files that need no description.
  ///   - skipped: told what is wrong with descriptions that were passed over.
  /// - Returns: `nil` if there is none.
  public func model(
    giving outputs: Set<ModelDescription.Output>, known: [KnownModel] = KnownModel.all,
    skipped: (CinematicError) -> Void = { _ in }
  ) -> String? {
    for folder in folders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names.sorted() where name.hasSuffix(".onnx") {
        let path = "\(folder)/\(name)"
        guard FileManager.default.fileExists(atPath: ModelDescription.path(for: path)) else {
          // A model that nobody has described, and that is not known, is not one to choose.
          let found = KnownModel.identify(path, among: known)
          if let found, outputs.contains(found.description.output) { return path }
          continue
        }
        do throws(CinematicError) {
          let description = try ModelDescription(ofModel: path, known: known)
          if outputs.contains(description.output) { return path }
        } catch {
          skipped(error)
        }
      }
    }
    return nil
  }
}
