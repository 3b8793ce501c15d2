// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalSubjects
import MovieKit
import Testing

/// Movies whose pixels are not square, one after another.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct JoinedShapeTests {
  /// A movie that says the shape of its pixels as stored; turned by a quarter when it is shown, or not.
  private static func movie(
    _ horizontal: Int, _ vertical: Int, _ name: String, isTurned: Bool = false
  ) throws -> Asset {
    // Of fewer pictures than it may put into another order, libx265 does not always give times that a file takes.
    var layout = try EncodedMovie.layout(frames: 8)
    let shape = Box.of("pasp") { builder in
      builder.u32(horizontal)
      builder.u32(vertical)
    }
    let entry = try #require(layout.tracks[0].entry)
    layout.tracks[0].entry = Box(entry.type, data: Array(entry.data) + shape.bytes)
    if isTurned {
      let one: Int32 = 1 << 16
      layout.tracks[0].matrix = [
        0, one, 0, -one, 0, 0, Int32(EncodedMovie.size.height) << 16, 0, 1 << 30,
      ]
    }
    return Asset(source: MemorySource(layout.bytes(), name: name))
  }

  private static func session(_ assets: [Asset], in folder: Folder) async throws -> ExportSession {
    try await ExportSession(
      assets: assets, to: folder.file("film.mov"), devices: [.cpu()], settings: quick())
  }

  /// They would be squeezed, whatever their size: each is named with its pixels, and nothing is written.
  @Test func otherPixelsAreRefused() async throws {
    let folder = Folder()
    let square = try Self.movie(1, 1, "square.mov")
    let wide = try Self.movie(4, 3, "wide.mov")
    let turned = try Self.movie(4, 3, "turned.mov", isTurned: true)
    for (first, second, shapes) in [
      (square, wide, ["wide.mov has pixels of 4:3", "square.mov of 1:1"]),
      (wide, square, ["square.mov has pixels of 1:1", "wide.mov of 4:3"]),
      (wide, turned, ["turned.mov has pixels of 3:4", "wide.mov of 4:3"]),
    ] {
      do {
        _ = try await Self.session([first, first, second], in: folder)
        Issue.record("\(shapes) are joined")
      } catch let error as CinematicError {
        #expect(error.code == .incompatible && error.remedy != nil)
        for shape in shapes { #expect(error.message.contains(shape), "\(error.message)") }
      }
    }
    #expect(folder.names.isEmpty)
  }

  /// Pixels of one shape are joined, however it is said, and the film has them.
  @Test func equalPixelsAreJoined() async throws {
    let folder = Folder()
    let wide = try Self.movie(4, 3, "wide.mov")
    let same = try Self.movie(8, 6, "same.mov")
    let turned = try Self.movie(3, 4, "turned.mov", isTurned: true)
    let rounded = try Self.movie(1333, 1000, "rounded.mov")
    let session = try await Self.session([wide, same, turned, rounded], in: folder)
    let shape = session.writerSettings.pixelAspectRatio
    #expect(shape == PixelAspectRatio(horizontal: 4, vertical: 3))
    #expect(session.frameCount == 32)
    try await session.export()
    #expect(try await folder.frames("film.mov").count == 32)
  }

  /// So it is with the subjects of several movies.
  @Test func subjectsOfOtherPixels() async throws {
    let infos = [
      try await AssetInfo(asset: Self.movie(1, 1, "square.mov")),
      try await AssetInfo(asset: Self.movie(4, 3, "wide.mov")),
    ]
    let part = try await Composition().addTracks(for: infos[0])
    try await part.insertTimeRange(of: infos[0])
    func video() async throws(CinematicError) -> VideoComposition {
      try await VideoComposition(
        subjectsOf: part.cinematicVideoTrackID, in: part.composition,
        disparityTrackID: part.cinematicDisparityTrackID,
        effect: SubjectEffect(background: .plain(red: 0, green: 1, blue: 0)),
        compositor: SubjectCompositor(devices: [.cpu()]))
    }
    #expect(try await video().renderSize == Dimensions(width: 96, height: 64))
    try await part.insertTimeRange(of: infos[1])
    let error = await failure { () async throws(CinematicError) in _ = try await video() }
    #expect(error?.code == .incompatible, "\(String(describing: error))")
  }
}
