// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import Foundation
import Testing

/// A picture format, and whether it keeps every bit.
struct StillCase: CustomTestStringConvertible, Sendable {
  let ending: String
  let format: PixelFormat
  let tags: ColorTags
  /// The values that the reader delivers.
  let delivered: PixelFormat
  var testDescription: String { "\(format) as .\(ending)" }
}

@Suite struct StillTests {
  static let linear = ColorTags.linearBT709
  static let cases: [StillCase] = [
    StillCase(ending: "png", format: .rgba8, tags: .sRGB, delivered: .rgba8),
    StillCase(ending: "png", format: .gray8, tags: .sRGB, delivered: .gray8),
    StillCase(ending: "png", format: .gray16, tags: .sRGB, delivered: .gray16),
    StillCase(ending: "tif", format: .rgba8, tags: .sRGB, delivered: .rgba8),
    StillCase(ending: "TIFF", format: .gray16, tags: .sRGB, delivered: .gray16),
    StillCase(ending: "pfm", format: .rgbaFloat, tags: linear, delivered: .rgbaFloat),
    StillCase(ending: "exr", format: .rgbaFloat, tags: linear, delivered: .rgbaFloat),
  ]

  @Test(arguments: cases, [(1, 1), (7, 5), (64, 33)])
  func keepsEveryBit(_ test: StillCase, size: (Int, Int)) async throws {
    let folder = ScratchFolder()
    let path = folder.file("picture.\(test.ending)")
    let written = try Scene.noise(size.0, size.1, test.format, tags: test.tags)
    if test.ending == "pfm" { makeOpaque(written) }
    try PictureWriter.write(written, to: path, temporaryFiles: folder.temporaryFiles)
    let all = try await frames(path)
    #expect(all.count == 1)
    let read = all[0].pixelBuffer
    #expect(read.format == test.delivered)
    #expect(read.dimensions == written.dimensions)
    #expect(read.tags.transfer == test.tags.transfer)
    #expect(read.packedBytes() == written.packedBytes())
    #expect(folder.names == ["picture.\(test.ending)"])
  }

  /// What a PNG says in front of its pixels is what its reader says of the decoded picture.
  @Test(
    arguments: [
      (.rgba8, .sRGB), (.gray8, .sRGB), (.gray16, .sRGB), (.rgbaHalf, .pq),
      (.rgba8, ColorTags(primaries: .displayP3, transfer: .srgb, matrix: .bt709)),
    ] as [(PixelFormat, ColorTags)])
  func statedProperties(_ format: PixelFormat, tags: ColorTags) async throws {
    let folder = ScratchFolder()
    let path = folder.file("picture.png")
    let written = try Scene.noise(33, 21, format, tags: tags)
    try PictureWriter.write(written, to: path, temporaryFiles: folder.temporaryFiles)
    let read = try await FrameReader.open(path).properties
    let stated = try #require(await Asset.named(path).statedProperties())
    #expect(stated.kind == read.kind && stated.frameCount == read.frameCount)
    #expect(stated.dimensions == read.dimensions)
    #expect(stated.pixelFormat == read.pixelFormat)
    #expect(stated.tags == read.tags)
    #expect(stated.bitDepth == read.bitDepth)
    #expect(stated.preferredTransform == read.preferredTransform)
    #expect(stated.codecDescription == read.codecDescription)
    #expect(stated.pictureMetadata.companions == read.pictureMetadata.companions)
    #expect((stated.pictureMetadata.profile == nil) == (read.pictureMetadata.profile == nil))
  }

  /// Of other files and of those that are cut short, nothing is said before they are read.
  @Test func nothingIsStated() async throws {
    let folder = ScratchFolder()
    let written = try Scene.noise(33, 21, .rgba8, tags: .sRGB)
    for name in ["a.tif", "a.png"] {
      try PictureWriter.write(written, to: folder.file(name), temporaryFiles: folder.temporaryFiles)
    }
    let png = folder.file("a.png")
    let source = FileByteSource(path: png)
    let whole = try await source.read(0..<source.byteCount())
    #expect(FileManager.default.createFile(atPath: png, contents: Data(whole.dropLast(40))))
    for name in ["a.tif", "a.png", "none.png"] {
      let stated = try await Asset.named(folder.file(name)).statedProperties()
      #expect(stated == nil, "\(name)")
    }
  }

  /// 16-bit files hold the nearest of 65536 codes, and come back as code / 65535.
  @Test(arguments: ["png", "tif"], [PixelFormat.rgbaFloat, .rgbaHalf])
  func sixteenBits(_ ending: String, format: PixelFormat) async throws {
    let folder = ScratchFolder()
    let written = try Scene.noise(13, 9, format)
    try PictureWriter.write(written, to: folder.file("a.\(ending)"))
    let first = try #require(try await frames(folder.file("a.\(ending)")).first)
    #expect(first.pixelBuffer.format == .rgbaFloat)
    #expect(first.pixelBuffer.tags == .sRGB)
    let values = first.pixelBuffer.values(Float.self)
    let wanted: [Float] =
      format == .rgbaFloat
      ? written.values(Float.self) : written.values(UInt16.self).map(singlePrecision)
    for (value, want) in zip(values, wanted) {
      #expect(value == Float((want * 65535).rounded()) / 65535)
    }
  }

  @Test func halfFloatsInOpenEXR() async throws {
    let folder = ScratchFolder()
    let written = try Scene.noise(19, 21, .rgbaHalf, tags: .linearBT709)
    try PictureWriter.write(written, to: folder.file("a.exr"))
    let read = try #require(try await frames(folder.file("a.exr")).first).pixelBuffer
    #expect(read.values(Float.self) == written.values(UInt16.self).map(singlePrecision))
  }

  /// Light above display white and below black, infinities apart, survives in float files.
  @Test(arguments: ["pfm", "exr"])
  func highDynamicRange(_ ending: String) async throws {
    let folder = ScratchFolder()
    let written = try PixelBuffer(
      dimensions: Dimensions(width: 3, height: 1), format: .rgbaFloat, tags: .linearBT709)
    let values: [Float] = [1000, -0.25, 1e-6, 1, 0, 65504, 1e6, 1, 0.1, 0.2, 0.3, 1]
    written.withUnsafeMutableBytes { $0.copyBytes(from: values.withUnsafeBytes { Array($0) }) }
    try PictureWriter.write(written, to: folder.file("a.\(ending)"))
    let read = try #require(try await frames(folder.file("a.\(ending)")).first).pixelBuffer
    #expect(read.values(Float.self) == values)
  }

  @Test func opaquePicturesHaveNoAlphaChannel() async throws {
    let folder = ScratchFolder()
    let picture = try Scene.noise(4, 4, .rgba8)
    makeOpaque(picture)
    try PictureWriter.write(picture, to: folder.file("a.png"))
    // Byte 25 of a PNG is its colour type: 2 is RGB, 6 RGBA.
    #expect(folder.read("a.png")[25] == 2)
    #expect(
      try await frames(folder.file("a.png"))[0].pixelBuffer.packedBytes() == picture.packedBytes())
  }

  @Test func stillTakesOneFrameAndTheDurationAskedFor() async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(Scene.noise(5, 5, .rgba8), to: folder.file("a.png"))
    let reader = try await FrameReader.open(
      folder.file("a.png"), options: ReadOptions(stillDuration: Time(value: 1, timescale: 24)))
    #expect(reader.properties.kind == .still)
    #expect(reader.properties.frameCount == 1)
    #expect(reader.properties.bitDepth == 8)
    let frame = try #require(try await reader.next())
    #expect(frame.duration == Time(value: 1, timescale: 24))
    #expect(frame.time == .zero)
    #expect(try await reader.next() == nil)
    #expect(try await reader.next() == nil)
  }

  @Test func transferCanBeSaid() async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(Scene.noise(5, 5, .rgba8), to: folder.file("a.png"))
    let reader = try await FrameReader.open(
      folder.file("a.png"), options: ReadOptions(transfer: .hlg))
    #expect(reader.properties.tags.transfer == .hlg)
    #expect(try await reader.next()?.pixelBuffer.tags.transfer == .hlg)
  }

  @Test func refusesWhatAFileCannotHold() throws {
    let folder = ScratchFolder()
    let linear = try Scene.noise(4, 4, .rgbaFloat, tags: .linearBT709)
    let encoded = try Scene.noise(4, 4, .rgbaFloat, tags: .sRGB)
    let planes = try Scene.noise(4, 4, .yuv420Video8)
    for (buffer, name) in [(linear, "a.png"), (encoded, "a.exr"), (planes, "a.png")] {
      let error = failure { () throws(CinematicError) in
        try PictureWriter.write(buffer, to: folder.file(name))
      }
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains(name.hasSuffix("exr") ? "OpenEXR" : "a.png") == true)
    }
    #expect(folder.names == [])
  }

  /// Numbered files have the channels of their source, whatever each one shows, and so has OpenEXR; other single pictures
  /// have alpha where it says something.
  @Test(arguments: ["%d.png", "%d.exr", "a.exr", "a.png"])
  func alphaOfTheSourceStays(_ name: String) async throws {
    let folder = ScratchFolder()
    let isLight = name.hasSuffix("exr")
    let (format, tags): (PixelFormat, ColorTags) =
      isLight ? (.rgbaFloat, .linearBT709) : (.rgba8, .sRGB)
    let opaque = try Scene.noise(9, 5, format, tags: tags)
    // As resampling rounds, which is stored as 1.
    makeOpaque(opaque, alpha: 0.9999999)
    var pictures = [opaque]
    if name.hasPrefix("%") { pictures.append(try Scene.noise(9, 5, format, tags: tags)) }
    for hasAlpha in [true, false] {
      var settings = WriterSettings(
        dimensions: opaque.dimensions, pixelFormat: format, tags: tags)
      settings.codedPixels = CodedPixels(.rgb, bitDepth: 8, isFullRange: true, hasAlpha: hasAlpha)
      settings.overwrite = true
      settings.temporaryFiles = folder.temporaryFiles
      let writer = try FrameWriter.create(folder.file(name), settings: settings)
      for picture in pictures {
        // What the file says beside its pixels is each picture's own.
        try writer.append(
          picture, time: .zero, duration: Time(value: 1, timescale: 30), metadata: PictureMetadata()
        )
      }
      try writer.finish()
      makeOpaque(opaque)
      for (number, picture) in pictures.enumerated() {
        let path = folder.file(name.replacing("%d", with: "\(number)"))
        let coded = try await FrameReader.open(path).properties.codedPixels
        #expect(coded?.hasAlpha == (number > 0 || hasAlpha && name != "a.png"), "\(path)")
        let read = try #require(try await frames(path).first).pixelBuffer
        #expect(read.packedBytes() == picture.packedBytes())
      }
    }
    guard name == "a.exr" else { return }
    var settings = WriterSettings(dimensions: opaque.dimensions, pixelFormat: format, tags: tags)
    settings.codedPixels = CodedPixels(.rgb, bitDepth: 8, isFullRange: true, hasAlpha: true)
    settings.temporaryFiles = folder.temporaryFiles
    let strips = try PictureStripWriter(folder.file("b.exr"), settings: settings, hasAlpha: false)
    try strips.append(opaque)
    try strips.finish()
    let coded = try await FrameReader.open(folder.file("b.exr")).properties.codedPixels
    #expect(coded?.hasAlpha == true)
  }

  /// Pixels of strips are read by one format, and the file states one meaning of their values.
  @Test(arguments: ["png", "tif", "jpg"], [QuarterTurn.identity, .clockwise90])
  func stripsOfAnotherForm(_ ending: String, _ turn: QuarterTurn) throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 64, height: 64), pixelFormat: .rgbaFloat, tags: .sRGB)
    settings.preferredTransform = turn
    settings.temporaryFiles = folder.temporaryFiles
    let writer = try PictureStripWriter(
      folder.file("a.\(ending)"), settings: settings, hasAlpha: ending != "jpg")
    let wrong = [
      try Scene.noise(64, 64, .rgba8), try Scene.noise(64, 64, .gray8),
      try Scene.noise(64, 64, .rgbaHalf), try Scene.noise(64, 64, .yuv420Video8),
      try Scene.noise(64, 64, .rgbaFloat, tags: .linearBT709),
    ]
    for strip in wrong {
      let error = failure { () throws(CinematicError) in try writer.append(strip) }
      #expect(error?.code == .incompatible, "\(strip.format)")
      #expect(error?.message.contains("\(strip.format)") == true)
    }
    // None of them took the place of a row.
    try writer.append(Scene.noise(64, 64, .rgbaFloat))
    try writer.finish()
    #expect(folder.names == ["a.\(ending)"])
  }

  private func makeOpaque(_ buffer: PixelBuffer, alpha one: Float = 1) {
    let size = buffer.planes[0].bytesPerElement / 4
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<buffer.height {
        for x in 0..<buffer.width {
          let alpha = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow + (4 * x + 3) * size
          if size == 1 { alpha.storeBytes(of: 255, as: UInt8.self) }
          if size == 4 { alpha.storeBytes(of: one, as: Float.self) }
        }
      }
    }
  }
}

/// A normal half's value.
func singlePrecision(_ half: UInt16) -> Float {
  Float(bitPattern: (UInt32(half >> 10) & 31 + 112) << 23 | UInt32(half & 1023) << 13)
}
