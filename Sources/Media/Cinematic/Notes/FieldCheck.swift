// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// Says if there seems to be nothing to do for an option about interlaced pictures.
///
/// - Throws: `invalidParameter` for pictures, which are never interlaced.
package func checkFields(
  _ option: String?, _ source: SourceProperties, of name: String, to note: Notes
) throws(CinematicError) {
  guard let option else { return }
  guard source.kind == .clip else {
    throw CinematicError(
      .invalidParameter, "\(option) is for movies, and \(name) is pictures",
      remedy: "leave it out")
  }
  guard source.fieldOrder == nil else { return }
  note("\(name) begins progressive: \(option) is for pictures that are marked as interlaced")
}
