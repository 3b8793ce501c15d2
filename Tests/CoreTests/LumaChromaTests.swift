// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Testing

/// Bi-planar 4:2:0 against a literal reading of the definitions, in Double.
enum LiteralUnpack {
  /// Luma weights of red and blue: BT.601, BT.709, BT.2020.
  static func weights(_ matrix: ColorTags.Matrix) -> (red: Double, blue: Double) {
    switch matrix {
    case .bt601: (0.299, 0.114)
    case .bt709: (0.2126, 0.0722)
    case .bt2020: (0.2627, 0.0593)
    }
  }

  /// R'G'B' at a pixel: codes to numbers, chroma sited at (2 i, 2 j + 1/2) in luma samples and
  /// interpolated in straight lines, the borders repeated.
  static func pixel(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> (Double, Double, Double) {
    let unit = buffer.bitsPerCode == 10 ? 4.0 : 1.0
    let full = buffer.format == .yuv420Full8 || buffer.format == .yuv420Full10
    let lumaSpan = full ? 256 * unit - 1 : 219 * unit
    let chromaSpan = full ? 256 * unit - 1 : 224 * unit
    let size = buffer.planes[1].dimensions
    func chroma(_ c: Int) -> Double {
      func at(_ i: Int, _ j: Int) -> Double {
        let column = min(max(i, 0), size.width - 1), row = min(max(j, 0), size.height - 1)
        return Double(buffer.code(2 * column + c, row, plane: 1))
      }
      let u = Double(x) / 2, v = (Double(y) - 0.5) / 2
      let i = Int(floor(u)), j = Int(floor(v))
      let s = u - floor(u), t = v - floor(v)
      let top = at(i, j) * (1 - s) + at(i + 1, j) * s
      let bottom = at(i, j + 1) * (1 - s) + at(i + 1, j + 1) * s
      return (top * (1 - t) + bottom * t - 128 * unit) / chromaSpan
    }
    let luma = (Double(buffer.code(x, y)) - (full ? 0 : 16 * unit)) / lumaSpan
    let (kr, kb) = weights(buffer.tags.matrix)
    let red = luma + 2 * (1 - kr) * chroma(1)
    let blue = luma + 2 * (1 - kb) * chroma(0)
    return (red, (luma - kr * red - kb * blue) / (1 - kr - kb), blue)
  }
}

@Suite struct LumaChromaTests {
  static let sizes = [(1, 1), (1, 8), (9, 1), (3, 5), (2, 2), (37, 11), (12, 6)]

  private func tags(_ transfer: ColorTags.Transfer, _ matrix: ColorTags.Matrix) -> ColorTags {
    ColorTags(primaries: .bt709, transfer: transfer, matrix: matrix)
  }

  // Floats of values up to 2 and three products of them: a few 1e-7.
  @Test(arguments: biPlanar, ColorTags.Matrix.allCases)
  func unpackingFollowsTheDefinition(_ format: PixelFormat, _ matrix: ColorTags.Matrix) throws {
    for (seed, size) in Self.sizes.enumerated() {
      let source = try noise(
        size.0, size.1, format, tags(.linear, matrix), seed: UInt64(seed))
      let linear = try source.linearRGBA()
      for y in 0..<size.1 {
        for x in 0..<size.0 {
          let color = linear.color(x, y)
          let (r, g, b) = LiteralUnpack.pixel(source, x, y)
          let error = max(
            abs(Double(color.x) - r), abs(Double(color.y) - g), abs(Double(color.z) - b))
          #expect(error < 1e-6 && color.w == 1, "\(size) at \(x), \(y)")
        }
      }
    }
  }

  /// Every luma code, also outside the nominal range, through every curve.
  @Test(arguments: biPlanar, ColorTags.Transfer.allCases)
  func grayRampComesBack(_ format: PixelFormat, _ transfer: ColorTags.Transfer) throws {
    let count = 1 << format.bitsPerComponent
    for matrix in ColorTags.Matrix.allCases {
      let source = try PixelBuffer(count, 2, format, tags(transfer, matrix))
      for x in 0..<count {
        source.setCode(x, x, 0)
        source.setCode(count - 1 - x, x, 1)
        source.setCode(count / 2, x, 0, plane: 1)
      }
      #expect(try source.repacked().pixelBytes == source.pixelBytes, "\(matrix)")
    }
  }

  /// Random luma beside random chroma, at odd sizes too: the chroma filter undoes the
  /// interpolation, so that what was in focus keeps its codes.
  @Test(arguments: biPlanar, ColorTags.Transfer.allCases)
  func anyPictureComesBack(_ format: PixelFormat, _ transfer: ColorTags.Transfer) throws {
    for matrix in ColorTags.Matrix.allCases {
      for (seed, size) in (Self.sizes + [(259, 7)]).enumerated() {
        // PQ has no light for colours far outside the cube.
        let source =
          transfer == .pq
          ? try noise(
            size.0, size.1, format, tags(transfer, matrix), seed: UInt64(seed), luma: 0.3...0.6,
            chroma: 0.35...0.65)
          : try noise(size.0, size.1, format, tags(transfer, matrix), seed: UInt64(seed))
        #expect(
          try source.repacked().pixelBytes == source.pixelBytes, "\(matrix), \(size)")
      }
    }
  }

  /// Colour differences that change in a straight line are read off at the chroma positions.
  @Test(arguments: biPlanar) func chromaRampsAreSitedLeft(_ format: PixelFormat) throws {
    let (kr, kb) = LiteralUnpack.weights(.bt709)
    let destination = try PixelBuffer(24, 16, format, tags(.linear, .bt709))
    let unit = format.bitsPerComponent == 10 ? 4.0 : 1.0
    let full = format == .yuv420Full8 || format == .yuv420Full10
    let span = full ? 256 * unit - 1 : 224 * unit
    // Codes at a pixel: Cb falls by 1/2 a column and grows by 2 a row, so that the codes at
    // (2 i, 2 j + 1/2) are whole.
    func cb(_ x: Double, _ y: Double) -> Double { 100 * unit - 0.5 * x + 2 * y }
    func cr(_ x: Double, _ y: Double) -> Double { 140 * unit + 1.5 * x - 2 * y }
    let source = try PixelBuffer.linear(24, 16) { x, y in
      let b = 2 * (1 - kb) * (cb(Double(x), Double(y)) - 128 * unit) / span + 0.5
      let r = 2 * (1 - kr) * (cr(Double(x), Double(y)) - 128 * unit) / span + 0.5
      return SIMD4(Float(r), Float((0.5 - kr * r - kb * b) / (1 - kr - kb)), Float(b), 1)
    }
    try destination.store(linearRGBA: source)
    for j in 1..<7 {
      for i in 1..<11 {
        let (x, y) = (Double(2 * i), Double(2 * j) + 0.5)
        #expect(Double(destination.code(2 * i, j, plane: 1)) == cb(x, y))
        #expect(Double(destination.code(2 * i + 1, j, plane: 1)) == cr(x, y))
      }
    }
  }

  /// 10-bit codes stand in the high bits; codes are clamped and never wrap.
  @Test func storedBits() throws {
    let linear = try PixelBuffer.linear(4, 2) { x, _ in SIMD4(repeating: [-9, 0, 1, 9][x]) }
    for (format, expected) in [
      (PixelFormat.yuv420Video10, [0, 64, 940, 1023]), (.yuv420Full10, [0, 0, 1023, 1023]),
    ] {
      let buffer = try PixelBuffer(4, 2, format)
      try buffer.store(linearRGBA: linear)
      for x in 0..<4 { #expect(buffer.get(x, 0, as: UInt16.self) == UInt16(expected[x] << 6)) }
      #expect(buffer.get(0, 0, plane: 1, as: UInt16.self) == 512 << 6)
    }
  }
}
