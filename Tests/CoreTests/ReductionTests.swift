// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes
import Testing

/// Pictures at a whole part of their size.
@Suite struct ReductionTests {
  private static func codes(_ picture: PixelBuffer, plane: Int, x: Int, y: Int, _ component: Int)
    -> Double
  {
    picture.withUnsafeBytes(ofPlane: plane) { bytes in
      let layout = picture.planes[plane]
      let place =
        y * layout.bytesPerRow + x * layout.bytesPerElement
        + component * picture.format.bytesPerComponent
      switch picture.format.bytesPerComponent {
      case 1: return Double(bytes[place])
      case 2 where picture.format == .rgbaHalf:
        return Double(Float(half: bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self)))
      case 2: return Double(bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))
      default: return Double(bytes.loadUnaligned(fromByteOffset: place, as: Float.self))
      }
    }
  }

  /// A picture whose codes are drawn from a seed.
  private static func random(_ size: Dimensions, _ format: PixelFormat) throws -> PixelBuffer {
    let picture = try PixelBuffer(dimensions: size, format: format)
    var state: UInt64 = 42
    for plane in picture.planes.indices {
      picture.withUnsafeMutableBytes(ofPlane: plane) { bytes in
        let layout = picture.planes[plane]
        for y in 0..<layout.dimensions.height {
          for x in 0..<(layout.dimensions.width * layout.bytesPerElement / format.bytesPerComponent)
          {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let value = UInt16(truncatingIfNeeded: state >> 40)
            let place = y * layout.bytesPerRow + x * format.bytesPerComponent
            switch format.bytesPerComponent {
            case 1: bytes[place] = UInt8(truncatingIfNeeded: value)
            case 2 where format == .rgbaHalf:
              // Finite: the highest bits are the exponent's.
              bytes.storeBytes(of: value & 0x5bff, toByteOffset: place, as: UInt16.self)
            case 2: bytes.storeBytes(of: value, toByteOffset: place, as: UInt16.self)
            default: bytes.storeBytes(of: Float(value) / 256, toByteOffset: place, as: Float.self)
            }
          }
        }
      }
    }
    return picture
  }

  /// Of luma and of colours side by side: the means of squares, to the nearest code; at the border the last column
  /// and row count for those that are missing.
  @Test(
    arguments: [
      PixelFormat.yuv420Video8, .yuv420Full10, .rgba8, .rgbaHalf, .rgbaFloat, .gray8, .gray16,
    ], [2, 3, 4, 7])
  func areMeansOfSquares(format: PixelFormat, factor: Int) throws {
    let picture = try Self.random(Dimensions(width: 61, height: 47), format)
    let small = try picture.reduced(by: factor)
    let size = Dimensions(width: (60 + factor) / factor, height: (46 + factor) / factor)
    #expect(small.dimensions == size)
    #expect(small.format == (format == .rgbaHalf ? .rgbaFloat : format))
    #expect(small.tags == picture.tags)
    let components = picture.planes[0].bytesPerElement / format.bytesPerComponent
    var farthest = 0.0
    for y in 0..<small.height {
      for x in 0..<small.width {
        for component in 0..<components {
          var sum = 0.0
          for j in 0..<factor {
            for i in 0..<factor {
              sum += Self.codes(
                picture, plane: 0, x: min(x * factor + i, 60), y: min(y * factor + j, 46), component
              )
            }
          }
          let mean = sum / Double(factor * factor)
          farthest = max(
            farthest, abs(mean - Self.codes(small, plane: 0, x: x, y: y, component)))
        }
      }
    }
    // Half a code, and the rounding of floats of up to 256.
    #expect(farthest <= (format.isFloatingPoint ? 1e-4 : 0.5 + 1e-6))
  }

  /// Chroma that rises with luma rises with the smaller luma, in the same places.
  @Test(arguments: [2, 3, 4, 5, 8])
  func chromaStaysInItsPlace(factor: Int) throws {
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: 160, height: 96), format: .yuv420Full10)
    func code(_ x: Int, _ y: Double) -> UInt16 { UInt16(64 * (4 * Double(x) + 2 * y)) }
    for plane in 0...1 {
      picture.withUnsafeMutableBytes(ofPlane: plane) { bytes in
        let layout = picture.planes[plane]
        for y in 0..<layout.dimensions.height {
          for x in 0..<layout.dimensions.width {
            // Level with even columns, half-way between two rows.
            let value = plane == 0 ? code(x, Double(y)) : code(2 * x, 2 * Double(y) + 0.5)
            for component in 0...plane {
              bytes.storeBytes(
                of: value,
                toByteOffset: y * layout.bytesPerRow + x * layout.bytesPerElement
                  + 2 * component, as: UInt16.self)
            }
          }
        }
      }
    }
    let small = try picture.reduced(by: factor)
    let size = small.planes[1].dimensions
    var farthest = 0.0
    for y in 1..<(size.height - 1) {
      for x in 1..<(size.width - 1) {
        let above = Self.codes(small, plane: 0, x: 2 * x, y: 2 * y, 0)
        let below = Self.codes(small, plane: 0, x: 2 * x, y: 2 * y + 1, 0)
        for component in 0...1 {
          let chroma = Self.codes(small, plane: 1, x: x, y: y, component)
          farthest = max(farthest, abs(chroma - (above + below) / 2))
        }
      }
    }
    // Two roundings of codes of 16 bits.
    #expect(farthest <= 1)
  }

  /// Colours are the means of squares of all that a picture shows, chroma in its place, in no whole codes.
  @Test(
    arguments: [PixelFormat.yuv420Video8, .yuv420Full10, .rgba8, .rgbaHalf], [2, 4, 6, 16])
  func coloursAreMeansOfSquares(format: PixelFormat, factor: Int) throws {
    // Light and codes are the same; between two places of chroma that rise evenly there is one colour that fits.
    let tags = ColorTags(primaries: .bt709, transfer: .linear, matrix: .bt709)
    let size = Dimensions(width: 83, height: 49)
    let picture = try PixelBuffer(dimensions: size, format: format, tags: tags)
    for plane in picture.planes.indices {
      picture.withUnsafeMutableBytes(ofPlane: plane) { bytes in
        let layout = picture.planes[plane]
        let components = layout.bytesPerElement / format.bytesPerComponent
        for y in 0..<layout.dimensions.height {
          for place in 0..<(layout.dimensions.width * components) {
            let column = (1 + plane) * (place / components)
            let value = 16 + 30 * (place % components) + column + (1 + plane) * y
            let at = y * layout.bytesPerRow + place * format.bytesPerComponent
            switch format.bytesPerComponent {
            case 1: bytes[at] = UInt8(value)
            case _ where format == .rgbaHalf:
              bytes.storeBytes(
                of: UInt16(focal_float_to_half(Float(value))), toByteOffset: at, as: UInt16.self)
            default: bytes.storeBytes(of: UInt16(value) << 8, toByteOffset: at, as: UInt16.self)
            }
          }
        }
      }
    }
    let (small, whole) = (try picture.reducedColors(by: factor), try picture.linearRGBA())
    #expect(small.format == .rgbaFloat && small.tags == tags)
    #expect(small.width == (size.width + factor - 1) / factor)
    #expect(small.height == (size.height + factor - 1) / factor)
    var farthest = 0.0
    // At the borders the last columns and rows of chroma count again, and not those that a line would have.
    for y in 1..<(size.height / factor - 1) {
      for x in 1..<(size.width / factor - 1) {
        for component in 0..<4 {
          var sum = 0.0
          for j in 0..<factor {
            for i in 0..<factor {
              sum += Self.codes(whole, plane: 0, x: x * factor + i, y: y * factor + j, component)
            }
          }
          let mean = sum / Double(factor * factor)
          let made = Self.codes(small, plane: 0, x: x, y: y, component)
          farthest = max(farthest, abs(mean - made) / max(1, abs(mean)))
        }
      }
    }
    // The rounding of floats.
    #expect(farthest <= 1e-5)
  }

  /// Even what is smaller than a square has a pixel, and the picture itself is its own whole.
  @Test func extremes() throws {
    let line = try Self.random(Dimensions(width: 5, height: 1), .yuv420Video8)
    #expect(try line.reduced(by: 32).dimensions == Dimensions(width: 1, height: 1))
    #expect(try line.reduced(by: 1).dimensions == line.dimensions)
    // The largest sum that there is: all codes of a square are the highest.
    let size = Dimensions(
      width: PixelBuffer.largestReduction, height: PixelBuffer.largestReduction)
    let white = try PixelBuffer(
      dimensions: size, format: .gray16, values: [UInt16](repeating: .max, count: size.count))
    let mean = try white.reduced(by: PixelBuffer.largestReduction)
    #expect(Self.codes(mean, plane: 0, x: 0, y: 0, 0) == 65535)
  }

  /// One value that is not a number, or without bounds, leaves a square what the others make of it.
  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func boundsWhatIsNotFinite(value: Float) throws {
    let size = Dimensions(width: 4, height: 4)
    var values = [Float](repeating: 1, count: 4 * size.count)
    values[0] = value
    let picture = try PixelBuffer(dimensions: size, format: .rgbaFloat, values: values)
    let small = try picture.reduced(by: 4)
    let light: Float = value.isNaN ? 0 : value > 0 ? 65504 : -65504
    #expect(Self.codes(small, plane: 0, x: 0, y: 0, 0) == Double((15 + light) / 16))
    #expect(Self.codes(small, plane: 0, x: 0, y: 0, 1) == 1)
  }

  /// Maps have no colours; they are refined, not averaged.
  @Test(arguments: [PixelFormat.disparityHalf, .disparityFloat])
  func refusesMaps(format: PixelFormat) throws {
    let map = try PixelBuffer(dimensions: Dimensions(width: 8, height: 8), format: format)
    #expect(throws: CinematicError.self) { try map.reduced(by: 2) }
  }
}
