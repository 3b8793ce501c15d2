// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import Foundation

/// The frames of a clip some of which must show a subject: where none does, the last one is an error, and a movie gets
/// no name.
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

  /// Removes numbered pictures that show nothing.
  ///
  /// - Parameter count: how many were written.
  func removePictures(_ output: String, count: Int) {
    guard let pattern = try? NumberedPattern(output) else { return }
    for number in 0..<count { unlink(pattern.path(fileNumber(ofFrame: number))) }
  }
}
