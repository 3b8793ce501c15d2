// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Rows, sizes, numbers and qualities that there are not: each is refused before anything is read or written.
@Suite struct ExtremeValueTests {
  private static let frame = Time(value: 1, timescale: 30)
  /// No picture has them, and the largest ones are beyond what files can say.
  private static let sizes = [
    Dimensions(width: 0, height: 0), Dimensions(width: -4, height: 7),
    Dimensions(width: 8, height: 32769), Dimensions(width: 1 << 40, height: 8),
    Dimensions(width: Int.max, height: Int.max),
  ]

  private static func settings(_ folder: ScratchFolder) -> WriterSettings {
    var settings = WriterSettings(
      dimensions: Dimensions(width: 16, height: 8), pixelFormat: .rgba8, tags: .sRGB)
    settings.temporaryFiles = folder.temporaryFiles
    return settings
  }

  private static func create(_ path: String, _ settings: WriterSettings) -> CinematicError? {
    failure { () throws(CinematicError) in
      let writer = try FrameWriter.create(path, settings: settings)
      writer.cancel()
    }
  }

  /// Rows that a picture lacks are refused, and those that it has can be read afterwards.
  @Test(arguments: ["png", "tif", "exr", "pfm", "dpx", "jpg"])
  func rowsThatThePictureLacks(_ ending: String) throws {
    let folder = ScratchFolder()
    let isFloat = ending == "exr" || ending == "pfm"
    let picture = try Scene.smooth(
      16, 40, isFloat ? .rgbaFloat : .rgba8, tags: isFloat ? .linearBT709 : .sRGB)
    let path = folder.file("a.\(ending)")
    try PictureWriter.write(picture, to: path)
    let reader = try #require(try PictureStripReader.open(path))
    let whole = try reader.strip(0..<40).packedBytes()
    let wrong: [Range<Int>] = [
      30..<41, 40..<50, 41..<50, 200..<210, -5..<5, -5..<0, 5..<5, 0..<0, 40..<40,
      Int.min..<Int.max, 0..<Int.max,
    ]
    for rows in wrong {
      let error = failure { () throws(CinematicError) in _ = try reader.strip(rows) }
      #expect(error?.code == .invalidParameter, "\(rows)")
      #expect(error?.message.contains("\(rows)") == true)
    }
    #expect(try reader.strip(0..<40).packedBytes() == whole)
  }

  @Test(arguments: ["mov", "mp4", "webm"]) func sizesThatNoMovieHas(_ ending: String) throws {
    let folder = ScratchFolder()
    for size in Self.sizes {
      var settings = Self.settings(folder)
      settings.dimensions = size
      let error = Self.create(folder.file("a.\(ending)"), settings)
      #expect(error?.code == .invalidParameter, "\(size)")
      #expect(error?.message.contains("\(size)") == true)
    }
    #expect(folder.names.isEmpty)
  }

  @Test func sizesThatNoMapHas() throws {
    let folder = ScratchFolder()
    let coding = try DisparityCoding(0...1)
    for size in Self.sizes {
      var settings = MovieWriter.Settings(
        video: .encoded(Self.settings(folder)), disparityDimensions: size, disparityCoding: coding)
      settings.temporaryFiles = folder.temporaryFiles
      let error = failure { () throws(CinematicError) in
        _ = try MovieWriter(folder.file("a.mov"), settings: settings)
      }
      #expect(error?.code == .invalidParameter, "\(size)")
    }
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: ["png", "jpg", "tif", "heic", "avif", "dpx"])
  func sizesOfWhichThereAreNoRows(_ ending: String) throws {
    let folder = ScratchFolder()
    for size in Self.sizes {
      var settings = Self.settings(folder)
      settings.dimensions = size
      let error = failure { () throws(CinematicError) in
        _ = try PictureStripWriter(
          folder.file("a.\(ending)"), settings: settings, hasAlpha: false)
      }
      #expect(error?.code == .invalidParameter, "\(size)")
    }
    #expect(folder.names.isEmpty)
  }

  /// A picture gets the number that it is given, or none.
  @Test func numbersOfPictures() throws {
    let folder = ScratchFolder()
    let picture = try Scene.smooth(16, 8, .rgba8, tags: .sRGB)
    let writer = try FrameWriter.create(
      folder.file("a%d.png"), settings: Self.settings(folder))
    func append(_ number: Int?) -> CinematicError? {
      failure { () throws(CinematicError) in
        try writer.append(picture, time: .zero, duration: Self.frame, fileNumber: number)
      }
    }
    for number in [Int.min, -1, .max] {
      #expect(append(number)?.code == .invalidParameter, "\(number)")
    }
    #expect(folder.names.isEmpty)
    #expect(append(Int.max - 1) == nil)
    // None is left behind it.
    #expect(append(nil)?.code == .invalidParameter)
    #expect(append(7) == nil)
    #expect(append(nil) == nil)
    try writer.finish()
    #expect(folder.names == ["a7.png", "a8.png", "a\(Int.max - 1).png"])
  }

  @Test(arguments: [Int.min, -5, 0, 101, 1000, .max]) func qualities(_ quality: Int) throws {
    let folder = ScratchFolder()
    let picture = try Scene.smooth(16, 8, .rgba8, tags: .sRGB)
    var settings = Self.settings(folder)
    settings.pictureQuality = quality
    for ending in ["jpg", "heic", "avif"] {
      let path = folder.file("a.\(ending)")
      #expect(Self.create(path, settings)?.code == .invalidParameter)
      let numbered = folder.file("a%03d.\(ending)")
      #expect(Self.create(numbered, settings)?.code == .invalidParameter)
      let written = failure { () throws(CinematicError) in
        try PictureWriter.write(
          picture, to: path, quality: quality, temporaryFiles: folder.temporaryFiles)
      }
      #expect(written?.code == .invalidParameter)
      let strips = failure { () throws(CinematicError) in
        _ = try PictureStripWriter(path, settings: settings, hasAlpha: false)
      }
      #expect(strips?.code == .invalidParameter)
    }
    let bytes = failure { () throws(CinematicError) in
      _ = try PictureWriter.bytes(of: picture, kind: .jpeg, quality: quality)
    }
    #expect(bytes?.message.contains("\(quality)") == true)
    #expect(folder.names.isEmpty)
  }
}
