// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import Foundation
import Synchronization
import Testing

@testable import focal

/// `focal bench-export`.
@Suite struct ExportTimingTests {
  private static func movie(_ look: [String], in folder: Folder) async throws -> MovieScript {
    try await ScriptMaterial.sample(in: folder, frames: 2)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "movie.mov",
      ] + look, in: folder)
    return try await MovieScript(asset: Asset(path: folder.file("movie.mov")))
  }

  private static func attributes(
    of movie: MovieScript
  ) async throws -> RenderingSession.Attributes {
    try await TimedRendering(movie, on: .cpu(), quality: .thumbnail).session.sessionAttributes
  }

  /// The stage of rendering does what the export does: lenses differ in their costs.
  @Test func theMovieSaysTheLens() async throws {
    let folder = Folder()
    let movie = try await Self.movie(
      ["--blur-scale", "0.5", "--blades", "5", "--cat-eye", "0.5", "--swirl", "0.25"], in: folder)
    let attributes = try await Self.attributes(of: movie)
    #expect(attributes.blurScale == 0.5)
    #expect(attributes.apertureShape.bladeCount == 5)
    #expect(attributes.lensCharacter.catEye == 0.5)
    #expect(attributes.lensCharacter.swirl == 0.25)
  }

  @Test func aMovieWithoutALook() async throws {
    let movie = try await Self.movie([], in: Folder())
    #expect(try await Self.attributes(of: movie) == RenderingSession.Attributes())
  }

  /// The codes of an export's pictures before they are compressed, by frame.
  private final class Captured: Sendable {
    let codes = Mutex<[Int: [UInt8]]>([:])
  }

  /// What is timed makes the export's pictures, bit for bit, also of codes that have to become light first.
  @Test(arguments: [[], ["--log", "slog3"]]) func thePicturesAreTheExports(
    _ look: [String]
  ) async throws {
    let folder = Folder()
    let movie = try await Self.movie(["--blur-scale", "2"] + look, in: folder)
    let captured = Captured()
    var settings = ExportSession.Settings()
    settings.quality = .thumbnail
    // Timed maps are as they are stored.
    settings.overrides.steadiesDisparity = false
    settings.drawing = { picture, time throws(CinematicError) in
      captured.codes.withLock { $0[Int(time.converted(to: 30).value)] = picture.codes() }
    }
    try await ExportSession(
      assets: [movie.info.asset], to: folder.file("film.mov"), devices: [.cpu()],
      settings: settings
    ).export()
    let expected = captured.codes.withLock { $0 }
    #expect(expected.count == 2)
    var frames: [CinematicFrame] = []
    for number in 0..<2 { frames.append(try await movie.reader.frame(number: number)) }
    let rendering = try await TimedRendering(movie, on: .cpu(), quality: .thumbnail)
    let pictures = try await rendering.pictures(of: frames[...])
    for (number, picture) in pictures.enumerated() {
      let isSame = picture.codes() == expected[number]
      #expect(isSame, "frame \(number)")
    }
  }
}
