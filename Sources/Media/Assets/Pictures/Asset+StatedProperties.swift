// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

extension Asset {
  /// The properties of a picture file that says them in front of its pixels, as PNG does. They are those that
  /// ``FrameReader`` gives, which decodes the picture for them.
  ///
  /// - Returns: `nil` for other sources, and for a damaged file: its reader says what is wrong with it.
  package func statedProperties() async -> SourceProperties? {
    guard let container = try? await container() as? PictureContainer,
      case .one(let source) = container.files, let file = source as? FileByteSource
    else { return nil }
    do throws(CinematicError) {
      let end = try file.fileSize()
      // Other kinds are not read any further.
      guard StillKind(file: try file.bytes(0..<min(64, end))) == .png else { return nil }
      let bytes = try file.bytes(0..<end)
      guard let size = PNGFormat.statedSize(bytes, path: name)
      else { return nil }
      var request = StillRequest(name)
      request.damage = .stop
      // A picture of one pixel with the same metadata.
      let frame = try StillDecoder.decode(PNGFormat.sample(of: file.path), request)
      frame.pointer.pointee.pts = 0
      let duration = container.pictureDuration
      let facts = PictureFacts(
        kind: .still, pixelAspectRatio: .square, frameDuration: duration)
      let reading = PictureReading(name, facts, ReadOptions())
      _ = try reading.makeConverter(first: frame, codecName: StillKind.png.rawValue)
      guard let found = reading.found else { return nil }
      var properties = SourceProperties(
        kind: .still, dimensions: size, pixelFormat: found.pixelFormat, tags: found.tags,
        logCoding: found.logCoding, colorCodes: found.colorCodes,
        hdrMetadata: found.hdrMetadata, codedPixels: found.codedPixels,
        fieldOrder: found.fieldOrder, unkeptExtras: found.unkeptExtras,
        unkeptMarks: found.unkeptMarks, bitDepth: found.bitDepth,
        preferredTransform: found.rotation.turn, pixelAspectRatio: found.pixelAspectRatio,
        frameCount: 1, duration: duration, startTime: .zero, timescale: duration.timescale,
        nominalFrameDuration: duration, hasAudio: false,
        codecDescription: found.codecDescription, pictureMetadata: found.pictureMetadata)
      properties.isMirrored = found.rotation.isMirrored
      return properties
    } catch {
      return nil
    }
  }
}
