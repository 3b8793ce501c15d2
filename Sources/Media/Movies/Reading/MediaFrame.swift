// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// One picture or one disparity map of a source, and when it is shown.
public struct MediaFrame: Sendable {
  /// The picture. Immutable by agreement once delivered.
  public let pixelBuffer: PixelBuffer
  /// When the frame appears, exactly as the stream says, counted from the container's start.
  public let time: Time
  /// How long it is shown: up to the next frame; for the last one, what the file says.
  public let duration: Time
  /// The frame's number in its source, from 0; a selection keeps the numbers of the whole.
  public let index: Int
  /// The metadata of the picture's own file.
  public let pictureMetadata: PictureMetadata

  public init(
    pixelBuffer: PixelBuffer, time: Time, duration: Time, index: Int,
    pictureMetadata: PictureMetadata = PictureMetadata()
  ) {
    self.pixelBuffer = pixelBuffer
    self.time = time
    self.duration = duration
    self.index = index
    self.pictureMetadata = pictureMetadata
  }

  public var timeRange: TimeRange { TimeRange(start: time, duration: duration) }
}
