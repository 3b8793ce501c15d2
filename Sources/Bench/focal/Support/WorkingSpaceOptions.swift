// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia

extension LogCurve: ExpressibleByArgument {}

/// The meaning of the input's codes, if no tag tells.
struct WorkingSpaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The camera's curve of the input: its light is blurred, and becomes the same curve's codes again. One of"
        + " \(LogCurve.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "curve"))
  var log: LogCurve?
  @Option(
    help: ArgumentHelp(
      "A 3D table (.cube) that the input goes through first; its colours are BT.709's, or as --transfer says.",
      valueName: "file"))
  var lut: String?

  func validate() throws {
    if log != nil, lut != nil { throw ValidationError("give --log or --lut, not both") }
  }

  func space() throws(CinematicError) -> WorkingSpace? {
    if let log { return .log(log) }
    guard let lut else { return nil }
    return .table(try ColorCube(path: lut))
  }
}
