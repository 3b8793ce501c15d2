// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore

/// The frames of a clip some of which must show a subject: where none does, the last one is an error, and no file gets its
/// name. Numbered pictures wait for the first one.
struct SubjectFrames: ClipFrames {
  let clip: LiftedClip
  /// What is thrown where no frame shows one.
  let failure: CinematicError

  var frameCount: Int? { clip.frameCount }

  func fileNumber(ofFrame number: Int) -> Int { clip.fileNumber(ofFrame: number) }

  func frame(_ number: Int) async throws(CinematicError) -> ClipFrame? {
    let frame = try await clip.frame(number)
    if number + 1 == clip.frameCount, !clip.hasSubject { throw failure }
    return frame
  }

  var publishesPictures: Bool { clip.hasSubject }
}
