// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes
import Synchronization

/// Renders pictures with a shallow depth of field.
///
/// A session belongs to a command queue and has one quality; several sessions may share a queue.
/// Making one is cheap, its first frame allocates working memory, later frames of the same size
/// allocate none.
public final class RenderingSession: Sendable {
  public let commandQueue: CommandQueue
  public let sessionAttributes: Attributes
  /// From the picture as stored to the picture as shown: the destination is turned by it.
  public let preferredTransform: QuarterTurn
  public let quality: RenderingQuality

  let state = Mutex(State())

  /// - Parameters:
  ///   - preferredTransform: by how much the destination is turned against the source.
  /// - Throws: `unsupported` for an unknown rendering version, `invalidParameter` for a blur scale
  ///   or an aperture shape outside its range.
  public init(
    commandQueue: CommandQueue, sessionAttributes: Attributes = Attributes(),
    preferredTransform: QuarterTurn = .identity, quality: RenderingQuality
  ) throws(CinematicError) {
    try sessionAttributes.validate()
    self.commandQueue = commandQueue
    self.sessionAttributes = sessionAttributes
    self.preferredTransform = preferredTransform
    self.quality = quality
  }

  /// Circles of confusion are no larger than this, in pixels of the picture as it is rendered.
  public static let largestCircleDiameter =
    2 * Float(BlurSettings.largestScale) * BlurSettings.largestLayerRadius

  /// The formats that a source picture may have.
  public static let sourcePixelFormats: [PixelFormat] = PixelFormat.allCases.filter {
    !$0.isDisparity
  }
  /// The formats that a disparity map may have.
  public static let disparityPixelFormats: [PixelFormat] = [.disparityHalf, .disparityFloat]
  /// The formats that a destination may have.
  public static let destinationPixelFormats: [PixelFormat] = sourcePixelFormats

  /// Bytes of working memory that the session holds on its device.
  public var workingMemoryByteCount: Int {
    state.withLock { $0.memory.byteCount + $0.measuring.reduce(0) { $0 + $1.byteCount } }
  }
  /// How often the session has allocated device memory: constant once it is warm.
  public var workingMemoryAllocationCount: Int {
    state.withLock { $0.memory.allocationCount + $0.measuringAllocationCount }
  }

  /// Encodes the rendering of one frame.
  ///
  /// The destination's tags decide how light is encoded; with the source's own tags and format, a
  /// picture without blur comes out as it went in. The passes are planned when the command buffer is
  /// committed: a lack of memory is the command buffer's error.
  ///
  /// - Parameters:
  ///   - source: sharp everywhere. It must hold the frame when the device comes to it, and not change
  ///     until the command buffer has completed.
  ///   - disparity: of any size, larger values nearer; what is not finite is filled. In host memory it
  ///     must hold the frame's disparities when the command buffer is committed.
  ///   - destination: of the source's size turned by ``preferredTransform``; of another size in the
  ///     same shape, the picture is scaled before the blur. Nothing is rendered in place: no byte of it
  ///     may be the source's or the map's. Parts of one buffer that share none are different pictures.
  ///     Of textures in a buffer of the caller's own device or context, the caller sees to it.
  /// - Throws: `invalidParameter` for frame attributes outside their ranges, `incompatible` for a
  ///   destination of another shape or in the memory of the source or the map, a command buffer of
  ///   another queue or a texture of another device, `unsupported` for a format that is not in the lists.
  public func encodeRender(
    to commandBuffer: CommandBuffer, frameAttributes: FrameAttributes, source: Picture,
    disparity: DisparityMap, destination: Picture
  ) throws(CinematicError) {
    try validate(commandBuffer, frameAttributes, source, disparity, destination)
    commandBuffer.encode { [self] (run) throws(CinematicError) in
      let info = try readInfo(of: disparity, run)
      return try binding(run) { mayCut throws(CinematicError) in
        try plan(frameAttributes, source, disparity, info, destination, mayCut: mayCut)
      }
    }
  }

  /// Encodes the rendering of one frame between pictures in host memory.
  ///
  /// - Parameters:
  ///   - sourceImage: sharp everywhere; any of ``sourcePixelFormats``. Its alpha is blurred where
  ///     ``Picture/alpha`` says how it is stored, in the other form of this call.
  ///   - sourceDisparity: of any size, larger values nearer; what is not finite is filled.
  ///   - destinationImage: of the source's size turned by ``preferredTransform``; of another size
  ///     in the same shape, the picture is scaled before the blur. In memory of its own.
  /// - Throws: as ``encodeRender(to:frameAttributes:source:disparity:destination:)``.
  public func encodeRender(
    to commandBuffer: CommandBuffer, frameAttributes: FrameAttributes, sourceImage: PixelBuffer,
    sourceDisparity: PixelBuffer, destinationImage: PixelBuffer
  ) throws(CinematicError) {
    try encodeRender(
      to: commandBuffer, frameAttributes: frameAttributes, source: .pixelBuffer(sourceImage),
      disparity: .pixelBuffer(sourceDisparity), destination: .pixelBuffer(destinationImage))
  }

  /// The frame's passes, bound to the session's memory.
  private func plan(
    _ frameAttributes: FrameAttributes, _ source: Picture, _ disparity: DisparityMap,
    _ info: DisparityMapInfo, _ destination: Picture, mayCut: Bool
  ) throws(CinematicError) -> [[KernelDispatch]] {
    let result = state.withLock { state in
      Result { () throws(CinematicError) in
        let (frame, blur) = try inputs(
          frameAttributes, source, disparity, info, destination, &state)
        return try state.bind(
          frame.size, isBlurred: blur != nil, limit: sessionAttributes.workingMemoryLimit,
          on: commandQueue.device.backend, mayCut: mayCut
        ) { FramePasses(frame, blur: blur, cut: $0) }
      }
    }
    return try result.get()
  }

  /// The facts of a frame that its passes depend on.
  func inputs(
    _ frameAttributes: FrameAttributes, _ source: Picture, _ disparity: DisparityMap,
    _ info: DisparityMapInfo, _ destination: Picture, _ state: inout State
  ) throws(CinematicError) -> (frame: FramePasses.Frame, blur: FramePasses.Blur?) {
    var stored = destination.stored(access: .write, turn: preferredTransform)
    if frameAttributes.toneMapping != nil {
      stored.parameters.transfer = ColorTags.Transfer.srgb.rawValue
    }
    var frame = FramePasses.Frame(
      source: source.stored(access: .read), destination: stored, turn: preferredTransform,
      frameAttributes, sessionAttributes, alpha: alpha(source, destination),
      largestBindingByteCount: commandQueue.device.backend.largestBindingByteCount)
    let blur = try blur(frame.fullSize, frameAttributes, disparity, info, &state)
    if let blur { frame.size = blur.size }
    return (frame, blur)
  }

  /// The blur of a picture of a size; `nil` if nothing is blurred, and nothing of it is to be shown.
  func blur(
    _ size: Dimensions, _ frameAttributes: FrameAttributes, _ disparity: DisparityMap,
    _ info: DisparityMapInfo, _ state: inout State
  ) throws(CinematicError) -> FramePasses.Blur? {
    let fullSize = size
    let size = frameAttributes.view == nil ? workingSize(of: size) : size
    let circles = FramePasses.Circles(
      width: size.width, session: sessionAttributes, frame: frameAttributes, map: info)
    if frameAttributes.view != nil, info.range == nil {
      throw CinematicError(
        .incompatible, "nothing can be shown of a disparity map without a disparity",
        remedy: "show a frame whose map is not empty")
    }
    guard circles.areVisible || frameAttributes.view != nil else { return nil }
    let settings = BlurSettings(
      quality, size: size, isHalved: size != fullSize, largestRadius: circles.largestRadius)
    let backend = commandQueue.device.backend
    return FramePasses.Blur(
      size: size, disparity: disparity.stored, map: info, quality: quality, circles: circles,
      settings: settings,
      tables: try state.tables(for: settings, sessionAttributes, backend),
      fusesTiles: backend.fusesTiles)
  }

  /// `nil` where the source is opaque, or the destination has no alpha.
  func alpha(_ source: Picture, _ destination: Picture) -> FramePasses.Alpha? {
    guard let mode = source.alpha, source.format?.hasAlpha == true,
      destination.format?.hasAlpha == true
    else { return nil }
    return FramePasses.Alpha(source: mode, destination: destination.alpha ?? .straight)
  }

  /// - Throws: `incompatible` for a command buffer of another queue.
  func validate(_ commandBuffer: CommandBuffer) throws(CinematicError) {
    guard commandBuffer.commandQueue === commandQueue else {
      throw CinematicError(
        .incompatible, "the command buffer belongs to another queue than the session",
        remedy: "make it with the session's commandQueue.makeCommandBuffer()")
    }
  }

  private func validate(
    _ commandBuffer: CommandBuffer, _ frameAttributes: FrameAttributes, _ source: Picture,
    _ disparity: DisparityMap, _ destination: Picture
  ) throws(CinematicError) {
    try frameAttributes.validate()
    try validate(commandBuffer)
    if let format = source.format, format.isDisparity {
      throw CinematicError(
        .unsupported, "a source picture cannot have the format \(format)",
        remedy: "use one of \(list(Self.sourcePixelFormats))")
    }
    if let format = destination.format, format.isDisparity {
      throw CinematicError(
        .unsupported, "a picture cannot be rendered to the format \(format)",
        remedy: "use one of \(list(Self.destinationPixelFormats))")
    }
    try source.validate(for: commandQueue.device)
    try disparity.validate(for: commandQueue.device)
    try destination.validate(for: commandQueue.device)
    try destination.validate(apartFrom: source.planeBytes, of: "the source")
    try destination.validate(apartFrom: disparity.planeBytes, of: "the disparity map")
    try frameAttributes.toneMapping?.validate(from: source.tags, to: destination.tags)
    try sessionAttributes.validateHighlights(of: source.tags)
    try Self.validateShape(
      of: destination.dimensions, for: preferredTransform.applied(to: source.dimensions))
  }

  /// A destination of another size is scaled to, but never out of shape by more than rounding.
  ///
  /// - Throws: `incompatible` for a destination of another shape than the picture that is shown.
  static func validateShape(
    of size: Dimensions, for shown: Dimensions
  ) throws(CinematicError) {
    let fittingWidth = Double(size.height) * Double(shown.width) / Double(shown.height)
    let fittingHeight = Double(size.width) * Double(shown.height) / Double(shown.width)
    guard
      abs(fittingWidth - Double(size.width)) <= 2 || abs(fittingHeight - Double(size.height)) <= 2
    else {
      throw CinematicError(
        .incompatible, "a destination of \(size) for a picture of \(shown)",
        remedy: "give it the picture's shape, such as \(shown)")
    }
  }
}

extension RenderingSession.Attributes {
  /// - Throws: `incompatible` for highlights of light that was not clipped at white.
  func validateHighlights(of source: ColorTags) throws(CinematicError) {
    guard highlights > 0, source.transfer == .hlg || source.transfer == .pq else { return }
    throw CinematicError(
      .incompatible, "a picture of \(source.transfer) has its highlights: none are to be lifted",
      remedy: "render it without highlights")
  }
}

extension ToneMapping {
  /// - Throws: `incompatible` for a mapping of other colours.
  func validate(from source: ColorTags, to destination: ColorTags) throws(CinematicError) {
    guard !isMade(from: source, to: destination) else { return }
    throw CinematicError(
      .incompatible,
      "a tone mapping for other colours than those from \(source.primaries), \(source.transfer) to"
        + " \(destination.primaries), \(destination.transfer)",
      remedy: "make it with ToneMapping(from:to:) of the source's and the destination's tags")
  }
}
