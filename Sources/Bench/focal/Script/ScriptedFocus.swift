// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalScript

extension ScriptedFocus {
  /// The focus of a script in a file.
  ///
  /// - Throws: the error of a script or of changes that cannot be read.
  init(path: String, changes: String?, fNumber: Float?, overlay: Bool) throws(CinematicError) {
    self.init(
      try ScriptFile.script(at: path, changes: changes), name: path, fNumber: fNumber,
      drawsDetections: overlay)
    if overlay { script.tellOfNoPlaces(in: path) }
  }

  /// Says what of the script's look has no effect.
  func tellOfUnknownLook() {
    [
      MovieFocus(
        movie: name, origin: .script, unknownLook: script.recording.look.unknownNames)
    ].tell()
  }
}

extension Script {
  /// Says so if detections are to be drawn and there are none.
  func tellOfNoPlaces(in path: String) {
    let hasPlaces = detectionTracks.contains {
      $0.isDiscrete && !$0.detections(in: timeRange).isEmpty
    }
    if !hasPlaces { note("the script of \(path) has no detections: --overlay draws nothing") }
  }
}
