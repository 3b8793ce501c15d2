// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

/// A case's frames as a device rendered them.
struct FrameRun {
  /// The frames, in their order; a rendering to textures is copied into a picture of the same layout.
  var pictures: [PixelBuffer] = []
  /// Writes out of bounds.
  var breaches: [String]

  /// Renders a case between guard bands.
  ///
  /// - Parameters:
  ///   - sources: of each frame in flight.
  ///   - tilesAtOnce: as for ``GuardedBackend``.
  ///   - watcher: sees every dispatch.
  init(
    _ item: FrameCase, sources: [PixelBuffer], map: PixelBuffer, on device: Device,
    tilesAtOnce: Int? = nil, watcher: (any DispatchWatcher)? = nil
  ) throws(CinematicError) {
    let guarded = GuardedBackend(device.backend, tilesAtOnce: tilesAtOnce, watcher: watcher)
    let device = Device(backend: guarded)
    var attributes = RenderingSession.Attributes(
      blurScale: item.blurScale, apertureShape: item.aperture)
    attributes.highlights = item.highlights
    attributes.highlightThreshold = item.highlightThreshold
    attributes.mapEdges = item.mapEdges
    attributes.halvesThumbnails = item.halvesThumbnails
    attributes.workingMemoryLimit = item.workingMemoryLimit
    attributes.lensCharacter = item.character
    attributes.nearStrength = item.nearStrength
    attributes.farStrength = item.farStrength
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: attributes,
      preferredTransform: item.turn, quality: item.quality)
    let paddedMap = try GuardedPicture(map, padding: item.padding)
    let size = item.turn.applied(to: item.renderedSize ?? item.size)

    var buffers: [CommandBuffer] = []
    var targets: [Target] = []
    var paddedSources: [GuardedPicture] = []
    for (index, source) in sources.enumerated() {
      let buffer = session.commandQueue.makeCommandBuffer()
      let paddedSource = try GuardedPicture(source, padding: item.padding)
      let target = try Target(item, size: size, device: device, tags: source.tags)
      var frame = RenderingSession.FrameAttributes(
        focusDisparity: item.focus + 0.25 * Float(sources.count - 1 - index),
        fNumber: item.fNumber, toneMapping: item.isToneMapped ? item.toneMapping : nil)
      frame.view = item.view
      try target.encode(session, buffer, frame, paddedSource.buffer, paddedMap.buffer, item)
      buffers.append(buffer)
      targets.append(target)
      paddedSources.append(paddedSource)
    }
    for buffer in buffers { buffer.commit() }
    for buffer in buffers { buffer.waitUntilCompleted() }
    for buffer in buffers { if let error = buffer.error { throw error } }

    for target in targets { pictures.append(try target.picture()) }
    breaches = guarded.takeBreaches()
    let guards = targets.map(\.guarded) + paddedSources + [paddedMap]
    for offset in guards.compactMap({ $0?.firstBreach() }) {
      breaches.append("byte \(offset) of a picture, which is none of its pixels, was written")
    }
  }

  /// Where a frame goes.
  private struct Target {
    var guarded: GuardedPicture?
    var textures: [Texture] = []
    /// The buffers that the textures are copied to.
    var copy: PixelBuffer?

    init(
      _ item: FrameCase, size: Dimensions, device: Device, tags: ColorTags
    ) throws(CinematicError) {
      switch item.target {
      case .picture(let format, let tags):
        guarded = try GuardedPicture(
          dimensions: size, format: format, tags: tags, padding: item.padding)
      case .rgbaTexture(let format, let transfer):
        textures = [try Texture(device: device, format: format, dimensions: size)]
        let pixels: PixelFormat =
          format == .rgba8Unorm ? .rgba8 : format == .rgba16Float ? .rgbaHalf : .rgbaFloat
        var tags = tags
        tags.transfer = transfer
        copy = try PixelBuffer(
          dimensions: size, format: pixels, tags: tags, bytesPerRowAlignment: 4)
      case .lumaChromaTextures(let deep):
        let half = Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        textures = [
          try Texture(device: device, format: deep ? .r16Unorm : .r8Unorm, dimensions: size),
          try Texture(device: device, format: deep ? .rg16Unorm : .rg8Unorm, dimensions: half),
        ]
        copy = try PixelBuffer(
          dimensions: size, format: deep ? .yuv420Video10 : .yuv420Video8, tags: tags,
          bytesPerRowAlignment: 1)
      }
    }

    func encode(
      _ session: RenderingSession, _ buffer: CommandBuffer,
      _ frame: RenderingSession.FrameAttributes, _ source: PixelBuffer, _ map: PixelBuffer,
      _ item: FrameCase
    ) throws(CinematicError) {
      if let picture = guarded?.buffer, let layers = try item.makeLayers() {
        try session.encodeLayers(
          layers, to: buffer, source: .pixelBuffer(source), destination: .pixelBuffer(picture))
      } else if let picture = guarded?.buffer, item.hasMapTexture {
        let device = session.commandQueue.device
        let texture = try Texture(
          device: device, format: map.format == .disparityHalf ? .r16Float : .r32Float,
          dimensions: map.dimensions)
        try texture.setBytes(of: map)
        try session.encodeRender(
          to: buffer, frameAttributes: frame, source: .pixelBuffer(source),
          disparity: .texture(texture), destination: .pixelBuffer(picture))
      } else if let picture = guarded?.buffer, item.isTiled {
        try encodeTiles(of: picture, session, buffer, frame, source, map)
      } else if let picture = guarded?.buffer {
        try session.encodeRender(
          to: buffer, frameAttributes: frame,
          source: .pixelBuffer(source, alpha: item.sourceAlpha), disparity: .pixelBuffer(map),
          destination: .pixelBuffer(picture, alpha: item.destinationAlpha))
      } else if textures.count == 1, case .rgbaTexture(_, let transfer) = item.target {
        try session.encodeRender(
          to: buffer, frameAttributes: frame, sourceImage: source, sourceDisparity: map,
          destinationRGBA: textures[0], destinationTransfer: transfer)
      } else {
        try session.encodeRender(
          to: buffer, frameAttributes: frame, sourceImage: source, sourceDisparity: map,
          destinationLuma: textures[0], destinationChroma: textures[1])
      }
    }

    private func encodeTiles(
      of destination: PixelBuffer, _ session: RenderingSession, _ buffer: CommandBuffer,
      _ frame: RenderingSession.FrameAttributes, _ source: PixelBuffer, _ map: PixelBuffer
    ) throws(CinematicError) {
      let tiles = try ImageRenderingSession(
        commandQueue: session.commandQueue, sessionAttributes: session.sessionAttributes,
        quality: session.quality)
      let picture = try tiles.makeTiledPicture(
        size: source.dimensions, disparity: .pixelBuffer(map), frameAttributes: frame)
      func part(_ whole: PixelBuffer, _ rect: PixelRect) -> RenderingSession.Picture {
        .pixelBuffer(whole.part(columns: rect.columns, rows: rect.rows))
      }
      // Committed before the first tile is.
      let backdrop = session.commandQueue.makeCommandBuffer()
      for strip in picture.strips(rows: source.height / 4) {
        let read = picture.minimumTileExtendRect(forTileRect: strip)
        try tiles.encodeBackdrop(
          to: backdrop, of: picture, rows: strip.rows, sourceTile: part(source, read),
          tileExtendRect: read)
      }
      backdrop.commit()
      let middle = source.height / 2
      for rows in [0..<middle, middle..<source.height] {
        let tile = PixelRect(columns: 0..<source.width, rows: rows)
        let read = picture.minimumTileExtendRect(forTileRect: tile)
        try tiles.encodeTileRender(
          to: buffer, of: picture, sourceTile: part(source, read), tileExtendRect: read,
          destinationTile: part(destination, tile), tileRect: tile)
      }
    }

    func picture() throws(CinematicError) -> PixelBuffer {
      guard let copy else { return guarded!.buffer }
      for (index, texture) in textures.enumerated() {
        var bytes = [UInt8](repeating: 0, count: texture.bytesPerRow * texture.dimensions.height)
        try bytes.withUnsafeMutableBytes { bytes in
          Result { () throws(CinematicError) in try texture.getBytes(bytes) }
        }.get()
        let stride = copy.planes[index].bytesPerRow
        copy.withUnsafeMutableBytes(ofPlane: index) { target in
          for y in 0..<texture.dimensions.height {
            for x in 0..<texture.bytesPerRow {
              target[y * stride + x] = bytes[y * texture.bytesPerRow + x]
            }
          }
        }
      }
      return copy
    }
  }
}

extension Texture {
  /// Copies a map of the texture's size and format to it.
  fileprivate func setBytes(of map: PixelBuffer) throws(CinematicError) {
    let bytes = map.pixelBytes()
    let result: Result<Void, CinematicError> = bytes.withUnsafeBytes { bytes in
      Result { () throws(CinematicError) in try setBytes(bytes) }
    }
    try result.get()
  }
}
