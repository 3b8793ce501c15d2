// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalMedia

/// What a PNG says of its colours by a gamma and chromaticities.
@Suite struct PNGGammaTests {
  private typealias Material = PhotographMaterial

  /// The chunks of a file that does not say sRGB, with others behind its header.
  private static func adding(
    _ chunks: [(type: String, content: [UInt8])], to png: [UInt8]
  ) -> [UInt8] {
    var rest = Array(png[33...])
    // Of one byte.
    if rest[4..<8].elementsEqual("sRGB".utf8) { rest.removeFirst(12 + 1) }
    return Array(png[..<33]) + chunks.flatMap { PNGFormat.chunk($0.type, $0.content) } + rest
  }

  private static func gamma(_ value: Int) -> (type: String, content: [UInt8]) {
    ("gAMA", Material.big(value, 4))
  }

  /// Of red, green and blue, with the white of D65.
  private static func chromaticities(_ values: [Int]) -> (type: String, content: [UInt8]) {
    ("cHRM", ([31270, 32900] + values).flatMap { Material.big($0, 4) })
  }

  private static let displayP3 = [68000, 32000, 26500, 69000, 15000, 6000]
  private static let adobe = [64000, 33000, 21000, 71000, 15000, 6000]

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var chunks: [(type: String, content: [UInt8])]
    var primaries = ColorTags.Primaries.bt709
    var transfer = ColorTags.Transfer.srgb
    var unread: String?
  }

  static let cases = [
    Case(testDescription: "nothing", chunks: []),
    Case(testDescription: "none", chunks: [gamma(0)]),
    Case(testDescription: "a curve of 2.2", chunks: [gamma(45455)]),
    Case(testDescription: "a rounded curve", chunks: [gamma(45000)]),
    Case(testDescription: "light", chunks: [gamma(100_000)], transfer: .linear),
    Case(
      testDescription: "a curve of 1.8", chunks: [gamma(55556)],
      unread: "a gamma of 0.5555"),
    Case(
      testDescription: "Display P3", chunks: [gamma(45455), chromaticities(displayP3)],
      primaries: .displayP3),
    Case(
      testDescription: "BT.2020",
      chunks: [
        chromaticities([70800, 29200, 17000, 79700, 13100, 4600])
      ], primaries: .bt2020),
    Case(
      testDescription: "Adobe's primaries", chunks: [chromaticities(adobe)],
      unread: "primaries of its own (cHRM)"),
    Case(
      testDescription: "sRGB and light",
      chunks: [("sRGB", [0]), gamma(100_000), chromaticities(displayP3)]),
    Case(
      testDescription: "code points and light",
      chunks: [("cICP", [1, 13, 0, 1]), gamma(100_000), chromaticities(displayP3)]),
  ]

  /// In strips as in whole pictures; codes stay what they are.
  @Test(arguments: cases) func isRead(_ given: Case) async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(
      Scene.noise(16, 8, .rgba8), to: folder.file("plain.png"),
      temporaryFiles: folder.temporaryFiles)
    let file = Self.adding(given.chunks, to: folder.read("plain.png"))
    folder.write(file, to: "in.png")
    let reader = try await FrameReader.open(folder.file("in.png"))
    let found = reader.properties
    #expect(found.tags.primaries == given.primaries && found.tags.transfer == given.transfer)
    let assumption = found.pictureMetadata.assumption
    if let unread = given.unread {
      #expect(assumption?.contains("says \(unread)") == true)
      #expect(assumption?.contains("taken for bt709 with srgb") == true)
    } else {
      #expect(assumption == nil)
    }
    let read = try #require(try await reader.next()).pixelBuffer
    let plain = try #require(try await frames(folder.file("plain.png")).first).pixelBuffer
    #expect(read.packedBytes() == plain.packedBytes())
    let strips = try #require(try PictureStripReader.open(folder.file("in.png")))
    #expect(strips.properties.tags == found.tags)
    #expect(strips.properties.pictureMetadata == found.pictureMetadata)
    // The caller knows better.
    let stated = try await FrameReader.open(
      folder.file("in.png"), options: ReadOptions(transfer: .srgb))
    #expect(stated.properties.tags.transfer == .srgb)
    let isOfGamma = given.unread?.contains("gamma") == true
    #expect(
      (stated.properties.pictureMetadata.assumption == nil) == (assumption == nil || isOfGamma))
  }

  /// Gray light is written with a gamma, by which it is light again.
  @Test(arguments: [PixelFormat.gray8, .gray16]) func grayLight(_ format: PixelFormat) async throws
  {
    let folder = ScratchFolder()
    let written = try Scene.noise(16, 8, format, tags: .linearBT709)
    try PictureWriter.write(
      written, to: folder.file("a.png"), temporaryFiles: folder.temporaryFiles)
    let read = try #require(try await frames(folder.file("a.png")).first).pixelBuffer
    #expect(read.tags.transfer == .linear)
    #expect(read.packedBytes() == written.packedBytes())
  }
}
