// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEditing
import Testing

@testable import FocalScript

/// States that come out of a journal are as small as those that went into it.
@Suite struct RecoveryTests {
  @Test func statesShareTheirTracks() throws {
    let file = JournalFile()
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    var journal: EditJournal? = try EditJournal(path: file.path)
    func take(_ edit: Edit) throws {
      try document.perform(edit)
      try journal?.append(document.current, joins: false)
    }
    for start in [0, 20] {
      let track = try CustomDetectionTrack(
        detections: (start..<(start + 15)).map { EditMaterial.detection($0, 0.6, x: 0.3) },
        smooth: true)
      try take(.follow(track, at: EditMaterial.time(start), strong: false))
    }
    for number in 2..<22 { try take(.setFNumber(Float(number))) }
    journal = nil
    var recovered = EditDocument(EditState(script: try EditMaterial.script()))
    #expect(try EditJournal(path: file.path).recover(&recovered) == 22)
    #expect(recovered == document)
    let timelines = recovered.states.flatMap { $0.script.current.addedTracks.map(\.timeline) }
    #expect(timelines.count == 1 + 21 * 2)
    #expect(Set(timelines.map(ObjectIdentifier.init)).count == 2)
  }
}
