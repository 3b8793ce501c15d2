// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import DeviceDoubles
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Tiles of a picture hold the bits of the picture rendered whole.
@Suite struct TileTests {
  private static func attributes(_ item: RenderCase) -> RenderingSession.FrameAttributes {
    item.frame
  }

  private static func whole(
    _ item: RenderCase, size: Dimensions? = nil, alpha: AlphaMode? = nil, format: PixelFormat,
    tags: ColorTags, on device: Device = .cpu()
  ) throws -> PixelBuffer {
    let session = try ImageRenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: item.session,
      quality: item.quality)
    let destination = try PixelBuffer(
      dimensions: size ?? item.source.dimensions, format: format, tags: tags)
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: item.frame, source: .pixelBuffer(item.source, alpha: alpha),
      disparity: .pixelBuffer(item.disparity), destination: .pixelBuffer(destination))
    buffer.commit()
    buffer.waitUntilCompleted()
    if let error = buffer.error { throw error }
    return destination
  }

  private static func part(_ buffer: PixelBuffer, _ rect: PixelRect) -> PixelBuffer {
    buffer.part(columns: rect.columns, rows: rect.rows)
  }

  /// A part of a picture as a picture of its own memory, as a caller reads it from a file.
  private static func copy(_ buffer: PixelBuffer, _ rect: PixelRect) throws -> PixelBuffer {
    let part = part(buffer, rect)
    let copy = try PixelBuffer(
      dimensions: rect.dimensions, format: buffer.format, tags: buffer.tags)
    let count = rect.width * part.planes[0].bytesPerElement
    part.withUnsafeBytes { from in
      copy.withUnsafeMutableBytes { to in
        for y in 0..<rect.height {
          (to.baseAddress! + y * copy.planes[0].bytesPerRow).copyMemory(
            from: from.baseAddress! + y * part.planes[0].bytesPerRow, byteCount: count)
        }
      }
    }
    return copy
  }

  /// Renders tiles and compares each with its place in the whole picture.
  private static func compare(
    _ item: RenderCase, size: Dimensions? = nil, tiles: [PixelRect], backdropRows: Int,
    alpha: AlphaMode? = nil,
    format: PixelFormat = .rgba8, tags: ColorTags = .sRGB, limit: Int? = nil,
    on device: Device = .cpu()
  ) throws {
    let whole = try whole(item, size: size, alpha: alpha, format: format, tags: tags, on: device)
    var attributes = item.session
    attributes.workingMemoryLimit = limit
    let session = try ImageRenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: attributes,
      quality: item.quality)
    let picture = try session.makeTiledPicture(
      size: size ?? item.source.dimensions, sourceSize: item.source.dimensions,
      disparity: .pixelBuffer(item.disparity), frameAttributes: item.frame, alpha: alpha)
    var done: [CommandBuffer] = []
    if picture.needsBackdrop {
      #expect(!picture.hasBackdrop)
      let buffer = session.commandQueue.makeCommandBuffer()
      for strip in picture.strips(rows: backdropRows) {
        let rect = picture.minimumTileExtendRect(forTileRect: strip)
        try session.encodeBackdrop(
          to: buffer, of: picture, rows: strip.rows,
          sourceTile: .pixelBuffer(copy(item.source, rect)), tileExtendRect: rect)
      }
      buffer.commit()
      done.append(buffer)
    }
    #expect(picture.hasBackdrop)
    for tile in tiles {
      let rect = picture.minimumTileExtendRect(forTileRect: tile)
      let destination = try PixelBuffer(dimensions: tile.dimensions, format: format, tags: tags)
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeTileRender(
        to: buffer, of: picture, sourceTile: .pixelBuffer(copy(item.source, rect)),
        tileExtendRect: rect, destinationTile: .pixelBuffer(destination), tileRect: tile)
      buffer.commit()
      done.append(buffer)
      buffer.waitUntilCompleted()
      #expect(buffer.error == nil)
      let wanted = try copy(whole, tile).pixelBytes()
      let differing = zip(destination.pixelBytes(), wanted).count { $0 != $1 }
      #expect(differing == 0, "\(tile) of \(item.source.dimensions)")
    }
    for buffer in done { #expect(buffer.error == nil) }
  }

  /// Tiles of a grid whose sides are no multiples of anything.
  private static func grid(_ size: Dimensions, _ width: Int, _ height: Int) -> [PixelRect] {
    stride(from: 0, to: size.height, by: height).flatMap { y in
      stride(from: 0, to: size.width, by: width).map { x in
        PixelRect(
          x: x, y: y, width: min(width, size.width - x), height: min(height, size.height - y))
      }
    }
  }

  @Test(arguments: RenderingQuality.allCases, CutScene.MapKind.allCases)
  func everyTileHoldsTheSameBits(_ quality: RenderingQuality, _ kind: CutScene.MapKind) throws {
    let item = try CutScene.renderCase(kind, quality, width: 61, height: 1203)
    try Self.compare(
      item, tiles: Self.grid(item.source.dimensions, 37, 277), backdropRows: 300)
  }

  /// Sizes around what the layers are worked on at once; most of all small ones.
  @Test(arguments: [(1, 1), (5, 3), (40, 33), (129, 64), (17, 130), (33, 257), (20, 1025)])
  func sizes(_ width: Int, _ height: Int) throws {
    for quality in RenderingQuality.allCases {
      let item = try CutScene.renderCase(
        .exact, quality, width: width, height: height, radius: min(5, 4 * Float(width)))
      try Self.compare(
        item, tiles: Self.grid(item.source.dimensions, 50, 48), backdropRows: 64)
    }
  }

  /// Thumbnails that are worked on at half their size.
  @Test(arguments: [CutScene.MapKind.exact, .exactWithLines, .blurredWithHoles])
  func halvedPictures(_ kind: CutScene.MapKind) throws {
    let item = try CutScene.renderCase(kind, .thumbnail, width: 401, height: 2003, radius: 20)
    try Self.compare(
      item,
      tiles: [
        PixelRect(x: 3, y: 701, width: 31, height: 90),
        PixelRect(x: 0, y: 0, width: 401, height: 1),
        PixelRect(x: 400, y: 2002, width: 1, height: 1),
        PixelRect(x: 100, y: 1000, width: 60, height: 500),
      ], backdropRows: 512)
  }

  /// Circles from hardly visible to beyond what is drawn; none at all.
  @Test(arguments: [Float(0), 0.5, 30, 320]) func radii(_ radius: Float) throws {
    let item = try CutScene.renderCase(
      .blurredWithHoles, .export, width: 75, height: 1601, radius: radius)
    try Self.compare(
      item,
      tiles: [
        PixelRect(x: 3, y: 700, width: 31, height: 90), PixelRect(x: 0, y: 0, width: 75, height: 1),
        PixelRect(x: 74, y: 1600, width: 1, height: 1),
      ], backdropRows: 512)
  }

  /// Tiles of a picture that is made smaller or larger on the way.
  @Test(arguments: [(30, 602), (61, 1203), (59, 1187), (122, 2406), (7, 138), (92, 1814)])
  func otherSizes(_ width: Int, _ height: Int) throws {
    let size = Dimensions(width: width, height: height)
    for quality in [RenderingQuality.preview, .exportHigh] {
      for limit in [nil, 1_500_000] {
        let item = try CutScene.renderCase(.blurred, quality, width: 61, height: 1203, radius: 6)
        try Self.compare(
          item, size: size, tiles: Self.grid(size, 41, 277), backdropRows: 300, limit: limit)
      }
    }
    let item = try CutScene.renderCase(.blurred, .export, width: 61, height: 1203, radius: 0)
    try Self.compare(item, size: size, tiles: Self.grid(size, 41, 277), backdropRows: 300)
    let light = try CutScene.renderCase(.exact, .export, width: 61, height: 1203, radius: 9)
    try Self.compare(
      light, size: size, tiles: Self.grid(size, 41, 277), backdropRows: 300, format: .rgbaFloat,
      tags: .linearBT709)
  }

  /// Tiles that are turned as they are written hold the bits of the picture that is turned as a whole.
  @Test(arguments: QuarterTurn.allCases, [PixelFormat.rgba8, .rgbaFloat])
  func turned(_ turn: QuarterTurn, _ format: PixelFormat) throws {
    let item = try CutScene.renderCase(.blurred, .export, width: 61, height: 903, radius: 6)
    let size = Dimensions(width: 58, height: 859)
    let tags: ColorTags = format == .rgba8 ? .sRGB : .linearBT709
    let queue = try CommandQueue(device: .cpu())
    let session = try RenderingSession(
      commandQueue: queue, sessionAttributes: item.session, preferredTransform: turn,
      quality: item.quality)
    let whole = try PixelBuffer(dimensions: turn.applied(to: size), format: format, tags: tags)
    let buffer = queue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: item.frame, source: .pixelBuffer(item.source),
      disparity: .pixelBuffer(item.disparity), destination: .pixelBuffer(whole))
    let tiles = try ImageRenderingSession(
      commandQueue: queue, sessionAttributes: item.session, quality: item.quality)
    let picture = try tiles.makeTiledPicture(
      size: size, sourceSize: item.source.dimensions, preferredTransform: turn,
      disparity: .pixelBuffer(item.disparity), frameAttributes: item.frame)
    for strip in picture.strips(rows: 256) {
      let rect = picture.minimumTileExtendRect(forTileRect: strip)
      try tiles.encodeBackdrop(
        to: buffer, of: picture, rows: strip.rows,
        sourceTile: .pixelBuffer(Self.part(item.source, rect)), tileExtendRect: rect)
    }
    var written: [(PixelRect, PixelBuffer)] = []
    for rect in Self.grid(size, 37, 250) {
      let extend = picture.minimumTileExtendRect(forTileRect: rect)
      let tile = try PixelBuffer(
        dimensions: turn.applied(to: rect.dimensions), format: format, tags: tags)
      try tiles.encodeTileRender(
        to: buffer, of: picture, sourceTile: .pixelBuffer(Self.part(item.source, extend)),
        tileExtendRect: extend, destinationTile: .pixelBuffer(tile), tileRect: rect)
      written.append((rect.turned(by: turn, in: size), tile))
    }
    buffer.commit()
    buffer.waitUntilCompleted()
    #expect(buffer.error == nil)
    for (rect, tile) in written {
      let isSame = try tile.pixelBytes() == Self.copy(whole, rect).pixelBytes()
      #expect(isSame, "\(rect)")
    }
  }

  /// The last strip ends with the picture, wherever that is: of whole units, of a row more or less, of a part of one.
  @Test(arguments: [895, 896, 897, 903, 960]) func lastStrips(_ height: Int) throws {
    let item = try CutScene.renderCase(.exact, .preview, width: 60, height: height)
    for rows in [64, 512, height] {
      try Self.compare(
        item, tiles: [PixelRect(x: 0, y: height - 30, width: 60, height: 30)], backdropRows: rows)
    }
  }

  /// A row that becomes a column of a byte a row, on a device that binds as much as there is.
  @Test(arguments: [QuarterTurn.clockwise90, .clockwise270])
  func columns(_ turn: QuarterTurn) throws {
    let size = Dimensions(width: 300, height: 64)
    let codes = (0..<size.count).map { UInt8(($0 * 7 + $0 / size.width * 13) & 255) }
    let source = try PixelBuffer(dimensions: size, format: .gray8, values: codes)
    let map = try PixelBuffer.disparity(2, 2) { _, _ in 0.5 }
    let session = try ImageRenderingSession(
      commandQueue: CommandQueue(device: .cpu()), quality: .export)
    let picture = try session.makeTiledPicture(
      size: size, preferredTransform: turn, disparity: .pixelBuffer(map),
      frameAttributes: .init(focusDisparity: 0.5, fNumber: .infinity))
    let column = try Texture(
      device: session.commandQueue.device, format: .r8Unorm,
      dimensions: Dimensions(width: 1, height: 100))
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeTileRender(
      to: buffer, of: picture, sourceTile: .pixelBuffer(source), tileExtendRect: PixelRect(size),
      destinationTile: .texture(column, tags: .sRGB),
      tileRect: PixelRect(x: 100, y: 5, width: 100, height: 1))
    buffer.commit()
    buffer.waitUntilCompleted()
    #expect(buffer.error == nil)
    var bytes = [UInt8](repeating: 0, count: 100)
    try bytes.withUnsafeMutableBytes { bytes in
      Result { () throws(CinematicError) in try column.getBytes(bytes) }
    }.get()
    let row = Array(codes[(5 * size.width + 100)...].prefix(100))
    #expect(bytes == (turn == .clockwise90 ? row : row.reversed()))
  }

  /// A backdrop whose buffer failed is not there: tiles on their way fail with it, later ones are refused, and
  /// strips can be encoded again.
  @Test func failedBackdrop() throws {
    let item = try CutScene.renderCase(.exact, .export, width: 60, height: 903)
    let tile = PixelRect(x: 0, y: 300, width: 60, height: 150)
    // A submission each for two strips and two tiles: the second fails, and all behind it.
    let device = Device.faulty(.lost(from: 1))
    let session = try ImageRenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: item.session,
      quality: item.quality)
    let picture = try session.makeTiledPicture(
      size: item.source.dimensions, disparity: .pixelBuffer(item.disparity),
      frameAttributes: item.frame)
    let strips = picture.strips(rows: 512)
    func backdrop(_ strip: PixelRect) throws -> CommandBuffer {
      let rect = picture.minimumTileExtendRect(forTileRect: strip)
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeBackdrop(
        to: buffer, of: picture, rows: strip.rows,
        sourceTile: .pixelBuffer(Self.part(item.source, rect)), tileExtendRect: rect)
      return buffer
    }
    let buffers = try strips.map(backdrop)
    try #require(buffers.count == 2)
    #expect(picture.hasBackdrop)
    for buffer in buffers { buffer.commit() }
    buffers[1].waitUntilCompleted()
    #expect(buffers[0].error == nil && buffers[1].error?.code == .deviceLost)
    #expect(!picture.hasBackdrop)
    let rect = picture.minimumTileExtendRect(forTileRect: tile)
    let destination = try PixelBuffer(dimensions: tile.dimensions, format: .rgba8)
    let refused = #expect(throws: CinematicError.self) {
      try session.encodeTileRender(
        to: session.commandQueue.makeCommandBuffer(), of: picture,
        sourceTile: .pixelBuffer(Self.part(item.source, rect)), tileExtendRect: rect,
        destinationTile: .pixelBuffer(destination), tileRect: tile)
    }
    #expect(refused?.code == .invalidState)
    _ = try backdrop(strips[1])
    #expect(picture.hasBackdrop)
  }

  /// A tile that is committed while a backdrop is not made has no result, whatever the device did.
  @Test func unmadeBackdrop() throws {
    let item = try CutScene.renderCase(.exact, .export, width: 60, height: 903)
    let session = try ImageRenderingSession(
      commandQueue: CommandQueue(device: .cpu()), sessionAttributes: item.session,
      quality: item.quality)
    let picture = try session.makeTiledPicture(
      size: item.source.dimensions, disparity: .pixelBuffer(item.disparity),
      frameAttributes: item.frame)
    let whole = PixelRect(item.source.dimensions)
    let destination = try PixelBuffer(dimensions: whole.dimensions, format: .rgba8)
    let backdrop = session.commandQueue.makeCommandBuffer()
    try session.encodeBackdrop(
      to: backdrop, of: picture, rows: whole.rows, sourceTile: .pixelBuffer(item.source),
      tileExtendRect: whole)
    func tile() throws -> CommandBuffer {
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeTileRender(
        to: buffer, of: picture, sourceTile: .pixelBuffer(item.source), tileExtendRect: whole,
        destinationTile: .pixelBuffer(destination), tileRect: whole)
      buffer.commit()
      buffer.waitUntilCompleted()
      return buffer
    }
    #expect(try tile().error?.code == .invalidState)
    backdrop.commit()
    #expect(try tile().error == nil)
    let wanted = try Self.whole(item, format: .rgba8, tags: .sRGB).pixelBytes()
    let isSame = destination.pixelBytes() == wanted
    #expect(isSame)
  }

  /// Tiles whose own working memory is limited are cut again.
  @Test func limitedMemory() throws {
    let item = try CutScene.renderCase(.blurred, .export, width: 60, height: 2003)
    try Self.compare(
      item, tiles: Self.grid(item.source.dimensions, 60, 900), backdropRows: 2003,
      limit: 1_000_000)
  }

  @Test(arguments: [PixelFormat.rgbaHalf, .rgbaFloat, .gray16]) func formats(
    _ format: PixelFormat
  ) throws {
    var item = try CutScene.renderCase(.sharpSmall, .preview, width: 50, height: 700)
    let tags = format == .gray16 ? ColorTags.sRGB : .linearBT709
    item.source = try item.source.converted(to: format, tags: tags)
    try Self.compare(
      item, tiles: Self.grid(item.source.dimensions, 50, 333), backdropRows: 128, format: format,
      tags: tags)
  }

  @Test(arguments: [AlphaMode.straight, .premultiplied]) func alpha(_ mode: AlphaMode) throws {
    let item = try CutScene.renderCase(.exact, .export, width: 55, height: 900)
    let source = item.source
    source.withUnsafeMutableBytes { bytes in
      for y in 0..<source.height {
        for x in 0..<source.width {
          bytes.storeBytes(
            of: [0, 0.25, 1][(x / 9 + y / 20) % 3],
            toByteOffset: y * source.planes[0].bytesPerRow + 16 * x + 12, as: Float.self)
        }
      }
    }
    try Self.compare(
      item, tiles: Self.grid(source.dimensions, 55, 256), backdropRows: 256, alpha: mode)
  }

  @Test(arguments: TestDevices.graphics) func everyDevice(_ device: Device) throws {
    let item = try CutScene.renderCase(.blurred, .export, width: 60, height: 1203)
    try Self.compare(
      item, tiles: Self.grid(item.source.dimensions, 60, 500), backdropRows: 640, on: device)
    let wanted = try Self.whole(item, format: .rgba8, tags: .sRGB).pixelBytes()
    #expect(
      try Self.whole(item, format: .rgba8, tags: .sRGB, on: device).pixelBytes() == wanted)
  }

  /// Textures on the device are tiles, too.
  @Test(arguments: [Device.cpu()] + TestDevices.graphics) func textures(_ device: Device) throws {
    let item = try CutScene.renderCase(.exact, .export, width: 60, height: 903)
    let wanted = try Self.whole(
      item, format: .rgbaFloat, tags: .linearBT709, on: device)
    let session = try ImageRenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: item.session,
      quality: item.quality)
    let picture = try session.makeTiledPicture(
      size: item.source.dimensions, disparity: .pixelBuffer(item.disparity),
      frameAttributes: item.frame)
    let tile = PixelRect(x: 7, y: 300, width: 41, height: 150)
    let destination = try Texture(
      device: device, format: .rgba32Float, dimensions: tile.dimensions)
    let buffer = session.commandQueue.makeCommandBuffer()
    func texture(_ rect: PixelRect) throws -> RenderingSession.Picture {
      let texture = try Texture(device: device, format: .rgba32Float, dimensions: rect.dimensions)
      let bytes = try Self.copy(item.source, rect).pixelBytes()
      try bytes.withUnsafeBytes { bytes in
        Result { () throws(CinematicError) in try texture.setBytes(bytes) }
      }.get()
      return .texture(texture, tags: item.source.tags)
    }
    for strip in picture.strips(rows: 320) {
      let rect = picture.minimumTileExtendRect(forTileRect: strip)
      try session.encodeBackdrop(
        to: buffer, of: picture, rows: strip.rows, sourceTile: texture(rect), tileExtendRect: rect)
    }
    let rect = picture.minimumTileExtendRect(forTileRect: tile)
    try session.encodeTileRender(
      to: buffer, of: picture, sourceTile: texture(rect), tileExtendRect: rect,
      destinationTile: .texture(destination, tags: .linearBT709), tileRect: tile)
    buffer.commit()
    buffer.waitUntilCompleted()
    #expect(buffer.error == nil)
    var bytes = [UInt8](repeating: 0, count: 16 * tile.dimensions.count)
    try bytes.withUnsafeMutableBytes { bytes in
      Result { () throws(CinematicError) in try destination.getBytes(bytes) }
    }.get()
    #expect(bytes == (try Self.copy(wanted, tile).pixelBytes()))
  }

  @Test func refusals() throws {
    let item = try CutScene.renderCase(.exact, .preview, width: 60, height: 903)
    let session = try ImageRenderingSession(
      commandQueue: CommandQueue(device: .cpu()), sessionAttributes: item.session,
      quality: item.quality)
    let picture = try session.makeTiledPicture(
      size: item.source.dimensions, disparity: .pixelBuffer(item.disparity),
      frameAttributes: item.frame)
    let tile = PixelRect(x: 0, y: 128, width: 60, height: 64)
    let rect = picture.minimumTileExtendRect(forTileRect: tile)
    let destination = try PixelBuffer(dimensions: tile.dimensions, format: .rgba8)
    let buffer = session.commandQueue.makeCommandBuffer()
    func render(_ extend: PixelRect, _ tile: PixelRect, _ target: PixelBuffer) -> CinematicError? {
      do throws(CinematicError) {
        try session.encodeTileRender(
          to: buffer, of: picture,
          sourceTile: .pixelBuffer(Self.part(item.source, extend)), tileExtendRect: extend,
          destinationTile: .pixelBuffer(target), tileRect: tile)
        return nil
      } catch {
        return error
      }
    }
    #expect(render(rect, tile, destination)?.code == .invalidState)
    #expect(render(tile, tile, destination)?.code == .invalidParameter)
    let outside = PixelRect(x: 1, y: 128, width: 60, height: 64)
    #expect(render(rect, outside, destination)?.code == .invalidParameter)
    let whole = PixelRect(item.source.dimensions)
    for rows in [Int.min..<Int.min + 64, Int.max - 64..<Int.max, -64..<0, 903..<967] {
      let error = render(whole, PixelRect(columns: 0..<60, rows: rows), destination)
      #expect(error?.code == .invalidParameter, "\(rows)")
    }
    let luma = try PixelBuffer(dimensions: tile.dimensions, format: .yuv420Full8)
    #expect(render(rect, tile, luma)?.code == .unsupported)
    func backdrop(_ rows: Range<Int>) -> CinematicError? {
      do throws(CinematicError) {
        try session.encodeBackdrop(
          to: buffer, of: picture, rows: rows, sourceTile: .pixelBuffer(item.source),
          tileExtendRect: PixelRect(item.source.dimensions))
        return nil
      } catch {
        return error
      }
    }
    #expect(backdrop(10..<64)?.code == .invalidParameter)
    #expect(backdrop(0..<100)?.code == .invalidParameter)
    // No rows of the picture, and none at all.
    for rows in [
      -64..<64, -64..<0, 128..<128, 903..<903, 832..<960, 896..<960, 960..<64_000, 0..<64_000,
      Int.min..<Int.max,
    ] {
      let error = backdrop(rows)
      #expect(error?.code == .invalidParameter && error?.remedy != nil, "\(rows)")
      #expect(!picture.hasBackdrop, "\(rows)")
    }
    #expect(backdrop(0..<903) == nil && picture.hasBackdrop)
    #expect(render(rect, tile, destination) == nil)
    let own = item.source.part(columns: tile.columns, rows: tile.rows)
    #expect(render(rect, tile, own)?.code == .incompatible)
    let other = try ImageRenderingSession(
      commandQueue: session.commandQueue, quality: item.quality)
    #expect(throws: CinematicError.self) {
      try other.encodeBackdrop(
        to: buffer, of: picture, rows: 0..<903, sourceTile: .pixelBuffer(item.source),
        tileExtendRect: PixelRect(item.source.dimensions))
    }
  }
}
