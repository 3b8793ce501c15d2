// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import Foundation
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

  /// The stage of rendering does what the export does: lenses differ in their costs.
  @Test func theMovieSaysTheLens() async throws {
    let folder = Folder()
    let movie = try await Self.movie(
      ["--blur-scale", "0.5", "--blades", "5", "--cat-eye", "0.5", "--swirl", "0.25"], in: folder)
    let attributes = try ExportTiming.session(for: movie, on: .cpu(), quality: .thumbnail)
      .sessionAttributes
    #expect(attributes.blurScale == 0.5)
    #expect(attributes.apertureShape.bladeCount == 5)
    #expect(attributes.lensCharacter.catEye == 0.5)
    #expect(attributes.lensCharacter.swirl == 0.25)
  }

  @Test func aMovieWithoutALook() async throws {
    let movie = try await Self.movie([], in: Folder())
    let session = try ExportTiming.session(for: movie, on: .cpu(), quality: .thumbnail)
    #expect(session.sessionAttributes == RenderingSession.Attributes())
  }
}
