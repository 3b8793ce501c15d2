// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension PixelBuffer {
  /// The picture as a fast lens would have taken it. Alpha, if there is any, is blurred with the colours, which
  /// it does not multiply.
  ///
  /// The short way to one frame: it makes a queue, a session and a destination for it. For a clip use
  /// a ``RenderingSession``, which keeps its working memory from frame to frame and has several of
  /// them in flight.
  ///
  /// ```swift
  /// let portrait = try await picture.rendered(
  ///   disparity: map, focus: 0.62, fNumber: 2, on: .cpu())
  /// ```
  ///
  /// - Parameters:
  ///   - disparity: `disparityHalf` or `disparityFloat` of any size; larger values are nearer, and
  ///     values that are not finite are filled.
  ///   - focus: the disparity that is sharp, on the map's own scale.
  ///   - fNumber: at least 0.1; smaller blurs more, infinity not at all.
  ///   - quality: how exact the blur is.
  ///   - attributes: the blur scale and the shape of the aperture.
  ///   - device: what renders; FocalCPU adds `.cpu()`.
  /// - Returns: a picture of the same size, format and tags.
  /// - Throws: what ``RenderingSession`` throws, and the device's error when the work fails.
  public func rendered(
    disparity: PixelBuffer, focus: Float, fNumber: Float = 2.8,
    quality: RenderingQuality = .export, attributes: RenderingSession.Attributes = .init(),
    on device: Device
  ) async throws(CinematicError) -> PixelBuffer {
    let queue = try CommandQueue(device: device)
    let session = try RenderingSession(
      commandQueue: queue, sessionAttributes: attributes, quality: quality)
    let destination = try PixelBuffer(dimensions: dimensions, format: format, tags: tags)
    let commandBuffer = queue.makeCommandBuffer()
    try session.encodeRender(
      to: commandBuffer, frameAttributes: .init(focusDisparity: focus, fNumber: fNumber),
      source: .pixelBuffer(self, alpha: isTranslucent ? .straight : nil),
      disparity: .pixelBuffer(disparity), destination: .pixelBuffer(destination))
    commandBuffer.commit()
    try await commandBuffer.completed()
    return destination
  }

  /// The picture as a fast lens would have taken it, focused on what is seen at a point.
  ///
  /// - Parameters:
  ///   - point: in shares of the picture's width and height, from its top left corner.
  /// - Throws: `malformed` where the map has no disparity near the point, and what the other form
  ///   throws.
  public func rendered(
    disparity: PixelBuffer, focusAt point: NormalizedPoint, fNumber: Float = 2.8,
    quality: RenderingQuality = .export, attributes: RenderingSession.Attributes = .init(),
    on device: Device
  ) async throws(CinematicError) -> PixelBuffer {
    guard let focus = disparity.disparity(at: point) else {
      throw CinematicError(
        .malformed, "the map has no valid disparity at \(point.x),\(point.y) to focus on",
        remedy: "choose another point, or give the focus as a disparity")
    }
    return try await rendered(
      disparity: disparity, focus: focus, fNumber: fNumber, quality: quality,
      attributes: attributes, on: device)
  }
}
