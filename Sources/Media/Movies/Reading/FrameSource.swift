// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A frame as its codec left it.
struct DecodedFrame {
  let frame: PictureFrame
  let time: Time
  let duration: Time
  let index: Int
  /// The file it came from, for messages.
  let path: String
}

/// What a source knows beside its frames.
struct SourceFacts {
  var kind: SourceProperties.Kind
  /// Whether frames follow a picture file's colour conventions, not a movie's.
  var isStill: Bool { kind != .clip }
  var frameCount: Int?
  var duration: Time?
  var startTime = Time.zero
  var nominalFrameDuration: Time
  var rotation: DisplayRotation?
  var pixelAspectRatio = PixelAspectRatio.square
  var hasAudio = false
  /// What the container says about colours, if there is one.
  var containerColor: ContainerColor?
  /// What the container says about high dynamic range.
  var hdrMetadata = HDRMetadata()
  var codecName: String
}

/// Frames one after another. Used by one thread at a time.
protocol FrameSource: AnyObject {
  var facts: SourceFacts { get }
  /// The next frame; `nil` after the last.
  func next() throws(CinematicError) -> DecodedFrame?
  /// Allows the source to pass over the frames before `index`; it may ignore this.
  func skip(to index: Int)
}

extension FrameSource {
  func skip(to index: Int) {}
}

/// One picture file.
final class StillSource: FrameSource {
  let facts: SourceFacts
  private var frame: DecodedFrame?

  init(_ file: SourceFile, kind: StillKind, duration: Time) throws(CinematicError) {
    frame = DecodedFrame(
      frame: try StillDecoder.decode(file, kind: kind), time: .zero, duration: duration, index: 0,
      path: file.path)
    facts = SourceFacts(
      kind: .still, frameCount: 1, duration: duration, nominalFrameDuration: duration,
      codecName: kind.rawValue)
  }

  func next() -> DecodedFrame? {
    defer { frame = nil }
    return frame
  }
}
