// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Refuses addresses where a command reads files only: coded pictures and sound are copied from a file.
package enum LocalInputs {
  /// - Throws: `unsupported` for an input that is an address.
  package static func check(_ inputs: [String]) throws(CinematicError) {
    for input in inputs where HTTPByteSource.isAddress(input) {
      throw CinematicError(
        .unsupported, "\(input) is an address, and only files are read here",
        remedy: "download it first")
    }
  }
}
