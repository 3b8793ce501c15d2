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

  /// What a session keeps from frame to frame.
  private struct State {
    var memory = WorkingMemory()
    /// The cut of the last frame that had to be cut.
    var lastCut: FrameCut?
    /// Bytes of working memory that the device is known not to give; `nil` while it gave all.
    var refusedByteCount: Int?
    var tables: (lensCounts: [Int], tables: BlurTables)?

    /// The tables of `settings`; another picture size may need others.
    mutating func tables(
      for settings: BlurSettings, shape: ApertureShape, _ backend: any DeviceBackend
    ) throws(CinematicError) -> BlurTables {
      if let tables, tables.lensCounts == settings.lensCounts { return tables.tables }
      let made = try BlurTables(settings: settings, shape: shape, backend: backend)
      tables = (settings.lensCounts, made)
      return made
    }

    /// The frame's passes, cut as little as its device allows, with memory for them.
    ///
    /// - Throws: `outOfMemory` when not even the lowest strips fit.
    mutating func bind(
      _ frame: FramePasses.Frame, blur: FramePasses.Blur?, on backend: any DeviceBackend
    ) throws(CinematicError) -> [[KernelDispatch]] {
      let candidates = FrameCut.candidates(
        height: frame.size.height, lanes: backend.laneCount, isBlurred: blur != nil)
      let likely = [candidates[0]] + (lastCut.map { [$0] } ?? [])
      var refusal: CinematicError?
      var smallest = Int.max
      for cut in likely + candidates.dropFirst() {
        let list = FramePasses(frame, blur: blur, cut: cut).list
        let layout = WorkingMemory.layout(list)
        let largest = max(layout.largest, list.largestPlaneByteCount)
        smallest = min(smallest, max(largest, layout.total))
        guard largest <= backend.largestBindingByteCount, layout.total <= ceiling(of: backend)
        else { continue }
        do {
          let submissions = try memory.bind(list, as: layout, on: backend)
          if cut != candidates[0] { lastCut = cut }
          return submissions
        } catch {
          guard error.code == .outOfMemory else { throw error }
          // What was got so far, or is kept from larger frames, is in the way of less.
          memory.release()
          refusal = error
          refusedByteCount = layout.total
        }
      }
      throw refusal
        ?? CinematicError(
          .outOfMemory,
          "a frame of \(frame.size) needs \(smallest) bytes of the device \(backend.identifier) at "
            + "once, even strip by strip", remedy: "render at a smaller size or on another device")
    }

    /// Bytes that working memory may take.
    private func ceiling(of backend: any DeviceBackend) -> Int {
      // Pictures on their way to and from the device need theirs.
      let own = backend.memoryByteCount.map { $0 / 4 * 3 } ?? .max
      // After a refusal a good deal less is tried at once: memory is given in pieces.
      return min(own, refusedByteCount.map { $0 / 4 * 3 } ?? .max)
    }
  }

  private let state = Mutex(State())

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

  /// The formats that a source picture may have.
  public static let sourcePixelFormats: [PixelFormat] = PixelFormat.allCases.filter {
    !$0.isDisparity
  }
  /// The formats that a disparity map may have.
  public static let disparityPixelFormats: [PixelFormat] = [.disparityHalf, .disparityFloat]
  /// The formats that a destination may have.
  public static let destinationPixelFormats: [PixelFormat] = sourcePixelFormats

  /// Bytes of working memory that the session holds on its device.
  public var workingMemoryByteCount: Int { state.withLock { $0.memory.byteCount } }
  /// How often the session has allocated device memory: constant once it is warm.
  public var workingMemoryAllocationCount: Int { state.withLock { $0.memory.allocationCount } }

  /// Encodes the rendering of one frame to a picture.
  ///
  /// The destination's tags decide how light is encoded; with the source's own tags and format, a
  /// picture without blur comes out as it went in.
  ///
  /// - Parameters:
  ///   - sourceImage: sharp everywhere; any of ``sourcePixelFormats``.
  ///   - sourceDisparity: of any size, larger values nearer; what is not finite is filled. Its range
  ///     is read at once, so that it must hold the frame's disparities before this call.
  ///   - destinationImage: of the source's size turned by ``preferredTransform``; of another size
  ///     in the same shape, the picture is scaled before the blur.
  /// - Throws: `invalidParameter` for frame attributes outside their ranges, `incompatible` for a
  ///   destination of another shape or a command buffer of another queue, `unsupported` for a
  ///   format that is not in the lists, `outOfMemory`.
  public func encodeRender(
    to commandBuffer: CommandBuffer, frameAttributes: FrameAttributes, sourceImage: PixelBuffer,
    sourceDisparity: PixelBuffer, destinationImage: PixelBuffer
  ) throws(CinematicError) {
    try validate(
      commandBuffer, frameAttributes, sourceImage, sourceDisparity,
      destination: destinationImage.dimensions)
    guard !destinationImage.format.isDisparity else {
      throw CinematicError(
        .unsupported, "a picture cannot be rendered to the format \(destinationImage.format)",
        remedy: "use one of \(list(Self.destinationPixelFormats))")
    }
    let planes = destinationImage.planes.indices.map {
      Binding.pixels(destinationImage, plane: $0, access: .write)
    }
    try encode(
      commandBuffer, frameAttributes, sourceImage, sourceDisparity,
      to: FramePasses.Destination(
        planes: planes, parameters: destinationImage.kernelParameters(turn: preferredTransform)))
  }

  func encode(
    _ commandBuffer: CommandBuffer, _ frameAttributes: FrameAttributes, _ source: PixelBuffer,
    _ disparity: PixelBuffer, to destination: FramePasses.Destination
  ) throws(CinematicError) {
    let size = destination.renderedSize(turn: preferredTransform)
    let map = MapAnalysis(disparity)
    let circles = FramePasses.Circles(
      width: size.width, session: sessionAttributes, frame: frameAttributes, map: map)
    let backend = commandQueue.device.backend
    let frame = FramePasses.Frame(
      source: source, destination: destination, turn: preferredTransform,
      largestBindingByteCount: backend.largestBindingByteCount)
    let result = state.withLock { state in
      Result { () throws(CinematicError) in
        guard circles.areVisible else { return try state.bind(frame, blur: nil, on: backend) }
        let settings = BlurSettings(quality, size: size, largestRadius: circles.largestRadius)
        let blur = FramePasses.Blur(
          disparity: disparity, map: map, quality: quality, circles: circles, settings: settings,
          tables: try state.tables(
            for: settings, shape: sessionAttributes.apertureShape, backend),
          fusesTiles: backend.fusesTiles)
        return try state.bind(frame, blur: blur, on: backend)
      }
    }
    commandBuffer.encode(try result.get())
  }

  func validate(
    _ commandBuffer: CommandBuffer, _ frameAttributes: FrameAttributes, _ source: PixelBuffer,
    _ disparity: PixelBuffer, destination: Dimensions
  ) throws(CinematicError) {
    try frameAttributes.validate()
    guard commandBuffer.commandQueue === commandQueue else {
      throw CinematicError(
        .incompatible, "the command buffer belongs to another queue than the session",
        remedy: "make it with the session's commandQueue.makeCommandBuffer()")
    }
    guard Self.sourcePixelFormats.contains(source.format) else {
      throw CinematicError(
        .unsupported, "a source picture cannot have the format \(source.format)",
        remedy: "use one of \(list(Self.sourcePixelFormats))")
    }
    guard Self.disparityPixelFormats.contains(disparity.format) else {
      throw CinematicError(
        .unsupported, "a disparity map cannot have the format \(disparity.format)",
        remedy: "use one of \(list(Self.disparityPixelFormats))")
    }
    // A destination of another size is scaled to, but never out of shape by more than rounding.
    let shown = preferredTransform.applied(to: source.dimensions)
    let fittingWidth = Double(destination.height) * Double(shown.width) / Double(shown.height)
    let fittingHeight = Double(destination.width) * Double(shown.height) / Double(shown.width)
    guard
      abs(fittingWidth - Double(destination.width)) <= 2
        || abs(fittingHeight - Double(destination.height)) <= 2
    else {
      throw CinematicError(
        .incompatible, "a destination of \(destination) for a picture of \(shown)",
        remedy: "give it the picture's shape, such as \(shown)")
    }
  }

  private func list(_ formats: [PixelFormat]) -> String {
    formats.map(\.description).joined(separator: ", ")
  }
}
