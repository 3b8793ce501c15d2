// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// What a ``CinematicCompositor`` renders in a time range, and with which focus.
public struct CinematicInstruction: VideoCompositionInstruction {
  public var timeRange: TimeRange
  /// The track of the sharp pictures.
  public var videoTrackID: UInt32
  public var disparityTrackID: UInt32
  /// The tracks in which rendering attributes are looked for where there is no script, in this order.
  public var metadataTrackIDs: [UInt32]
  /// Decides focus and f-number, in the times of the movie that is shown.
  public var script: Script?
  /// Whether a frame that the script does not have is an error. If not, its metadata decide.
  public var requiresScript = false
  /// Instead of what script or metadata say.
  public var fNumber: Float?
  /// The disparity that is sharp, instead of what script or metadata say.
  public var focusDisparity: Float?
  /// Whether the script's detections are drawn into the pictures.
  public var drawsDetections = false

  public init(
    timeRange: TimeRange, videoTrackID: UInt32, disparityTrackID: UInt32,
    metadataTrackIDs: [UInt32] = [], script: Script? = nil
  ) {
    self.timeRange = timeRange
    self.videoTrackID = videoTrackID
    self.disparityTrackID = disparityTrackID
    self.metadataTrackIDs = metadataTrackIDs
    self.script = script
  }

  public var requiredSourceTrackIDs: [UInt32] { [videoTrackID, disparityTrackID] }
  public var requiredSourceSampleDataTrackIDs: [UInt32] { metadataTrackIDs }

  // MARK: - Frames

  /// The script's frame, found also where the script rounds times.
  ///
  /// - Parameter range: of the picture, in its own movie.
  /// - Throws: `incompatible` where the script has to have the frame and does not.
  func scriptedFrame(for range: TimeRange) throws(CinematicError) -> ScriptFrame? {
    guard let script else { return nil }
    let tolerance = Time(value: range.duration.value / 2, timescale: range.duration.timescale)
    if let found = script.frame(at: range.start, tolerance: tolerance) { return found }
    guard requiresScript else { return nil }
    throw CinematicError(
      .incompatible,
      "the script has no frame at \(range.start.seconds) s; it spans"
        + " \(script.timeRange.start.seconds) to \(script.timeRange.end.seconds) s",
      remedy: "use the script of this movie")
  }

  /// What a frame is rendered with; `nil` where nothing says what is sharp.
  func frameAttributes(
    _ request: VideoCompositionRequest, _ scripted: ScriptFrame?
  ) -> RenderingSession.FrameAttributes? {
    var focus = focusDisparity
    var number = fNumber
    if let scripted {
      focus = focus ?? scripted.focusDisparity
      number = number ?? scripted.fNumber
    } else {
      let stored = metadataTrackIDs.lazy.compactMap {
        request.sourceTimedMetadata(byTrackID: $0)?.renderingAttributes
      }.first
      focus = focus ?? stored?.focusDisparity
      number = number ?? stored?.fNumber
    }
    guard let focus else { return nil }
    return .init(focusDisparity: focus, fNumber: number ?? MovieScript.defaultFNumber)
  }
}
