// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// OpenEXR: linear light and maps, in halves and floats.
enum OpenEXRFormat: StillFormat {
  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    let picture = try OpenEXRPicture(OpenEXRFile(bytes, request), request)
    return try picture.frame(0..<picture.dimensions.height)
  }

  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame? {
    let file = try OpenEXRFile(bytes, request)
    if request.content == .mask,
      let picture = try? OpenEXRSelection(picture: request.layer, of: file), picture.hasAlpha
    {
      return nil
    }
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
          remedy: "name a channel with \(parameter: .channel)")
      }
    }
    return try file.frame([selection.channels[0]], of: selection.part)
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    let rows = try OpenEXRRowSink(picture, RowLayout(picture), nil)
    try rows.write(picture.buffer)
    return try rows.bytes()
  }

  /// The file's description of its colours: the source's while it is still true, else the one that readers
  /// do not assume.
  static func chromaticities(_ picture: StillPicture) -> [Float]? {
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
}

/// The picture of an OpenEXR file, some rows at a time.
struct OpenEXRPicture {
  let dimensions: Dimensions
  private let file: OpenEXRFile
  private let selection: OpenEXRSelection
  private let metadata: PictureMetadata
  private let primaries: AVColorPrimaries
  /// To light of BT.709's primaries.
  private let conversion: PrimariesConversion?

  /// - Throws: as ``OpenEXRSelection/init(picture:of:)``; `malformed` for points that span no colours.
  init(_ file: OpenEXRFile, _ request: StillRequest) throws(CinematicError) {
    let selection = try OpenEXRSelection(picture: request.layer, of: file)
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
    var (primaries, conversion) = (AVCOL_PRI_UNSPECIFIED, PrimariesConversion?.none)
    if let chromaticities = metadata.chromaticities {
      if let known = ColorTags.Primaries(chromaticities: chromaticities) {
        let tags = ColorTags(primaries: known, transfer: .linear, matrix: .bt709)
        primaries = AVColorPrimaries(ColorCodes(tags).primaries)
      } else if !request.keepsChromaticities {
        conversion = try Self.conversion(from: chromaticities, request.path)
        primaries = AVCOL_PRI_BT709
        metadata.chromaticities = nil
        metadata.assumption = "has light of primaries of its own, which becomes that of BT.709"
      }
    }
    self.file = file
    self.selection = selection
    self.metadata = metadata
    self.primaries = primaries
    self.conversion = conversion
    dimensions = Dimensions(
      width: selection.part.display.width, height: selection.part.display.height)
  }

  /// - Parameter chromaticities: x and y of red, green, blue and white.
  private static func conversion(
    from chromaticities: [Float], _ path: String
  ) throws(CinematicError) -> PrimariesConversion {
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
    return conversion
  }

  /// - Throws: `unreadable` where another program has written the file since it was opened.
  func checkVersion() throws(CinematicError) { try file.checkVersion() }

  /// Planes of linear light. Rows in order are decoded once.
  ///
  /// - Throws: as ``OpenEXRFile/frame(_:of:rows:)``.
  func frame(_ rows: Range<Int>) throws(CinematicError) -> PictureFrame {
    let frame = try file.frame(selection.channels, of: selection.part, rows: rows)
    frame.metadata = metadata
    if primaries != AVCOL_PRI_UNSPECIFIED { frame.pointer.pointee.color_primaries = primaries }
    if let conversion { frame.convert(conversion) }
    return frame
  }
}

extension PictureFrame {
  /// Turns planes of linear light into light of BT.709. Colours that it does not reach become negative.
  fileprivate func convert(_ conversion: PrimariesConversion) {
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
