// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import Synchronization

/// Turns the decoded pictures of a source into pixel buffers as options ask for, and keeps what the
/// first one says about all.
final class PictureReading: Sendable {
  /// The properties of the first picture.
  struct Found: Sendable {
    /// In the order of the screen.
    var place: Int
    var dimensions: Dimensions
    var pixelFormat: PixelFormat
    var tags: ColorTags
    var colorCodes: ColorCodes
    var hdrMetadata: HDRMetadata
    var codedPixels: CodedPixels?
    var logCoding: LogCoding?
    var fieldOrder: FieldOrder?
    var unkeptExtras: [String]
    var unkeptMarks: [String]
    var bitDepth: Int
    var rotation: DisplayRotation
    var pixelAspectRatio: PixelAspectRatio
    var codecDescription: String
    var pictureMetadata: PictureMetadata
  }

  private let name: String
  private let facts: PictureFacts
  private let options: ReadOptions
  private let state = Mutex<Found?>(nil)

  /// `nil` before the first picture.
  var found: Found? { state.withLock { $0 } }

  init(_ name: String, _ facts: PictureFacts, _ options: ReadOptions) {
    self.name = name
    self.facts = facts
    self.options = options
  }

  /// - Throws: `unsupported` for pixels that cannot be read or a picture that is too large.
  func makeConverter(
    first frame: PictureFrame, codecName: String
  ) throws(CinematicError) -> FrameFeed.Convert {
    let size = frame.dimensions
    guard size.width <= PixelBuffer.maximumDimension, size.height <= PixelBuffer.maximumDimension
    else {
      throw CinematicError(
        .unsupported, "\(name) is too large (\(size))",
        remedy: "width and height must be at most \(PixelBuffer.maximumDimension)")
    }
    let convert: FrameFeed.Convert
    let format: PixelFormat
    let tags: ColorTags
    var codes: ColorCodes?
    var coded: CodedPixels?
    var logCoding: LogCoding?
    var takesAlpha = false
    switch options.content {
    case .picture:
      let converter = try PictureConverter(
        first: frame, container: facts.color, isStill: facts.isStill, transfer: options.transfer,
        workingSpace: options.workingSpace, path: name)
      (format, tags) = (converter.pixelFormat, converter.tags)
      let profile = frame.metadata.profile
      if profile != nil { codes = converter.colorCodes }
      // A table gives other colours than the stream says.
      if case .table = options.workingSpace { codes = ColorCodes(tags) }
      coded = converter.codedPixels
      let coding = converter.logCoding
      logCoding = coding
      let heedsProfiles = options.transfer == nil
      convert = { [self] frame, sample throws(CinematicError) in
        guard frame.metadata.profile == profile || !heedsProfiles else {
          throw CinematicError(
            .incompatible, "\(path(sample)) has another ICC profile than the first frame",
            remedy: "convert every frame to one profile")
        }
        frame.metadata.cameraGamut = coding?.curve.gamut
        return try converter.convert(frame, path: path(sample))
      }
    case .disparity(let scale):
      (format, tags) = (.disparityFloat, .linearBT709)
      convert = try mapConverter(scale)
    case .mask:
      (format, tags) = (.disparityFloat, .linearBT709)
      let isCutOut = frame.isTranslucent
      takesAlpha = isCutOut
      let read = try mapConverter(.unit, takesAlpha: isCutOut)
      convert = { [self] frame, sample throws(CinematicError) in
        try checkMask(frame, sample, isCutOut: isCutOut)
        return try read(frame, sample)
      }
    }
    var found = found(in: frame, format, tags, codecName)
    if options.content != .picture {
      found.pictureMetadata.isColoredMap = !takesAlpha && frame.isColored
    }
    found.codedPixels = coded
    found.logCoding = logCoding
    found.pictureMetadata.cameraGamut = logCoding?.curve.gamut
    if let codes { found.colorCodes = codes }
    let rotation = found.rotation
    let half = options.half
    if let half { found.dimensions = half.rect(in: size, turn: rotation.turn).dimensions }
    state.withLock { $0 = found }
    return { [self] frame, sample throws(CinematicError) in
      // Each photograph says for itself how it lies, and is shown as the first one is.
      let own = facts.isStill ? self.rotation(of: frame) : rotation
      let turn = own.turn.followed(by: rotation.turn.inverse)
      guard turn.applied(to: frame.dimensions) == size else {
        throw otherSize(frame, sample, own.turn, rotation.turn.applied(to: size))
      }
      var buffer = try convert(frame, sample)
      if own.isMirrored { buffer.mirrorRows() }
      if turn != .identity { buffer = try buffer.turnedPixels(by: turn) }
      return try half.map { half throws(CinematicError) in
        try buffer.half(half, turn: rotation.turn)
      } ?? buffer
    }
  }

  /// Masks of two kinds would be read by the first one's: all of a gray one as opaque, a cut-out by its colours.
  ///
  /// - Parameter isCutOut: whether the first mask is its alpha.
  /// - Throws: `incompatible` for a mask of the other kind.
  private func checkMask(
    _ frame: PictureFrame, _ sample: Int, isCutOut: Bool
  ) throws(CinematicError) {
    let layout = PixelLayout(frame.pixelFormat)
    // One whose subject fills the picture is opaque. Palettes may have alpha, whether they do or not.
    if isCutOut, layout?.hasAlpha == true, layout?.isOpaque == false { return }
    guard frame.isTranslucent != isCutOut else { return }
    throw CinematicError(
      .incompatible,
      isCutOut
        ? "\(path(sample)) has no alpha, and the first mask is its alpha"
        : "\(path(sample)) has alpha, and the first mask has none",
      remedy: "give every mask alpha, or none")
  }

  /// - Parameter takesAlpha: whether the alpha is delivered, and not the values.
  private func mapConverter(
    _ scale: DisparityScale, takesAlpha: Bool = false
  ) throws(CinematicError) -> FrameFeed.Convert {
    let converter = try DisparityConverter(
      scale, container: facts.color, takesAlpha: takesAlpha)
    let shaping = options.shaping
    return { [self] frame, sample throws(CinematicError) in
      let map = try converter.convert(frame, path: path(sample))
      if !shaping.isIdentity { shaping.apply(to: map) }
      return map
    }
  }

  private func rotation(of frame: PictureFrame) -> DisplayRotation {
    facts.rotation ?? DisplayRotation(focal_frame_display_matrix(frame.pointer))
  }

  private func path(_ sample: Int) -> String { facts.fileName?(sample) ?? name }

  /// - Parameter first: the size of the first frame on the screen.
  private func otherSize(
    _ frame: PictureFrame, _ sample: Int, _ turn: QuarterTurn, _ first: Dimensions
  ) -> CinematicError {
    let place = facts.fileName?(sample) ?? "frame \(frame.pointer.pointee.pts) of \(name)"
    return CinematicError(
      .incompatible,
      "\(place) is \(turn.applied(to: frame.dimensions)) where the first is \(first)",
      remedy: "give every frame the same size")
  }

  private func found(
    in frame: PictureFrame, _ format: PixelFormat, _ tags: ColorTags, _ codecName: String
  ) -> Found {
    let layout = PixelLayout(frame.pixelFormat)
    var color = FrameColor(
      frame, container: facts.color, isStill: facts.isStill,
      isFloatingPoint: layout?.isFloatingPoint == true,
      isRGB: layout?.isRGB == true || facts.isStill)
    // A camera's curve or a table says all but how luma and chroma are made.
    if options.workingSpace != nil { color.assumed.removeAll { $0 != .matrix } }
    if options.transfer != nil { color.assumed.removeAll { $0 == .transfer } }
    var codes = color.codes
    var metadata = frame.metadata
    if !facts.isStill, metadata.assumption == nil, options.content == .picture {
      metadata.assumption = color.assumption
      metadata.assumesPrimaries = color.assumed.contains(.primaries)
    }
    if options.transfer != nil { codes.transfer = ColorCodes(tags).transfer }
    // Pictures of one eye need no mark.
    let marks = options.half == nil ? facts.marks : []
    // The container and the picture may name the same.
    let extras = frame.unkeptExtras
    let others = (facts.unread + marks).filter { !extras.contains($0) }
    return Found(
      place: Int(frame.pointer.pointee.pts), dimensions: frame.dimensions, pixelFormat: format,
      tags: tags, colorCodes: codes,
      hdrMetadata: facts.hdrMetadata.filled(
        from: HDRMetadata(
          focal_frame_mastering_display(frame.pointer), focal_frame_content_light(frame.pointer))),
      fieldOrder: frame.interlacedOrder ?? FieldOrder(frame) ?? facts.fieldOrder,
      unkeptExtras: extras + others, unkeptMarks: marks,
      bitDepth: frame.metadata.storedDepth ?? layout?.depth ?? 8,
      rotation: rotation(of: frame),
      pixelAspectRatio: frame.metadata.pixelAspectRatio.flatMap { PixelAspectRatio($0) }
        ?? facts.pixelAspectRatio
        ?? PixelAspectRatio(frame.pointer.pointee.sample_aspect_ratio) ?? .square,
      codecDescription: "\(codecName) (\(layout?.name ?? "unknown"))",
      pictureMetadata: metadata)
  }
}

extension PictureFacts {
  /// Whether frames follow a picture file's colour conventions, not a movie's.
  var isStill: Bool { kind != .clip }
}

extension SourceProperties {
  init(
    _ found: PictureReading.Found, _ facts: PictureFacts, _ times: ReadTimes,
    _ numbers: Range<Int>, startTime: Time, hasAudio: Bool
  ) {
    let end = times.timeRange(numbers.upperBound - 1).end
    self.init(
      kind: facts.kind, dimensions: found.dimensions, pixelFormat: found.pixelFormat,
      tags: found.tags, logCoding: found.logCoding, colorCodes: found.colorCodes,
      hdrMetadata: found.hdrMetadata,
      codedPixels: found.codedPixels, fieldOrder: found.fieldOrder,
      unkeptExtras: found.unkeptExtras, unkeptMarks: found.unkeptMarks, bitDepth: found.bitDepth,
      preferredTransform: found.rotation.turn,
      pixelAspectRatio: found.pixelAspectRatio, frameCount: numbers.count,
      duration: end - times.timeRange(numbers.lowerBound).start, startTime: startTime,
      timescale: times.timescale,
      nominalFrameDuration: facts.frameDuration ?? times.nominalDuration,
      hasAudio: hasAudio, codecDescription: found.codecDescription,
      pictureMetadata: found.pictureMetadata)
    isMirrored = found.rotation.isMirrored
  }
}
