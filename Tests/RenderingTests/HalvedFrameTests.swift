// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import Testing

@testable import FocalRendering

/// Thumbnails of larger pictures are worked on at half their size; what is sharp comes back whole.
@Suite struct HalvedFrameTests {
  private static let size = Dimensions(width: 1203, height: 701)

  /// Detail of single pixels everywhere; a near square before a far ground.
  private static func scene(focus: Float, turn: QuarterTurn = .identity) throws -> RenderCase {
    let source = try PixelBuffer.linear(size.width, size.height) { x, y in
      SIMD3((x + y) % 2 == 0 ? 0.8 : 0.1, Float(x % 7) / 7, Float(y % 5) / 5)
    }
    let map = try PixelBuffer.disparity(size.width, size.height) { x, y in
      isNear(x, y) ? 0.75 : 0.25
    }
    return RenderCase(
      source: source, disparity: map, focusDisparity: focus, fNumber: 1, blurScale: 0.05,
      transform: turn, quality: .thumbnail)
  }

  private static func isNear(_ x: Int, _ y: Int) -> Bool {
    (400..<800).contains(x) && (200..<500).contains(y)
  }

  /// Pixels in focus keep their light to the bit, away from edges; pixels out of focus do not.
  @Test(arguments: [Float(0.25), 0.75]) func detail(_ focus: Float) throws {
    let item = try Self.scene(focus: focus)
    let given = item.source.pixelBytes()
    let shown = try item.render(on: .cpu()).pixelBytes()
    let (width, height) = (Self.size.width, Self.size.height)
    var (kept, lost, count) = (0, 0, 0)
    // Farther from the square's edges than circles of 15 pixels reach.
    for (y, x) in [(20, 20), (100, 300), (100, 1100), (350, 600), (300, 500), (690, 1200)] {
      for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] where x + dx < width && y + dy < height {
        let o = 16 * ((y + dy) * width + x + dx)
        let isSame = given[o..<o + 12].elementsEqual(shown[o..<o + 12])
        let isSharp = Self.isNear(x, y) == (focus == 0.75)
        kept += isSharp && isSame ? 1 : 0
        lost += !isSharp && !isSame ? 1 : 0
        count += 1
      }
    }
    #expect(kept + lost == count, "\(kept) kept and \(lost) lost of \(count)")
  }

  private static func floats(_ buffer: PixelBuffer) -> [Float] {
    buffer.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// Where halves are asked for, smaller thumbnails are worked on so, too: what is sharp comes back, and what is blurred
  /// is near the thumbnail that is worked on whole.
  @Test func draft() async throws {
    let size = Dimensions(width: 320, height: 180)
    func isNear(_ x: Int, _ y: Int) -> Bool { (100..<220).contains(x) && (50..<130).contains(y) }
    let source = try PixelBuffer.linear(size.width, size.height) { x, y in
      SIMD3((x + y) % 2 == 0 ? 0.8 : 0.1, Float(x % 7) / 7, Float(y % 5) / 5)
    }
    let map = try PixelBuffer.disparity(size.width, size.height) { x, y in
      isNear(x, y) ? 0.75 : 0.25
    }
    var shown: [[Float]] = []
    for halves in [false, true] {
      var attributes = RenderingSession.Attributes(blurScale: 0.05)
      attributes.halvesThumbnails = halves
      let renderer = try FrameRenderer(
        devices: [.cpu()], sessionAttributes: attributes, quality: .thumbnail)
      let result = try PixelBuffer(
        dimensions: size, format: .rgbaFloat, tags: source.tags, bytesPerRowAlignment: 16)
      let frame = FrameRenderer.Frame(
        number: 0, sourceImage: source, sourceDisparity: map,
        attributes: .init(focusDisparity: 0.75, fNumber: 1), destination: result)
      try await renderer.completed(renderer.commit(frame))
      shown.append(Self.floats(result))
    }
    let given = Self.floats(source)
    var difference: Float = 0
    var count = 0
    for y in stride(from: 10, to: size.height - 10, by: 3) {
      for x in stride(from: 10, to: size.width - 10, by: 3) {
        let place = 4 * (y * size.width + x)
        let isInside = (130..<190).contains(x) && (80..<100).contains(y)
        if isInside {
          let isSame = shown[1][place..<place + 3].elementsEqual(given[place..<place + 3])
          #expect(isSame, "\(x), \(y)")
        } else if !(80..<240).contains(x) {
          difference += abs(shown[0][place] - shown[1][place])
          count += 1
        }
      }
    }
    // Another sampling of the same blur.
    #expect(difference / Float(count) < 0.02, "\(difference / Float(count))")
    let isOther = shown[0] != shown[1]
    #expect(isOther)
  }

  /// A small frame that is worked on at half its size, from pixels of a format.
  private static func draft(
    _ format: PixelFormat, _ tags: ColorTags, turn: QuarterTurn = .identity
  ) throws -> RenderCase {
    let (width, height) = (321, 203)
    let light = try PixelBuffer.linear(width, height) { x, y in
      SIMD3((x + y) % 2 == 0 ? 0.3 : 0.1, 0.1 + Float(x % 7) / 40, 0.1 + Float(y % 5) / 30)
    }
    let map = try PixelBuffer.disparity(width, height) { x, y in
      (90..<210).contains(x) && (50..<140).contains(y) ? 0.75 : 0.25
    }
    var item = RenderCase(
      source: try light.converted(to: format, tags: tags), disparity: map, focusDisparity: 0.75,
      fNumber: 1, blurScale: 0.05, transform: turn, quality: .thumbnail)
    item.session.halvesThumbnails = true
    return item
  }

  private static let formats: [(PixelFormat, ColorTags)] = [
    (.rgba8, .sRGB), (.yuv420Video8, .bt709), (.yuv420Full10, .bt709), (.gray16, .sRGB),
    (.rgbaHalf, .linearBT709), (.rgbaFloat, .linearBT709),
  ]

  /// A half that is made as the picture is unpacked, and enlarged as it is packed, has the bits of passes of their
  /// own. Those run where light is lifted; none of this is light enough.
  @Test(arguments: QuarterTurn.allCases, formats.indices)
  func fusedPasses(_ turn: QuarterTurn, _ index: Int) throws {
    let (format, tags) = Self.formats[index]
    var item = try Self.draft(format, tags, turn: turn)
    let fused = try item.render(on: .cpu(threadCount: 2), format: format, tags: tags).pixelBytes()
    item.session.highlights = 1
    item.session.highlightThreshold = 0.99
    let apart = try item.render(on: .cpu(), format: format, tags: tags).pixelBytes()
    let isSame = fused == apart
    #expect(isSame)
  }

  /// Neither pass of its own runs where one does the work of two.
  @Test func passes() throws {
    for (format, tags) in Self.formats {
      let item = try Self.draft(format, tags)
      func kernels(highlights: Float) throws -> Set<Kernel> {
        var attributes = item.session
        attributes.highlights = highlights
        let session = try RenderingSession(
          commandQueue: CommandQueue(device: .cpu()), sessionAttributes: attributes,
          quality: .thumbnail)
        let destination = try PixelBuffer(
          dimensions: item.source.dimensions, format: format, tags: tags)
        return Set(
          try session.passes(
            frameAttributes: .init(focusDisparity: 0.75, fNumber: 1), sourceImage: item.source,
            sourceDisparity: item.disparity, destinationImage: destination
          ).map(\.kernel))
      }
      let hasChroma = format == .yuv420Video8 || format == .yuv420Full10
      let fused: Set<Kernel> = [.unpackHalved, hasChroma ? .packDetailBiPlanar : .packDetail]
      let apart: Set<Kernel> = [.unpack, .halve, .addDetail, hasChroma ? .packBiPlanar : .pack]
      #expect(try kernels(highlights: 0).intersection(fused.union(apart)) == fused)
      #expect(try kernels(highlights: 1).intersection(fused.union(apart)) == apart)
    }
  }

  /// A frame without blur is its source.
  @Test func noBlur() throws {
    var item = try Self.scene(focus: 0.25)
    item.frame.fNumber = .infinity
    #expect(try item.render(on: .cpu()).pixelBytes() == item.source.pixelBytes())
  }

  /// The mean light of what is blurred stays.
  @Test func energy() throws {
    let shown = try Self.scene(focus: 0.25).render(on: .cpu()).pixelBytes()
    var sum: Float = 0
    for y in 300..<400 {
      for x in 500..<700 {
        sum += shown.withUnsafeBytes {
          $0.loadUnaligned(fromByteOffset: 16 * (y * Self.size.width + x), as: Float.self)
        }
      }
    }
    #expect(abs(sum / 20_000 - 0.45) < 0.002, "\(sum / 20_000)")
  }
}
