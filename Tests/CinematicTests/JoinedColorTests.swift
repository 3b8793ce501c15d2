// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import MovieKit
import Testing

/// Movies of different colours in one film, and pictures of each.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct JoinedColorTests {
  private static let frames = 3

  /// The pictures of movies one after another, each with colours of its own.
  private static func pictures(
    _ codes: [[Int]], _ name: String = "a%02d.png"
  ) async throws -> [PixelBuffer] {
    let folder = Folder()
    try await ExportSession(
      assets: codes.map { try Movies.asset(Movies.tagged($0, frames: frames)) },
      to: folder.file(name), devices: [.cpu()], settings: quick()
    ).export()
    return try await folder.frames(name).map { $0.picture }
  }

  /// High dynamic range in a film of standard range is the picture that it is alone, and the film's own
  /// pictures are as without it.
  @Test(arguments: [18, 16])
  func highInStandard(_ transfer: Int) async throws {
    let standard = [1, 1, 1]
    let high = [9, transfer, 9]
    let joined = try await Self.pictures([standard, high])
    let alone = try await Self.pictures([high])
    let own = try await Self.pictures([standard])
    #expect(joined.count == 2 * Self.frames)
    for number in 0..<Self.frames {
      #expect(isSame(joined[number].allCodes, own[number].allCodes))
      #expect(isSame(joined[Self.frames + number].allCodes, alone[number].allCodes))
    }
    // And it is not cut off: by reference white alone, most of it would be.
    let bright = alone[0].allCodes.count { $0 == 255 }
    #expect(bright < alone[0].allCodes.count / 10)
  }

  /// Standard range in a film of high dynamic range stays below reference white.
  @Test func standardInHigh() async throws {
    let joined = try await Self.pictures([[9, 18, 9], [1, 1, 1]], "a%02d.exr")
    for picture in joined[Self.frames...] {
      let light = try picture.linearRGBA()
      light.withUnsafeBytes { bytes in
        let values = bytes.bindMemory(to: Float.self)
        // Codes up to 800 of 940, and chroma that adds to some; HLG would be three times as bright.
        #expect((0..<light.dimensions.count).allSatisfy { values[4 * $0 + 1] < 1.2 })
      }
    }
  }

  /// Codes of sRGB's curve in a film of BT.709's stay the same codes.
  @Test func curvesOfStandardRange() async throws {
    let joined = try await Self.pictures([[1, 1, 1], [1, 13, 1]])
    for number in 0..<Self.frames {
      let areEqual = joined[number].allCodes == joined[Self.frames + number].allCodes
      #expect(areEqual)
    }
  }

  /// A thumbnail of a movie of standard range has its codes: those that BT.709's matrix makes of luma and
  /// chroma, whatever the curve.
  @Test func thumbnailsCarryCodes() async throws {
    let asset = try Movies.asset(Movies.tagged([1, 1, 1], frames: Self.frames))
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let source = try await CinematicReader(AssetInfo(asset: asset)).frame(number: 1).image
    #expect(try await track.load(.videoFormat).tags == .bt709)
    var settings = Thumbnails.Settings()
    settings.overrides.fNumber = .infinity
    let picture = try await Thumbnails(asset: asset, devices: [.cpu()], settings: settings)
      .image(at: Movies.time(frame: 1)).image
    #expect(picture.format == .rgbaFloat && picture.tags == .bt709)
    let codes = try source.tagged(.linearBT709).linearRGBA()
    var worst: Float = 0
    codes.withUnsafeBytes { expected in
      picture.withUnsafeBytes { found in
        for y in 0..<picture.height {
          for x in 0..<picture.width {
            let a = expected.load(
              fromByteOffset: y * codes.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
            let b = found.load(
              fromByteOffset: y * picture.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
            let difference: SIMD4<Float> = a - b
            worst = max(worst, difference.max(), -difference.min())
          }
        }
      }
    }
    // There and back through the curve in single precision: a fiftieth of a step of ten bits.
    #expect(worst < 2e-5)
  }
}
