// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia

/// The subject that is held, found by a tap or given by a mask.
struct SubjectFocusOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A point of the subject that is sharp as a whole, however its map leaks at the edges: \(PointArgument.corners);"
        + " in the first frame that is rendered, and followed from there.", valueName: "x,y"),
    transform: PointArgument.init(parsing:))
  var subject: PointArgument?
  @Option(
    help: ArgumentHelp(
      "A mask of the subject, from half of white on: a picture, numbered pictures, as focal lift --mask writes them,"
        + " or a movie; of cut-outs, the alpha. The subject is sharp as a whole; with a focus or a script, the mask is the"
        + " map's edge alone. One of another shape is stretched with --disparity-fit stretch.",
      valueName: "mask"))
  var matte: String?

  func validate() throws {
    if subject != nil, matte != nil { throw ValidationError("give --subject or --matte, not both") }
  }

  /// - Parameter decidesFocus: whether something else says what is sharp.
  func check(decidesFocus: Bool, resumes: Bool) throws {
    guard subject != nil else { return }
    guard !decidesFocus else {
      throw ValidationError(
        "--subject says what is sharp: give it without --focus, --focus-at, --script and --lens")
    }
    guard !resumes else {
      throw ValidationError(
        "--subject is followed from the first frame on: give it without --resume")
    }
  }

  /// - Throws: `invalidParameter` for a mask that comes through a pipe.
  func checkPipe() throws(CinematicError) {
    guard let matte, PipePath.isPipe(matte) else { return }
    throw CinematicError(
      .invalidParameter, "\(matte) is a pipe, and masks are read from files",
      remedy: "give the mask as a file")
  }
}
