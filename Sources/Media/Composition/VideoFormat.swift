// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import Synchronization

/// How the pictures of a video track come out of their decoder: ``AsyncProperty/videoFormat``.
public struct VideoFormat: Hashable, Sendable {
  /// The size as stored.
  public var dimensions: Dimensions
  public var pixelFormat: PixelFormat
  /// The meaning of the values as colour.
  public var tags: ColorTags
  /// The track's own colour codes, unspecified ones filled in.
  public var colorCodes: ColorCodes
  /// How the codes are stored.
  public var codedPixels: CodedPixels
  /// As ``SourceProperties/fieldOrder``.
  public var fieldOrder: FieldOrder?
  /// As ``SourceProperties/unkeptExtras``.
  public var unkeptExtras: [String]
  /// The description of the screen that the pictures were made on.
  public var hdrMetadata: HDRMetadata
  public var pixelAspectRatio: PixelAspectRatio
  /// From stored to shown.
  public var preferredTransform: QuarterTurn

  /// The size as shown.
  public var shownDimensions: Dimensions { preferredTransform.applied(to: dimensions) }
  /// Width to height of a pixel as it is shown.
  package var shownPixelAspectRatio: PixelAspectRatio {
    preferredTransform.applied(to: pixelAspectRatio)
  }

  /// Decodes a track's first picture.
  ///
  /// - Throws: `incomplete` for a track without pictures, and what reading and decoding it throw.
  fileprivate init(_ track: AssetTrack) async throws(CinematicError) {
    guard try await track.load(.timeline).count > 0 else {
      throw CinematicError(
        .incomplete, "\(track.assetName) has no frame to show", remedy: "give a whole movie")
    }
    let rotation = try await track.displayRotation
    let entries: [SampleEntry] = try await track.load(.formatDescriptions)
    let aspect = try await (track.container as? BoxTrack)?.pixelAspectRatio()
    let unseen = try await track.load(.timeline).unseenPictures
    let found = Found()
    let feed = try await CinematicReader.feed(track, "format", isMirrored: false) { color, name in
      { first throws(CinematicError) in
        let converter = try PictureConverter(
          first: first, container: color, isStill: false, transfer: nil, path: name)
        let stored = first.pointer.pointee.sample_aspect_ratio
        var extras = first.unkeptExtras
        let dolbyVision = PictureFacts.dolbyVision
        if entries.first?.isDolbyVision == true, !extras.contains(dolbyVision) {
          extras.append(dolbyVision)
        }
        if !rotation.isExact { extras.append(DisplayRotation.unkept) }
        extras += unseen
        let format = VideoFormat(
          dimensions: first.dimensions, pixelFormat: converter.pixelFormat, tags: converter.tags,
          colorCodes: converter.colorCodes, codedPixels: converter.codedPixels,
          fieldOrder: first.interlacedOrder ?? FieldOrder(first) ?? entries.first?.fieldOrder,
          unkeptExtras: extras,
          hdrMetadata: (entries.first?.hdrMetadata ?? HDRMetadata()).filled(
            from: HDRMetadata(
              focal_frame_mastering_display(first.pointer),
              focal_frame_content_light(first.pointer))),
          pixelAspectRatio: entries.first?.pixelAspectRatio ?? aspect ?? PixelAspectRatio(stored)
            ?? .square, preferredTransform: rotation.turn)
        found.format.withLock { $0 = format }
        return { frame, _ throws(CinematicError) in try converter.convert(frame, path: name) }
      }
    }
    _ = try await feed.picture(0)
    guard let format = found.format.withLock({ $0 }) else {
      throw CinematicError(.unknown, "\(track.assetName) gave a picture without a format")
    }
    self = format
  }

  private init(
    dimensions: Dimensions, pixelFormat: PixelFormat, tags: ColorTags, colorCodes: ColorCodes,
    codedPixels: CodedPixels, fieldOrder: FieldOrder?, unkeptExtras: [String],
    hdrMetadata: HDRMetadata,
    pixelAspectRatio: PixelAspectRatio, preferredTransform: QuarterTurn
  ) {
    self.dimensions = dimensions
    self.pixelFormat = pixelFormat
    self.tags = tags
    self.colorCodes = colorCodes
    self.codedPixels = codedPixels
    self.fieldOrder = fieldOrder
    self.unkeptExtras = unkeptExtras
    self.hdrMetadata = hdrMetadata
    self.pixelAspectRatio = pixelAspectRatio
    self.preferredTransform = preferredTransform
  }

  /// Filled in on the decoder's thread.
  private final class Found: Sendable {
    let format = Mutex<VideoFormat?>(nil)
  }
}

extension AsyncProperty where Root == AssetTrack, Value == VideoFormat {
  /// How the track's pictures come out of their decoder: its first picture is decoded for it.
  public static var videoFormat: Self {
    Self("videoFormat") { track throws(CinematicError) in try await VideoFormat(track) }
  }
}

extension PixelAspectRatio {
  /// `nil` for a ratio that is none.
  init?(_ ratio: Float) {
    guard ratio.isFinite, ratio > 1e-3, ratio < 1e3 else { return nil }
    self.init(av_d2q(Double(ratio), 10000))
  }

  /// `nil` for a ratio that is none.
  init?(_ ratio: AVRational) {
    guard ratio.num > 0, ratio.den > 0 else { return nil }
    self.init(horizontal: ratio.num, vertical: ratio.den)
  }
}

extension SampleEntry {
  /// The values of `pasp`; `nil` if there is none.
  var pixelAspectRatio: PixelAspectRatio? {
    guard let box = extensions.first(where: { $0.type == "pasp" }) else { return nil }
    var reader = ByteReader(box.data, box: "pasp")
    guard let width = try? reader.u32(), let height = try? reader.u32(),
      let horizontal = Int32(exactly: width), let vertical = Int32(exactly: height),
      horizontal > 0, vertical > 0
    else { return nil }
    let divisor = Int32(Time.greatestCommonDivisor(UInt64(horizontal), UInt64(vertical)))
    return PixelAspectRatio(horizontal: horizontal / divisor, vertical: vertical / divisor)
  }
}
