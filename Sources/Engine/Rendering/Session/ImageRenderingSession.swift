// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Renders pictures of any size: whole, or tile by tile where a picture does not fit into memory.
///
/// ```swift
/// let session = try ImageRenderingSession(commandQueue: queue, quality: .export)
/// let picture = try session.makeTiledPicture(
///   size: size, disparity: .pixelBuffer(map), frameAttributes: attributes)
/// let strips = picture.strips(rows: 512)
/// for strip in strips where picture.needsBackdrop {
///   let rect = picture.minimumTileExtendRect(forTileRect: strip)
///   try session.encodeBackdrop(
///     to: buffer, of: picture, rows: strip.rows, sourceTile: read(rect), tileExtendRect: rect)
/// }
/// for strip in strips {
///   let rect = picture.minimumTileExtendRect(forTileRect: strip)
///   try session.encodeTileRender(
///     to: buffer, of: picture, sourceTile: read(rect), tileExtendRect: rect,
///     destinationTile: tile, tileRect: strip)
/// }
/// ```
///
/// Tiles are bit-identical to the picture rendered whole. Surfaces behind a near one are found in a
/// pyramid that needs the whole picture; its coarse levels, the *backdrop*, are made once, from strips, and
/// shared by all tiles. So a picture is read twice, and little of it is held: for 200 megapixels the
/// backdrop takes 40 MB.
public final class ImageRenderingSession: Sendable {
  private let session: RenderingSession

  public var commandQueue: CommandQueue { session.commandQueue }
  public var sessionAttributes: RenderingSession.Attributes { session.sessionAttributes }
  public var quality: RenderingQuality { session.quality }
  /// Bytes of working memory that the session holds on its device, without the backdrops of pictures.
  public var workingMemoryByteCount: Int { session.workingMemoryByteCount }

  /// The formats of tiles: those of one plane.
  public static let tilePixelFormats = RenderingSession.sourcePixelFormats.filter {
    !$0.isBiPlanar
  }

  /// - Throws: as ``RenderingSession/init(commandQueue:sessionAttributes:preferredTransform:quality:)``.
  public init(
    commandQueue: CommandQueue,
    sessionAttributes: RenderingSession.Attributes = RenderingSession.Attributes(),
    quality: RenderingQuality
  ) throws(CinematicError) {
    session = try RenderingSession(
      commandQueue: commandQueue, sessionAttributes: sessionAttributes, quality: quality)
  }

  /// Encodes the rendering of a whole picture: see
  /// ``RenderingSession/encodeRender(to:frameAttributes:source:disparity:destination:)``.
  public func encodeRender(
    to commandBuffer: CommandBuffer, frameAttributes: RenderingSession.FrameAttributes,
    source: RenderingSession.Picture, disparity: RenderingSession.DisparityMap,
    destination: RenderingSession.Picture
  ) throws(CinematicError) {
    try session.encodeRender(
      to: commandBuffer, frameAttributes: frameAttributes, source: source, disparity: disparity,
      destination: destination)
  }

  // MARK: - Tiles

  /// Begins a picture that is rendered tile by tile.
  ///
  /// - Parameters:
  ///   - size: of the whole picture as it is rendered, which lies as its source does.
  ///   - sourceSize: of the whole source, where it is another: it is resampled in linear light, to either
  ///     size.
  ///   - preferredTransform: turns tiles as they are written. Their places are named before the turn.
  ///   - disparity: of the whole picture, of any size. A map in host memory is measured here; of a
  ///     texture `info` must be given.
  ///   - alpha: how the colours of sources with alpha are stored; `nil` for opaque ones.
  /// - Throws: `invalidParameter` for a size, attributes or a map outside their ranges, `incompatible` for a
  ///   source of another shape, `unsupported` for a map of another format, `outOfMemory`.
  public func makeTiledPicture(
    size: Dimensions, sourceSize: Dimensions? = nil,
    preferredTransform: QuarterTurn = .identity, disparity: RenderingSession.DisparityMap,
    frameAttributes: RenderingSession.FrameAttributes, alpha: AlphaMode? = nil
  ) throws(CinematicError) -> TiledPicture {
    try frameAttributes.validate()
    try disparity.validate(for: commandQueue.device)
    let valid = 1...PixelBuffer.maximumDimension
    for size in [size, sourceSize ?? size] {
      guard valid.contains(size.width), valid.contains(size.height) else {
        throw CinematicError(
          .invalidParameter, "a picture of \(size) pixels cannot be rendered",
          remedy: "width and height must be 1 to \(PixelBuffer.maximumDimension)")
      }
    }
    try RenderingSession.validateShape(of: size, for: sourceSize ?? size)
    let info = try session.readInfo(of: disparity) { _ throws(CinematicError) in
      throw CinematicError(
        .invalidParameter, "nothing is known of the map on the device",
        remedy: "give its DisparityMapInfo")
    }
    let blur = try session.state.withLock { state in
      Result { () throws(CinematicError) in
        try session.blur(size, frameAttributes, disparity, info, &state)
      }
    }.get()
    return try TiledPicture(
      size, sourceSize ?? size, preferredTransform, frameAttributes, alpha, session, blur,
      mapBytes: blur == nil ? [] : disparity.planeBytes)
  }

  /// Encodes a strip of what lies behind. All strips are encoded before the first tile, to the same queue,
  /// and committed in the order of their encoding.
  ///
  /// - Parameters:
  ///   - rows: those of one of ``TiledPicture/strips(rows:)``, or of several that follow each other.
  ///   - sourceTile: a part of the source, of its whole width.
  ///   - tileExtendRect: where it lies: at least ``TiledPicture/minimumTileExtendRect(forTileRect:)``.
  /// - Throws: `invalidParameter` for rows that are no strip or a part of the source that is too small,
  ///   `unsupported` for a format that is not in ``tilePixelFormats``, `incompatible` for a command
  ///   buffer or a picture of another queue.
  public func encodeBackdrop(
    to commandBuffer: CommandBuffer, of picture: TiledPicture, rows: Range<Int>,
    sourceTile: RenderingSession.Picture, tileExtendRect: PixelRect
  ) throws(CinematicError) {
    guard picture.isStrip(rows) else {
      throw CinematicError(
        .invalidParameter,
        "a backdrop of a picture of \(picture.size) cannot be made of the rows \(rows)",
        remedy: "take those of TiledPicture.strips(rows:)")
    }
    try validate(commandBuffer, picture, rows, sourceTile, tileExtendRect)
    guard let blur = picture.blur, picture.needsBackdrop else { return }
    let isLast = picture.encode(rows)
    commandBuffer.addConclusion { error in
      picture.settle(rows, error)
      return nil
    }
    let scale = picture.layerScale
    let layerRows = rows.lowerBound / scale..<(rows.upperBound + scale - 1) / scale
    let source = Self.part(
      sourceTile.stored(access: .read), tileExtendRect, of: picture.sourceSize)
    commandBuffer.encode { [session] run throws(CinematicError) in
      let passes = try session.bind(picture, rows.count, run) { cut in
        FramePasses(
          backdrop: picture.backdrop, addingRows: layerRows, isLast: isLast,
          picture.frame(source, picture.unwritten, nil), blur: blur, cut: cut)
      }
      picture.plan(rows)
      return passes
    }
  }

  /// Encodes the rendering of a tile, of any size and place.
  ///
  /// - Parameters:
  ///   - sourceTile: a part of the source, of its whole width, in the source's colours.
  ///   - tileExtendRect: where it lies: at least ``TiledPicture/minimumTileExtendRect(forTileRect:)``.
  ///   - destinationTile: in memory of its own: no byte of it may be read for this tile or for another one.
  ///   - tileRect: where the destination lies, and its size, both before the turn.
  /// - Throws: `invalidState` before the backdrop is encoded, `incompatible` for a destination in the
  ///   memory of the source tile or of the map, and as
  ///   ``encodeBackdrop(to:of:rows:sourceTile:tileExtendRect:)``. If a command buffer of the backdrop fails
  ///   afterwards, that of the tile fails with the same error.
  public func encodeTileRender(
    to commandBuffer: CommandBuffer, of picture: TiledPicture,
    sourceTile: RenderingSession.Picture, tileExtendRect: PixelRect,
    destinationTile: RenderingSession.Picture, tileRect: PixelRect
  ) throws(CinematicError) {
    try validate(commandBuffer, picture, tileRect.rows, sourceTile, tileExtendRect)
    // What lies outside has no place in a picture that is turned.
    guard PixelRect(picture.size).contains(tileRect) else {
      throw CinematicError(
        .invalidParameter,
        "a picture of \(picture.size) has no tile of the columns \(tileRect.columns) and the rows \(tileRect.rows)",
        remedy: "give a rectangle within the picture")
    }
    let turn = picture.preferredTransform
    let shownRect = tileRect.turned(by: turn, in: picture.size)
    try validate(destinationTile, of: turn.applied(to: picture.size), shownRect)
    try destinationTile.validate(apartFrom: sourceTile.planeBytes, of: "the source tile")
    try destinationTile.validate(apartFrom: picture.mapBytes, of: "the disparity map")
    try picture.frameAttributes.toneMapping?.validate(
      from: sourceTile.tags, to: destinationTile.tags)
    guard picture.hasBackdrop else {
      throw CinematicError(
        .invalidState, "a tile needs what lies behind in the whole picture",
        remedy: "encode the backdrop of all strips before the first tile")
    }
    let source = Self.part(
      sourceTile.stored(access: .read), tileExtendRect, of: picture.sourceSize)
    var destination = Self.part(
      destinationTile.stored(access: .write, turn: turn), shownRect,
      of: turn.applied(to: picture.size))
    if picture.frameAttributes.toneMapping != nil {
      destination.parameters.transfer = ColorTags.Transfer.srgb.rawValue
    }
    let (alpha, target) = (destinationTile.alpha, destination)
    commandBuffer.addConclusion { $0 ?? picture.backdropFailure }
    commandBuffer.encode { [session] run throws(CinematicError) in
      if let failure = picture.planningFailure { throw failure }
      return try session.bind(picture, tileRect.height, run) { cut in
        picture.passes(source, target, tileRect.rows, cut, destinationAlpha: alpha)
      }
    }
  }

  /// A tile as a part of the whole picture.
  private static func part(
    _ tile: StoredPicture, _ rect: PixelRect, of size: Dimensions
  ) -> StoredPicture {
    var stored = tile
    stored.parameters.width = Int32(size.width)
    stored.parameters.height = Int32(size.height)
    stored.held = rect
    return stored
  }

  private func validate(
    _ commandBuffer: CommandBuffer, _ picture: TiledPicture, _ rows: Range<Int>,
    _ source: RenderingSession.Picture, _ extend: PixelRect
  ) throws(CinematicError) {
    try session.validate(commandBuffer)
    guard picture.session === session else {
      throw CinematicError(
        .incompatible, "the tiled picture belongs to another session",
        remedy: "make it with this session's makeTiledPicture")
    }
    try validate(source, of: picture.sourceSize, extend)
    try sessionAttributes.validateHighlights(of: source.tags)
    let needed = picture.minimumTileExtendRect(
      forTileRect: PixelRect(columns: extend.columns, rows: rows))
    guard extend.contains(needed) else {
      throw CinematicError(
        .invalidParameter, "a source tile of \(extend) is too small for the rows \(rows)",
        remedy: "give \(needed), as minimumTileExtendRect(forTileRect:) says")
    }
  }

  private func validate(
    _ tile: RenderingSession.Picture, of size: Dimensions, _ rect: PixelRect
  ) throws(CinematicError) {
    guard let format = tile.format, Self.tilePixelFormats.contains(format) else {
      throw CinematicError(
        .unsupported,
        "a tile cannot have the format \(tile.format.map { "\($0)" } ?? "of its textures")",
        remedy: "use one of \(list(Self.tilePixelFormats))")
    }
    try tile.validate(for: commandQueue.device)
    guard PixelRect(size).contains(rect), tile.dimensions == rect.dimensions else {
      throw CinematicError(
        .invalidParameter,
        "a tile of \(tile.dimensions) for the columns \(rect.columns) and the rows \(rect.rows) of a picture of"
          + " \(size)",
        remedy: "give tile and rectangle one size, within the picture")
    }
  }
}

extension RenderingSession {
  /// Passes over rows of a picture, bound to the session's memory.
  fileprivate func bind(
    _ picture: TiledPicture, _ rows: Int, _ run: ([KernelDispatch]) throws(CinematicError) -> Void,
    _ passes: (FrameCut) -> FramePasses
  ) throws(CinematicError) -> [[KernelDispatch]] {
    let backend = commandQueue.device.backend
    let size = Dimensions(width: picture.size.width, height: rows)
    return try binding(run) { mayCut throws(CinematicError) in
      let result = state.withLock { state in
        Result { () throws(CinematicError) in
          try state.bind(
            size, isBlurred: picture.blur != nil, limit: sessionAttributes.workingMemoryLimit,
            on: backend, mayCut: mayCut, passes)
        }
      }
      return try result.get()
    }
  }
}
