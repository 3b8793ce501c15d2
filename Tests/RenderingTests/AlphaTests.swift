// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Pictures with alpha: coverage is blurred with the light.
@Suite struct AlphaTests {
  private static let size = Dimensions(width: 160, height: 96)
  private static let tags = ColorTags.linearBT709

  /// One colour in a disc, half covered stripes beside it, nothing elsewhere; the disc is far.
  private static func scene(
    _ mode: AlphaMode
  ) throws -> (source: PixelBuffer, map: PixelBuffer) {
    let source = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    let map = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: tags, bytesPerRowAlignment: 4)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (dx, dy) = (Double(x) - 60, Double(y) - 48)
        let alpha: Float =
          dx * dx + dy * dy < 30 * 30 ? 1 : (x > 110 && x / 8 % 2 == 0 ? 0.5 : 0)
        let scale = mode == .premultiplied ? alpha : 1
        source.withUnsafeMutableBytes {
          $0.storeBytes(
            of: SIMD4(0.8 * scale, 0.3 * scale, 0.1 * scale, alpha),
            toByteOffset: y * source.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
        }
        map.withUnsafeMutableBytes {
          $0.storeBytes(
            of: x < 105 ? Float(0.2) : 0.5,
            toByteOffset: y * map.planes[0].bytesPerRow + 4 * x, as: Float.self)
        }
      }
    }
    return (source, map)
  }

  private static func render(
    _ source: PixelBuffer, _ map: PixelBuffer, from mode: AlphaMode, to result: AlphaMode,
    format: PixelFormat = .rgbaFloat, fNumber: Float = 2.8, on device: Device = .cpu()
  ) throws -> PixelBuffer {
    let destination = try PixelBuffer(
      dimensions: size, format: format, tags: format == .rgbaFloat ? tags : .sRGB)
    let renderer = try FrameRenderer(devices: [device], quality: .export)
    var frame = FrameRenderer.Frame(
      number: 0, sourceImage: source, sourceDisparity: map,
      attributes: .init(focusDisparity: 0.9, fNumber: fNumber), destination: destination)
    frame.sourceAlpha = mode
    frame.destinationAlpha = result
    try renderer.finish(renderer.commit(frame))
    return destination
  }

  private static func pixels(_ buffer: PixelBuffer) -> [SIMD4<Float>] {
    buffer.withUnsafeBytes { bytes in
      (0..<size.count).map { index in
        bytes.load(
          fromByteOffset: index / size.width * buffer.planes[0].bytesPerRow
            + 16 * (index % size.width), as: SIMD4<Float>.self)
      }
    }
  }

  /// Wherever anything is seen of a surface of one colour, it has this colour, and alpha falls off
  /// smoothly.
  @Test func coverageIsBlurredWithTheLight() throws {
    let (source, map) = try Self.scene(.straight)
    let pixels = Self.pixels(
      try Self.render(source, map, from: .straight, to: .straight))
    var soft = 0
    for pixel in pixels where pixel.w > 1.0 / 255 {
      // Both renderings round, and 1/255 of alpha makes a rounding of 10⁻⁶ one of 10⁻⁴; layers are
      // halves of a code apart where the parts' edges are told from different contrasts.
      #expect(abs(pixel.x - 0.8) < 0.02 && abs(pixel.y - 0.3) < 0.02, "\(pixel)")
      if pixel.w < 0.9 && pixel.w > 0.1 { soft += 1 }
    }
    #expect(soft > 500)
    // The disc's middle is covered, the corner is not.
    #expect(pixels[48 * Self.size.width + 60].w == 1)
    #expect(pixels[0].w == 0)
    // No light is made or lost: the disc's border is symmetrical.
    let covered = pixels.enumerated().filter { $0.offset % Self.size.width < 100 }
      .reduce(Float(0)) { $0 + $1.element.w }
    #expect(abs(covered / (Float.pi * 900) - 1) < 0.05)
  }

  @Test func premultipliedColours() throws {
    let straight = try Self.scene(.straight)
    let premultiplied = try Self.scene(.premultiplied)
    let one = Self.pixels(
      try Self.render(straight.source, straight.map, from: .straight, to: .premultiplied))
    let other = Self.pixels(
      try Self.render(
        premultiplied.source, premultiplied.map, from: .premultiplied, to: .premultiplied))
    for (a, b) in zip(one, other) { #expect(a == b) }
    for pixel in one { #expect(pixel.x <= 0.8 * pixel.w + 0.02) }
  }

  /// Without blur every pixel that is seen comes out as it went in.
  @Test func unblurredCodes() throws {
    let (light, map) = try Self.scene(.straight)
    let source = try PixelBuffer(dimensions: Self.size, format: .rgba8, tags: .sRGB)
    try source.store(linearRGBA: light)
    let result = try Self.render(
      source, map, from: .straight, to: .straight, format: .rgba8, fNumber: .infinity)
    let pairs = zip(Self.codes(source), Self.codes(result))
    for (before, after) in pairs where before.w > 0 { #expect(before == after) }
  }

  private static func codes(_ buffer: PixelBuffer) -> [SIMD4<UInt8>] {
    buffer.withUnsafeBytes { bytes in
      (0..<size.count).map { index in
        bytes.load(
          fromByteOffset: index / size.width * buffer.planes[0].bytesPerRow
            + 4 * (index % size.width), as: SIMD4<UInt8>.self)
      }
    }
  }

  /// Opaque pictures are rendered once and straight into their destination.
  @Test func opaquePicturesAreAsBefore() throws {
    let (source, map) = try Self.scene(.straight)
    source.withUnsafeMutableBytes { bytes in
      for index in 0..<Self.size.count {
        bytes.storeBytes(of: 1, toByteOffset: 16 * index + 12, as: Float.self)
      }
    }
    let result = try Self.render(source, map, from: .straight, to: .straight)
    let direct = try PixelBuffer(dimensions: Self.size, format: .rgbaFloat, tags: Self.tags)
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: .cpu()), quality: .export)
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: .init(focusDisparity: 0.9, fNumber: 2.8), sourceImage: source,
      sourceDisparity: map, destinationImage: direct)
    buffer.commit()
    buffer.waitUntilCompleted()
    #expect(Self.pixels(result) == Self.pixels(direct))
  }

  /// A session that is told of alpha gives what the renderer gives, in strips, too, and to a texture.
  @Test(arguments: [nil, 2_000_000] as [Int?]) func sessions(_ limit: Int?) throws {
    let (source, map) = try Self.scene(.straight)
    let wanted = Self.pixels(try Self.render(source, map, from: .straight, to: .premultiplied))
    var attributes = RenderingSession.Attributes()
    attributes.workingMemoryLimit = limit
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: .cpu()), sessionAttributes: attributes, quality: .export)
    let direct = try PixelBuffer(
      dimensions: Self.size, format: .rgbaFloat, tags: Self.tags, bytesPerRowAlignment: 16)
    let texture = try Texture(
      device: session.commandQueue.device, format: .rgba32Float, dimensions: Self.size)
    let buffer = session.commandQueue.makeCommandBuffer()
    for destination in [
      RenderingSession.Picture.pixelBuffer(direct, alpha: .premultiplied),
      .texture(texture, tags: Self.tags, alpha: .premultiplied),
    ] {
      try session.encodeRender(
        to: buffer, frameAttributes: .init(focusDisparity: 0.9, fNumber: 2.8),
        source: .pixelBuffer(source, alpha: .straight), disparity: .pixelBuffer(map),
        destination: destination)
    }
    buffer.commit()
    buffer.waitUntilCompleted()
    #expect(buffer.error == nil)
    #expect(Self.pixels(direct) == wanted)
    var bytes = [SIMD4<Float>](repeating: .zero, count: Self.size.count)
    let result = bytes.withUnsafeMutableBytes { bytes in
      Result { () throws(CinematicError) in try texture.getBytes(bytes) }
    }
    try result.get()
    #expect(bytes == wanted)
  }

  @Test func oneCall() async throws {
    let (source, map) = try Self.scene(.straight)
    let wanted = try Self.render(source, map, from: .straight, to: .straight)
    let found = try await source.rendered(disparity: map, focus: 0.9, on: .cpu())
    #expect(Self.pixels(found) == Self.pixels(wanted))
    #expect(source.isTranslucent && !map.isTranslucent)
  }

  /// Rows of bytes begin at any address.
  @Test(arguments: [0, 1, 2, 3]) func translucencyAtAnyAddress(_ offset: Int) throws {
    let (width, height, bytesPerRow) = (37, 3, 4 * 37 + 1)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: 512)
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: .rgba8, tags: .sRGB,
      baseAddress: memory, byteCount: 512,
      planes: [(offset: offset, bytesPerRow: bytesPerRow)]
    ) { $0.deallocate() }
    func setAlpha(_ index: Int, _ alpha: UInt8) {
      picture.withUnsafeMutableBytes {
        $0[index / width * bytesPerRow + 4 * (index % width) + 3] = alpha
      }
    }
    for index in 0..<width * height { setAlpha(index, 255) }
    #expect(!picture.isTranslucent)
    for index in [0, width - 1, width, width * height / 2, width * height - 1] {
      setAlpha(index, 254)
      #expect(picture.isTranslucent, "\(index)")
      setAlpha(index, 255)
    }
  }

  /// High dynamic range with alpha: surfaces get the tones that they get without it, and alpha is blurred
  /// as it is without mapping. A surface that is hardly covered is no darker.
  @Test(arguments: [AlphaMode.straight, .premultiplied]) func toneMapping(_ mode: AlphaMode) throws
  {
    let (scene, map) = try Self.scene(.straight)
    let tags = ColorTags.pq
    let source = try PixelBuffer(dimensions: Self.size, format: .rgbaFloat, tags: tags)
    try source.store(
      linearRGBA: scene.tagged(
        ColorTags(primaries: tags.primaries, transfer: .linear, matrix: tags.matrix)))
    let mapping = try #require(ToneMapping(from: tags, to: .sRGB))
    func render(_ source: PixelBuffer, to alpha: AlphaMode) throws -> [SIMD4<Float>] {
      let destination = try PixelBuffer(
        dimensions: Self.size, format: .rgbaFloat, tags: .sRGB, bytesPerRowAlignment: 16)
      let renderer = try FrameRenderer(devices: [.cpu()], quality: .export)
      var frame = FrameRenderer.Frame(
        number: 0, sourceImage: source, sourceDisparity: map,
        attributes: .init(focusDisparity: 0.9, fNumber: 2.8, toneMapping: mapping),
        destination: destination)
      frame.destinationAlpha = alpha
      try renderer.finish(renderer.commit(frame))
      return Self.pixels(try destination.linearRGBA())
    }
    let found = try render(source, to: mode)
    let light = mapping.mapped(SIMD3(0.8, 0.3, 0.1))
    let wanted = Self.pixels(try Self.render(scene, map, from: .straight, to: .straight))
    var soft = 0
    for (pixel, plain) in zip(found, wanted) {
      #expect(abs(pixel.w - plain.w) < 1e-4)
      guard plain.w > 0.02 else { continue }
      if plain.w < 0.9 { soft += 1 }
      let factor = mode == .premultiplied ? plain.w : 1
      let difference = SIMD3(pixel.x, pixel.y, pixel.z) - factor * light
      let most = max(abs(difference.x), abs(difference.y), abs(difference.z))
      #expect(most < 0.02 * factor + 0.001, "\(pixel) \(light)")
    }
    #expect(soft > 500)
  }

  @Test(arguments: TestDevices.graphics) func everyDevice(_ device: Device) throws {
    let (source, map) = try Self.scene(.straight)
    let wanted = try Self.render(source, map, from: .straight, to: .straight)
    let found = try Self.render(source, map, from: .straight, to: .straight, on: device)
    #expect(Self.pixels(found) == Self.pixels(wanted))
  }
}
