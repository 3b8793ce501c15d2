// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import CHEIF
import FocalCore

/// A HEIC or AVIF file through libheif (ISO/IEC 23008-12): its picture, what it says, its maps.
final class HEIFFile {
  private let context: OpaquePointer
  private let primary: OpaquePointer
  let path: String
  private let kind: StillKind
  private let items: HEIFItems
  /// The library reads from here without a copy.
  private let bytes: UnsafeMutableRawBufferPointer

  /// - Throws: `malformed` for a damaged file, `unsupported` for one that libheif cannot read.
  init(_ file: [UInt8], _ kind: StillKind, path: String) throws(CinematicError) {
    // Of files that the library reads, too: its own limit is one of pixels.
    let items: HEIFItems
    do throws(CinematicError) {
      items = try HEIFItems(file)
      try items.checkSizes()
    } catch {
      throw CinematicError(
        .malformed, "\(path) is damaged or cut short (\(kind.name): \(error.message))",
        remedy: "make or copy the file again")
    }
    guard let context = heif_context_alloc() else { throw .outOfMemory(for: path) }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: file.count, alignment: 16)
    file.withUnsafeBytes { bytes.copyMemory(from: $0) }
    heif_context_set_maximum_image_size_limit(context, Int32(PixelBuffer.maximumDimension))
    var status = heif_context_read_from_memory_without_copy(
      context, bytes.baseAddress, bytes.count, nil)
    var handle: OpaquePointer?
    if status.code == heif_error_Ok {
      status = heif_context_get_primary_image_handle(context, &handle)
    }
    guard status.code == heif_error_Ok, let handle else {
      // Its words go with the context.
      let failure = Self.failure(status, kind, path)
      heif_context_free(context)
      bytes.deallocate()
      throw failure
    }
    self.context = context
    self.bytes = bytes
    self.path = path
    self.kind = kind
    self.items = items
    primary = handle
  }

  deinit {
    heif_image_handle_release(primary)
    heif_context_free(context)
    bytes.deallocate()
  }

  /// The library's words, in one line.
  static func reason(_ status: heif_error) -> String {
    let text = status.message.map { String(cString: $0) } ?? "unknown error"
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  static func failure(_ status: heif_error, _ kind: StillKind, _ path: String) -> CinematicError {
    let reason = Self.reason(status)
    switch status.code {
    case heif_error_Memory_allocation_error: return .outOfMemory(for: path)
    case heif_error_Unsupported_feature, heif_error_Unsupported_filetype,
      heif_error_Decoder_plugin_error:
      return CinematicError(
        .unsupported, "\(path) cannot be read (\(kind.name): \(reason))",
        remedy: "convert it to JPEG or PNG")
    default:
      return CinematicError(
        .malformed, "\(path) is damaged or cut short (\(kind.name): \(reason))",
        remedy: "make or copy the file again")
    }
  }

  // MARK: - Pixels

  /// The picture's size, upright.
  var dimensions: Dimensions {
    Dimensions(
      width: Int(heif_image_handle_get_width(primary)),
      height: Int(heif_image_handle_get_height(primary)))
  }

  /// Bits of a component.
  private var depth: Int { max(8, Int(heif_image_handle_get_luma_bits_per_pixel(primary))) }
  private var hasAlpha: Bool { heif_image_handle_has_alpha_channel(primary) != 0 }

  /// How the picture's pixels are delivered.
  private var format: AVPixelFormat {
    depth > 8
      ? (hasAlpha ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGB48LE)
      : (hasAlpha ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB24)
  }

  /// A picture of one pixel that says the same as ``picture()``.
  func prototype() throws(CinematicError) -> PictureFrame {
    guard let frame = PictureFrame(format, Dimensions(width: 1, height: 1)) else {
      throw .outOfMemory(for: path)
    }
    try describe(frame, dimensions)
    return frame
  }

  private func describe(
    _ frame: PictureFrame, _ dimensions: Dimensions
  ) throws(CinematicError) {
    addColors(to: frame)
    frame.metadata = try metadata(dimensions, depth: depth)
  }

  /// The picture, upright: turns and crops are the library's work.
  func picture(_ request: StillRequest) throws(CinematicError) -> PictureFrame {
    let (depth, hasAlpha) = (depth, hasAlpha)
    let isDeep = depth > 8
    // The library holds the decoded planes beside the interleaved ones, and crops them as a whole.
    try PictureClaim(
      items.decodedSize(of: items.primary, shown: dimensions), bytesPerPixel: isDeep ? 16 : 8,
      isDeep: isDeep, request
    ).checkMemory()
    let chroma =
      isDeep
      ? (hasAlpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE)
      : (hasAlpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB)
    let image = try decode(primary, heif_colorspace_RGB, chroma)
    let frame = try frame(
      of: image, heif_channel_interleaved, format, components: hasAlpha ? 4 : 3, depth: depth)
    if hasAlpha, items.isPremultiplied(items.primary) { frame.divideByAlpha(isDeep: isDeep) }
    try describe(frame, frame.dimensions)
    return frame
  }

  private func decode(
    _ handle: OpaquePointer, _ space: heif_colorspace, _ chroma: heif_chroma
  ) throws(CinematicError) -> OpaquePointer {
    let options = heif_decoding_options_alloc()
    defer { heif_decoding_options_free(options) }
    options?.pointee.strict_decoding = 1
    var image: OpaquePointer?
    let status = heif_decode_image(handle, &image, space, chroma, options)
    guard status.code == heif_error_Ok, let image else {
      throw Self.failure(status, kind, path)
    }
    return image
  }

  /// The pixels of a channel where the library has them, so that none is held twice; codes of more than 8
  /// bits are spread over 16.
  ///
  /// - Parameter image: lives as long as the frame, or goes with a failure.
  private func frame(
    of image: OpaquePointer, _ channel: heif_channel, _ format: AVPixelFormat, components: Int,
    depth: Int
  ) throws(CinematicError) -> PictureFrame {
    let size = Dimensions(
      width: Int(heif_image_get_width(image, channel)),
      height: Int(heif_image_get_height(image, channel)))
    var stride: Int32 = 0
    guard let plane = heif_image_get_plane(image, channel, &stride),
      let frame = PictureFrame(),
      let held = av_buffer_create(
        plane, Int(stride) * size.height, { image, _ in heif_image_release(OpaquePointer(image)) },
        UnsafeMutableRawPointer(image), 0)
    else {
      heif_image_release(image)
      throw .outOfMemory(for: path)
    }
    frame.pointer.pointee.format = format.rawValue
    frame.pointer.pointee.width = Int32(size.width)
    frame.pointer.pointee.height = Int32(size.height)
    frame.pointer.pointee.buf.0 = held
    frame.pointer.pointee.data.0 = plane
    frame.pointer.pointee.linesize.0 = stride
    guard depth > 8 else { return frame }
    let stored = max(depth, Int(heif_image_get_bits_per_pixel_range(image, channel)))
    let (up, down) = (UInt16(max(0, 16 - stored)), UInt16(max(0, 2 * stored - 16)))
    for y in 0..<size.height {
      let codes = frame.row(y, ofPlane: 0).assumingMemoryBound(to: UInt16.self)
      for index in 0..<(components * size.width) {
        let code = codes[index]
        codes[index] = code << up | code >> down
      }
    }
    return frame
  }

  /// Colours by the code points of ITU-T H.273, where the file has them.
  private func addColors(to frame: PictureFrame) {
    var profile: UnsafeMutablePointer<heif_color_profile_nclx>?
    guard heif_image_handle_get_nclx_color_profile(primary, &profile).code == heif_error_Ok,
      let profile
    else { return }
    defer { heif_nclx_color_profile_free(profile) }
    frame.pointer.pointee.color_primaries = AVColorPrimaries(
      profile.pointee.color_primaries.rawValue)
    frame.pointer.pointee.color_trc = AVColorTransferCharacteristic(
      profile.pointee.transfer_characteristics.rawValue)
  }

  // MARK: - Metadata

  private func metadata(
    _ dimensions: Dimensions, depth: Int
  ) throws(CinematicError) -> PictureMetadata {
    var metadata = PictureMetadata()
    metadata.storedDepth = depth
    metadata.storedChroma = items.chroma
    for item in Self.items(of: primary) {
      if item.type == "Exif", item.bytes.count > 4 {
        // A length comes first: how many bytes precede the TIFF structure.
        let skipped = item.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        metadata.exif = Array(item.bytes.dropFirst(4 + skipped))
      } else if item.type == "mime", item.contentType.contains("rdf+xml") {
        metadata.xmp = metadata.xmp ?? item.bytes
      }
    }
    let size = heif_image_handle_get_raw_color_profile_size(primary)
    if size > 0 {
      var profile = [UInt8](repeating: 0, count: size)
      if heif_image_handle_get_raw_color_profile(primary, &profile).code == heif_error_Ok {
        metadata.profile = ColorProfile(profile)
      }
    }
    metadata.companions = Set(
      auxiliaries().compactMap { PictureMetadata.Companion(auxiliaryType: $0.type) })
    if heif_image_handle_has_depth_image(primary) != 0 { metadata.companions.insert(.disparity) }
    // The pixels have been turned.
    return metadata.described(dimensions)
  }

  private static func items(
    of handle: OpaquePointer
  ) -> [(type: String, contentType: String, bytes: [UInt8])] {
    let count = heif_image_handle_get_number_of_metadata_blocks(handle, nil)
    var ids = [heif_item_id](repeating: 0, count: Int(count))
    heif_image_handle_get_list_of_metadata_block_IDs(handle, nil, &ids, count)
    return ids.compactMap { id in
      let size = heif_image_handle_get_metadata_size(handle, id)
      var bytes = [UInt8](repeating: 0, count: size)
      guard size > 0, heif_image_handle_get_metadata(handle, id, &bytes).code == heif_error_Ok
      else { return nil }
      let type = heif_image_handle_get_metadata_type(handle, id).map { String(cString: $0) }
      let content = heif_image_handle_get_metadata_content_type(handle, id)
      return (type ?? "", content.map { String(cString: $0) } ?? "", bytes)
    }
  }

  /// The auxiliary pictures and what they call themselves.
  private func auxiliaries() -> [(id: heif_item_id, type: String)] {
    let count = heif_image_handle_get_number_of_auxiliary_images(primary, 0)
    var ids = [heif_item_id](repeating: 0, count: Int(count))
    heif_image_handle_get_list_of_auxiliary_image_IDs(primary, 0, &ids, count)
    return ids.compactMap { id in
      var handle: OpaquePointer?
      guard
        heif_image_handle_get_auxiliary_image_handle(primary, id, &handle).code
          == heif_error_Ok, let handle
      else { return nil }
      defer { heif_image_handle_release(handle) }
      var type: UnsafePointer<CChar>?
      guard heif_image_handle_get_auxiliary_type(handle, &type).code == heif_error_Ok, let type
      else { return nil }
      defer {
        var type: UnsafePointer<CChar>? = type
        heif_image_handle_free_auxiliary_types(handle, &type)
      }
      return (id, String(cString: type))
    }
  }

  // MARK: - Maps

  /// The disparity beside the picture; `nil` if there is none.
  func map() throws(CinematicError) -> PictureFrame? {
    guard let (handle, id, coding) = mapHandle() else { return nil }
    defer { heif_image_handle_release(handle) }
    return try coding.map(try gray(handle, id), path)
  }

  /// The first component of a picture.
  private func gray(
    _ handle: OpaquePointer, _ id: heif_item_id
  ) throws(CinematicError) -> PictureFrame {
    let depth = max(8, Int(heif_image_handle_get_luma_bits_per_pixel(handle)))
    let dimensions = Dimensions(
      width: Int(heif_image_handle_get_width(handle)),
      height: Int(heif_image_handle_get_height(handle)))
    // The library holds all planes of the coded picture, and makes the first another one.
    try PictureClaim(
      items.decodedSize(of: id, shown: dimensions), bytesPerPixel: depth > 8 ? 8 : 4, path: path
    ).checkMemory()
    let image = try decode(handle, heif_colorspace_monochrome, heif_chroma_monochrome)
    return try frame(
      of: image, heif_channel_Y, depth > 8 ? AV_PIX_FMT_GRAY16LE : AV_PIX_FMT_GRAY8,
      components: 1, depth: depth)
  }

  /// Apple's gain map beside the picture; `nil` if there is none, or nothing says its headroom.
  func gainMap() throws(CinematicError) -> GainMap? {
    let map = auxiliaries().first {
      PictureMetadata.Companion(auxiliaryType: $0.type) == .gainMap
    }
    var found: OpaquePointer?
    guard let map,
      heif_image_handle_get_auxiliary_image_handle(primary, map.id, &found).code
        == heif_error_Ok, let handle = found
    else { return nil }
    defer { heif_image_handle_release(handle) }
    let xmp = Self.items(of: handle).first { $0.contentType.contains("rdf+xml") }
    let exif = try metadata(dimensions, depth: 8).exif
    guard let coding = GainMapCoding(apple: xmp.map { XMPPacket($0.bytes) }, exif: exif) else {
      return nil
    }
    return try GainMap(try gray(handle, map.id), coding, path: path)
  }

  private func mapHandle() -> (OpaquePointer, heif_item_id, MapCoding)? {
    var handle: OpaquePointer?
    var id: heif_item_id = 0
    if heif_image_handle_get_list_of_depth_image_IDs(primary, &id, 1) == 1 {
      guard heif_image_handle_get_depth_image_handle(primary, id, &handle).code == heif_error_Ok,
        let handle
      else { return nil }
      return (handle, id, coding(of: handle, id))
    }
    // Apple's newer names are unknown to the library.
    let map = auxiliaries().first {
      PictureMetadata.Companion(auxiliaryType: $0.type) == .disparity
    }
    guard let map,
      heif_image_handle_get_auxiliary_image_handle(primary, map.id, &handle).code
        == heif_error_Ok, let handle
    else { return nil }
    return (handle, map.id, coding(of: handle, map.id))
  }

  /// The meaning of codes, by Apple's XMP, else by ISO's message; otherwise they rise with disparity.
  private func coding(of handle: OpaquePointer, _ id: heif_item_id) -> MapCoding {
    if let xmp = Self.items(of: handle).first(where: { $0.contentType.contains("rdf+xml") }) {
      let packet = XMPPacket(xmp.bytes)
      if packet["apdi:NativeFormat"] != nil { return MapCoding(apple: packet) }
    }
    var info: UnsafePointer<heif_depth_representation_info>?
    // The library asks its own depth picture, whether there is one or not.
    guard heif_image_handle_has_depth_image(primary) != 0,
      heif_image_handle_get_depth_image_representation_info(primary, id, &info) != 0, let info
    else { return .disparity }
    defer { heif_depth_representation_info_free(info) }
    let stated = info.pointee
    guard stated.depth_representation_type == heif_depth_representation_type_uniform_Z,
      stated.has_z_near != 0, stated.has_z_far != 0, stated.z_near > 0,
      stated.z_far > stated.z_near
    else { return .disparity }
    return .depth(near: stated.z_near, far: stated.z_far)
  }
}
