// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// The picture and focus that a ``CinematicCompositor`` renders in a time range.
public struct CinematicInstruction: VideoCompositionInstruction {
  public var timeRange: TimeRange
  /// The track of the sharp pictures.
  public var videoTrackID: UInt32
  public var disparityTrackID: UInt32
  /// The tracks in which rendering attributes are looked for where there is no script, in this order.
  public var metadataTrackIDs: [UInt32]
  /// Decides focus and f-number, in the times of the movie that is shown.
  public var script: Script?
  /// Whether a frame that the script does not have is an error. If not, its metadata decide, else the
  /// script's nearest frame.
  public var requiresScript = false
  /// Instead of what script or metadata say; infinity passes pictures through as they are.
  public var fNumber: Float?
  /// The disparity that is sharp, instead of what script or metadata say.
  public var focusDisparity: Float?
  /// Blur scale and aperture, value by value instead of the compositor's.
  public var look = Look()
  /// How the focus was settled; for people to read.
  public var focus: MovieFocus?
  /// Whether the script's detections are drawn into the pictures.
  public var drawsDetections = false
  /// The view that is drawn; `nil` for the pictures themselves.
  public var view: RenderingSession.DebugView?
  /// Whether the flicker of the maps is taken out; maps without flicker stay as they are.
  public var steadiesDisparity = true
  /// The change made to the edges of the maps; numbers outside their ranges are refused with the first
  /// frame that has a map.
  public var shaping = MapShaping()

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
  /// Disparity that begins later or ends earlier than the pictures by a few frames is held.
  public var heldSourceTrackIDs: [UInt32] { [disparityTrackID] }
  public var steadySourceTrackIDs: [UInt32] { steadiesDisparity ? [disparityTrackID] : [] }

  // MARK: - Frames

  /// The script's frame, found also where the script rounds times.
  ///
  /// - Parameter range: of the picture, in its own movie.
  /// - Throws: `incompatible` where the script has to have the frame and does not.
  func scriptedFrame(for range: TimeRange) throws(CinematicError) -> ScriptFrame? {
    guard let script else { return nil }
    if let found = script.frame(ofPicture: range) { return found }
    guard requiresScript else { return nil }
    throw CinematicError(
      .incompatible,
      "the script has no frame at \(range.start.secondsText) s; it spans"
        + " \(script.timeRange.start.secondsText) to \(script.timeRange.end.secondsText) s",
      remedy: "use the script of this movie")
  }

  /// The parameters of a frame's rendering.
  ///
  /// - Parameter range: of the picture, in its own movie.
  /// - Throws: `incomplete` where nothing says what is sharp, and the f-number is finite.
  func frameAttributes(
    _ request: VideoCompositionRequest, _ scripted: ScriptFrame?, for range: TimeRange
  ) throws(CinematicError) -> RenderingSession.FrameAttributes {
    var focus = focusDisparity
    var number = fNumber
    if let scripted {
      focus = focus ?? scripted.focusDisparity
      number = number ?? scripted.fNumber
    } else {
      let stored = metadataTrackIDs.lazy.compactMap {
        request.sourceTimedMetadata(byTrackID: $0)?.renderingAttributes
      }.first
      let nearest = stored == nil ? nearestFrame(to: range.start) : nil
      focus = focus ?? stored?.focusDisparity ?? nearest?.focusDisparity
      number = number ?? stored?.fNumber ?? nearest?.fNumber
    }
    if number == .infinity { return .init(focusDisparity: focus ?? 0, fNumber: .infinity) }
    guard let focus else {
      throw CinematicError(
        .incomplete,
        "nothing says what is sharp at \(range.start.secondsText) s of \(name)",
        remedy: "give a focus or a script, or an infinite f-number for the picture as it is")
    }
    return .init(focusDisparity: focus, fNumber: number ?? MovieScript.defaultFNumber)
  }

  /// The movie's name, for messages.
  var name: String { focus?.movie ?? "the movie" }

  /// The script's frame nearest to a time, however far.
  private func nearestFrame(to time: Time) -> ScriptFrame? {
    script?.frame(at: time, tolerance: Time(value: Int64(Int32.max), timescale: 1))
  }
}
