// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalSample
import Testing

/// Pictures at the size at which they are looked at.
@Suite struct EyePictureTests {
  /// Codes that rise to the right and downwards, up to 240.
  private static func ramp(_ size: Dimensions) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: (0..<size.count).flatMap { place -> [UInt8] in
        let (x, y) = (place % size.width, place / size.width)
        let red = UInt8(240 * x / (size.width - 1))
        let green = UInt8(240 * y / (size.height - 1))
        return [red, green, 100, 255]
      })
  }

  /// Reduced and strip by strip, a picture is the same ramp at every size, upright.
  @Test(
    arguments: [(1000, 1400), (333, 517), (640, 361), (64, 48), (20, 9)],
    [Dimensions(width: 64, height: 36), Dimensions(width: 39, height: 71)])
  func keepsARamp(large: (Int, Int), size: Dimensions) throws {
    let source = Dimensions(width: large.0, height: large.1)
    let picture = try Self.ramp(source)
    for turn in [QuarterTurn.identity, .clockwise90] {
      let eye = try EyePicture(picture, turn: turn, dimensions: size)
      var largest: Float = 0
      for y in 0..<size.height {
        for x in 0..<size.width {
          let shown = NormalizedPoint(
            x: (Double(x) + 0.5) / Double(size.width), y: (Double(y) + 0.5) / Double(size.height))
          let stored = turn.inverse.applied(to: shown)
          let codes = [stored.x, stored.y].enumerated().map { index, share -> Float in
            let count = Double(index == 0 ? source.width : source.height)
            let place = max(0, min(count - 1, share * count - 0.5))
            return Float(240 * place / (count - 1) / 255)
          }
          let at = 3 * (y * size.width + x)
          largest = max(
            largest, abs(eye.codes[at] - codes[0]), abs(eye.codes[at + 1] - codes[1]),
            abs(eye.codes[at + 2] - 100 / 255))
        }
      }
      // Whole codes, means of light, which are not those of codes, and squares that are not whole at the border.
      let isClose = largest < 0.02
      #expect(isClose, "\(largest) of \(source) at \(size)")
    }
  }

  /// Planes become the means of squares, and of what there is of them at the right and at the bottom.
  @Test(
    arguments: [
      .yuv420Video8, .yuv420Full10, .rgba8, .gray16, .rgbaHalf, .rgbaFloat, .disparityHalf,
    ] as [PixelFormat], 2...5)
  func reducesToMeans(format: PixelFormat, factor: Int) throws {
    let size = Dimensions(width: 23, height: 17)
    let picture = try PixelBuffer(dimensions: size, format: format)
    var random = SeededGenerator(seed: UInt64(factor))
    for plane in picture.planes.indices {
      picture.withUnsafeMutableBytes(ofPlane: plane) { bytes in
        for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        // Halfs and floats that are finite: their highest byte holds most of the exponent.
        guard format.isFloatingPoint else { return }
        let width = format.bytesPerComponent
        for index in stride(from: width - 1, to: bytes.count, by: width) { bytes[index] &= 0x3f }
      }
    }
    let few = try picture.reduced(by: factor)
    #expect(
      few.dimensions
        == Dimensions(width: (22 + factor) / factor, height: (16 + factor) / factor))
    for plane in picture.planes.indices {
      let (from, to) = (Self.numbers(picture, plane), Self.numbers(few, plane))
      let channels = format.planes[plane].bytesPerElement / format.bytesPerComponent
      #expect(to.count == (from.count + factor - 1) / factor)
      var largest = 0.0
      for y in to.indices {
        let rows = from[y * factor..<min(from.count, (y + 1) * factor)]
        for place in to[y].indices {
          let mean = Self.mean(of: rows, place, channels: channels, factor: factor)
          largest = max(largest, abs(to[y][place] - mean) / max(1, abs(mean)))
        }
      }
      // Half a code, and a rounding of floats.
      let tolerance = format.isFloatingPoint ? 1e-5 : 0.502
      #expect(largest <= tolerance, "\(largest)")
    }
  }

  /// The mean of the numbers that one of a reduced plane is made of.
  private static func mean(
    of rows: ArraySlice<[Double]>, _ place: Int, channels: Int, factor: Int
  ) -> Double {
    let (column, channel) = (place / channels, place % channels)
    var (sum, count) = (0.0, 0.0)
    for row in rows {
      let end = min(row.count / channels, (column + 1) * factor)
      for x in column * factor..<end {
        sum += row[x * channels + channel]
        count += 1
      }
    }
    return sum / count
  }

  /// The numbers of a plane, row by row.
  private static func numbers(_ picture: PixelBuffer, _ index: Int) -> [[Double]] {
    let layout = picture.planes[index]
    let count =
      layout.dimensions.width * layout.bytesPerElement / picture.format.bytesPerComponent
    return picture.withUnsafeBytes(ofPlane: index) { bytes in
      (0..<layout.dimensions.height).map { row in
        let from = row * layout.bytesPerRow
        return (0..<count).map { place in
          switch picture.format {
          case .rgbaFloat, .disparityFloat:
            Double(bytes.load(fromByteOffset: from + 4 * place, as: Float.self))
          case .rgbaHalf, .disparityHalf:
            Double(Float(half: bytes.load(fromByteOffset: from + 2 * place, as: UInt16.self)))
          default:
            picture.format.bytesPerComponent == 2
              ? Double(bytes.load(fromByteOffset: from + 2 * place, as: UInt16.self))
              : Double(bytes[from + place])
          }
        }
      }
    }
  }
}
