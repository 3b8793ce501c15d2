// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import Foundation

/// The focus script that a movie carries in its metadata track.
enum MovieScriptData {
  /// The script's JSON; `nil` where the movie carries none of this project.
  static func load(_ info: AssetInfo) async throws(CinematicError) -> Data? {
    try await MovieScript(asset: info.asset).scriptData
  }
}
