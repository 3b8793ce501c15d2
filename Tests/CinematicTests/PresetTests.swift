// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalBoxes
import FocalCore
import FocalMedia
import FocalRendering
import MovieKit
import Testing

@testable import FocalCinematic

@Suite struct PresetTests {
  @Test func names() {
    let all = ExportSession.Preset.allCases
    #expect(Set(all.map(\.name)).count == all.count)
    for preset in all {
      #expect(ExportSession.Preset(named: preset.name) == preset)
      #expect(!preset.summary.isEmpty)
    }
    #expect(ExportSession.Preset(named: "nothing") == nil)
    #expect(ExportSession.Preset(named: "FFV1") == .ffv1)
  }

  /// What a name stands for.
  struct Meaning: Sendable, CustomTestStringConvertible {
    var name: String
    var codec: WriterSettings.Codec
    var size: Dimensions?
    var chroma: CodedPixels.Chroma?
    var quality: RenderingQuality
    var rateFactor: Double?
    var encoderPreset: String?

    var testDescription: String { name }

    init(
      _ name: String, _ codec: WriterSettings.Codec, _ width: Int?, _ height: Int?,
      _ chroma: CodedPixels.Chroma?, _ quality: RenderingQuality, _ rateFactor: Double?,
      _ encoderPreset: String? = nil
    ) {
      (self.name, self.codec, self.chroma, self.quality) = (name, codec, chroma, quality)
      if let width, let height { size = Dimensions(width: width, height: height) }
      (self.rateFactor, self.encoderPreset) = (rateFactor, encoderPreset)
    }
  }

  static let meanings = [
    Meaning("highest-quality", .automatic, nil, nil, nil, .export, nil),
    Meaning("hevc-highest-quality", .hevc, nil, nil, nil, .exportHigh, nil),
    Meaning("hevc-lossless", .hevc, nil, nil, nil, .exportHigh, 0),
    Meaning("hevc-2160p", .hevc, 3840, 2160, .yuv420, .export, 20),
    Meaning("hevc-1080p", .hevc, 1920, 1080, .yuv420, .export, 20),
    Meaning("h264-1080p", .h264, 1920, 1080, nil, .export, 18),
    Meaning("h264-720p", .h264, 1280, 720, nil, .export, 20),
    Meaning("preview", .automatic, 960, 540, .yuv420, .thumbnail, 26, "veryfast"),
    Meaning("prores-422-hq", .proRes422HQ, nil, nil, nil, .exportHigh, nil),
    Meaning("prores-4444", .proRes4444, nil, nil, nil, .exportHigh, nil),
    Meaning("dnxhr-hqx", .dnxHRHQX, nil, nil, nil, .exportHigh, nil),
    Meaning("ffv1", .ffv1, nil, nil, nil, .exportHigh, nil),
    Meaning("av1-1080p", .av1, 1920, 1080, .yuv420, .export, 26),
  ]

  @Test(arguments: meanings) func settings(_ meaning: Meaning) throws {
    let preset = try #require(ExportSession.Preset(named: meaning.name))
    let settings = ExportSession.Settings(preset: preset)
    #expect(settings.coding == FilmCoding(meaning.codec, chroma: meaning.chroma))
    #expect(settings.maximumSize == meaning.size)
    #expect(settings.quality == meaning.quality)
    #expect(settings.constantRateFactor == meaning.rateFactor)
    #expect(settings.encoderPreset == meaning.encoderPreset)
  }

  @Test func allHaveAMeaning() {
    #expect(ExportSession.Preset.allCases.map(\.name) == Self.meanings.map(\.name))
  }

  /// A picture of one row keeps it.
  @Test func flatSizesFit() {
    let limit = Dimensions(width: 1920, height: 1080)
    let flat = Dimensions(width: 4000, height: 1).fitting(within: limit)
    #expect(flat == Dimensions(width: 1920, height: 1))
    let narrow = Dimensions(width: 1, height: 4000).fitting(within: limit)
    #expect(narrow == Dimensions(width: 1, height: 1920))
    let small = Dimensions(width: 640, height: 480).fitting(within: Dimensions(width: 2, height: 2))
    #expect(small == Dimensions(width: 2, height: 2))
  }

  @Test func limitsBelowTwo() throws {
    try Dimensions.checkLimit(nil)
    try Dimensions.checkLimit(Dimensions(width: 2, height: 2))
    for (width, height) in [(0, 0), (1, 1), (-1, 1080), (1920, 1)] {
      let error = #expect(throws: CinematicError.self) {
        try Dimensions.checkLimit(Dimensions(width: width, height: height))
      }
      #expect(error?.code == .invalidParameter)
    }
  }

  /// Shapes stay within what even sizes allow, either way up; nothing grows, nothing exceeds the limit.
  @Test(arguments: 0..<200)
  func sizesFit(_ seed: Int) {
    var random = Seeded(UInt64(seed))
    let size = Dimensions(
      width: Int.random(in: 2...8000, using: &random),
      height: Int.random(in: 2...8000, using: &random))
    let limit = Dimensions(width: 1920, height: 1080)
    let fitted = size.fitting(within: limit)
    #expect(max(fitted.width, fitted.height) <= 1920)
    #expect(min(fitted.width, fitted.height) <= 1080)
    #expect(size.fitting(within: nil) == size)
    guard fitted != size else {
      #expect(max(size.width, size.height) <= 1920 && min(size.width, size.height) <= 1080)
      return
    }
    #expect(fitted.width % 2 == 0 && fitted.height % 2 == 0)
    #expect(fitted.width <= max(size.width, 2) && fitted.height <= max(size.height, 2))
    // Half of an even step to either side.
    let exact = Double(fitted.width) * Double(size.height) / Double(size.width)
    let step = 1 + Double(size.height) / Double(size.width)
    #expect(abs(exact - Double(fitted.height)) <= step || fitted.height == 2 || fitted.width == 2)
  }

  @Test(arguments: 0..<200)
  func fitsLieInTheMiddle(_ seed: Int) {
    var random = Seeded(UInt64(seed + 1000))
    func size() -> Dimensions {
      Dimensions(
        width: Int.random(in: 8...2000, using: &random),
        height: Int.random(in: 8...2000, using: &random))
    }
    let (picture, frame) = (size(), size())
    let fit = PictureFit(picture, in: frame)
    #expect(fit.columns.lowerBound >= 0 && fit.columns.upperBound <= frame.width)
    #expect(fit.rows.lowerBound >= 0 && fit.rows.upperBound <= frame.height)
    // One side is filled, and the bars of the other differ by three columns or rows at most: both
    // ends lie at even places.
    #expect(fit.columns.count == frame.width || fit.rows.count == frame.height)
    for (range, length) in [(fit.columns, frame.width), (fit.rows, frame.height)] {
      #expect(abs(range.lowerBound - (length - range.upperBound)) <= 3)
      #expect(range.lowerBound % 2 == 0)
    }
  }

  /// All primaries have one white, and there and back is where one was.
  @Test func primariesKeepColours() throws {
    for source in ColorTags.Primaries.allCases {
      for destination in ColorTags.Primaries.allCases {
        let there = PrimariesConversion(from: source, to: destination)
        let back = PrimariesConversion(from: destination, to: source)
        for row in there.rows { #expect(abs(row.sum() - 1) < 1e-12) }
        for (number, row) in back.rows.enumerated() {
          let product = (0..<3).reduce(into: SIMD3<Double>()) {
            $0 += row[$1] * there.rows[$1]
          }
          for column in 0..<3 {
            #expect(abs(product[column] - (column == number ? 1 : 0)) < 1e-12)
          }
        }
      }
    }
    // Recommendation ITU-R BT.2087 prints BT.709 to BT.2020 with four digits.
    let wide = PrimariesConversion(from: .bt709, to: .bt2020)
    let printed = [[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]]
    for (row, numbers) in zip(wide.rows, printed) {
      for column in 0..<3 { #expect(abs(row[column] - numbers[column]) < 1e-4) }
    }
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: 2, height: 1), format: .rgbaFloat, tags: .linearBT709)
    picture.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: SIMD4<Float>(1, 0, 0, 0.5), as: SIMD4<Float>.self)
      bytes.storeBytes(of: SIMD4<Float>(3, 3, 3, 1), toByteOffset: 16, as: SIMD4<Float>.self)
    }
    let result = try wide.convert(picture, to: .bt2020)
    #expect(result.tags.primaries == .bt2020)
    result.withUnsafeBytes { bytes in
      let red = bytes.load(as: SIMD4<Float>.self)
      let white = bytes.load(fromByteOffset: 16, as: SIMD4<Float>.self)
      #expect(abs(red.x - 0.6274) < 1e-4 && abs(red.z - 0.0164) < 1e-4 && red.w == 0.5)
      // Single precision.
      for channel in 0..<3 { #expect(abs(white[channel] - 3) < 1e-5) }
    }
  }

  @Test func blackIsBlack() throws {
    for format in PixelFormat.allCases where !format.isDisparity {
      let picture = try PixelBuffer(
        dimensions: Dimensions(width: 5, height: 3), format: format, tags: .bt709)
      for plane in picture.planes.indices {
        picture.withUnsafeMutableBytes(ofPlane: plane) { bytes in
          for index in bytes.indices { bytes[index] = 0x5A }
        }
      }
      picture.fillBlack()
      let light = try picture.linearRGBA()
      light.withUnsafeBytes { bytes in
        for pixel in 0..<15 {
          let color = bytes.loadUnaligned(fromByteOffset: 16 * pixel, as: SIMD4<Float>.self)
          // Chroma of exactly the middle: what is left is the rounding of the matrix.
          #expect(abs(color.x) < 1e-6 && abs(color.y) < 1e-6 && abs(color.z) < 1e-6, "\(format)")
          #expect(color.w == 1, "\(format)")
        }
      }
    }
  }
}

@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct PresetExportTests {
  private static func export(
    _ preset: ExportSession.Preset, _ bytes: Result<[UInt8], any Error> = Movies.own
  ) async throws -> SourceProperties {
    let folder = Folder()
    var settings = ExportSession.Settings(preset: preset)
    settings.encoderPreset = "ultrafast"
    settings.quality = .thumbnail
    settings.temporaryFiles = TemporaryFiles()
    let session = try await ExportSession(
      assets: [Movies.asset(bytes)], to: folder.file("a.mov"), devices: [.cpu()],
      settings: settings)
    try await session.export()
    let properties = try await FrameReader.open(folder.file("a.mov")).properties
    let source = try await Asset(source: MemorySource(bytes.get(), name: "memory.mov"))
      .loadTracks(withMediaType: .video)[0].load(.videoFormat)
    #expect(
      session.isToneMapped
        == (source.tags.transfer == .hlg && properties.tags.transfer != .hlg))
    return properties
  }

  /// Ten bits become eight where the codec has no more.
  @Test func codecs() async throws {
    let wide = try await Self.export(.hevc1080p)
    #expect(wide.codecDescription.hasPrefix("hevc") && wide.bitDepth == 10)
    let narrow = try await Self.export(.h264_720p)
    #expect(narrow.codecDescription.hasPrefix("h264") && narrow.bitDepth == 8)
    #expect(narrow.dimensions == Dimensions(width: 96, height: 64))
    #expect(narrow.tags == wide.tags)
  }

  /// High dynamic range stays where the codec holds it, and becomes standard where not.
  @Test func highDynamicRange() async throws {
    let bytes = Movies.tagged([9, 18, 9], frames: 4)
    let properties = try await Self.export(.hevc1080p, bytes)
    #expect(properties.tags.transfer == .hlg && properties.tags.primaries == .bt2020)
    #expect(properties.bitDepth == 10)
    let narrow = try await Self.export(.h264_1080p, bytes)
    #expect(narrow.tags == .bt709 && narrow.bitDepth == 8)
    #expect(narrow.colorCodes == ColorCodes(.bt709) && narrow.hdrMetadata.isEmpty)
  }
}
