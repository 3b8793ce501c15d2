// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@testable import FocalCaptionRendering

/// Captions in the light of the picture below.
struct LightTests {
  static let size = Dimensions(width: 64, height: 48)

  /// A layer over the middle of the picture.
  static func overlay(_ color: Caption.Color, _ mask: UInt8? = nil) -> CaptionOverlay {
    var overlay = CaptionOverlay(dimensions: size)
    let area = PixelRect(columns: 20..<40, rows: 16..<32)
    overlay.pieces = [
      .init(layers: [
        .init(
          area: area, color: color, mask: mask.map { [UInt8](repeating: $0, count: 20 * 16) })
      ])
    ]
    return overlay
  }

  /// White is display white: code 235 of BT.709, HLG's 75 %, PQ's 58 % (203 cd/m²; BT.2408, 2.1).
  @Test(arguments: [
    (PixelFormat.yuv420Video8, ColorTags.bt709, UInt16(235)),
    (.yuv420Video10, .hlg, 721), (.yuv420Video10, .pq, 573),
  ])
  func white(_ format: PixelFormat, _ tags: ColorTags, _ code: UInt16) throws {
    let picture = try plain([0.1, 0.2, 0.3], Self.size, format, tags)
    let before = picture.withUnsafeBytes { Array($0) }
    try Self.overlay(.white).draw(over: picture)
    let luma = { (x: Int, y: Int) -> UInt16 in
      picture.withUnsafeBytes { bytes in
        let row = y * picture.planes[0].bytesPerRow
        return format.bitsPerComponent == 8
          ? UInt16(bytes[row + x])
          : bytes.load(fromByteOffset: row + 2 * x, as: UInt16.self) >> 6
      }
    }
    #expect(abs(Int(luma(30, 24)) - Int(code)) <= 1, "\(luma(30, 24))")
    // Apart from it the picture has the codes that it had.
    let after = picture.withUnsafeBytes { Array($0) }
    let row = picture.planes[0].bytesPerRow
    for y in 0..<48 where !(10..<38).contains(y) {
      #expect(after[y * row..<y * row + row] == before[y * row..<y * row + row])
    }
  }

  /// Half of the light of both, not half of the codes.
  @Test func mixing() throws {
    let picture = try plain([0.2, 0.2, 0.2], Self.size, .rgba8, .sRGB)
    try Self.overlay(.white, 128).draw(over: picture)
    let seen = try light(picture)[24 * 64 + 30]
    let expected = 0.2 + (1 - 0.2) * Float(128) / 255
    #expect(abs(seen.x - expected) < 0.01)
    // Twice half a black box leaves a quarter.
    let dark = try plain([0.8, 0.8, 0.8], Self.size, .rgbaFloat, .linearBT709)
    let half = Self.overlay(Caption.Color.black.withAlpha(127))
    try half.draw(over: dark)
    try half.draw(over: dark)
    #expect(abs(try light(dark)[24 * 64 + 30].x - 0.8 * 0.252) < 0.002)
  }

  /// HLG's light is the scene's: half black over white leaves half of what the display shows, which is
  /// 0.5 ^ (1 / 1.2) of the scene (BT.2100, OOTF).
  @Test func sceneLight() throws {
    let picture = try plain([1, 1, 1], Self.size, .rgbaFloat, .hlg)
    try Self.overlay(.black, 128).draw(over: picture)
    let seen = try light(picture)[24 * 64 + 30]
    let left = 1 - Float(128) / 255
    #expect(abs(seen.x - powf(left, 1 / 1.2)) < 0.003)
    #expect(abs(seen.x - seen.z) < 0.001)
  }

  /// Text stays readable over the brightest light: through a box it is seen as white is.
  @Test(arguments: [ColorTags.hlg, .pq, .linearBT709])
  func brightLight(_ tags: ColorTags) throws {
    let picture = try plain([9, 4.5, 9], Self.size, .rgbaFloat, tags)
    try Self.overlay(Caption.Color.black.withAlpha(209)).draw(over: picture)
    let seen = try light(picture)[24 * 64 + 30]
    #expect(seen.x < 0.3 && seen.y < seen.x && seen.w == 1)
    #expect(try light(picture)[0].x > 8.5)
  }

  /// Red of BT.709 is no pure red of BT.2020.
  @Test func primaries() throws {
    let picture = try plain([0, 0, 0], Self.size, .rgbaFloat, .pq)
    try Self.overlay(.red).draw(over: picture)
    let seen = try light(picture)[24 * 64 + 30]
    // BT.2087: 0.6274, 0.0691, 0.0164.
    #expect(abs(seen.x - 0.6274) < 0.003 && abs(seen.y - 0.0691) < 0.003)
    #expect(abs(seen.z - 0.0164) < 0.003)
  }

  @Test func transparency() throws {
    let clear = try PixelBuffer(dimensions: Self.size, format: .rgba8, tags: .sRGB)
    try Self.overlay(Caption.Color.red.withAlpha(128)).draw(over: clear)
    let seen = try light(clear)[24 * 64 + 30]
    #expect(abs(seen.x - 1) < 0.01 && abs(seen.w - 0.502) < 0.01)
    #expect(try light(clear)[0].w == 0)
  }

  @Test func otherPictures() throws {
    let small = try plain([0, 0, 0], Dimensions(width: 32, height: 48), .rgba8, .sRGB)
    #expect(throws: CinematicError.self) { try Self.overlay(.white).draw(over: small) }
    let map = try PixelBuffer(dimensions: Self.size, format: .disparityFloat, tags: .linearBT709)
    #expect(throws: CinematicError.self) { try Self.overlay(.white).draw(over: map) }
    // An odd size, and a caption over the edge.
    let odd = Dimensions(width: 65, height: 49)
    var overlay = CaptionOverlay(dimensions: odd)
    overlay.pieces = [
      .init(layers: [.init(area: PixelRect(columns: 50..<90, rows: -4..<60), color: .white)])
    ]
    let picture = try plain([0.1, 0.1, 0.1], odd, .yuv420Video8, .bt709)
    try overlay.draw(over: picture)
    #expect(try light(picture)[24 * 65 + 64].x > 0.98)
    #expect(overlay.areas == [PixelRect(columns: 50..<65, rows: 0..<49)])
  }
}
