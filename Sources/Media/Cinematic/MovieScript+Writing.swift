// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Foundation

extension MovieScript {
  /// Writes the movie anew with a script and a look as its own: the new movie is rendered as this one is with them,
  /// bit for bit. Pictures, disparity, sound and all else are copied byte for byte, see FocalMedia's `MovieReviser`.
  /// The calling thread is blocked meanwhile.
  ///
  /// ```swift
  /// let movie = try await MovieScript(asset: Asset(path: "IMG_0001.MOV"))
  /// let script = try await Script(recording: movie.recordingOrSteady())
  /// script.fNumber = 2
  /// try movie.write(script, to: "decided.mov")
  /// ```
  ///
  /// - Parameters:
  ///   - script: of this movie; its changes become part of what is recorded.
  ///   - look: value by value instead of the script's.
  ///   - path: ends in `.mov`; may be this movie's, if existing files may be replaced.
  /// - Throws: `unsupported` for a movie that is no file, encrypted fragments, a compressed index or a look that this
  ///   version does not know, `invalidParameter` for another ending, an f-number or a look outside its range,
  ///   `incompatible` for a script without one of the frames, `unreadable` for a file that changes meanwhile,
  ///   `unwritable`.
  public func write(
    _ script: Script, to path: String, look: Look = Look(), overwrite: Bool = false,
    temporaryFiles: TemporaryFiles = .shared
  ) throws(CinematicError) {
    guard let file = info.asset.source as? FileByteSource else {
      throw CinematicError(
        .unsupported, "\(info.asset.name) is no file, and cannot be copied",
        remedy: "save it as a file first")
    }
    try RenderingSession.FrameAttributes(focusDisparity: 0, fNumber: script.fNumber).validate()
    let recording = try script.flattened()
    let look = recording.look.overridden(by: look)
    try RenderingSession.Attributes().with(look).validate()
    let data = try recording.with(look: look).jsonRepresentation()
    let focus = ScriptedFocus(script, name: info.asset.name)
    var frames: [MovieReviser.Frame] = []
    for number in 0..<reader.frameCount {
      let range = reader.timeRange(ofFrame: number)
      let attributes = try focus.attributes(at: range.start)
      frames.append(
        MovieReviser.Frame(
          timeRange: range, focusDisparity: attributes.focusDisparity, fNumber: attributes.fNumber))
    }
    try MovieReviser.write(
      file.path, to: path, frames: frames, script: [UInt8](data), overwrite: overwrite,
      temporaryFiles: temporaryFiles)
  }
}
