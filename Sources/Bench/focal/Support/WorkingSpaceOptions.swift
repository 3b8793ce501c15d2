// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia

/// Another meaning of the input's codes than the file's tags say.
struct WorkingSpaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A 3D table (.cube) that the input goes through first; its colours are BT.709's, or as --transfer says.",
      valueName: "file"))
  var lut: String?

  /// - Parameter curve: that the look names.
  /// - Throws: `invalidParameter` for a table and a curve.
  func table(_ curve: LogCurve?) throws(CinematicError) -> ColorCube? {
    guard let lut else { return nil }
    guard curve == nil else {
      throw CinematicError(
        .invalidParameter, "give a camera's curve or --lut, not both",
        remedy: "leave one of them out, or give --log none")
    }
    return try ColorCube(path: lut)
  }
}
