// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import MovieKit
import Testing

/// Movies that are written anew with another script.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct MovieWritingTests {
  private static func movie(_ path: String) async throws -> MovieScript {
    try Data(Movies.lookingWide.get()).write(to: URL(fileURLWithPath: path))
    return try await MovieScript(asset: Asset(path: path))
  }

  private static func decided(_ movie: MovieScript) async throws -> Script {
    let script = try Script(recording: try await movie.recordingOrSteady())
    script.fNumber = 1.4
    let id = script.addDetectionTrack(try FixedDetectionTrack(focusDisparity: 0.9))
    script.addUserDecision(
      Decision(time: Movies.time(frame: 6), detectionID: id, strong: true))
    return script
  }

  /// The new movie is what the old one is with the script and the look.
  @Test func carriesScriptAndLook() async throws {
    let folder = Folder()
    let movie = try await Self.movie(folder.file("old.mov"))
    let script = try await Self.decided(movie)
    var look = Look()
    look.blurScale = 0.8
    try movie.write(
      script, to: folder.file("new.mov"), look: look, temporaryFiles: TemporaryFiles())
    let old = try await PreviewRenderer(asset: movie.info.asset, devices: [.cpu()])
    let new = try await PreviewRenderer(
      asset: Asset(path: folder.file("new.mov")), devices: [.cpu()])
    let own = try Script(recording: new.recording)
    #expect(own.fNumber == 1.4 && own.look.blurScale == 0.8)
    #expect(new.frameCount == Movies.frameCount)
    for number in [0, 5, 6, 11] {
      let expected = try await old.picture(number, script: script, look: look)
      let picture = try await new.picture(number, script: own)
      #expect(isSame(picture.allCodes, expected.allCodes), "frame \(number)")
    }
  }

  @Test func refusals() async throws {
    let folder = Folder()
    let movie = try await Self.movie(folder.file("old.mov"))
    let script = try await Self.decided(movie)
    var look = Look()
    look.blurScale = 1000
    let isTooWide = await failure { () async throws(CinematicError) in
      try movie.write(script, to: folder.file("new.mov"), look: look)
    }
    #expect(isTooWide?.code == .invalidParameter)
    let hasAnotherEnding = await failure { () async throws(CinematicError) in
      try movie.write(script, to: folder.file("new.mp4"))
    }
    #expect(hasAnotherEnding?.code == .invalidParameter)
    let isThere = await failure { () async throws(CinematicError) in
      try movie.write(script, to: folder.file("old.mov"))
    }
    #expect(isThere?.code == .unwritable)
    let memory = try await MovieScript(asset: Movies.asset(Movies.lookingWide))
    let isNoFile = await failure { () async throws(CinematicError) in
      try memory.write(script, to: folder.file("new.mov"))
    }
    #expect(isNoFile?.code == .unsupported)
    #expect(folder.names == ["old.mov"])
  }
}
