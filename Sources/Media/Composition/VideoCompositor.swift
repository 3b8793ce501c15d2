// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Makes the pictures of a video composition from those of its tracks.
///
/// A compositor gets one request a frame: source pictures, timed metadata, and where to draw. Several
/// requests may be under way at the same time, begun in the order of their frames. The task of a request
/// that is no longer wanted is cancelled; a compositor that stops then throws `cancelled`.
public protocol VideoCompositor: Sendable {
  /// Says what the pictures have to be from now on, before the first request.
  func renderContextChanged(_ context: RenderContext)

  /// Readies a frame that will be composed: called by what composes all frames of a range, for one frame after the other in
  /// their order, each before its ``compose(_:)``. A compositor that looks at frames before it, such as one that follows
  /// something, works here. Does nothing by default.
  ///
  /// - Throws: why the frame cannot be composed; an export then ends, and a thumbnail is not made.
  func prepare(_ request: VideoCompositionRequest) async throws(CinematicError)

  /// The picture of a frame: of the size, the format and the tags of the request's render context, its alpha stored as
  /// ``RenderContext/holdsPremultipliedAlpha`` says. Exports and thumbnails refuse others as `incompatible`.
  ///
  /// - Throws: as ``prepare(_:)``; `cancelled` in a task that is.
  func compose(_ request: VideoCompositionRequest) async throws(CinematicError) -> PixelBuffer
}

extension VideoCompositor {
  /// Does nothing: every request has the context, too.
  public func renderContextChanged(_ context: RenderContext) {}
  public func prepare(_ request: VideoCompositionRequest) async throws(CinematicError) {}

  /// The picture of a frame as ``compose(_:)`` gives it, if that is of the form that was asked for.
  ///
  /// - Throws: `incompatible` for a picture of another size or format, or of other colours, and what composing throws.
  package func picture(
    of request: VideoCompositionRequest
  ) async throws(CinematicError) -> PixelBuffer {
    let picture = try await compose(request)
    try request.renderContext.check(picture)
    return picture
  }
}

/// A picture or a map of a source.
public struct SourceFrame: Sendable {
  /// As stored, before ``preferredTransform``.
  public let pixelBuffer: PixelBuffer
  /// From stored to shown.
  public let preferredTransform: QuarterTurn
  /// When it is shown in its own movie: before cuts, on that movie's timeline.
  public let timeRange: TimeRange
  /// Where it comes from.
  public let track: AssetTrack
}

/// All that a compositor needs for a frame.
public struct VideoCompositionRequest: Sendable {
  /// The frame's number, from 0.
  public let number: Int
  /// When the frame is shown, on the composition's timeline.
  public let timeRange: TimeRange
  /// The instruction in force when the frame appears.
  public let instruction: any VideoCompositionInstruction
  public let renderContext: RenderContext

  let frames: [UInt32: SourceFrame]
  let metadata: [UInt32: TimedMetadataGroup]

  /// When the frame appears.
  public var compositionTime: Time { timeRange.start }

  /// The tracks that show something now, of those that the instruction requires.
  public var sourceTrackIDs: [UInt32] { frames.keys.sorted() }
  /// The tracks whose metadata are in force now, of those that the video composition and the
  /// instruction both list.
  public var sourceSampleDataTrackIDs: [UInt32] { metadata.keys.sorted() }

  /// The picture of a track; `nil` where it shows none now, or where the instruction does not require
  /// the track.
  public func sourceFrame(byTrackID trackID: UInt32) -> SourceFrame? { frames[trackID] }

  /// The metadata of a track, taken apart; `nil` where there are none now, or where the video
  /// composition or the instruction does not list the track.
  public func sourceTimedMetadata(byTrackID trackID: UInt32) -> TimedMetadataGroup? {
    metadata[trackID]
  }

  /// The same as it stands in the file.
  public func sourceSampleData(byTrackID trackID: UInt32) -> [UInt8]? {
    metadata[trackID]?.rawSample
  }

  /// The same sources for another instruction and another form of the picture.
  ///
  /// - Parameter instruction: of the same tracks.
  package func with(
    _ instruction: any VideoCompositionInstruction, _ renderContext: RenderContext
  ) -> VideoCompositionRequest {
    VideoCompositionRequest(
      number: number, timeRange: timeRange, instruction: instruction,
      renderContext: renderContext, frames: frames, metadata: metadata)
  }

  /// The same with the picture of a track made smaller, see ``FocalCore/PixelBuffer/reduced(by:)``.
  ///
  /// - Returns: `nil` where the track shows nothing.
  /// - Throws: `outOfMemory`.
  package func reduced(
    _ trackID: UInt32, by factor: Int
  ) throws(CinematicError) -> VideoCompositionRequest? {
    guard let frame = frames[trackID] else { return nil }
    let small = try frame.pixelBuffer.reduced(by: factor)
    var frames = frames
    frames[trackID] = SourceFrame(
      pixelBuffer: small, preferredTransform: frame.preferredTransform,
      timeRange: frame.timeRange, track: frame.track)
    return VideoCompositionRequest(
      number: number, timeRange: timeRange, instruction: instruction,
      renderContext: renderContext, frames: frames, metadata: metadata)
  }

  /// Bytes of the decoded pictures and maps.
  package var sourceByteCount: Int {
    frames.values.reduce(0) { sum, frame in
      sum + (frame.pixelBuffer.planes.map { $0.offset + $0.byteCount }.max() ?? 0)
    }
  }

  /// When what is in force now is shown in its own movie: where scripts look.
  public func sourceTimeRange(byTrackID trackID: UInt32) -> TimeRange? {
    frames[trackID]?.timeRange ?? metadata[trackID]?.timeRange
  }
}
