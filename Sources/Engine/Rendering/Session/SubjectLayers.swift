// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Subjects of a picture, a background and what lies between, as a session puts them together: the passes' side of an
/// effect. Lengths are pixels of the mask.
package struct SubjectLayers: Sendable {
  package enum Background: Sendable {
    case transparent
    /// The picture's own.
    case kept
    /// Linear light in the picture's primaries.
    case plain(red: Float, green: Float, blue: Float)
    /// Any picture but a map, which fills the frame; its shape is the frame's.
    case picture(PixelBuffer)
  }

  /// What lies between subjects and background.
  package enum Cover: Sendable {
    case none
    /// The mask in black, moved, and blurred by three boxes of a reach.
    case shadow(right: Int, down: Int, reach: Int, strength: Float)
    /// A white line around the mask, so wide.
    case outline(width: Float)

    /// Pixels of the mask in which an outline ends.
    static let outlineSoftness: Float = 1.5

    /// How many pixels of the mask it reaches beyond what that covers.
    package var reach: (left: Int, up: Int, right: Int, down: Int) {
      switch self {
      case .none: return (0, 0, 0, 0)
      case .shadow(let right, let down, let reach, _):
        let blurred = 3 * reach
        return (
          max(0, blurred - right), max(0, blurred - down), max(0, blurred + right),
          max(0, blurred + down)
        )
      case .outline(let width):
        let line = Self.reach(ofOutline: width)
        return (line, line, line, line)
      }
    }

    /// Half of the softness lies beyond the line.
    static func reach(ofOutline width: Float) -> Int {
      Int((width + 0.5 * outlineSoftness).rounded(.up))
    }
  }

  /// The subjects' light and alpha, straight: `rgbaFloat` of the picture's size.
  package var subject: PixelBuffer
  /// Their alpha at any size: `disparityFloat`, 0 to 1.
  package var mask: PixelBuffer
  package var background = Background.kept
  package var cover = Cover.none
  /// The background's light is multiplied by this.
  package var gain: Float = 1
  /// How much of its colour is taken away, 0 to 1.
  package var grayness: Float = 0
  /// How many levels each of its components has up to white; below 2 all of them.
  package var levels = 0

  package init(subject: PixelBuffer, mask: PixelBuffer) {
    (self.subject, self.mask) = (subject, mask)
  }

  /// Of all pictures of the layers.
  var planeBytes: [PlaneBytes] {
    var planes = subject.planeBytes + mask.planeBytes
    if case .picture(let picture) = background { planes += picture.planeBytes }
    return planes
  }

  /// - Throws: `unsupported` for other formats, `incompatible` for subjects of another size.
  func validate(for size: Dimensions) throws(CinematicError) {
    guard subject.format == .rgbaFloat, mask.format == .disparityFloat else {
      throw CinematicError(
        .unsupported, "subjects in the formats \(subject.format) and \(mask.format)",
        remedy: "give \(PixelFormat.rgbaFloat) and \(PixelFormat.disparityFloat)")
    }
    if case .picture(let picture) = background, picture.format.isDisparity {
      throw CinematicError(
        .unsupported, "a disparity map (\(picture.format)) is no background",
        remedy: "give a picture")
    }
    guard subject.dimensions == size else {
      throw CinematicError(
        .incompatible, "subjects of \(subject.dimensions) in a picture of \(size)",
        remedy: "give them at the picture's size")
    }
  }
}

extension RenderingSession {
  /// Rows are worked on in strips from so many bytes of working memory on: effects look at one pixel after the other.
  private static let layersMemory = 64 << 20

  /// Encodes the passes that put subjects before a background. The picture is not blurred, and nothing of the session's
  /// lens counts.
  ///
  /// - Parameters:
  ///   - source: the picture that the subjects are from.
  ///   - destination: of the source's size turned by ``preferredTransform``, in memory of its own.
  /// - Throws: as ``encodeRender(to:frameAttributes:source:disparity:destination:)``; `unsupported` and `incompatible` for
  ///   layers that do not belong to the picture.
  package func encodeLayers(
    _ layers: SubjectLayers, to commandBuffer: CommandBuffer, source: Picture, destination: Picture
  ) throws(CinematicError) {
    try validate(commandBuffer)
    try layers.validate(for: source.dimensions)
    for picture in [source, destination] {
      try picture.validate(for: commandQueue.device)
      guard picture.format?.isDisparity != true else {
        throw CinematicError(
          .unsupported, "effects are drawn into pictures, not into maps of disparity",
          remedy: "use one of \(list(Self.destinationPixelFormats))")
      }
    }
    try destination.validate(apartFrom: source.planeBytes, of: "the source")
    try destination.validate(apartFrom: layers.planeBytes, of: "the layers")
    let shown = preferredTransform.applied(to: source.dimensions)
    guard destination.dimensions == shown else {
      throw CinematicError(
        .incompatible, "a destination of \(destination.dimensions) for a picture of \(shown)",
        remedy: "give one of \(shown)")
    }
    commandBuffer.encode { [self] (run) throws(CinematicError) in
      try binding(run) { mayCut throws(CinematicError) in
        try plan(layers, source, destination, mayCut: mayCut)
      }
    }
  }

  /// The passes, bound to the session's memory.
  private func plan(
    _ layers: SubjectLayers, _ source: Picture, _ destination: Picture, mayCut: Bool
  ) throws(CinematicError) -> [[KernelDispatch]] {
    let backend = commandQueue.device.backend
    var frame = FramePasses.Frame(
      source: source.stored(access: .read),
      destination: destination.stored(access: .write, turn: preferredTransform),
      turn: preferredTransform, FrameAttributes(focusDisparity: 0, fNumber: .infinity),
      sessionAttributes, alpha: nil, largestBindingByteCount: backend.largestBindingByteCount)
    // Of the session's lens: subjects come as they are.
    frame.highlights = nil
    let limit = min(sessionAttributes.workingMemoryLimit ?? .max, Self.layersMemory)
    let result = state.withLock { state in
      Result { () throws(CinematicError) in
        try state.bind(frame.size, isBlurred: false, limit: limit, on: backend, mayCut: mayCut) {
          FramePasses(frame, layers: layers, tags: source.tags, cut: $0)
        }
      }
    }
    return try result.get()
  }
}
