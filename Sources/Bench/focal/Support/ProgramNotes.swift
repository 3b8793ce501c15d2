// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalImport
import FocalMedia

extension Notes {
  /// Lines on standard error.
  static let program = Notes { note($0.told) }
}

extension OutputNotes {
  /// - Throws: what naming the output throws.
  func tell() throws(CinematicError) { try tell(to: .program) }

  static func tellDoubts(of metadata: PictureMetadata, _ options: ReadOptions, map: String) {
    tellDoubts(of: metadata, options, map: map, to: .program)
  }

  static func tellOfCircles(_ diameter: Float, _ remedy: String, isUnscaledDepth: Bool = false) {
    tellOfCircles(diameter, remedy, isUnscaledDepth: isUnscaledDepth, to: .program)
  }
}

extension ScriptedFocus {
  /// Refuses an f-number that no frame can be rendered with, and says which command sets another one.
  func checkStoredFNumber() throws(CinematicError) {
    let commands =
      "focal script set \(name) --f-number 2.8 -o changes.focus, then --changes changes.focus"
    try checkFNumber(remedy: "set another one: \(commands)")
  }
}

extension SourceNotes {
  init(input: String, output: String, options: ReadOptions) {
    self.init(input: input, output: output, options: options, to: .program)
  }
}

extension Asset {
  func tellDoubtfulEnd() async { await tellDoubtfulEnd(to: .program) }
}

/// - Throws: `invalidParameter` for pictures, which are never interlaced.
func checkFields(
  _ option: String?, _ source: SourceProperties, of name: String
) throws(CinematicError) {
  try checkFields(option, source, of: name, to: .program)
}

extension GivenCaptions {
  func tellOfEnd(_ end: Time, of film: String) { tellOfEnd(end, of: film, to: .program) }

  func tellOfNothing(in range: TimeRange) { tellOfNothing(in: range, to: .program) }
}
