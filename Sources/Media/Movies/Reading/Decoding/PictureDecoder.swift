// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Decodes any picture of a track, the next one or one far away. Used by one thread at a time.
protocol PictureDecoder: AnyObject {
  /// FFmpeg's name of the decoder in use; empty before the first picture.
  var codecName: String { get }

  /// The picture of a sample. Its `pts` is the place of the sample in the order of the screen whose
  /// picture it is: another one than was asked for if that cannot be decoded.
  ///
  /// - Parameter isWanted: asked from time to time; decoding stops if it says no.
  /// - Returns: `nil` if the picture was no longer wanted.
  func picture(
    of sample: Int, while isWanted: () -> Bool
  ) throws(CinematicError) -> PictureFrame?
}

/// The facts about a track's pictures that are known before one is decoded.
struct PictureFacts: Sendable {
  var kind: SourceProperties.Kind
  /// Whether the first pictures may be impossible to decode.
  var mayLackFirst = false
  var color: ContainerColor?
  var hdrMetadata = HDRMetadata()
  /// Of interlaced pictures, if the container says it.
  var fieldOrder: FieldOrder?
  /// `nil` if the container is silent: the pictures may say it themselves.
  var rotation: DisplayRotation?
  /// `nil` if the container is silent.
  var pixelAspectRatio: PixelAspectRatio?
  /// `nil` if the container is silent: most frames' own duration then tells it.
  var frameDuration: Time?
  /// The file of a sample, for messages; `nil` if all lie in one.
  var fileName: (@Sendable (_ sample: Int) -> String)?
  /// Parts that lie apart from the pictures and are not read, in words.
  var unread: [String] = []
  /// What the container alone says of the pictures, and no other gets, in words.
  var marks: [String] = []
}

extension PictureFacts {
  /// How extras that are not kept name it.
  static let dolbyVision = "Dolby Vision"

  /// The facts about a stream of a container that libavformat reads.
  init(_ stream: StreamDescription.Stream) {
    self.init(
      kind: .clip, color: ContainerColor(stream.parameters.values),
      hdrMetadata: stream.entry.hdrMetadata, fieldOrder: stream.entry.fieldOrder,
      rotation: stream.matrix.map(DisplayRotation.init),
      pixelAspectRatio: stream.entry.pixelAspectRatio, frameDuration: stream.frameDuration)
    if rotation?.isExact == false { unread.append(DisplayRotation.unkept) }
    if stream.entry.isDolbyVision { unread.append(Self.dolbyVision) }
    if stream.hasAlphaApart, stream.parameters.alphaDecoder == nil {
      unread.append("the alpha, which lies apart from the pictures")
    }
    if let mode = stream.stereoMode { marks.append("the mark of stereo pictures (\(mode))") }
  }
}
