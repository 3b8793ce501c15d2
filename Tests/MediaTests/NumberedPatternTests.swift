// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Which names are patterns of numbered files, and which are names for what they are.
@Suite struct NumberedPatternTests {
  @Test(arguments: [
    "a.gif", "a", "a.bmp", "a.mkv", "frames/%04d.mp4", "%4d.png", "%04d%04d.png",
    "50%_%d.png", "",
  ])
  func namesThatSayNothingKnown(_ name: String) throws {
    let error = failure { () throws(CinematicError) in _ = try OutputFormat(path: name) }
    #expect(error?.code == .invalidParameter)
    #expect(error?.remedy != nil)
  }

  /// Without a number, a percent sign is a part of the name.
  @Test(arguments: [
    "out 100%.mp4", "a%x.webm", "a%%.mov", "50%off.png", "a%%.exr", "a%%d.jpg", "my%20dog.png",
    "my%20cat.png", "a%20d.tif",
  ])
  func percentSigns(_ name: String) throws {
    switch try OutputFormat(path: name) {
    case .movie, .still: break
    case .numbered, .stream: Issue.record("\(name) is one file")
    }
    #expect(try NumberedPattern(name) == nil)
  }

  /// Maps that are kept beside numbered pictures lie in a folder that has the pattern's name.
  @Test func numberedFilesInAFolderOfAPatternsName() throws {
    let pattern = try #require(try NumberedPattern("out/L%04d.png.maps/%06d.exr"))
    #expect(pattern.folder == "out/L%04d.png.maps/")
    #expect(pattern.path(7) == "out/L%04d.png.maps/000007.exr")
    let error = failure { () throws(CinematicError) in
      _ = try NumberedPattern("out/L%04d/%06d.exr")
    }
    #expect(error?.code == .invalidParameter)
  }

  /// A space of an address is no number of a folder's.
  @Test func foldersWithPercentSigns() throws {
    #expect(try NumberedPattern("my%20dogs/%04d.png")?.path(7) == "my%20dogs/0007.png")
    #expect(failure { () throws(CinematicError) in _ = try NumberedPattern("%04d/%d.png") } != nil)
  }

  /// Pictures whose names have percent signs are written and read by them, also where they are like a pattern's.
  @Test func picturesWithPercentSigns() async throws {
    let folder = ScratchFolder()
    let picture = try Scene.noise(5, 4, .rgba8)
    for name in ["50%off.png", "a%%.png", "my%20dog.png"] {
      try PictureWriter.write(
        picture, to: folder.file(name), temporaryFiles: folder.temporaryFiles)
      let read = try #require(try await frames(folder.file(name)).first).pixelBuffer
      #expect(read.packedBytes() == picture.packedBytes())
    }
    #expect(folder.names == ["50%off.png", "a%%.png", "my%20dog.png"])
    for name in ["%d.png", "a%d%d.png"] {
      folder.write(folder.read("a%%.png"), to: name)
      let strips = try #require(try PictureStripReader.open(folder.file(name)))
      #expect(try strips.strip(0..<4).packedBytes() == picture.packedBytes())
      #expect(try await frames(folder.file(name)).count == 1)
    }
  }
}
