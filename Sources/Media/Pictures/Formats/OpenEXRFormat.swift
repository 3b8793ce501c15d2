// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import OpenEXRCoding

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// OpenEXR: linear light and maps, in halves and floats.
enum OpenEXRFormat: StillFormat {
  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    let file = try OpenEXRFile(bytes, path: request.path)
    let selection = try OpenEXRSelection(picture: request.layer, of: file)
    let frame = try file.frame(selection.channels, of: selection.part)
    var metadata = PictureMetadata()
    metadata.storesHalves = selection.channels.allSatisfy(\.isHalf)
    metadata.storedDepth = metadata.storesHalves ? 16 : 32
    metadata.chromaticities = selection.part.chromaticities
    metadata.pixelAspectRatio = selection.part.pixelAspectRatio
    metadata.hasPremultipliedAlpha = selection.channels.count == 4
    metadata.leftOutChannels = selection.others(in: file)
    metadata.attributes = try file.attributes(of: selection.part)
    metadata.displayWindow = selection.part.display
    metadata.hasOverscan = !selection.part.display.contains(selection.part.data)
    if OpenEXRSelection.hasMap(file) { metadata.companions.insert(.disparity) }
    if let chromaticities = metadata.chromaticities {
      if let primaries = ColorTags.Primaries(chromaticities: chromaticities) {
        let tags = ColorTags(primaries: primaries, transfer: .linear, matrix: .bt709)
        frame.pointer.pointee.color_primaries = AVColorPrimaries(ColorCodes(tags).primaries)
      } else if !request.keepsChromaticities {
        try frame.convert(from: chromaticities, request.path)
        metadata.chromaticities = nil
        metadata.assumption = "has light of primaries of its own, which becomes that of BT.709"
      }
    }
    frame.metadata = metadata
    return frame
  }

  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame? {
    let file = try OpenEXRFile(bytes, path: request.path)
    let selection = try OpenEXRSelection(map: request.channel, layer: nil, of: file)
    guard selection.channels.count > 1 else {
      let frame = try file.frame(selection.channels, of: selection.part)
      frame.metadata.mapChannel = selection.channels[0].name
      return frame
    }
    // A gray map saved in colour, or a picture that is none.
    let colors = try file.frame(selection.channels, of: selection.part)
    let size = colors.dimensions
    for y in 0..<size.height {
      let rows = (0..<3).map {
        UnsafeRawBufferPointer(start: colors.row(y, ofPlane: $0), count: 4 * size.width)
      }
      guard rows[0].elementsEqual(rows[1]), rows[1].elementsEqual(rows[2]) else {
        throw CinematicError(
          .incomplete,
          "no channel of \(request.path) is called depth or disparity: it is a picture in colour",
          remedy: "name a channel with --disparity-channel")
      }
    }
    return try file.frame([selection.channels[0]], of: selection.part)
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    let buffer = picture.buffer
    let rows = PixelRows(buffer)
    // In the order of their names, as files have them.
    let channels: [(name: String, number: Int)] =
      rows.channels == 1
      ? [("Y", 0)] : (rows.hasAlpha ? [("A", 3)] : []) + [("B", 2), ("G", 1), ("R", 0)]
    let planes = channels.map { channel in
      let plane = UnsafeMutablePointer<Float>.allocate(capacity: buffer.dimensions.count)
      for y in 0..<buffer.height {
        PixelRows.read(
          buffer, channel: channel.number, of: rows.channels, row: y,
          into: plane + y * buffer.width)
      }
      return plane
    }
    let names = channels.map { channel in
      let text = Array(channel.name.utf8CString)
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
      copy.update(from: text, count: text.count)
      return copy
    }
    defer {
      for plane in planes { plane.deallocate() }
      for name in names { name.deallocate() }
    }
    let isHalf =
      buffer.format == .rgbaHalf || buffer.format == .disparityHalf
      || !buffer.format.isDisparity && picture.metadata.storesHalves
    var message = [CChar](repeating: 0, count: Int(FOCAL_EXR_MESSAGE_SIZE))
    var count = 0
    let attributes = picture.metadata.attributes.map { said in
      let value = UnsafeMutablePointer<UInt8>.allocate(capacity: max(said.value.count, 1))
      value.update(from: said.value, count: said.value.count)
      return FocalEXRAttribute(
        name: UnsafePointer(strdup(said.name)), type: UnsafePointer(strdup(said.type)),
        bytes: UnsafePointer(value), count: said.value.count)
    }
    defer {
      for attribute in attributes {
        free(UnsafeMutableRawPointer(mutating: attribute.name))
        free(UnsafeMutableRawPointer(mutating: attribute.type))
        attribute.bytes.deallocate()
      }
    }
    let window = picture.metadata.displayWindow.flatMap {
      $0.width == buffer.width && $0.height == buffer.height
        && max(abs($0.left), abs($0.top)) < 1 << 30 ? $0 : nil
    }
    let bytes = withUnsafePointers(names, planes, chromaticities(picture)) {
      names, planes, chromaticities in
      var settings = FocalEXRPicture()
      settings.width = Int32(buffer.width)
      settings.height = Int32(buffer.height)
      settings.channelCount = Int32(channels.count)
      settings.names = names
      settings.planes = planes
      settings.storesHalves = isHalf ? 1 : 0
      settings.pixelAspectRatio = picture.metadata.pixelAspectRatio ?? 1
      settings.chromaticities = chromaticities
      settings.left = Int32(window?.left ?? 0)
      settings.top = Int32(window?.top ?? 0)
      settings.attributeCount = Int32(attributes.count)
      return attributes.withUnsafeBufferPointer { attributes in
        settings.attributes = attributes.baseAddress
        return focal_exr_write(&settings, &count, &message)
      }
    }
    guard let bytes else {
      let reason = message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      throw CinematicError(.unwritable, "cannot encode \(picture.path) as OpenEXR: \(reason)")
    }
    defer { focal_exr_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// The file's description of its colours: the source's while it is still true, else the one that readers
  /// do not assume.
  private static func chromaticities(_ picture: StillPicture) -> [Float]? {
    guard !picture.buffer.format.isDisparity else { return nil }
    if let gamut = picture.metadata.cameraGamut { return gamut.chromaticities }
    let primaries = picture.buffer.tags.primaries
    if let said = picture.metadata.chromaticities,
      (ColorTags.Primaries(chromaticities: said) ?? .bt709) == primaries
    {
      return said
    }
    guard primaries != .bt709 else { return nil }
    let points = PrimariesConversion.chromaticities(of: primaries)
    return points.flatMap { [Float($0.x), Float($0.y)] } + [0.3127, 0.3290]
  }

  private static func withUnsafePointers<Result>(
    _ names: [UnsafeMutablePointer<CChar>], _ planes: [UnsafeMutablePointer<Float>],
    _ chromaticities: [Float]?,
    _ body: (
      UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<Float>?>,
      UnsafePointer<Float>?
    ) -> Result
  ) -> Result {
    names.map { Optional(UnsafePointer($0)) }.withUnsafeBufferPointer { names in
      planes.map { Optional(UnsafePointer($0)) }.withUnsafeBufferPointer { planes in
        guard let chromaticities else {
          return body(names.baseAddress!, planes.baseAddress!, nil)
        }
        return chromaticities.withUnsafeBufferPointer {
          body(names.baseAddress!, planes.baseAddress!, $0.baseAddress)
        }
      }
    }
  }
}

extension PictureFrame {
  /// Turns planes of linear light into light of BT.709. Colours that it does not reach become negative.
  ///
  /// - Parameter chromaticities: x and y of red, green, blue and white.
  /// - Throws: `malformed` for points that span no colours.
  fileprivate func convert(from chromaticities: [Float], _ path: String) throws(CinematicError) {
    let points = stride(from: 0, to: 8, by: 2).map {
      (x: Double(chromaticities[$0]), y: Double(chromaticities[$0 + 1]))
    }
    guard
      let conversion = PrimariesConversion(
        from: Array(points[..<3]), white: points[3], to: .bt709)
    else {
      throw CinematicError(
        .malformed, "\(path) has chromaticities that are no colours: \(chromaticities)",
        remedy: "write it again with those of its colours, or with none")
    }
    pointer.pointee.color_primaries = AVCOL_PRI_BT709
    // Gray has white's colour.
    guard pixelFormat != AV_PIX_FMT_GRAYF32LE else { return }
    let rows = conversion.rows.map { SIMD3<Float>($0) }
    for y in 0..<dimensions.height {
      // Planes are green, blue, red.
      let planes = [2, 0, 1].map { row(y, ofPlane: $0).assumingMemoryBound(to: Float.self) }
      for x in 0..<dimensions.width {
        let color = SIMD3(planes[0][x], planes[1][x], planes[2][x])
        for index in 0..<3 { planes[index][x] = (rows[index] * color).sum() }
      }
    }
  }
}

extension ColorTags.Primaries {
  /// Those of x and y of red, green, blue and white; `nil` for others.
  init?(chromaticities: [Float]) {
    guard chromaticities.count >= 6 else { return nil }
    // All that are known have the white of D65.
    if chromaticities.count >= 8 {
      guard abs(chromaticities[6] - 0.3127) < 0.003, abs(chromaticities[7] - 0.3290) < 0.003 else {
        return nil
      }
    }
    let found = [ColorTags.Primaries.bt709, .displayP3, .bt2020].first { primaries in
      let points = PrimariesConversion.chromaticities(of: primaries)
      // Makers round to two or three digits.
      return zip(chromaticities, points.flatMap { [Float($0.x), Float($0.y)] }).allSatisfy {
        abs($0 - $1) < 0.003
      }
    }
    guard let found else { return nil }
    self = found
  }
}
