// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// `rendered(disparity:focus:)`: the short way to one frame.
@Suite struct RenderedPictureTests {
  private static func map() throws -> PixelBuffer {
    try .disparity(16, 9) { x, _ in x < 8 ? 0.2 : 0.8 }
  }

  @Test func isTheFrameOfASession() async throws {
    let picture = try PixelBuffer.noise(97, 55, seed: 3)
    let map = try Self.map()
    let attributes = RenderingSession.Attributes(
      blurScale: 0.2, apertureShape: ApertureShape(bladeCount: 6))
    let rendered = try await picture.rendered(
      disparity: map, focus: 0.8, fNumber: 2, quality: .preview, attributes: attributes,
      on: .cpu())

    let session = try RenderingSession(
      commandQueue: CommandQueue(device: .cpu()), sessionAttributes: attributes, quality: .preview)
    let expected = try PixelBuffer(
      dimensions: picture.dimensions, format: picture.format, tags: picture.tags)
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: .init(focusDisparity: 0.8, fNumber: 2), sourceImage: picture,
      sourceDisparity: map, destinationImage: expected)
    buffer.commit()
    try await buffer.completed()

    #expect(rendered.format == picture.format && rendered.tags == picture.tags)
    #expect(rendered.pixelBytes() == expected.pixelBytes())
    #expect(rendered.pixelBytes() != picture.pixelBytes())
  }

  @Test func focusesOnWhatIsSeenAtAPoint() async throws {
    let picture = try PixelBuffer.noise(97, 55, seed: 4)
    let map = try Self.map()
    for (x, focus) in [(0.25, Float(0.2)), (0.75, 0.8)] {
      let atPoint = try await picture.rendered(
        disparity: map, focusAt: NormalizedPoint(x: x, y: 0.5), on: .cpu())
      let atDisparity = try await picture.rendered(disparity: map, focus: focus, on: .cpu())
      #expect(atPoint.pixelBytes() == atDisparity.pixelBytes())
    }
  }

  @Test func wrongInputIsRefused() async throws {
    let picture = try PixelBuffer.noise(32, 18, seed: 5)
    let hole = try PixelBuffer.disparity(4, 4) { _, _ in .nan }
    await #expect(throws: CinematicError.self) {
      try await picture.rendered(disparity: picture, focus: 0.5, on: .cpu())
    }
    await #expect(throws: CinematicError.self) {
      try await picture.rendered(disparity: Self.map(), focus: 0.5, fNumber: 0, on: .cpu())
    }
    await #expect(throws: CinematicError.self) {
      try await picture.rendered(
        disparity: hole, focusAt: NormalizedPoint(x: 0.5, y: 0.5), on: .cpu())
    }
  }
}
