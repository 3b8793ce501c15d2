// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import FocalScript

/// Decides with which focus the frames of a clip are rendered, and draws over them.
public protocol FocusSource: Sendable {
  /// The attributes of the frame that appears at a time.
  ///
  /// - Throws: `incompatible` for a time about which nothing is known.
  func attributes(at time: Time) throws(CinematicError) -> RenderingSession.FrameAttributes

  /// Whether ``draw(at:into:turn:)`` draws anything, in colours.
  var drawsColors: Bool { get }

  /// Draws over a rendered frame.
  ///
  /// - Parameter turn: from how the source is stored to how the picture is shown.
  /// - Throws: why the picture cannot be drawn over; the rendering then ends.
  func draw(at time: Time, into picture: PixelBuffer, turn: QuarterTurn) throws(CinematicError)
}

extension FocusSource {
  public var drawsColors: Bool { false }

  /// Draws nothing, and throws nothing.
  public func draw(
    at time: Time, into picture: PixelBuffer, turn: QuarterTurn
  ) throws(CinematicError) {}
}

/// One focus for all frames.
extension RenderingSession.FrameAttributes: FocusSource {
  public func attributes(at time: Time) -> RenderingSession.FrameAttributes { self }
}

/// The focus that a script decides frame by frame.
public struct ScriptedFocus: FocusSource {
  public let script: Script
  /// The script's name in messages: its file's path.
  public let name: String
  /// Instead of the script's own f-number.
  public var fNumber: Float?
  /// Whether the script's detections are drawn into the rendered frames.
  public var drawsDetections: Bool

  public init(
    _ script: Script, name: String, fNumber: Float? = nil, drawsDetections: Bool = false
  ) {
    self.script = script
    self.name = name
    self.fNumber = fNumber
    self.drawsDetections = drawsDetections
  }

  public var drawsColors: Bool { drawsDetections }

  public func attributes(
    at time: Time
  ) throws(CinematicError) -> RenderingSession.FrameAttributes {
    let frame = try frame(at: time)
    return RenderingSession.FrameAttributes(
      focusDisparity: frame.focusDisparity, fNumber: fNumber ?? frame.fNumber)
  }

  public func draw(
    at time: Time, into picture: PixelBuffer, turn: QuarterTurn
  ) throws(CinematicError) {
    guard drawsDetections else { return }
    try DetectionOverlay(turn: turn).draw(try frame(at: time), into: picture)
  }

  /// - Throws: `incompatible` for a time at which the script has no frame.
  func checkKnows(_ time: Time) throws(CinematicError) {
    let times = script.recording.frameTimes
    guard let nearest = times.index(nearest: time) else { throw lacks(time) }
    let difference = times[nearest] - time
    guard max(difference, -difference) <= times.tolerance(at: time) else { throw lacks(time) }
  }

  private func frame(at time: Time) throws(CinematicError) -> ScriptFrame {
    // Containers round times to their own ticks: half a frame finds the right one.
    let tolerance = script.recording.frameTimes.tolerance(at: time)
    guard let frame = script.frame(at: time, tolerance: tolerance) else { throw lacks(time) }
    return frame
  }

  private func lacks(_ time: Time) -> CinematicError {
    CinematicError(
      .incompatible,
      "\(name) has no frame at \(time.secondsText) s; it spans \(script.timeRange.start.secondsText) to"
        + " \(script.timeRange.end.secondsText) s", remedy: "use the script of this clip")
  }
}
