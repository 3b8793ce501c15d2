// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

@Suite struct PictureFitterTests {
  static let formats: [(PixelFormat, ColorTags)] = [
    (.rgba8, .sRGB), (.gray8, .sRGB), (.yuv420Video8, .bt709), (.yuv420Full8, .bt709),
    (.yuv420Video10, .hlg), (.yuv420Full10, .pq),
  ]

  /// A component of a plane as codes of its own depth.
  static func code(_ buffer: PixelBuffer, _ plane: Int, _ x: Int, _ y: Int, _ component: Int) -> Int
  {
    let layout = buffer.planes[plane]
    return buffer.withUnsafeBytes(ofPlane: plane) { bytes in
      let place = y * layout.bytesPerRow + x * layout.bytesPerElement
      return buffer.format.bytesPerComponent == 2
        ? Int(bytes.load(fromByteOffset: place + 2 * component, as: UInt16.self) >> 6)
        : Int(bytes[place + component])
    }
  }

  static func components(_ format: PixelFormat, _ plane: Int) -> Int {
    format == .rgba8 ? 4 : plane == 1 ? 2 : 1
  }

  /// What black is in a plane.
  static func black(_ format: PixelFormat, _ plane: Int, _ component: Int) -> Int {
    switch format {
    case .rgba8: component == 3 ? 255 : 0
    case .yuv420Video8: plane == 0 ? 16 : 128
    case .yuv420Full8: plane == 0 ? 0 : 128
    case .yuv420Video10: plane == 0 ? 64 : 512
    case .yuv420Full10: plane == 0 ? 0 : 512
    default: 0
    }
  }

  /// A picture of the same scale is copied bit for bit, and everything around it is black.
  @Test(arguments: formats)
  func picturesKeepTheirCodesBetweenBars(_ format: PixelFormat, tags: ColorTags) throws {
    for (size, render) in [
      (Dimensions(width: 64, height: 48), Dimensions(width: 101, height: 48)),
      (Dimensions(width: 64, height: 48), Dimensions(width: 64, height: 87)),
    ] {
      let fitter = try PictureFitter(from: size, into: render, format: format, tags: tags)
      let picture = try Scene.noise(size.width, size.height, format, tags: tags)
      let fitted = try fitter.fit(picture)
      #expect(fitted.dimensions == render)
      #expect(fitted.tags == tags)
      #expect(Dimensions(width: fitter.columns.count, height: fitter.rows.count) == size)
      // In the middle, as far as even places allow.
      #expect(abs(fitter.columns.lowerBound + fitter.columns.upperBound - render.width) <= 3)
      #expect(abs(fitter.rows.lowerBound + fitter.rows.upperBound - render.height) <= 3)
      var wrong = 0
      for (plane, layout) in fitted.planes.enumerated() {
        let step = format.planes[plane].subsampling
        let left = fitter.columns.lowerBound / step
        let top = fitter.rows.lowerBound / step
        let inner = picture.planes[plane].dimensions
        for y in 0..<layout.dimensions.height {
          for x in 0..<layout.dimensions.width {
            let isInside =
              (left..<(left + inner.width)).contains(x) && (top..<(top + inner.height)).contains(y)
            for component in 0..<Self.components(format, plane) {
              let expected =
                isInside
                ? Self.code(picture, plane, x - left, y - top, component)
                : Self.black(format, plane, component)
              if Self.code(fitted, plane, x, y, component) != expected { wrong += 1 }
            }
          }
        }
      }
      #expect(wrong == 0)
    }
  }

  /// One colour stays that colour when it is scaled, up and down, to its last column.
  @Test(arguments: formats)
  func flatPicturesStayFlat(_ format: PixelFormat, tags: ColorTags) throws {
    for (size, render) in [
      (Dimensions(width: 320, height: 180), Dimensions(width: 127, height: 127)),
      (Dimensions(width: 33, height: 90), Dimensions(width: 300, height: 200)),
    ] {
      let picture = try PixelBuffer(dimensions: size, format: format, tags: tags)
      Scene.fill(picture) { plane, component, _, _ in component == 3 ? 1 : plane == 0 ? 0.6 : 0.3 }
      let fitter = try PictureFitter(from: size, into: render, format: format, tags: tags)
      let fitted = try fitter.fit(picture)
      for plane in fitted.planes.indices {
        let step = format.planes[plane].subsampling
        for component in 0..<Self.components(format, plane) {
          let expected = Self.code(picture, plane, 0, 0, component)
          var worst = 0
          for y in (fitter.rows.lowerBound / step)..<(fitter.rows.upperBound / step) {
            for x in (fitter.columns.lowerBound / step)..<(fitter.columns.upperBound / step) {
              worst = max(worst, abs(Self.code(fitted, plane, x, y, component) - expected))
            }
          }
          // The filters' weights are rounded.
          #expect(worst <= 1, "plane \(plane) of \(size) to \(render)")
        }
      }
      #expect(Self.code(fitted, 0, 0, 0, 0) == Self.black(format, 0, 0))
      let (x, y) = (render.width - 1, render.height - 1)
      #expect(Self.code(fitted, 0, x, y, 0) == Self.black(format, 0, 0))
    }
  }

  /// A ramp that is halved is the ramp of half the size: nothing is shifted, luma and chroma alike.
  @Test(arguments: [(PixelFormat.yuv420Video10, ColorTags.hlg), (.yuv420Video8, .bt709)])
  func scalingShiftsNothing(_ format: PixelFormat, tags: ColorTags) throws {
    let size = Dimensions(width: 512, height: 128)
    let half = PictureFitter.dimensions(fitting: size, within: Dimensions(width: 256, height: 256))
    #expect(half == Dimensions(width: 256, height: 64))
    let picture = try PixelBuffer(dimensions: size, format: format, tags: tags)
    Scene.fill(picture) { plane, component, x, _ in 0.1 + 0.8 * (component == 1 ? 1 - x : x) }
    let fitted = try PictureFitter(from: size, into: half, format: format, tags: tags).fit(picture)
    for plane in 0...1 {
      for component in 0...plane {
        for x in 20..<((plane == 0 ? 256 : 128) - 20) {
          // Luma lies half-way between the two columns that it is made of, chroma of this siting
          // (left) a quarter of a column from the left one.
          let (a, b) = (
            Self.code(picture, plane, 2 * x, 20, component),
            Self.code(picture, plane, 2 * x + 1, 20, component)
          )
          let share = plane == 0 ? 0.5 : 0.25
          let expected = Double(a) + share * Double(b - a)
          let found = Double(Self.code(fitted, plane, x, 10, component))
          // The source's codes are cut to whole numbers, and so is the result.
          #expect(abs(found - expected) <= 1.25, "plane \(plane), column \(x)")
        }
      }
    }
  }

  @Test func limits() {
    func fitting(_ width: Int, _ height: Int, _ limitWidth: Int, _ limitHeight: Int) -> Dimensions {
      PictureFitter.dimensions(
        fitting: Dimensions(width: width, height: height),
        within: Dimensions(width: limitWidth, height: limitHeight))
    }
    #expect(fitting(3840, 2160, 1920, 1080) == Dimensions(width: 1920, height: 1080))
    #expect(fitting(2160, 3840, 1920, 1080) == Dimensions(width: 1080, height: 1920))
    #expect(fitting(640, 360, 1920, 1080) == Dimensions(width: 640, height: 360))
    #expect(fitting(641, 361, 1920, 1080) == Dimensions(width: 641, height: 361))
    #expect(fitting(4032, 3024, 1920, 1080) == Dimensions(width: 1440, height: 1080))
    var random = Seeded(11)
    for _ in 0..<500 {
      let size = Dimensions(
        width: 2 + Int(random.next() % 5000), height: 2 + Int(random.next() % 5000))
      let limit = Dimensions(
        width: 16 + Int(random.next() % 3000), height: 16 + Int(random.next() % 3000))
      let result = PictureFitter.dimensions(fitting: size, within: limit)
      let turned = (size.width < size.height) != (limit.width < limit.height)
      let room = turned && size.width != size.height ? limit.transposed : limit
      #expect(result.width <= max(room.width, 2) && result.height <= max(room.height, 2))
      guard result != size else { continue }
      #expect(result.width % 2 == 0 && result.height % 2 == 0)
      // The shape is kept to half of what even numbers allow, a pixel, unless a side is as small as
      // they get or the limit is odd.
      let share = min(
        Double(room.width) / Double(size.width), Double(room.height) / Double(size.height))
      #expect(abs(Double(result.width) - max(2, Double(size.width) * share)) <= 1 + 1e-9)
      #expect(abs(Double(result.height) - max(2, Double(size.height) * share)) <= 1 + 1e-9)
    }
  }

  @Test func refusals() throws {
    let size = Dimensions(width: 32, height: 32)
    let error = failure { () throws(CinematicError) in
      _ = try PictureFitter(from: size, into: size, format: .rgbaFloat, tags: .sRGB)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.remedy != nil)
    let fitter = try PictureFitter(from: size, into: size, format: .rgba8, tags: .sRGB)
    let other = try Scene.noise(30, 32, .rgba8)
    let mismatch = failure { () throws(CinematicError) in _ = try fitter.fit(other) }
    #expect(mismatch?.code == .incompatible)
    #expect(mismatch?.message.contains("30x32") == true)
  }
}
