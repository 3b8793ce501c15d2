// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalMedia

/// The way by which disparity is estimated.
struct EstimationChoice: Sendable {
  var provider: any DisparityProvider
  var eyes: EstimationSource.Eyes
  var exchanged: Bool
  /// All that decides about the maps beside the input.
  var signature: [String]

  /// - Throws: `incomplete`, naming all that is missing for the way that is asked for, or for any;
  ///   `invalidParameter` for options that do not go together.
  init(
    way: EstimationWay, eyes: EstimationSource.Eyes, exchanged: Bool, input: String
  ) throws(CinematicError) {
    self.eyes = eyes
    self.exchanged = exchanged
    switch eyes {
    case .one:
      guard way == .auto, !exchanged else {
        throw CinematicError(
          .invalidParameter, "disparity by stereo needs a second eye's pictures",
          remedy: "give them with --stereo")
      }
      throw CinematicError(
        .incomplete,
        "\(PipePath.inputName(input)) holds no disparity map, and nothing to estimate one is there",
        remedy: "give a map with --disparity, or the other eye's pictures with --stereo")
    case .file(let path): signature = ["stereo", path, "\(exchanged)"]
    case .layout(let layout): signature = ["stereo", layout.rawValue, "\(exchanged)"]
    }
    provider = StereoProvider()
  }
}
