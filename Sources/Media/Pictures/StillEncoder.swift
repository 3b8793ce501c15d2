// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Encodes picture files: one buffer, one file.
enum StillEncoder {
  /// Writes a picture into a temporary file.
  ///
  /// - Parameters:
  ///   - metadata: of the source; what describes how its pixels lay is changed to upright.
  ///   - quality: 1 to 100.
  /// - Throws: `invalidParameter` for a format or transfer function that the kind of file cannot
  ///   hold, `unwritable`.
  static func write(
    _ buffer: PixelBuffer, kind: StillKind, metadata: PictureMetadata = PictureMetadata(),
    quality: Int? = nil, to file: OutputFile
  ) throws(CinematicError) {
    let bytes = try Self.file(
      of: buffer, kind: kind, metadata: metadata, quality: quality, path: file.path)
    // A closure could not carry the error's type through.
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(CinematicError) in try file.write(bytes) }
    }.get()
  }

  /// The bytes of a picture file.
  ///
  /// - Parameter path: for messages.
  /// - Throws: as ``write(_:kind:metadata:quality:to:)``.
  static func file(
    of buffer: PixelBuffer, kind: StillKind, metadata: PictureMetadata, quality: Int?, path: String
  ) throws(CinematicError) -> [UInt8] {
    try kind.format.file(
      prepared(
        buffer, kind: kind, metadata: metadata, size: buffer.dimensions, quality: quality,
        path: path))
  }

  /// A picture, or some pixels of it, as its file holds it.
  ///
  /// - Parameters:
  ///   - size: of the whole picture.
  /// - Throws: `invalidParameter` for what the kind of file cannot hold, and for a quality that there is not.
  static func prepared(
    _ buffer: PixelBuffer, kind: StillKind, metadata: PictureMetadata, size: Dimensions,
    quality: Int?, path: String
  ) throws(CinematicError) -> StillPicture {
    try StillKind.check(quality: quality)
    var picture = StillPicture(
      buffer: try codes(of: buffer, kind: kind, metadata: metadata, path: path),
      metadata: metadata.described(size), quality: quality, path: path)
    picture.metadata.isGray =
      metadata.isGray && kind.holdsGray && PixelRows.isGray(picture.buffer)
    if metadata.profile?.isConverted == true, kind.holdsProfiles,
      buffer.tags.transfer != .linear, !buffer.format.isDisparity
    {
      // It was made for a screen on the way, and is no longer by the source's profile.
      picture.metadata.profile = nil
    }
    try check(picture.buffer, kind, path)
    return picture
  }

  /// Pixels as they are stored: linear light as codes of the source's profile, of as many bits as the
  /// source had, where it was converted; in colours of BT.709 where the file cannot say others; else as they are.
  ///
  /// - Parameter firstRow: the row of the picture that the pixels begin with.
  static func codes(
    of light: PixelBuffer, kind: StillKind, metadata: PictureMetadata, path: String,
    firstRow: Int = 0
  ) throws(CinematicError) -> PixelBuffer {
    if kind == .dpx, metadata.isLogarithmic, light.tags.transfer == .linear {
      return try logarithmic(light)
    }
    // A camera's codes and their light are of no primaries that tags name.
    if !kind.holds(light.tags.primaries), metadata.cameraGamut == nil,
      PixelRows.channels(of: light.format) == 4
    {
      return try inBT709(light)
    }
    guard let profile = metadata.profile, profile.isConverted, kind.holds(profile),
      light.tags.transfer == .linear, !light.format.isDisparity
    else { return light }
    let conversion = try ColorProfile.Conversion(profile, toCodes: true, path: path)
    let isDeep = (metadata.storedDepth ?? 16) > 8
    let result = try PixelBuffer(
      dimensions: light.dimensions, format: isDeep ? .rgbaFloat : .rgba8, tags: .sRGB)
    // A code that was converted and back is off by rounding; what is left of half a step dithers.
    let amount: Float = 0.9
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 4 * light.width) { row in
      let values = row.baseAddress!
      for y in 0..<light.height {
        light.readRGBA(row: y, into: values)
        conversion.convert(values, count: light.width)
        guard isDeep else {
          result.storeCodes(values, row: y, top: firstRow, amount: amount)
          continue
        }
        result.withUnsafeMutableBytes { bytes in
          (bytes.baseAddress! + y * result.planes[0].bytesPerRow)
            .copyMemory(from: values, byteCount: 16 * light.width)
        }
      }
    }
    return result
  }

  /// The same colours by the primaries of BT.709. Those that lie outside are below zero, which floats keep.
  private static func inBT709(_ picture: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    let light = try PrimariesConversion(from: picture.tags.primaries, to: .bt709)
      .convert(picture, to: .bt709, least: -.infinity)
    let tags = ColorTags(primaries: .bt709, transfer: picture.tags.transfer, matrix: .bt709)
    guard tags.transfer != .linear else { return light.tagged(tags) }
    let result = try PixelBuffer(dimensions: picture.dimensions, format: .rgbaFloat, tags: tags)
    try result.store(linearRGBA: light)
    return result
  }

  /// Linear light as codes of printing density.
  private static func logarithmic(_ light: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    let result = try PixelBuffer(dimensions: light.dimensions, format: .rgbaFloat, tags: .sRGB)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 4 * light.width) { row in
      let values = row.baseAddress!
      for y in 0..<light.height {
        light.readRGBA(row: y, into: values)
        for index in 0..<(4 * light.width) where index % 4 != 3 {
          values[index] = CineonCurve.code(values[index])
        }
        result.withUnsafeMutableBytes { bytes in
          (bytes.baseAddress! + y * result.planes[0].bytesPerRow).copyMemory(
            from: values, byteCount: 16 * light.width)
        }
      }
    }
    return result
  }

  /// Refuses what a reader of the file would misunderstand.
  private static func check(
    _ buffer: PixelBuffer, _ kind: StillKind, _ path: String
  ) throws(CinematicError) {
    if buffer.format.isBiPlanar {
      throw CinematicError(
        .invalidParameter, "\(path) cannot hold luma and chroma planes (\(buffer.format))",
        remedy: "render to RGBA")
    }
    if buffer.format.isDisparity {
      guard kind.isLossy else { return }
      throw CinematicError(
        .invalidParameter, "\(path) would hold disparities, of which \(kind.name) loses some",
        remedy: "write .png, .tif, .pfm or .exr")
    }
    let isGray = buffer.format == .gray8 || buffer.format == .gray16
    switch (kind, buffer.tags.transfer) {
    case (.pfm, _): return
    case (.openEXR, let transfer) where transfer != .linear && !isGray:
      throw CinematicError(
        .invalidParameter, "OpenEXR holds linear light, and the picture for \(path) is \(transfer)",
        remedy: "render to linear light, or write .png")
    case (.openEXR, _): return
    case (_, .linear) where !isGray:
      throw CinematicError(
        .invalidParameter,
        "\(path) would hold linear light, which \(kind.name) viewers take for sRGB",
        remedy: "encode it with the sRGB transfer function, or write .exr or .pfm")
    default: return
    }
  }
}

extension PixelBuffer {
  /// A row of floats or halves: red, green, blue, alpha.
  func readRGBA(row y: Int, into values: UnsafeMutablePointer<Float>) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { component in
      let one = component.baseAddress!
      for channel in 0..<4 {
        PixelRows.read(self, channel: channel, of: 4, row: y, into: one)
        for x in 0..<width { values[4 * x + channel] = one[x] }
      }
    }
  }
}
