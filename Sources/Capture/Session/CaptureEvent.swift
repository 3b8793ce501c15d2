// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// An event in a session beside its frames.
public enum CaptureEvent: Sendable {
  /// The statuses changed; they are these now.
  case sceneMonitoring(Set<CaptureSceneMonitoringStatus>)
  /// What the caller should know, of a provider of disparity or of a recording that was recovered: a clause.
  case note(String)
  /// The microphone has gone: recordings are silent from there on.
  case microphoneLost(name: String, CinematicError)
  /// The detections and decisions of a movie that is being recorded cannot be kept beside it: the movie goes on, and
  /// would be without them if the program ended before it.
  case journalFailed(path: String, CinematicError)
  /// Detections and decisions of a recording that is no longer there had the name that those of this one get: they bear
  /// another name now, and are kept.
  case journalMoved(from: String, to: String)
  /// A movie cannot be written any more, and other movies go on. The part that was written is kept, as a recording that
  /// was interrupted; `nil` where nothing of it was written that would make a movie.
  case movieFailed(path: String, kept: String?, CinematicError)
  /// A recording that an earlier program left was finished.
  case recovered(path: String)
  /// A recording ended because the session did.
  case recordingEnded(CaptureRecordingReport)
  /// The session is over: a file has been played (`nil`), the device has gone, or a provider failed.
  case ended(CinematicError?)
}

/// A picture of a session's outputs, and what is known of it.
public struct CapturedFrame: Sendable {
  /// As it is shown, with the blur in it.
  public var pixelBuffer: PixelBuffer
  /// On the session's clock.
  public var time: Time
  public var duration: Time
  public var metadata: CaptureMetadata
  /// The sharp picture as it is stored.
  public var sourceImage: PixelBuffer
  /// Its map, as the picture is stored.
  /// Of a provider's map, shares of the session's range: 0 is far, 1 near.
  public var sourceDisparity: PixelBuffer
}

/// How many frames went where.
public struct CaptureStatistics: Hashable, Sendable {
  /// Pictures that came from the device.
  public var arrivedFrameCount = 0
  /// Those that came too fast, and were left out.
  public var droppedFrameCount = 0
  /// Those of a pair that had no other half.
  public var unpairedFrameCount = 0
  /// Those whose map and focus were found.
  public var analyzedFrameCount = 0
  /// The most pictures that ever waited.
  public var longestQueue = 0
  /// Frames that a reader of baked frames or of the preview did not take in time.
  public var unreadFrameCount = 0

  public init() {}
}
