// SPDX-License-Identifier: Apache-2.0

import CHEIF
import FocalCore

/// HEIC: HEVC pictures, as phones take them.
enum HEICFormat: StillFormat {
  /// Bits of pictures that have more than 8: HEVC of 10 bits is what devices decode.
  static let deepBits = 10

  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    try HEIFFile(bytes, .heic, path: request.path).picture()
  }

  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame? {
    try HEIFFile(bytes, .heic, path: request.path).map()
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    try HEIFEncoder.file(picture, .heic, heif_compression_HEVC)
  }
}

/// AVIF: AV1 pictures.
enum AVIFFormat: StillFormat {
  /// Bits of pictures that have more than 8. libheif up to 1.16 gives AV1 of 10 bits a profile that its
  /// encoder ends the process over; 12 bits are coded by all versions.
  static let deepBits = 12

  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    try HEIFFile(bytes, .avif, path: request.path).picture()
  }

  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame? {
    try HEIFFile(bytes, .avif, path: request.path).map()
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    try HEIFEncoder.file(picture, .avif, heif_compression_AV1)
  }
}

/// Writes HEIC and AVIF files through libheif: 8 bits; deeper pictures 10 and 12.
private enum HEIFEncoder {
  static let defaultQuality = 90

  static func file(
    _ picture: StillPicture, _ kind: StillKind, _ compression: heif_compression_format
  ) throws(CinematicError) -> [UInt8] {
    let path = picture.path
    func check(_ status: heif_error) throws(CinematicError) {
      guard status.code != heif_error_Ok else { return }
      if status.code == heif_error_Memory_allocation_error { throw .outOfMemory(for: path) }
      let reason = status.message.map { String(cString: $0) } ?? "unknown error"
      throw CinematicError(
        .unwritable, "cannot encode \(path) as \(kind.name): \(reason)",
        remedy: "write .jpg or .png")
    }
    guard let context = heif_context_alloc() else { throw .outOfMemory(for: path) }
    defer { heif_context_free(context) }
    var encoder: OpaquePointer?
    guard
      heif_context_get_encoder_for_format(context, compression, &encoder).code
        == heif_error_Ok, let encoder
    else {
      throw CinematicError(
        .unsupported, "this build of libheif has no encoder for \(kind.name), which \(path) needs",
        remedy: "write .jpg or .png, or install libheif with its encoders")
    }
    defer { heif_encoder_release(encoder) }
    try check(
      heif_encoder_set_lossy_quality(encoder, Int32(picture.quality ?? defaultQuality)))
    let image = try image(
      picture, bits: kind == .avif ? AVIFFormat.deepBits : HEICFormat.deepBits, check)
    defer { heif_image_release(image) }
    let colors = heif_nclx_color_profile_alloc()
    defer { heif_nclx_color_profile_free(colors) }
    let codes = colorCodes(picture)
    try check(
      heif_nclx_color_profile_set_color_primaries(colors, UInt16(codes.primaries)))
    try check(
      heif_nclx_color_profile_set_transfer_characteristics(colors, UInt16(codes.transfer)))
    try check(heif_nclx_color_profile_set_matrix_coefficients(colors, UInt16(codes.matrix)))
    colors?.pointee.full_range_flag = 1
    try check(heif_image_set_nclx_color_profile(image, colors))
    if let profile = picture.storedProfile?.bytes {
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
    if let exif = picture.metadata.exif {
      try check(heif_context_add_exif_metadata(context, handle, exif, Int32(exif.count)))
    }
    if let xmp = picture.metadata.xmp {
      try check(heif_context_add_XMP_metadata(context, handle, xmp, Int32(xmp.count)))
    }
    return try written(context, check)
  }

  private static func colorCodes(_ picture: StillPicture) -> ColorCodes {
    var tags = picture.buffer.tags
    if tags.transfer == .bt709 { tags.transfer = .srgb }
    var codes = ColorCodes(tags)
    // BT.601's, as phones write them for colours of BT.709 and Display P3 alike.
    if tags.primaries != .bt2020 { codes.matrix = 6 }
    // The profile alone says what the codes are.
    if picture.metadata.profile?.isConverted == true { (codes.primaries, codes.transfer) = (2, 2) }
    return codes
  }

  private static func image(
    _ picture: StillPicture, bits deepBits: Int,
    _ check: (heif_error) throws(CinematicError) -> Void
  ) throws(CinematicError) -> OpaquePointer {
    let buffer = picture.buffer
    let rows = PixelRows(buffer)
    let components = rows.hasAlpha ? 4 : 3
    let chroma =
      rows.isDeep
      ? (rows.hasAlpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE)
      : (rows.hasAlpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB)
    var image: OpaquePointer?
    try check(
      heif_image_create(
        Int32(buffer.width), Int32(buffer.height), heif_colorspace_RGB, chroma, &image))
    guard let image else { throw .outOfMemory(for: picture.path) }
    do throws(CinematicError) {
      try check(
        heif_image_add_plane(
          image, heif_channel_interleaved, Int32(buffer.width), Int32(buffer.height),
          Int32(rows.isDeep ? deepBits : 8)))
      var stride: Int32 = 0
      guard let plane = heif_image_get_plane(image, heif_channel_interleaved, &stride) else {
        throw .outOfMemory(for: picture.path)
      }
      let scale = Float(rows.isDeep ? 1 << deepBits - 1 : 255)
      withUnsafeTemporaryAllocation(of: Float.self, capacity: buffer.width) { values in
        for y in 0..<buffer.height {
          let out = UnsafeMutableRawPointer(plane) + y * Int(stride)
          for component in 0..<components {
            PixelRows.read(
              buffer, channel: min(component, rows.channels - 1), of: rows.channels, row: y,
              into: values.baseAddress!)
            for x in 0..<buffer.width {
              let value = values[x] > 0 ? min(values[x], 1) * scale + 0.5 : 0
              let index = components * x + component
              if rows.isDeep {
                out.storeBytes(of: UInt16(value), toByteOffset: 2 * index, as: UInt16.self)
              } else {
                out.storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
              }
            }
          }
        }
      }
      return image
    } catch {
      heif_image_release(image)
      throw error
    }
  }

  private static func written(
    _ context: OpaquePointer, _ check: (heif_error) throws(CinematicError) -> Void
  ) throws(CinematicError) -> [UInt8] {
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
