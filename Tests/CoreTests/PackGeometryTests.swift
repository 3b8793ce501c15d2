// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

/// Where pixels go: turns, strips, ranges of rows and padding.
@Suite struct PackGeometryTests {
  private let pictureFormats = PixelFormat.allCases.filter { !$0.isDisparity }
  // A strip is 256 columns wide.
  private static let sizes = [(1, 1), (1, 5), (5, 1), (3, 5), (256, 3), (257, 2), (6, 515)]

  private func picture(_ width: Int, _ height: Int, seed: UInt64) throws -> PixelBuffer {
    var random = Seeded(seed)
    return try .linear(width, height) { _, _ in
      SIMD4((0..<4).map { _ in Float.random(in: 0...1, using: &random) })
    }
  }

  /// The pixel of the stored picture that is shown at (x, y) of a turned one.
  private func origin(_ turn: QuarterTurn, _ x: Int, _ y: Int, of size: Dimensions) -> (Int, Int) {
    switch turn {
    case .identity: (x, y)
    case .clockwise90: (y, size.height - 1 - x)
    case .clockwise180: (size.width - 1 - x, size.height - 1 - y)
    case .clockwise270: (size.width - 1 - y, x)
    }
  }

  private func turned(_ source: PixelBuffer, _ turn: QuarterTurn) throws -> PixelBuffer {
    let size = turn.applied(to: source.dimensions)
    return try .linear(size.width, size.height) { x, y in
      let (column, row) = origin(turn, x, y, of: source.dimensions)
      return source.color(column, row)
    }
  }

  @Test(arguments: QuarterTurn.allCases, sizes)
  func turnsMovePixelsAsTheLiteralLoop(_ turn: QuarterTurn, _ size: (Int, Int)) throws {
    let source = try picture(size.0, size.1, seed: 3)
    let expected = try turned(source, turn)
    for format in pictureFormats {
      let actual = try PixelBuffer(
        dimensions: turn.applied(to: source.dimensions), format: format, tags: .bt709)
      let reference = try PixelBuffer(
        dimensions: expected.dimensions, format: format, tags: .bt709)
      pack(source, actual, turn: turn)
      pack(expected, reference)
      #expect(actual.pixelBytes == reference.pixelBytes, "\(format)")
    }
    let floats = try PixelBuffer(
      dimensions: expected.dimensions, format: .rgbaFloat, tags: .linearBT709)
    pack(source, floats, turn: turn)
    #expect(floats.pixelBytes == expected.pixelBytes)
  }

  @Test(arguments: QuarterTurn.allCases) func pointsTurnAsPixelsDo(_ turn: QuarterTurn) {
    let size = Dimensions(width: 5, height: 3)
    let shown = turn.applied(to: size)
    for y in 0..<shown.height {
      for x in 0..<shown.width {
        let (column, row) = origin(turn, x, y, of: size)
        let point = turn.applied(
          to: NormalizedPoint(x: (Double(column) + 0.5) / 5, y: (Double(row) + 0.5) / 3))
        #expect(point.pixel(in: shown) == (x, y))
        let back = turn.inverse.applied(to: point).pixel(in: size)
        #expect(back == (column, row))
      }
    }
  }

  /// The corners of a rectangle are where the points are; one that is not turned keeps its bits.
  @Test(arguments: QuarterTurn.allCases) func rectanglesTurnAsPointsDo(_ turn: QuarterTurn) {
    let rect = NormalizedRect(x: 0.1, y: 0.3, width: 0.2, height: 0.6)
    let turned = turn.applied(to: rect)
    let corners = [(rect.x, rect.y), (rect.maxX, rect.maxY)].map {
      turn.applied(to: NormalizedPoint(x: $0.0, y: $0.1))
    }
    let (xs, ys) = (corners.map(\.x).sorted(), corners.map(\.y).sorted())
    for (own, other) in [
      (turned.x, xs[0]), (turned.maxX, xs[1]), (turned.y, ys[0]), (turned.maxY, ys[1]),
    ] {
      // A few roundings of doubles below 1.
      #expect(abs(own - other) < 1e-15)
    }
    if turn == .identity { #expect(turned == rect) }
  }

  /// The same bytes however the rows are shared out, and in whatever order.
  @Test func rangesDoNotMatter() throws {
    let size = (261, 11)
    let source = try picture(size.0, size.1, seed: 5)
    for format in pictureFormats {
      let whole = try PixelBuffer(size.0, size.1, format)
      pack(source, whole)
      let rows = format.isBiPlanar ? 6 : 11
      let parts = try PixelBuffer(size.0, size.1, format)
      pack(source, parts, ranges: [4..<rows, 0..<1, 3..<4, 1..<3])
      #expect(parts.pixelBytes == whole.pixelBytes, "\(format)")
      let one = try unpack(whole, ranges: [0..<11])
      let many = try unpack(whole, ranges: [7..<11, 0..<1, 1..<7])
      #expect(one.pixelBytes == many.pixelBytes, "\(format)")
      #expect(try whole.linearRGBA().pixelBytes == one.pixelBytes)
    }
  }

  /// Padding is neither read nor written, at the least alignment that the format allows.
  @Test func paddingIsLeftAlone() throws {
    let source = try picture(13, 7, seed: 6)
    for format in pictureFormats {
      let tight = try PixelBuffer(13, 7, format, alignment: 1)
      let wide = try PixelBuffer(13, 7, format, alignment: 256)
      for index in wide.planes.indices {
        wide.withUnsafeMutableBytes(ofPlane: index) { bytes in
          _ = bytes.initializeMemory(as: UInt8.self, repeating: 0xA5)
        }
      }
      pack(source, tight)
      pack(source, wide)
      #expect(tight.pixelBytes == wide.pixelBytes, "\(format)")
      #expect(try tight.linearRGBA().pixelBytes == wide.linearRGBA().pixelBytes, "\(format)")
      for (index, plane) in wide.planes.enumerated() {
        let rowBytes = plane.dimensions.width * plane.bytesPerElement
        wide.withUnsafeBytes(ofPlane: index) { bytes in
          for y in 0..<plane.dimensions.height {
            let padding = bytes[(y * plane.bytesPerRow + rowBytes)..<((y + 1) * plane.bytesPerRow)]
            #expect(padding.allSatisfy { $0 == 0xA5 }, "\(format), plane \(index), row \(y)")
          }
        }
      }
    }
  }

  /// Memory that is aligned to no more than a component.
  @Test(arguments: [(PixelFormat.rgba8, 1), (.rgbaHalf, 2), (.rgbaFloat, 4), (.gray16, 2)])
  func unalignedPixelsWork(_ format: PixelFormat, _ shift: Int) throws {
    let source = try picture(9, 3, seed: 7)
    let reference = try PixelBuffer(9, 3, format)
    pack(source, reference)
    let rowBytes = 9 * format.planes[0].bytesPerElement + shift
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 3 * rowBytes + 64, alignment: 64)
    let wrapped = try PixelBuffer(
      dimensions: source.dimensions, format: format, tags: .bt709, baseAddress: memory + shift,
      byteCount: 3 * rowBytes, planes: [(0, rowBytes)], release: { ($0 - shift).deallocate() })
    pack(source, wrapped)
    #expect(wrapped.pixelBytes == reference.pixelBytes)
    #expect(try wrapped.linearRGBA().pixelBytes == reference.linearRGBA().pixelBytes)
  }
}
