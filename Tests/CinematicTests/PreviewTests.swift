// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import MovieKit
import Synchronization
import Testing

@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct PreviewTests {
  /// Pictures of an export before they are encoded, by frame.
  private final class Captured: Sendable {
    let codes = Mutex<[Int: [UInt8]]>([:])
  }

  private static func decided(_ recording: Recording) throws -> Script {
    let script = try Script(recording: recording)
    script.fNumber = 1.4
    let id = script.addDetectionTrack(try FixedDetectionTrack(focusDisparity: 0.9))
    script.addUserDecision(
      Decision(time: Movies.time(frame: 6), detectionID: id, strong: true))
    return script
  }

  private static func exported(
    _ movie: Result<[UInt8], any Error>, _ script: Script, _ look: Look,
    _ quality: RenderingQuality,
    size: Dimensions?
  ) async throws -> [Int: [UInt8]] {
    let folder = Folder()
    let captured = Captured()
    var settings = quick(quality)
    settings.overrides.script = .given(script)
    settings.overrides.look = look
    settings.maximumSize = size
    settings.drawing = { picture, time throws(CinematicError) in
      captured.codes.withLock { $0[Int(time.converted(to: 30).value)] = picture.allCodes }
    }
    try await ExportSession(
      assets: [Movies.asset(movie)], to: folder.file("a%02d.jpg"), devices: [.cpu()],
      settings: settings
    ).export()
    return captured.codes.withLock { $0 }
  }

  /// In any order, at any size, and after other looks and scripts: the bytes of the export's pictures.
  @Test(arguments: RenderingQuality.allCases)
  func equalTheExportsPictures(quality: RenderingQuality) async throws {
    for movie in [Movies.lookingWide, Movies.upright] {
      let renderer = try await PreviewRenderer(asset: Movies.asset(movie), devices: [.cpu()])
      let script = try Self.decided(renderer.recording)
      var look = Look()
      look.blurScale = 0.8
      look.apertureBlades = 6
      for size in [nil, Dimensions(width: 48, height: 48)] {
        let expected = try await Self.exported(movie, script, look, quality, size: size)
        #expect(expected.count == Movies.frameCount)
        var settings = PreviewRenderer.Settings()
        settings.quality = quality
        settings.maximumSize = size
        for number in [7, 0, 11, 3, 3, 4] {
          // Something else in between.
          _ = try await renderer.picture(
            number, script: Script(recording: renderer.recording), settings: settings)
          let picture = try await renderer.picture(
            number, script: script, look: look, settings: settings)
          let isSame = picture.allCodes == expected[number]
          #expect(isSame, "frame \(number) at \(picture.dimensions)")
        }
      }
    }
  }

  @Test func holdsNoMoreThanItsLimit() async throws {
    let limit = 300_000
    let renderer = try await PreviewRenderer(
      asset: Movies.asset(Movies.own), devices: [.cpu()], cacheLimit: limit)
    let script = try Script(recording: renderer.recording)
    for number in 0..<Movies.frameCount {
      _ = try await renderer.picture(number, script: script)
      #expect(renderer.cachedByteCount > 0 && renderer.cachedByteCount <= limit)
    }
    #expect(renderer.frameCount == Movies.frameCount)
    #expect(renderer.timeRange(ofFrame: 5) == Movies.frames(5..<6))
    let error = await failure { () async throws(CinematicError) in
      _ = try await renderer.picture(Movies.frameCount, script: script)
    }
    #expect(error?.code == .invalidParameter)
  }

  /// A phone's original has no script that can be read: one that holds a steady focus takes its place.
  @Test func ofAPhone() async throws {
    let renderer = try await PreviewRenderer(asset: Movies.asset(Movies.phone), devices: [.cpu()])
    let picture = try await renderer.picture(2, script: Self.decided(renderer.recording))
    #expect(picture.dimensions == renderer.dimensions && picture.format == .rgba8)
  }
}
