// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// One picture or one disparity map of a source, and when it is shown.
public struct Frame: Sendable {
  /// The picture. Immutable by agreement once delivered.
  public let pixelBuffer: PixelBuffer
  /// When the frame appears, exactly as the stream says, counted from the container's start.
  public let time: Time
  /// How long it is shown: up to the next frame; for the last one, what the file says.
  public let duration: Time
  /// The frame's number in its source, from 0; a selection keeps the numbers of the whole.
  public let index: Int

  public init(pixelBuffer: PixelBuffer, time: Time, duration: Time, index: Int) {
    self.pixelBuffer = pixelBuffer
    self.time = time
    self.duration = duration
    self.index = index
  }

  public var timeRange: TimeRange { TimeRange(start: time, duration: duration) }
}

/// What is known about a source before its frames are read.
public struct SourceProperties: Sendable {
  /// What kind of files a source is.
  public enum Kind: Hashable, Sendable {
    case still
    case clip
    case numbered
  }

  public var kind: Kind
  /// The size as stored, before ``preferredTransform``.
  public var dimensions: Dimensions
  /// The format of every frame that the reader delivers.
  public var pixelFormat: PixelFormat
  /// What the delivered values mean.
  public var tags: ColorTags
  /// The stream's own colour codes, unspecified ones filled in.
  public var colorCodes: ColorCodes
  /// What file and first frame say about the screen that high dynamic range was made on.
  public var hdrMetadata: HDRMetadata
  /// Bits of a component in the file, 8 to 32.
  public var bitDepth: Int
  /// The turn from stored to shown.
  public var preferredTransform: QuarterTurn
  /// Width to height of a pixel, reduced; (1, 1) where the file does not say.
  public var pixelAspectRatio: PixelAspectRatio
  /// Frames that will be delivered, as far as the file says; exact for stills and patterns.
  public var frameCountEstimate: Int?
  /// From the first delivered frame's appearance to the last one's end, as far as the file says.
  public var durationEstimate: Time?
  /// What was subtracted from the stream's times, so that the container starts at zero: zero for
  /// nearly every file, 1.4 s for many transport streams. A writer that adds it keeps the times.
  public var startTime: Time
  /// Ticks a second that express every frame's time exactly.
  public var timescale: Int32
  /// The typical time from frame to frame.
  public var nominalFrameDuration: Time
  /// Whether the container has sound.
  public var hasAudio: Bool
  /// The codec and its pixel format in FFmpeg's names, for people: `vp8 (yuv420p)`.
  public var codecDescription: String
}

/// The width of a pixel to its height.
public struct PixelAspectRatio: Hashable, Sendable {
  public var horizontal: Int32
  public var vertical: Int32

  public static let square = PixelAspectRatio(horizontal: 1, vertical: 1)

  public init(horizontal: Int32, vertical: Int32) {
    self.horizontal = horizontal
    self.vertical = vertical
  }
}

/// How the codes of a disparity file become disparities.
public struct DisparityScale: Hashable, Sendable {
  /// What the file's values are.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Larger is nearer.
    case disparity
    /// Larger is farther; the disparity is the reciprocal, and depths that are not positive and
    /// finite are invalid (not a number).
    case depth
  }

  /// The value of code 0 (black), unit of the file's choice.
  public var low: Float
  /// The value of the largest code (white).
  public var high: Float
  public var kind: Kind

  /// Code 0 is disparity 0, the largest code disparity 1.
  public static let unit = DisparityScale(low: 0, high: 1, kind: .disparity)

  public init(low: Float, high: Float, kind: Kind = .disparity) {
    self.low = low
    self.high = high
    self.kind = kind
  }
}

/// How a source is read.
public struct ReadOptions: Sendable {
  /// What the frames are.
  public enum Content: Hashable, Sendable {
    case picture
    /// Delivered as ``FocalCore/PixelFormat/disparityFloat``.
    case disparity(DisparityScale)
  }

  public var content: Content
  /// The frames to deliver, by number from 0; all by default. A range that reaches beyond the last
  /// frame ends there, one that begins beyond it is an error.
  public var frames: ClosedRange<Int>?
  /// How long a still or a frame of a numbered pattern is shown.
  public var stillDuration: Time
  /// What to believe instead of the file's transfer function.
  public var transfer: ColorTags.Transfer?

  public init(
    content: Content = .picture, frames: ClosedRange<Int>? = nil,
    stillDuration: Time = Time(value: 1, timescale: 30), transfer: ColorTags.Transfer? = nil
  ) {
    self.content = content
    self.frames = frames
    self.stillDuration = stillDuration
    self.transfer = transfer
  }
}
