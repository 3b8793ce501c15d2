// SPDX-License-Identifier: Apache-2.0

import FocalScript
import Foundation
import Testing

/// A clip with a script.
enum ScriptMaterial {
  /// `s` holds a sample clip of a few frames with its script.
  static func sample(in folder: Folder, frames: Int = 6) async throws {
    try await works(
      ["sample", "-o", "s", "--size", "192x108", "--frames", "\(frames)", "--samples", "1"],
      in: folder)
  }

  static func script(_ name: String, in folder: Folder) throws -> Script {
    try Script(recording: Recording(jsonRepresentation: Data(folder.read(name))))
  }
}
