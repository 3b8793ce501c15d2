// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

extension MediaFrame {
  /// Checks a frame of a film that has no alpha, which the first frame settles: a later one's would be lost.
  ///
  /// - Parameter name: of the frame, for the message.
  /// - Throws: `incompatible` for a frame that is not opaque.
  package func checkIsOpaque(named name: String) throws(CinematicError) {
    guard pixelBuffer.isTranslucent else { return }
    throw CinematicError(
      .incompatible, "\(name) has alpha, and the first frame has none",
      remedy: "give every frame alpha, or write numbered pictures")
  }
}

extension OutputFormat {
  /// Whether an output of several frames goes by the first one's lack of alpha. Picture files have each their own.
  package func settlesAlpha(by source: SourceProperties) -> Bool {
    stillKind == nil && source.codedPixels?.hasAlpha == false
  }
}
