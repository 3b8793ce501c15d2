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

  /// The first model by name whose description says that it gives one of these.
  ///
  /// - Returns: `nil` if there is none.
  /// - Throws: `malformed` for a description that is not understood.
  public func model(
    giving outputs: Set<ModelDescription.Output>
  ) throws(CinematicError) -> String? {
    for folder in folders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names.sorted() where name.hasSuffix(".onnx") {
        let path = "\(folder)/\(name)"
        // A model that nobody has described is not one to choose.
        guard FileManager.default.fileExists(atPath: ModelDescription.path(for: path)) else {
          continue
        }
        if outputs.contains(try ModelDescription(besideModel: path).output) { return path }
      }
    }
    return nil
  }

  /// Models of depth that anyone may use, for messages.
  public static let advice =
    "MiDaS v2.1 small (MIT, github.com/isl-org/MiDaS/releases, model-small.onnx) and Depth Anything V2 Small"
    + " (Apache-2.0, huggingface.co/onnx-community/depth-anything-v2-small) are models to use"
}
