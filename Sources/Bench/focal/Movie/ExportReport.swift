// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands

/// The report of an export or a thumbnail, for people and for programs.
struct ExportReport: Encodable {
  var outcome: RenderOutcome
  var movie: Movie

  struct Movie: Encodable {
    /// Where the focus of each movie comes from.
    var focus: [MovieFocus]
    /// Of a thumbnail: when it appears in the movie.
    var time: Double?
  }

  func encode(to encoder: any Encoder) throws {
    try outcome.encode(to: encoder)
    try movie.encode(to: encoder)
  }

  var summary: String { outcome.summary() }
}
