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
