// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Frames whose source and map lie on the device hold the bits of those that come from the host.
@Suite struct TextureSourceTests {
  static let devices = TestDevices.processors + TestDevices.graphics

  private func makeSession(
    _ device: Device, _ renderCase: RenderCase
  ) throws -> RenderingSession {
    try RenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: renderCase.session,
      preferredTransform: renderCase.transform, quality: renderCase.quality)
  }

  /// Renders from a picture and a map wherever they are.
  private func render(
    _ session: RenderingSession, _ renderCase: RenderCase,
    source: RenderingSession.Picture? = nil, disparity: RenderingSession.DisparityMap? = nil
  ) throws -> [UInt8] {
    let size = renderCase.transform.applied(to: renderCase.source.dimensions)
    let destination = try PixelBuffer(dimensions: size, format: .rgbaHalf, tags: .linearBT709)
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: renderCase.frame,
      source: source ?? .pixelBuffer(renderCase.source),
      disparity: disparity ?? .pixelBuffer(renderCase.disparity),
      destination: .pixelBuffer(destination))
    buffer.commit()
    buffer.waitUntilCompleted()
    if let error = buffer.error { throw error }
    return destination.pixelBytes()
  }

  @Test(arguments: devices, RenderingSession.sourcePixelFormats)
  func sourcesOfEveryFormat(_ device: Device, _ format: PixelFormat) throws {
    var renderCase = try CutScene.renderCase(.blurred, .preview, width: 61, height: 83)
    let tags: ColorTags = format.bitsPerComponent == 10 ? .hlg : .sRGB
    renderCase.source = try renderCase.source.converted(to: format, tags: tags)
    for turn in [QuarterTurn.identity, .clockwise90] {
      renderCase.transform = turn
      let session = try makeSession(device, renderCase)
      let textures = try textures(of: renderCase.source, on: device)
      #expect(
        try render(
          session, renderCase, source: .init(textures, like: renderCase.source))
          == render(session, renderCase))
    }
  }

  @Test(arguments: devices, CutScene.MapKind.allCases)
  func mapsOfEveryKind(_ device: Device, _ kind: CutScene.MapKind) throws {
    var renderCase = try CutScene.renderCase(kind, .export, width: 61, height: 83)
    for isHalf in [false, true] {
      if isHalf { renderCase.disparity = try renderCase.disparity.asHalf() }
      let session = try makeSession(device, renderCase)
      let expected = try render(session, renderCase)
      let texture = try textures(of: renderCase.disparity, on: device)[0]
      #expect(try render(session, renderCase, disparity: .texture(texture)) == expected)
      let info = try DisparityMapInfo(of: renderCase.disparity)
      #expect(try render(session, renderCase, disparity: .texture(texture, info: info)) == expected)
      #expect(
        try render(
          session, renderCase, disparity: .pixelBuffer(renderCase.disparity, info: info))
          == expected)
    }
  }

  /// Picture, texture, picture: each rendering takes the one before it from where it is, in one command
  /// buffer and in several.
  @Test(arguments: devices, [true, false])
  func chainsStayOnTheDevice(_ device: Device, inOneBuffer: Bool) throws {
    let renderCase = try CutScene.renderCase(.sharpSmall, .preview, width: 70, height: 45)
    let session = try makeSession(device, renderCase)
    let size = renderCase.source.dimensions
    let focuses: [Float] = [0.2, 0.5, 0.9]
    func frame(_ focus: Float) -> RenderingSession.FrameAttributes {
      .init(focusDisparity: focus, fNumber: renderCase.frame.fNumber)
    }

    // Through the host, a picture after the other.
    var picture = renderCase.source
    for focus in focuses {
      let next = try PixelBuffer(dimensions: size, format: .rgbaHalf, tags: .linearBT709)
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeRender(
        to: buffer, frameAttributes: frame(focus), sourceImage: picture,
        sourceDisparity: renderCase.disparity, destinationImage: next)
      buffer.commit()
      buffer.waitUntilCompleted()
      #expect(buffer.error == nil)
      picture = next
    }

    let map = try textures(of: renderCase.disparity, on: device)[0]
    let chain = try focuses.map { _ in
      try Texture(device: device, format: .rgba16Float, dimensions: size)
    }
    var source = RenderingSession.Picture.pixelBuffer(renderCase.source)
    var buffers = [session.commandQueue.makeCommandBuffer()]
    for (focus, texture) in zip(focuses, chain) {
      if !inOneBuffer { buffers.append(session.commandQueue.makeCommandBuffer()) }
      let destination = RenderingSession.Picture.texture(texture, tags: .linearBT709)
      try session.encodeRender(
        to: buffers[buffers.count - 1], frameAttributes: frame(focus), source: source,
        disparity: .texture(map), destination: destination)
      source = destination
    }
    for buffer in buffers { buffer.commit() }
    for buffer in buffers {
      buffer.waitUntilCompleted()
      #expect(buffer.error == nil)
    }
    #expect(try bytes(of: [chain[2]]) == picture.pixelBytes())
  }

  /// Floats of one column are RGBA pixels four at a time: so a rendering without blur writes a map, and
  /// the next one in the same command buffer reads it.
  @Test(arguments: devices, [true, false])
  func mapsThatTheQueueHasYetToWrite(_ device: Device, inOneBuffer: Bool) throws {
    let renderCase = try CutScene.renderCase(.exact, .preview, width: 40, height: 30)
    let session = try makeSession(device, renderCase)
    let expected = try render(session, renderCase)
    let size = renderCase.disparity.dimensions
    let quarter = Dimensions(width: size.width / 4, height: size.height)
    let floats = try renderCase.disparity.floats()
    let packed = try PixelBuffer(
      dimensions: quarter, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    packed.withUnsafeMutableBytes { target in
      floats.withUnsafeBytes { target.copyMemory(from: $0) }
    }
    let map = try Texture(device: device, format: .r32Float, dimensions: size)
    let written = Texture(
      device: device, layout: try .init(format: .rgba32Float, dimensions: quarter),
      memory: map.memory)
    let destination = try PixelBuffer(
      dimensions: renderCase.source.dimensions, format: .rgbaHalf, tags: .linearBT709)
    let first = session.commandQueue.makeCommandBuffer()
    let second = inOneBuffer ? first : session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: first, frameAttributes: .init(focusDisparity: 0, fNumber: .infinity),
      source: .pixelBuffer(packed), disparity: .pixelBuffer(renderCase.disparity),
      destination: .texture(written, tags: .linearBT709))
    try session.encodeRender(
      to: second, frameAttributes: renderCase.frame, source: .pixelBuffer(renderCase.source),
      disparity: .texture(map), destination: .pixelBuffer(destination))
    first.commit()
    if !inOneBuffer { second.commit() }
    second.waitUntilCompleted()
    #expect(second.error == nil)
    #expect(destination.pixelBytes() == expected)
  }

  /// Where a frame is cut, windows of the textures are read.
  @Test(arguments: devices, [PixelFormat.rgba8, .yuv420Video10])
  func cutFrames(_ device: Device, _ format: PixelFormat) throws {
    for kind in [CutScene.MapKind.exact, .blurredWithHoles] {
      var renderCase = try CutScene.renderCase(kind, .preview, width: 80, height: 1501)
      renderCase.source = try renderCase.source.converted(to: format, tags: .sRGB)
      let whole = try render(makeSession(device, renderCase), renderCase)
      let limited = LimitedBackend(device, largestBinding: 1_700_000)
      let session = try makeSession(limited.device, renderCase)
      let source = try textures(of: renderCase.source, on: limited.device)
      let map = try textures(of: renderCase.disparity, on: limited.device)[0]
      let bytes = try render(
        session, renderCase, source: .init(source, like: renderCase.source),
        disparity: .texture(map))
      #expect(limited.submissionCount > 1, "the frame was not cut")
      #expect(zip(whole, bytes).count { $0 != $1 } == 0)
    }
  }

  /// A caller's description of a map is taken, and does no harm if it is wrong.
  @Test(arguments: devices)
  func infoThatIsNotTrue(_ device: Device) throws {
    let renderCase = try CutScene.renderCase(.blurredWithHoles, .export, width: 61, height: 83)
    let session = try makeSession(device, renderCase)
    let right = try render(session, renderCase)
    for info in [
      DisparityMapInfo(range: 0.39...0.41, hasHoles: false, hasSharpEdges: true),
      DisparityMapInfo(range: nil, hasHoles: true, hasSharpEdges: true),
      DisparityMapInfo(range: -1e6...1e6, hasHoles: true, hasSharpEdges: false),
    ] {
      let bytes = try render(
        session, renderCase, disparity: .pixelBuffer(renderCase.disparity, info: info))
      #expect(bytes.count == right.count)
      let halves = stride(from: 0, to: bytes.count, by: 2).map {
        Float16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
      }
      #expect(halves.allSatisfy { $0.isFinite })
    }
    #expect(try render(session, renderCase) == right)
  }

  @Test func whatIsRefused() throws {
    let renderCase = try CutScene.renderCase(.exact, .preview, width: 24, height: 16)
    let device = Device.cpu()
    let session = try makeSession(device, renderCase)
    let size = renderCase.source.dimensions
    func error(
      _ source: RenderingSession.Picture? = nil, _ disparity: RenderingSession.DisparityMap? = nil
    ) -> CinematicError.Code? {
      do {
        _ = try render(session, renderCase, source: source, disparity: disparity)
        return nil
      } catch {
        return (error as? CinematicError)?.code
      }
    }
    func texture(_ format: Texture.Format, _ device: Device, _ size: Dimensions) throws -> Texture {
      try Texture(device: device, format: format, dimensions: size)
    }
    let other = Device.cpu()
    #expect(error(.texture(try texture(.rgba8Unorm, other, size), tags: .sRGB)) == .incompatible)
    #expect(error(nil, .texture(try texture(.r32Float, other, size))) == .incompatible)
    for format in [Texture.Format.rg8Unorm, .rg16Unorm, .r16Float, .r32Float] {
      #expect(error(.texture(try texture(format, device, size), tags: .sRGB)) == .unsupported)
    }
    for format in Texture.Format.allCases where format != .r16Float && format != .r32Float {
      #expect(error(nil, .texture(try texture(format, device, size))) == .unsupported)
    }
    let luma = try texture(.r8Unorm, device, size)
    #expect(
      error(.textures(luma: luma, chroma: try texture(.rg8Unorm, device, size), tags: .sRGB))
        == .incompatible)
    let wrong = try texture(.rg16Unorm, device, Dimensions(width: 12, height: 8))
    #expect(error(.textures(luma: luma, chroma: wrong, tags: .sRGB)) == .unsupported)
    #expect(error() == nil)
  }
}

extension PixelBuffer {
  /// A map of floats as halves.
  fileprivate func asHalf() throws -> PixelBuffer {
    let half = try PixelBuffer(dimensions: dimensions, format: .disparityHalf)
    let values = try floats()
    half.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          bytes.storeBytes(
            of: Float16(values[y * width + x]).bitPattern,
            toByteOffset: y * half.planes[0].bytesPerRow + 2 * x, as: UInt16.self)
        }
      }
    }
    return half
  }
}
