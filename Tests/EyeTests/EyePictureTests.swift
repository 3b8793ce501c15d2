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
    try Self.check(try Self.ramp(source), at: size)
  }

  /// So is one in the formats of clips, also of another curve: at whole squares, and at half of the last ones.
  @Test(
    arguments: [
      (PixelFormat.yuv420Video8, ColorTags.bt709), (.yuv420Video10, .bt709),
      (.yuv420Full8, .sRGB), (.rgbaHalf, .sRGB), (.rgbaHalf, .linearBT709),
    ], [(1000, 1400), (641, 361)])
  func keepsARampOfClips(stored: (PixelFormat, ColorTags), large: (Int, Int)) throws {
    let ramp = try Self.ramp(Dimensions(width: large.0, height: large.1))
    try Self.check(
      try ramp.converted(to: stored.0, tags: stored.1, by: nil),
      at: Dimensions(width: 64, height: 36))
  }

  private static func check(_ picture: PixelBuffer, at size: Dimensions) throws {
    let source = picture.dimensions
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
}
