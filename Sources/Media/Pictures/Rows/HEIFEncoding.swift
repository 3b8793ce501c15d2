// SPDX-License-Identifier: Apache-2.0

import CHEIF
import FocalCore

/// Encodes codes as HEIC and AVIF through libheif: 8 bits; deeper pictures 10 and 12.
struct HEIFEncoding {
  private static let defaultQuality = 90

  /// The part of a picture that an image holds.
  enum Part {
    /// Colours, and alpha where the picture has it.
    case whole
    case colors
    case alpha
  }

  let picture: StillPicture
  let kind: StillKind
  private let isDeep: Bool
  private let hasAlpha: Bool
  /// Bits of a component.
  let bits: Int

  /// Whether several pictures can be encoded at once: x265 chooses its functions for the processor while it encodes
  /// its first picture, a small one here.
  static let isPrepared: Bool = {
    let size = Dimensions(width: 64, height: 64)
    guard let small = try? PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB) else {
      return false
    }
    return (try? HEIFRowSink.file(StillPicture(buffer: small, path: ""), .heic)) != nil
  }()

  /// - Throws: `unsupported` where the library has no encoder.
  init(
    _ picture: StillPicture, _ kind: StillKind, _ layout: RowLayout
  ) throws(CinematicError) {
    self.picture = picture
    self.kind = kind
    isDeep = layout.isDeep
    hasAlpha = layout.hasAlpha
    bits = isDeep ? (kind == .avif ? AVIFFormat.deepBits : HEICFormat.deepBits) : 8
    // Known before an hour of rendering.
    guard heif_have_encoder_for_format(compression) != 0 else { throw lacksEncoder }
  }

  private func check(_ status: heif_error) throws(CinematicError) {
    guard status.code != heif_error_Ok else { return }
    if status.code == heif_error_Memory_allocation_error { throw .outOfMemory(for: picture.path) }
    throw CinematicError(
      .unwritable,
      "cannot encode \(picture.path) as \(kind.name): \(HEIFFile.reason(status))",
      remedy: "write .jpg or .png")
  }

  private var compression: heif_compression_format {
    kind == .avif ? heif_compression_AV1 : heif_compression_HEVC
  }

  private var lacksEncoder: CinematicError {
    CinematicError(
      .unsupported,
      "this build of libheif has no encoder for \(kind.name), which \(picture.path) needs",
      remedy: "write .jpg or .png, or install libheif with its encoders")
  }

  /// The components of a part, of red, green, blue and alpha.
  func components(of part: Part) -> Range<Int> {
    switch part {
    case .whole: 0..<(hasAlpha ? 4 : 3)
    case .colors: 0..<3
    case .alpha: 3..<4
    }
  }

  /// The plane of a part's image.
  func channel(of part: Part) -> heif_channel {
    part == .alpha ? heif_channel_Y : heif_channel_interleaved
  }

  /// Codes of a part's components, side by side, to be filled.
  ///
  /// - Returns: an image that the caller releases.
  func makeImage(_ size: Dimensions, _ part: Part) throws(CinematicError) -> OpaquePointer {
    let chroma =
      switch (components(of: part).count, isDeep) {
      case (1, _): heif_chroma_monochrome
      case (3, false): heif_chroma_interleaved_RGB
      case (3, true): heif_chroma_interleaved_RRGGBB_LE
      case (_, false): heif_chroma_interleaved_RGBA
      case (_, true): heif_chroma_interleaved_RRGGBBAA_LE
      }
    let space = part == .alpha ? heif_colorspace_monochrome : heif_colorspace_RGB
    let (width, height) = (Int32(size.width), Int32(size.height))
    var image: OpaquePointer?
    try check(heif_image_create(width, height, space, chroma, &image))
    guard let image else { throw .outOfMemory(for: picture.path) }
    let status = heif_image_add_plane(image, channel(of: part), width, height, Int32(bits))
    if status.code != heif_error_Ok { heif_image_release(image) }
    try check(status)
    return image
  }

  /// A file of one image.
  ///
  /// - Parameter saysMore: whether it says what the picture's metadata say.
  func file(
    of image: OpaquePointer, _ part: Part, saysMore: Bool
  ) throws(CinematicError) -> [UInt8] {
    guard let context = heif_context_alloc() else { throw .outOfMemory(for: picture.path) }
    defer { heif_context_free(context) }
    var encoder: OpaquePointer?
    guard
      heif_context_get_encoder_for_format(context, compression, &encoder).code == heif_error_Ok
    else { throw lacksEncoder }
    defer { heif_encoder_release(encoder) }
    try check(
      heif_encoder_set_lossy_quality(encoder, Int32(picture.quality ?? Self.defaultQuality)))
    if kind == .heic {
      // x265's threads hand a picture's rows to each other, and beside other programs wait for every turn: 3
      // megapixels took 42 to 90 seconds so, and take 10. Tiles are encoded at the same time instead
      // (``HEIFRowSink``). Another encoder does not know the names, and the failure is not one.
      _ = heif_encoder_set_parameter(encoder, "x265:pools", "none")
      _ = heif_encoder_set_parameter(encoder, "x265:frame-threads", "1")
      // The library's "slow" takes twice the time for 3 % of the bytes and no decibel.
      _ = heif_encoder_set_parameter(encoder, "preset", "medium")
    }
    let colors = heif_nclx_color_profile_alloc()
    defer { heif_nclx_color_profile_free(colors) }
    let codes = colorCodes
    try check(
      heif_nclx_color_profile_set_color_primaries(colors, UInt16(codes.primaries)))
    try check(
      heif_nclx_color_profile_set_transfer_characteristics(colors, UInt16(codes.transfer)))
    try check(heif_nclx_color_profile_set_matrix_coefficients(colors, UInt16(codes.matrix)))
    colors?.pointee.full_range_flag = 1
    try check(heif_image_set_nclx_color_profile(image, colors))
    if part != .alpha, let profile = picture.storedProfile?.bytes {
      try check(heif_image_set_raw_color_profile(image, "prof", profile, profile.count))
    }
    let options = heif_encoding_options_alloc()
    defer { heif_encoding_options_free(options) }
    options?.pointee.output_nclx_profile = colors
    // The profile says what colours are, the code points by which matrix they are coded.
    options?.pointee.save_two_colr_boxes_when_ICC_and_nclx_available = 1
    // Without code points, which the library leaves out of HEIC by itself, nothing would say that light
    // is of high range.
    if picture.buffer.tags.transfer.isHighDynamicRange {
      options?.pointee.macOS_compatibility_workaround_no_nclx_profile = 0
    }
    var handle: OpaquePointer?
    try check(heif_context_encode_image(context, image, encoder, options, &handle))
    defer { heif_image_handle_release(handle) }
    if saysMore {
      if let exif = picture.metadata.exif {
        try check(heif_context_add_exif_metadata(context, handle, exif, Int32(exif.count)))
      }
      if let xmp = picture.metadata.xmp {
        try check(heif_context_add_XMP_metadata(context, handle, xmp, Int32(xmp.count)))
      }
    }
    return try bytes(of: context)
  }

  private var colorCodes: ColorCodes {
    var tags = picture.buffer.tags
    if tags.transfer == .bt709 { tags.transfer = .srgb }
    var codes = ColorCodes(tags)
    // BT.601's, as phones write them for colours of BT.709 and Display P3 alike.
    if tags.primaries != .bt2020 { codes.matrix = 6 }
    // The profile alone says what the codes are.
    if picture.metadata.profile?.isConverted == true { (codes.primaries, codes.transfer) = (2, 2) }
    return codes
  }

  private func bytes(of context: OpaquePointer) throws(CinematicError) -> [UInt8] {
    var bytes: [UInt8] = []
    var status = heif_error()
    withUnsafeMutablePointer(to: &bytes) { bytes in
      var writer = heif_writer()
      writer.writer_api_version = 1
      writer.write = { _, data, count, target in
        target!.assumingMemoryBound(to: [UInt8].self).pointee.append(
          contentsOf: UnsafeRawBufferPointer(start: data, count: count))
        return heif_error(
          code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: heifSuccess)
      }
      status = heif_context_write(context, &writer, bytes)
    }
    try check(status)
    return bytes
  }
}

/// The message of a call that did not fail; lives as long as the process.
// nonisolated(unsafe): written once, by its initialiser, and never changed.
private nonisolated(unsafe) let heifSuccess: UnsafePointer<CChar> = {
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  text.pointee = 0
  return UnsafePointer(text)
}()
