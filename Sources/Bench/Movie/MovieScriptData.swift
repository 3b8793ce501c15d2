// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation

/// The focus script that a movie carries in its metadata track.
enum MovieScriptData {
  private static let key = "io.github.focal.script"

  /// The script's JSON; `nil` where the movie carries none of this project.
  static func load(_ info: AssetInfo) async throws(CinematicError) -> Data? {
    let reader = try await CinematicReader(info)
    guard reader.metadataGroupCount > 0 else { return nil }
    return try await reader.metadataGroup(0)[key].map { Data($0.bytes) }
  }
}
