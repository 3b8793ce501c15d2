// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import Testing

@testable import FocalMedia

/// The metadata of high dynamic range, and its codes, through the encoder.
@Suite struct HDRTests {
  /// BT.2020's primaries, D65, 1000 cd/m².
  static let metadata = HDRMetadata(
    masteringDisplay: .init(
      red: .init(x: 35400, y: 14600), green: .init(x: 8500, y: 39850),
      blue: .init(x: 6550, y: 2300), white: .init(x: 15635, y: 16450),
      maximumLuminance: 10_000_000, minimumLuminance: 50),
    contentLight: .init(maximum: 1234, maximumFrameAverage: 321))

  static func settings(_ tags: ColorTags) -> WriterSettings {
    var settings = WriterSettings(
      dimensions: Dimensions(width: 96, height: 64), pixelFormat: .yuv420Video10, tags: tags)
    settings.encoderPreset = "ultrafast"
    settings.hdrMetadata = metadata
    return settings
  }

  /// The number of a kind of unit in `hvcC`, and their count.
  static func unitCount(_ kind: UInt8, in box: Box) throws -> Int {
    var reader = ByteReader(box.data, box: box.type)
    try reader.skip(22)
    var found = 0
    for _ in 0..<(try reader.u8()) {
      let type = try reader.u8() & 0x3F
      for _ in 0..<(try reader.u16()) {
        try reader.skip(Int(try reader.u16()))
        if type == kind { found += 1 }
      }
    }
    return found
  }

  /// Screen and light come back from the boxes and stand among the pictures, too; a factor of zero
  /// loses nothing.
  @Test(arguments: [ColorTags.hlg, .pq], ["a.mov", "a.mp4"])
  func movieSaysWhatItWasMadeOn(_ tags: ColorTags, name: String) async throws {
    let folder = ScratchFolder()
    var settings = Self.settings(tags)
    settings.constantRateFactor = 0
    let pictures = try (0..<3).map {
      try Scene.noise(96, 64, .yuv420Video10, tags: tags, seed: UInt64($0))
    }
    let (properties, frames) = try await MovieTests.roundTrip(
      folder, name, settings, times: MovieTests.steady(3),
      lastDuration: Time(value: 1, timescale: 30)
    ) { pictures[$0] }
    #expect(properties.tags == tags)
    #expect(properties.hdrMetadata == Self.metadata)
    for (frame, picture) in zip(frames, pictures) {
      for plane in 0...1 {
        #expect(
          frame.pixelBuffer.packedBytes(ofPlane: plane) == picture.packedBytes(ofPlane: plane))
      }
    }
    let asset = Asset(path: folder.file(name))
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let entry = try #require(try await track.load(.formatDescriptions).first)
    #expect(entry.hdrMetadata == Self.metadata)
    let configuration = try #require(entry.extensions.first { $0.type == "hvcC" })
    // Units of the kind 39 hold messages for players; one is the encoder's own.
    #expect(try Self.unitCount(39, in: configuration) >= 3)
    // A writer of a movie from this one says the same.
    let kept = WriterSettings(
      keeping: properties, dimensions: properties.dimensions,
      pixelFormat: properties.pixelFormat, tags: tags)
    #expect(kept.hdrMetadata == Self.metadata)
  }

  /// The boxes that FFmpeg does not read.
  @Test func boxesOfASampleEntry() throws {
    let bytes: [UInt8] = [0, 0x2F, 0xE9, 0xA0, 0x3D, 0x13, 0x40, 0x42]
    let box = SampleEntry.visual(
      "hvc1", dimensions: Dimensions(width: 64, height: 64), name: "HEVC",
      extensions: [Box("amve", data: bytes), Box("mdcv", data: [1, 2, 3])])
    let entry = try SampleEntry(box, handler: "vide")
    #expect(
      entry.hdrMetadata
        == HDRMetadata(
          ambientViewing: .init(illuminance: 3_140_000, light: .init(x: 15635, y: 16450))))
    #expect(HDRMetadata().isEmpty)
  }

  /// Other containers say of Dolby Vision what a movie's box says.
  @Test func dolbyVisionOfStreams() throws {
    var record = AVDOVIDecoderConfigurationRecord()
    record.dv_version_major = 1
    record.dv_profile = 8
    record.dv_level = 5
    record.rpu_present_flag = 1
    record.bl_present_flag = 1
    record.dv_bl_signal_compatibility_id = 4
    let box = record.box
    #expect(box.type == "dvvC")
    #expect(Array(box.data) == [1, 0, 0x10, 0x2D, 0x40] + [UInt8](repeating: 0, count: 19))
    let plain = Dimensions(width: 64, height: 64)
    for (extensions, isDolbyVision) in [([box], true), ([], false)] as [([Box], Bool)] {
      let entry = try SampleEntry(
        SampleEntry.visual("hvc1", dimensions: plain, name: "HEVC", extensions: extensions),
        handler: "vide")
      #expect(entry.isDolbyVision == isDolbyVision)
      #expect(entry.dolbyVision?.description == (isDolbyVision ? "8.4" : nil))
    }
  }

  /// The brightest pixel goes before the screen.
  @Test func peakLuminance() {
    #expect(Self.metadata.peakLuminance == 1234)
    var metadata = Self.metadata
    metadata.contentLight?.maximum = 0
    #expect(metadata.peakLuminance == 1000)
    metadata.contentLight = nil
    #expect(metadata.peakLuminance == 1000)
    metadata.masteringDisplay?.maximumLuminance = 0
    #expect(metadata.peakLuminance == nil)
    #expect(HDRMetadata().peakLuminance == nil)
  }

  /// Pictures that are no movie's high dynamic range say nothing.
  @Test func nothingIsMadeUp() async throws {
    let folder = ScratchFolder()
    var settings = Self.settings(.hlg)
    settings.hdrMetadata = HDRMetadata()
    let (properties, _) = try await MovieTests.roundTrip(
      folder, "a.mov", settings, times: MovieTests.steady(2),
      lastDuration: Time(value: 1, timescale: 30)
    ) { _ in try Scene.smooth(96, 64, .yuv420Video10, tags: .hlg) }
    #expect(properties.hdrMetadata.isEmpty)
  }
}
