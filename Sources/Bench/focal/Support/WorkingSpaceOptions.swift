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
  func space(_ curve: LogCurve?) throws(CinematicError) -> WorkingSpace? {
    guard let lut else { return curve.map { .log($0) } }
    guard curve == nil else {
      throw CinematicError(.invalidParameter, "give a camera's curve or --lut, not both")
    }
    return .table(try ColorCube(path: lut))
  }
}
