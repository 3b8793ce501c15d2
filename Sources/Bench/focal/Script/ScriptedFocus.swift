// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalRendering
import FocalScript

/// A script that tells a rendering, frame by frame, where to focus, and what to draw over it.
struct ScriptedFocus: Sendable {
  let script: Script
  /// Instead of the script's own f-number.
  var fNumber: Float?
  /// Detections are drawn into the rendered frames.
  var overlay: Bool
  /// The script's file.
  let path: String

  /// - Throws: the error of a script or of changes that cannot be read.
  init(path: String, changes: String?, fNumber: Float?, overlay: Bool) throws(CinematicError) {
    self.init(
      try ScriptFile.script(at: path, changes: changes), path: path, fNumber: fNumber,
      overlay: overlay)
  }

  init(_ script: Script, path: String, fNumber: Float?, overlay: Bool = false) {
    self.script = script
    self.fNumber = fNumber
    self.overlay = overlay
    self.path = path
    if overlay { script.tellOfNoPlaces(in: path) }
  }

  /// - Throws: `incompatible` for a time at which the script has no frame.
  func attributes(at time: Time) throws(CinematicError) -> RenderingSession.FrameAttributes {
    let frame = try frame(at: time)
    return RenderingSession.FrameAttributes(
      focusDisparity: frame.focusDisparity, fNumber: fNumber ?? frame.fNumber)
  }

  /// Draws a frame's detections into its rendered picture.
  ///
  /// - Parameter turn: from how the source is stored to how the picture is shown.
  func draw(at time: Time, into picture: PixelBuffer, turn: QuarterTurn) throws(CinematicError) {
    guard overlay else { return }
    try DetectionOverlay(turn: turn).draw(try frame(at: time), into: picture)
  }

  private func frame(at time: Time) throws(CinematicError) -> ScriptFrame {
    // containers round times to their own ticks: half a frame finds the right one
    let times = script.recording.frameTimes
    let step =
      times.frameDuration ?? (times.count > 1 ? times[1] - times[0] : Time(value: 1, timescale: 30))
    let tolerance = Time(seconds: step.seconds / 2, preferredTimescale: 90000)
    guard let frame = script.frame(at: time, tolerance: tolerance) else {
      throw CinematicError(
        .incompatible,
        "\(path) has no frame at \(time.seconds) s; it spans \(script.timeRange.start.seconds) to"
          + " \(script.timeRange.end.seconds) s", remedy: "use the script of this clip")
    }
    return frame
  }
}

extension Script {
  /// Tells people who want detections drawn that there are none.
  func tellOfNoPlaces(in path: String) {
    let hasPlaces = detectionTracks.contains {
      $0.isDiscrete && !$0.detections(in: timeRange).isEmpty
    }
    if !hasPlaces { note("the script of \(path) has no detections: --overlay draws nothing") }
  }
}
