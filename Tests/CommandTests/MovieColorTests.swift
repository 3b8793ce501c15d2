// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import Foundation
import Testing

/// Colours on the way through a Cinematic movie.
@Suite struct MovieColorTests {
  /// Ten bits of HLG and PQ come out as such, and a picture without blur keeps its codes as far as
  /// the codec does.
  @Test(arguments: [ColorTags.hlg, .pq])
  func highDynamicRange(_ tags: ColorTags) async throws {
    let folder = Folder()
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(6), format: .yuv420Video10, tags: tags)
    try Material.numberedMaps(6, in: folder)
    let source = try Material.frames(folder.file("clip.mov"))
    #expect(source.properties.tags == tags)
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", "movie.mov"],
      in: folder)
    let movie = try Material.frames(folder.file("movie.mov"))
    #expect(movie.properties.tags == tags)
    #expect(movie.properties.colorCodes == source.properties.colorCodes)
    for (a, b) in zip(movie.frames, source.frames) {
      #expect(a.pixelBuffer.codes() == b.pixelBuffer.codes())
      #expect(a.pixelBuffer.codes(ofPlane: 1) == b.pixelBuffer.codes(ofPlane: 1))
    }
    try await works(
      ["export", "movie.mov", "--f-number", "inf", "-o", "film.mov"], in: folder)
    let film = try Material.frames(folder.file("film.mov"))
    #expect(film.properties.tags == tags)
    #expect(film.properties.colorCodes == source.properties.colorCodes)
    #expect(film.frames.map(\.time) == source.frames.map(\.time))
    for (a, b) in zip(film.frames, source.frames) {
      let pairs = zip(Self.luma(a.pixelBuffer), Self.luma(b.pixelBuffer))
      let square = pairs.reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
      // Two lossy encodings: 40 dB of 1023 codes.
      #expect((square / Double(Material.size.width * Material.size.height)).squareRoot() < 10.23)
    }
  }

  private static func luma(_ buffer: PixelBuffer) -> [UInt16] {
    buffer.codes().withUnsafeBytes { bytes in
      bytes.bindMemory(to: UInt16.self).map { $0 >> 6 }
    }
  }
}
