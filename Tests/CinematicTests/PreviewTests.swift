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
    size: Dimensions?, steadies: Bool = true
  ) async throws -> [Int: [UInt8]] {
    let folder = Folder()
    let captured = Captured()
    var settings = quick(quality)
    settings.overrides.script = .given(script)
    settings.overrides.look = look
    settings.overrides.steadiesDisparity = steadies
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

  /// Of a source that is made smaller by a whole number the picture is the movie's through that number, and near the
  /// export's of that size; where the source stays whole, it is the export's.
  @Test(arguments: [PreviewRenderer.Fidelity.reduced, .unsteady])
  func ofReducedSources(fidelity: PreviewRenderer.Fidelity) async throws {
    for movie in [Movies.lookingWide, Movies.upright] {
      let renderer = try await PreviewRenderer(asset: Movies.asset(movie), devices: [.cpu()])
      let script = try Self.decided(renderer.recording)
      let full = renderer.dimensions
      for number in [1, 2, 4] {
        var settings = PreviewRenderer.Settings()
        settings.maximumSize = Dimensions(width: full.width / number, height: full.height / number)
        let exact = try await renderer.picture(7, script: script, settings: settings)
        settings.fidelity = fidelity
        let quick = try await renderer.picture(7, script: script, settings: settings)
        #expect(quick.dimensions == settings.maximumSize)
        #expect(quick.format == exact.format && quick.tags == exact.tags)
        guard number > 1 else {
          // Their maps do not flicker.
          #expect(isSame(quick.allCodes, exact.allCodes))
          continue
        }
        guard quick.dimensions == exact.dimensions else { continue }
        let differences = zip(quick.allCodes, exact.allCodes).map { abs(Int($0) - Int($1)) }
        let mean = Double(differences.reduce(0, +)) / Double(differences.count)
        // Codes are averaged instead of light, by another filter.
        #expect(mean < 4, "\(number): \(mean)")
      }
    }
  }

  /// Of maps that flicker, the picture is the export's with steady maps, or the one with maps as they are stored.
  @Test func steadinessIsAsAskedFor() async throws {
    var pictures: [[UInt8]] = []
    for (fidelity, steadies) in [(PreviewRenderer.Fidelity.exported, true), (.unsteady, false)] {
      // One each: a steady map that is held serves both.
      let renderer = try await PreviewRenderer(
        asset: Movies.asset(Movies.flickering), devices: [.cpu()])
      let script = try Self.decided(renderer.recording)
      let expected = try await Self.exported(
        Movies.flickering, script, Look(), .thumbnail, size: nil, steadies: steadies)
      var settings = PreviewRenderer.Settings()
      settings.fidelity = fidelity
      for number in [7, 2] {
        let codes = try await renderer.picture(number, script: script, settings: settings)
          .allCodes
        #expect(isSame(codes, expected[number] ?? []), "frame \(number), \(fidelity)")
        pictures.append(codes)
      }
    }
    #expect(!isSame(pictures[0], pictures[2]) && !isSame(pictures[1], pictures[3]))
  }

  /// Pictures of half the size, from reduced sources.
  private static func halved(_ renderer: PreviewRenderer) -> PreviewRenderer.Settings {
    var settings = PreviewRenderer.Settings()
    settings.fidelity = .reduced
    settings.maximumSize = Dimensions(
      width: renderer.dimensions.width / 2, height: renderer.dimensions.height / 2)
    return settings
  }

  /// A slider's pictures of one frame, and frames that are held, read nothing anew.
  @Test func smallSourcesTakeLittleRoom() async throws {
    let renderer = try await PreviewRenderer(asset: Movies.asset(Movies.own), devices: [.cpu()])
    let script = try Script(recording: renderer.recording)
    var settings = Self.halved(renderer)
    _ = try await renderer.picture(3, script: script, settings: settings)
    let one = renderer.cachedByteCount
    for number in [1.4, 2, 8] {
      script.fNumber = Float(number)
      _ = try await renderer.picture(3, script: script.copy(), settings: settings)
      #expect(renderer.cachedByteCount == one)
    }
    settings.fidelity = .exported
    _ = try await renderer.picture(3, script: script, settings: settings)
    let both = renderer.cachedByteCount
    #expect(both > one + one)
  }

  /// Frames that are reached backwards are those that are reached otherwise, and the ones on the way are held.
  @Test func goesBackwards() async throws {
    let renderer = try await PreviewRenderer(asset: Movies.asset(Movies.own), devices: [.cpu()])
    let script = try Script(recording: renderer.recording)
    let settings = Self.halved(renderer)
    var forwards: [[UInt8]] = []
    for number in 0..<Movies.frameCount {
      forwards.append(
        try await renderer.picture(number, script: script, settings: settings).allCodes)
    }
    let other = try await PreviewRenderer(asset: Movies.asset(Movies.own), devices: [.cpu()])
    for number in (0..<Movies.frameCount).reversed() {
      let picture = try await other.picture(number, script: script, settings: settings)
      let isSame = picture.allCodes == forwards[number]
      #expect(isSame, "frame \(number)")
    }
    #expect(other.cachedByteCount == renderer.cachedByteCount)
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
  }

  @Test(arguments: [PreviewRenderer.Fidelity.exported, .reduced, .unsteady])
  func framesThatThereAreNotAreRefused(fidelity: PreviewRenderer.Fidelity) async throws {
    let renderer = try await PreviewRenderer(asset: Movies.asset(Movies.own), devices: [.cpu()])
    let script = try Script(recording: renderer.recording)
    var settings = Self.halved(renderer)
    settings.fidelity = fidelity
    // A frame before, from which others are reached.
    _ = try await renderer.picture(2, script: script, settings: settings)
    let numbers = [-1, -34, Int.min, Int.min / 2 + 3, Movies.frameCount, Int.max / 2, Int.max]
    for number in numbers {
      let error = await failure { () async throws(CinematicError) in
        _ = try await renderer.picture(number, script: script, settings: settings)
      }
      #expect(error?.code == .invalidParameter, "frame \(number)")
    }
    let picture = try await renderer.picture(0, script: script, settings: settings)
    #expect(picture.format == .rgba8)
  }

  /// A phone's original has no script that can be read: one that holds a steady focus takes its place.
  @Test func ofAPhone() async throws {
    let renderer = try await PreviewRenderer(asset: Movies.asset(Movies.phone), devices: [.cpu()])
    let picture = try await renderer.picture(2, script: Self.decided(renderer.recording))
    #expect(picture.dimensions == renderer.dimensions && picture.format == .rgba8)
  }
}
