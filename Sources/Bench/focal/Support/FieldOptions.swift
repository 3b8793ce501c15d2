// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia

/// The treatment of interlaced pictures.
struct FieldOptions: ParsableArguments {
  @Flag(
    help: "Make whole pictures of interlaced ones; without it, or --progressive, they are refused.")
  var deinterlace = false
  @Flag(help: "Take interlaced pictures as they are: both fields are of one moment.")
  var progressive = false

  func validate() throws {
    if deinterlace, progressive {
      throw ValidationError("give --deinterlace or --progressive, not both")
    }
  }

  var interlacing: Interlacing { deinterlace ? .deinterlace : progressive ? .keep : .refuse }

  /// The option that is given.
  var given: String? { deinterlace ? "--deinterlace" : progressive ? "--progressive" : nil }
}

/// Says if there seems to be nothing to do for an option about interlaced pictures.
///
/// - Throws: `invalidParameter` for pictures, which are never interlaced.
func checkFields(
  _ option: String?, _ source: SourceProperties, of name: String
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
