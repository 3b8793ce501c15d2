// SPDX-License-Identifier: Apache-2.0

import DeviceDoubles
import FocalBoxes
import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import MovieKit
import Synchronization
import Testing

/// Compositors of other people's.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct CompositorTests {
  /// Notes what it gets, and hands the picture on.
  private final class Witness: VideoCompositor {
    struct Seen: Sendable {
      var number: Int
      var hasPicture: Bool
      var hasMap: Bool
      var attributes: (focusDisparity: Float, fNumber: Float)?
      var rawByteCount: Int?
      var sourceTime: Time?
    }

    let info: CompositionInfo
    let seen = Mutex<[Seen]>([])
    let contexts = Mutex(0)

    init(_ info: CompositionInfo) { self.info = info }

    func renderContextChanged(_ context: RenderContext) { contexts.withLock { $0 += 1 } }

    func compose(
      _ request: VideoCompositionRequest
    ) async throws(CinematicError) -> PixelBuffer {
      let picture = request.sourceFrame(byTrackID: info.cinematicVideoTrackID)
      let metadata = info.sampleDataTrackIDs[0]
      let note = Seen(
        number: request.number, hasPicture: picture != nil,
        hasMap: request.sourceFrame(byTrackID: info.cinematicDisparityTrackID)?.pixelBuffer.format
          == .disparityFloat,
        attributes: request.sourceTimedMetadata(byTrackID: metadata)?.renderingAttributes,
        rawByteCount: request.sourceSampleData(byTrackID: metadata)?.count,
        sourceTime: request.sourceTimeRange(byTrackID: info.cinematicVideoTrackID)?.start)
      seen.withLock { $0.append(note) }
      guard let picture else { throw CinematicError(.incomplete, "no picture") }
      return picture.pixelBuffer
    }
  }

  /// Never comes to an end by itself.
  private final class Sleeper: VideoCompositor {
    let begun = Mutex(0)
    let ended = Mutex(0)

    func compose(
      _ request: VideoCompositionRequest
    ) async throws(CinematicError) -> PixelBuffer {
      begun.withLock { $0 += 1 }
      try? await Task.sleep(for: .seconds(60))
      ended.withLock { $0 += 1 }
      throw CinematicError(.cancelled, "woken")
    }
  }

  private static func part() async throws -> CompositionInfo {
    let info = try await AssetInfo(asset: Movies.asset(Movies.own))
    let part = try await Composition().addTracks(for: info)
    try await part.insertTimeRange(Movies.frames(2..<7), of: info)
    return part
  }

  @Test func getsEverything() async throws {
    let folder = Folder()
    let part = try await Self.part()
    let witness = Witness(part)
    let video = try await VideoComposition(cinematic: part, compositor: witness)
    let session = try await ExportSession(
      composition: part.composition, videoComposition: video, to: folder.file("w.mov"),
      settings: quick())
    #expect(session.device == nil)
    let watcher = Task {
      var last = 0
      for await progress in session.progress { last = progress.completedFrames }
      return last
    }
    try await session.export()
    #expect(await watcher.value == 5)
    #expect(try await folder.frames("w.mov").count == 5)
    #expect(witness.contexts.withLock { $0 } == 1)
    let seen = witness.seen.withLock { $0 }.sorted { $0.number < $1.number }
    #expect(seen.map(\.number) == Array(0..<5))
    for note in seen {
      #expect(note.hasPicture && note.hasMap)
      #expect(note.attributes?.focusDisparity == Float(note.number + 2) / 20)
      #expect(note.rawByteCount == 24)
      #expect(note.sourceTime == Movies.time(frame: note.number + 2))
    }
    // A finished export does not run again.
    let again = await failure { () async throws(CinematicError) in try await session.export() }
    #expect(again?.code == .invalidState)
  }

  /// Cancelling an export cancels what is being composed, and leaves nothing.
  @Test(arguments: [true, false])
  func cancelling(_ byTask: Bool) async throws {
    let folder = Folder()
    let part = try await Self.part()
    let sleeper = Sleeper()
    let video = try await VideoComposition(cinematic: part, compositor: sleeper)
    let session = try await ExportSession(
      composition: part.composition, videoComposition: video, to: folder.file("w.mov"),
      settings: quick())
    let export = Task { () -> CinematicError? in
      await failure { () async throws(CinematicError) in try await session.export() }
    }
    while sleeper.begun.withLock({ $0 }) < 3 { await Task.yield() }
    if byTask { export.cancel() } else { session.cancel() }
    #expect(await export.value?.code == .cancelled)
    #expect(sleeper.ended.withLock { $0 } == sleeper.begun.withLock { $0 })
    #expect(folder.names.isEmpty)
  }

  /// A picture of the wrong size is an error that says so.
  @Test func wrongPicturesAreRefused() async throws {
    let folder = Folder()
    let part = try await Self.part()
    let video = try await VideoComposition(cinematic: part, compositor: Witness(part))
    var settings = quick()
    settings.maximumSize = Dimensions(width: 48, height: 48)
    let session = try await ExportSession(
      composition: part.composition, videoComposition: video, to: folder.file("w.mov"),
      settings: settings)
    let error = await failure { () async throws(CinematicError) in try await session.export() }
    #expect(error?.code == .incompatible)
    #expect(error?.message.contains("48x32") == true)
    #expect(folder.names.isEmpty)
  }

  /// Gives pictures of a form of its own.
  private struct Stubborn: VideoCompositor {
    var change: @Sendable (inout Form) -> Void

    struct Form {
      var size: Dimensions
      var format: PixelFormat
      var tags: ColorTags
    }

    func compose(
      _ request: VideoCompositionRequest
    ) async throws(CinematicError) -> PixelBuffer {
      let context = request.renderContext
      var form = Form(size: context.size, format: context.pixelFormat, tags: context.tags)
      change(&form)
      return try PixelBuffer(dimensions: form.size, format: form.format, tags: form.tags)
    }
  }

  /// Size, format and colours are looked at, in thumbnails as in exports.
  @Test(arguments: 0..<4) func formsOfPictures(_ kind: Int) async throws {
    let folder = Folder()
    let part = try await Self.part()
    let compositor = Stubborn { form in
      switch kind {
      case 1: form.size.width += 2
      case 2: form.format = .rgbaHalf
      case 3: form.tags = .hlg
      default: break
      }
    }
    let video = try await VideoComposition(cinematic: part, compositor: compositor)
    let session = try await ExportSession(
      composition: part.composition, videoComposition: video, to: folder.file("w.mov"),
      settings: quick())
    let exporting = await failure { () async throws(CinematicError) in try await session.export() }
    let thumbnails = try await Thumbnails(composition: part.composition, videoComposition: video)
    let showing = await failure { () async throws(CinematicError) in
      _ = try await thumbnails.image(at: Movies.time(frame: 1))
    }
    let expected: CinematicError.Code? = kind == 0 ? nil : .incompatible
    for error in [exporting, showing] {
      #expect(error?.code == expected)
      if kind == 3 { #expect(error?.message.contains("hlg") == true) }
    }
    #expect(folder.names.isEmpty == (kind != 0))
  }

  @Test func foreignInstructions() async throws {
    struct Plain: VideoCompositionInstruction {
      var timeRange: TimeRange
      var requiredSourceTrackIDs: [UInt32]
      var requiredSourceSampleDataTrackIDs: [UInt32] = []
    }
    let folder = Folder()
    let part = try await Self.part()
    var video = try await VideoComposition(
      cinematic: part, compositor: CinematicCompositor(devices: [.cpu()]))
    video.instructions = [
      Plain(timeRange: part.timeRange, requiredSourceTrackIDs: part.videoCompositionTrackIDs)
    ]
    let session = try await ExportSession(
      composition: part.composition, videoComposition: video, to: folder.file("w.mov"),
      settings: quick())
    let error = await failure { () async throws(CinematicError) in try await session.export() }
    #expect(error?.code == .incompatible)
    #expect(error?.remedy?.contains("CinematicInstruction") == true)
  }

  /// A change of the device is reported with the device that takes over.
  @Test func changesOfTheDeviceAreTold() async throws {
    final class Told: Sendable {
      let compositor = Mutex<CinematicCompositor?>(nil)
      let names = Mutex<[String]>([])
    }
    let told = Told()
    let compositor = try CinematicCompositor(
      devices: [.faulty(.lost(from: 1)), .cpu()], quality: .thumbnail
    ) { change in
      let now = told.compositor.withLock { $0 }?.device.identifier ?? "none"
      told.names.withLock { $0.append("\(change.old.identifier) \(change.frameNumber) \(now)") }
    }
    told.compositor.withLock { $0 = compositor }
    let part = try await Self.part()
    let video = try await VideoComposition(cinematic: part, compositor: compositor)
    let context = try RenderContext(
      size: video.renderSize, pixelFormat: .yuv420Video10, tags: .bt709)
    let reader = try await CompositionReader(part.composition, video, renderContext: context)
    for number in 0..<3 { _ = try await compositor.compose(reader.request(number: number)) }
    #expect(told.names.withLock { $0 } == ["double:0 1 cpu"])
  }

  /// However many looks there were, two keep working memory; pictures are those of a compositor of their own.
  @Test func fewLooksAreKept() async throws {
    let part = try await Self.part()
    let compositor = try CinematicCompositor(devices: [.cpu()], quality: .thumbnail)
    let video = try await VideoComposition(cinematic: part, compositor: compositor)
    let context = try RenderContext(
      size: video.renderSize, pixelFormat: .yuv420Video10, tags: .bt709)
    let reader = try await CompositionReader(part.composition, video, renderContext: context)
    let request = try await reader.request(number: 1)
    var instruction = try #require(request.instruction as? CinematicInstruction)
    let scales: [Float] = [0.5, 0.8, 0.5, 1.2, 0.3, 0.8]
    for scale in scales {
      instruction.look.blurScale = scale
      let changed = request.with(instruction, context)
      let picture = try await compositor.compose(changed)
      let own = try CinematicCompositor(devices: [.cpu()], quality: .thumbnail)
      let expected = try await own.compose(changed)
      #expect(isSame(picture.allCodes, expected.allCodes))
      #expect(compositor.lookCount == 2)
    }
    compositor.renderContextChanged(context)
    #expect(compositor.lookCount == 1)
  }

  /// Shapings that no map can be given are refused, not carried out.
  @Test func shapingsOutOfRange() async throws {
    let part = try await Self.part()
    let compositor = try CinematicCompositor(devices: [.cpu()], quality: .thumbnail)
    var overrides = FocusOverrides()
    overrides.shaping = MapShaping(feather: .infinity)
    let video = try await VideoComposition(
      cinematic: part, compositor: compositor, overrides: overrides)
    let thumbnails = try await Thumbnails(composition: part.composition, videoComposition: video)
    let error = await failure { () async throws(CinematicError) in
      _ = try await thumbnails.image(at: Movies.time(frame: 1))
    }
    #expect(error?.code == .invalidParameter)
  }
}
