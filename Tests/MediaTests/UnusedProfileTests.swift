// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import Testing

@testable import FocalMedia

/// Profiles that are not for a picture's pixels, and codes that no profile is read for: what is taken instead is said.
@Suite struct UnusedProfileTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var profile: [UInt8]
    var isGray = false
    var says: String
  }

  /// A profile that says another colour space.
  private static func profile(of space: String) -> [UInt8] {
    var profile = PhotographMaterial.adobeRGB
    profile.replaceSubrange(16..<20, with: Array(space.utf8))
    return profile
  }

  static let cases = [
    Case(
      testDescription: "gray", profile: PhotographMaterial.grayProfile(gamma: 1.8),
      says: "has an ICC profile of gray, and pixels of colours"),
    Case(testDescription: "Lab", profile: profile(of: "Lab "), says: "has an ICC profile of Lab"),
    Case(testDescription: "CMYK", profile: profile(of: "CMYK"), says: "has an ICC profile of CMYK"),
    Case(
      testDescription: "cut short", profile: Array(PhotographMaterial.adobeRGB.prefix(150)),
      says: "has a damaged ICC profile"),
    Case(
      testDescription: "junk", profile: (0..<300).map { UInt8($0 * 7 & 255) },
      says: "has a damaged ICC profile"),
    Case(
      testDescription: "junk of gray", profile: (0..<300).map { UInt8($0 * 7 & 255) },
      isGray: true, says: "has a damaged ICC profile"),
    Case(
      testDescription: "colours of gray", profile: PhotographMaterial.adobeRGB, isGray: true,
      says: "has an ICC profile of colours, and gray pixels"),
  ]

  @Test(arguments: cases) func isSaid(_ given: Case) async throws {
    let folder = ScratchFolder()
    let path = folder.file("in.jpg")
    try PictureWriter.write(
      Scene.smooth(48, 32, given.isGray ? .gray8 : .rgba8, tags: .sRGB),
      to: folder.file("plain.jpg"), temporaryFiles: folder.temporaryFiles)
    let segment = PhotographMaterial.profileSegment(given.profile)
    folder.write(PhotographMaterial.adding([segment], to: folder.read("plain.jpg")), to: "in.jpg")
    let reader = try await FrameReader.open(path)
    let metadata = reader.properties.pictureMetadata
    #expect(
      metadata.assumption
        == "\(given.says): the profile is not used or kept, and the codes are taken for bt709 with srgb"
    )
    #expect(metadata.profile == nil && metadata.losses(in: .png).isEmpty)
    #expect(reader.properties.tags == .sRGB)
    let read = try #require(try await reader.next()).pixelBuffer
    let plain = try #require(try await frames(folder.file("plain.jpg")).first).pixelBuffer
    let isSame = read.packedBytes() == plain.packedBytes()
    #expect(isSame)
    let strips = try #require(try PictureStripReader.open(path))
    #expect(strips.properties.pictureMetadata == metadata)
    // The caller knows better.
    let stated = try await FrameReader.open(path, options: ReadOptions(transfer: .srgb))
    #expect(stated.properties.pictureMetadata.assumption == nil)
  }

  /// Profiles that pixels are read by, and pictures without any.
  @Test(arguments: [true, false]) func usedProfiles(_ isGray: Bool) async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(
      Scene.smooth(48, 32, isGray ? .gray8 : .rgba8, tags: .sRGB), to: folder.file("plain.jpg"),
      temporaryFiles: folder.temporaryFiles)
    let profile =
      isGray ? PhotographMaterial.grayProfile(gamma: 1.8) : PhotographMaterial.adobeRGB
    folder.write(
      PhotographMaterial.adding(
        [PhotographMaterial.profileSegment(profile)], to: folder.read("plain.jpg")), to: "in.jpg")
    for (name, bytes) in [("in.jpg", profile), ("plain.jpg", nil)] as [(String, [UInt8]?)] {
      let metadata = try await FrameReader.open(folder.file(name)).properties.pictureMetadata
      #expect(metadata.assumption == nil && metadata.profile?.bytes == bytes, "\(name)")
    }
  }

  /// Floats are light, unless they are codes by a profile, which are not read.
  @Test func floats() throws {
    let size = Dimensions(width: 1, height: 1)
    let frame = try #require(PictureFrame(AV_PIX_FMT_GBRPF32LE, size))
    frame.metadata.profile = ColorProfile(PhotographMaterial.adobeRGB)
    frame.leaveOutUnusedProfile(StillRequest("a.tif"))
    #expect(frame.metadata.profile == nil)
    #expect(frame.metadata.assumption?.contains("light is taken for bt709 with linear") == true)
    // BT.709's colorants, adapted to D50, and no curve.
    let linear = PhotographMaterial.profile(
      red: [0.43607, 0.22249, 0.01392], green: [0.38515, 0.71687, 0.09708],
      blue: [0.14307, 0.06061, 0.71410], gamma: 1)
    let other = try #require(PictureFrame(AV_PIX_FMT_GBRPF32LE, size))
    other.metadata.profile = ColorProfile(linear)
    other.leaveOutUnusedProfile(StillRequest("a.tif"))
    #expect(other.metadata.profile?.tags?.primaries == .bt709 && other.metadata.assumption == nil)
  }

  /// A JPEG of 8 x 8 pixels whose four components are 128, by Adobe's marker CMYK.
  private static let cmykFile: [UInt8] = {
    let components: [UInt8] = [1, 2, 3, 4]
    // One code of one bit: no difference, and the end of a block.
    let codes: [UInt8] = [1] + [UInt8](repeating: 0, count: 16)
    let segments: [(marker: Int, content: [UInt8])] = [
      (0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]),
      (0xDB, [0] + [UInt8](repeating: 1, count: 64)),
      (0xC0, [8, 0, 8, 0, 8, 4] + components.flatMap { [$0, 0x11, 0] }),
      (0xC4, [0] + codes), (0xC4, [0x10] + codes),
      (0xDA, [4] + components.flatMap { [$0, 0] } + [0, 63, 0]),
    ]
    let head: [UInt8] = [0xFF, 0xD8]
    // A zero bit for each code, and the end.
    return head + segments.flatMap { PhotographMaterial.segment($0.marker, $0.content) }
      + [0, 0xFF, 0xD9]
  }()

  /// The codes of ink are not read by a profile: black multiplies the others.
  @Test(arguments: [true, false]) func cmyk(_ hasProfile: Bool) async throws {
    let folder = ScratchFolder()
    let segment = PhotographMaterial.profileSegment(Self.profile(of: "CMYK"))
    folder.write(
      PhotographMaterial.adding(hasProfile ? [segment] : [], to: Self.cmykFile), to: "in.jpg")
    let reader = try await FrameReader.open(folder.file("in.jpg"))
    let metadata = reader.properties.pictureMetadata
    let assumption = try #require(metadata.assumption)
    #expect(assumption.hasPrefix("is CMYK: its codes become those of bt709 with srgb"))
    #expect(assumption.contains("its ICC profile is not used or kept") == hasProfile)
    let given = try await FrameReader.open(
      folder.file("in.jpg"), options: ReadOptions(transfer: .bt709)
    ).properties.pictureMetadata.assumption
    #expect(given?.contains("is CMYK") == true && given?.contains("srgb") == false)
    #expect(metadata.profile == nil && reader.properties.tags == .sRGB)
    let codes = try #require(try await reader.next()).pixelBuffer.packedBytes()
    // Half of a half.
    #expect(codes.prefix(3).allSatisfy { abs(Int($0) - 64) <= 1 } && codes[3] == 255)
    #expect(reader.properties.codedPixels?.hasAlpha == false)
    let strips = try #require(try PictureStripReader.open(folder.file("in.jpg")))
    #expect(strips.properties.pictureMetadata.assumption == assumption)
  }
}
