// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Clips whose display matrix mirrors, turns or scales.
@Suite struct MirroredMovieTests {
  /// The clip with another matrix: a, b, c and d.
  private static func turned(_ clip: [UInt8], _ matrix: [Int32]) throws -> [UInt8] {
    var bytes = clip
    let name = Array("tkhd".utf8)
    let place = try #require(
      bytes.indices.dropLast(96).first { Array(bytes[$0..<($0 + 4)]) == name })
    // Times and durations of version 1 have 64 bits.
    let start = place + (bytes[place + 4] == 1 ? 56 : 44)
    let values = [matrix[0], matrix[1], 0, matrix[2], matrix[3], 0, 0, 0]
    for (index, value) in values.enumerated() {
      for byte in 0..<4 {
        bytes[start + 4 * index + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * Int32(byte)))
      }
    }
    return bytes
  }

  private static let one: Int32 = 1 << 16
  private static let half: Int32 = 1 << 15

  /// Left to right, upside down, transposed both ways: a movie shows what its clip shows.
  @Test(arguments: [[-one, 0, 0, one], [one, 0, 0, -one], [0, one, one, 0], [0, -one, -one, 0]])
  func exportsAreMirrored(_ matrix: [Int32]) async throws {
    let folder = Folder()
    try Material.clip("plain.mov", in: folder, times: Material.steady(2))
    try Material.numberedMaps(2, in: folder)
    folder.write(try Self.turned(folder.read("plain.mov"), matrix), to: "clip.mov")
    for name in ["a", "b", "c"] { folder.make(name) }
    let maps = ["--disparity", "maps/%04d.png", "--focus", "0.5"]
    for (clip, name) in [("clip.mov", "a"), ("plain.mov", "c")] {
      try await works(
        ["render", clip] + maps + ["--f-number", "inf", "-o", "\(name)/%04d.png"], in: folder)
    }
    try await works(["import", "clip.mov"] + maps + ["-o", "movie.mov"], in: folder)
    try await works(
      ["export", "movie.mov", "--f-number", "inf", "-o", "b/%04d.png"], in: folder)
    for frame in ["0000.png", "0001.png"] {
      let (rendered, exported) = (folder.read("a/" + frame), folder.read("b/" + frame))
      let (isSame, isPlain) = (rendered == exported, rendered == folder.read("c/" + frame))
      #expect(!rendered.isEmpty && isSame && !isPlain, "\(frame)")
    }
  }

  /// A matrix that halves the width, and one of half a quarter turn.
  @Test(arguments: [[half, 0, 0, one], [46341, 46341, -46341, 46341]])
  func otherMatricesAreSaid(_ matrix: [Int32]) async throws {
    let folder = Folder()
    try Material.clip("plain.mov", in: folder, times: Material.steady(2))
    try Material.numberedMaps(2, in: folder)
    folder.write(try Self.turned(folder.read("plain.mov"), matrix), to: "clip.mov")
    let maps = ["--disparity", "maps/%04d.png", "--focus", "0.5"]
    let line = "does not keep the scale or the angle at which its pictures are shown"
    let rendered = try await works(["render", "clip.mov"] + maps + ["-o", "film.mov"], in: folder)
    #expect(rendered.errors.contains("film.mov " + line), "\(rendered.errors)")
    try await works(["import", "clip.mov"] + maps + ["-o", "movie.mov"], in: folder)
    let exported = try await works(["export", "movie.mov", "-o", "other.mov"], in: folder)
    #expect(exported.errors.contains("other.mov " + line), "\(exported.errors)")
    let still = try await works(
      ["thumbnail", "movie.mov", "--at", "0f", "-o", "still.png"], in: folder)
    #expect(still.errors.contains("still.png " + line), "\(still.errors)")
  }
}
