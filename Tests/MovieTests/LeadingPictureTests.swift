// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

/// Recordings that were cut at a sync sample, and pictures of which a part is shown.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct LeadingPictureTests {
  private static func reader(_ layout: MovieLayout) async throws -> CinematicReader {
    let asset = Asset(source: MemorySource(layout.bytes()))
    let video = try #require(try await asset.loadTracks(withMediaType: .video).first)
    return try await CinematicReader(asset: asset, videoTrack: video)
  }

  /// Cut at the second sync sample of open groups, a movie begins with pictures that refer to what is
  /// gone: the first one that can be decoded stands in for them, the others are as before.
  @Test func aCutInFrontOfLeadingPictures() async throws {
    let whole = try EncodedMovie.layout()
    let samples = whole.tracks[0].samples
    let cut = try #require(samples.indices.filter { samples[$0].isSync }.dropFirst().first)
    var layout = whole
    layout.tracks[0].samples.removeFirst(cut)
    layout.tracks[0].edits = []
    let all = try await Self.reader(whole)
    let rest = try await Self.reader(layout)
    var expected: [UInt64] = []
    while let frame = try await all.next() { expected.append(fingerprint(frame.image)) }
    var found: [UInt64] = []
    while let frame = try await rest.next() { found.append(fingerprint(frame.image)) }
    #expect(found.count == samples.count - cut)
    // Three pictures are shown before the sync sample and refer beyond it.
    let leading = found.prefix { $0 == found[0] }.count
    #expect(leading == 4, "\(leading)")
    #expect(
      Array(found.dropFirst(leading - 1)) == Array(expected.suffix(found.count - leading + 1)))
    // However they are reached.
    for number in (0..<found.count).reversed() {
      let frame = try await rest.frame(number: number)
      #expect(fingerprint(frame.image) == found[number], "\(number)")
    }
  }

  /// A movie's `clap` is applied: from the middle, moved, and in a track that states no size.
  @Test(arguments: [(80, 48, 0, 0, 8, 8), (64, 40, 4, -8, 20, 4), (95, 63, 0, 0, 0, 0)])
  func cleanApertures(
    _ width: Int, _ height: Int, _ x: Int, _ y: Int, _ left: Int, _ top: Int
  ) async throws {
    let whole = try EncodedMovie.layout(frames: 3)
    var layout = whole
    let aperture = Box.of("clap") { builder in
      for (numerator, denominator) in [(width, 1), (height, 1), (2 * x, 2), (2 * y, 2)] {
        builder.u32(Int32(numerator))
        builder.u32(denominator)
      }
    }
    let entry = try #require(layout.tracks[0].entry)
    layout.tracks[0].entry = Box(entry.type, data: Array(entry.data) + aperture.bytes)
    (layout.tracks[0].width, layout.tracks[0].height) = (0, 0)
    let asset = Asset(source: MemorySource(layout.bytes()))
    let video = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let size = Dimensions(width: width, height: height)
    #expect(try await video.load(.naturalSize) == size)
    let (part, full) = (try await Self.reader(layout), try await Self.reader(whole))
    let (a, b) = (try await part.frame(number: 1).image, try await full.frame(number: 1).image)
    #expect(a.dimensions == size)
    // Luma codes of 16 bits.
    for (column, row) in [(0, 0), (width - 1, height - 1), (11, 7)] {
      let (one, other) = (Self.luma(a, column, row), Self.luma(b, column + left, row + top))
      #expect(one == other, "\(column), \(row)")
    }
  }

  private static func luma(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> UInt16 {
    buffer.withUnsafeBytes(ofPlane: 0) {
      $0.loadUnaligned(fromByteOffset: y * buffer.planes[0].bytesPerRow + 2 * x, as: UInt16.self)
    }
  }
}
