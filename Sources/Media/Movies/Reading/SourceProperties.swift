// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The properties of a source that are known before its frames are read.
public struct SourceProperties: Sendable {
  /// The kind of a source's files.
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
  /// The meaning of the delivered values as colour.
  public var tags: ColorTags
  /// How codes of a camera's curve became the light that is delivered; `nil` for other sources.
  public var logCoding: LogCoding?
  /// The stream's own colour codes, unspecified ones filled in.
  public var colorCodes: ColorCodes
  /// The screen that high dynamic range was made on, by the file and its first frame.
  public var hdrMetadata: HDRMetadata
  /// How the codes are stored; of maps, nothing is told.
  public var codedPixels: CodedPixels?
  /// Which rows of interlaced pictures are shown first, by the first picture or else the container; `nil`
  /// where both say progressive, or nothing.
  public var fieldOrder: FieldOrder?
  /// Side data of the coded pictures that is not written with others, in words.
  public var unkeptExtras: [String] = []
  /// Those of ``unkeptExtras`` that are the container's, so that copied pictures lose them, too.
  public var unkeptMarks: [String] = []
  /// Bits of a component in the file, 8 to 32.
  public var bitDepth: Int
  /// The turn from stored to shown.
  public var preferredTransform: QuarterTurn
  /// Whether frames come mirrored left to right, as they are shown before ``preferredTransform``.
  public internal(set) var isMirrored = false
  /// The size as it is shown.
  public var shownDimensions: Dimensions { preferredTransform.applied(to: dimensions) }
  /// Width to height of a pixel, reduced; (1, 1) where the file does not say.
  public var pixelAspectRatio: PixelAspectRatio
  /// Width to height of a pixel as it is shown.
  package var shownPixelAspectRatio: PixelAspectRatio {
    preferredTransform.applied(to: pixelAspectRatio)
  }
  /// Frames that will be delivered.
  public var frameCount: Int
  /// From the first delivered frame's appearance to the last one's end.
  public var duration: Time
  /// Subtracted from the stream's times, so that the container starts at zero: zero for
  /// nearly every file, 1.4 s for many transport streams, ten hours for some broadcasts. Below zero
  /// for one whose clock starts again from zero soon after its first picture.
  public var startTime: Time
  /// How late pictures and sound begin on the container's own timeline, as in a movie that begins with nothing: zero where
  /// ``startTime`` is only what a clock happened to show. A writer that adds it keeps the times.
  public var timelineStart = Time.zero
  /// Ticks a second that express every frame's time exactly.
  public var timescale: Int32
  /// The typical time from frame to frame.
  public var nominalFrameDuration: Time
  /// Whether the container has sound.
  public var hasAudio: Bool
  /// The codec and its pixel format in FFmpeg's names, for people: `vp8 (yuv420p)`.
  public var codecDescription: String
  /// Whether the file holds floating-point numbers.
  public var holdsFloats: Bool { pictureMetadata.storesHalves || bitDepth == 32 }
  /// The metadata of a picture file; of numbered ones the first one's.
  public var pictureMetadata = PictureMetadata()
}

/// Which rows of an interlaced picture are of the first of its two moments.
public enum FieldOrder: String, Hashable, Sendable {
  /// The first, third, fifth….
  case topFirst
  /// The second, fourth, sixth….
  case bottomFirst
}

/// The width of a pixel to its height.
public struct PixelAspectRatio: Hashable, Sendable {
  /// The width in any unit, which is that of ``vertical``: above 0.
  public var horizontal: Int32
  /// The height: above 0.
  public var vertical: Int32

  public static let square = PixelAspectRatio(horizontal: 1, vertical: 1)

  public init(horizontal: Int32, vertical: Int32) {
    self.horizontal = horizontal
    self.vertical = vertical
  }
}

extension QuarterTurn {
  /// The shape of a stored pixel as it is shown.
  package func applied(to shape: PixelAspectRatio) -> PixelAspectRatio {
    switch self {
    case .identity, .clockwise180: shape
    case .clockwise90, .clockwise270:
      PixelAspectRatio(horizontal: shape.vertical, vertical: shape.horizontal)
    }
  }
}
