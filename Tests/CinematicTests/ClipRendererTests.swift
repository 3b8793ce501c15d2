// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import Synchronization
import Testing

/// Renderings of clips without a frame, and renderers that are not used.
@Suite struct ClipRendererTests {
  /// As many frames as they say: none.
  private struct NoFrames: ClipFrames {
    var frameCount: Int?

    func frame(_ number: Int) async throws(CinematicError) -> ClipFrame? { nil }
  }

  private static func renderer(
    _ count: Int?, to output: String, resumes: Bool = false
  ) -> ClipRenderer {
    var settings = WriterSettings(
      dimensions: Dimensions(width: 8, height: 8), pixelFormat: .rgba8, tags: .sRGB)
    settings.temporaryFiles = TemporaryFiles()
    return ClipRenderer(
      NoFrames(frameCount: count), to: output, settings: settings, resumes: resumes)
  }

  /// Whether it is known before that there is no frame, or not.
  @Test(arguments: ["one.png", "%04d.png"], [true, false])
  func noFrameIsAnError(_ name: String, isKnown: Bool) async {
    let folder = Folder()
    let renderer = Self.renderer(isKnown ? 0 : nil, to: folder.file(name))
    let error = await failure { () async throws(CinematicError) in try await renderer.render() }
    #expect(error?.code == .incomplete)
    #expect(error?.message.contains("no frame was written") == true)
    #expect(folder.names.isEmpty)
  }

  /// Where a rendering goes on, nothing may be missing.
  @Test func nothingMayBeMissing() async throws {
    let folder = Folder()
    try await Self.renderer(0, to: folder.file("%04d.png"), resumes: true).render()
    #expect(folder.names.isEmpty)
  }

  /// Whose renderer is opened once more while it looks for what is missing.
  private final class OpeningFrames: ClipFrames {
    let renderer = Mutex<ClipRenderer?>(nil)
    let error = Mutex<CinematicError?>(nil)

    var frameCount: Int? {
      if let renderer = renderer.withLock({ $0 }) {
        do throws(CinematicError) {
          try renderer.open()
        } catch let refusal {
          error.withLock { $0 = refusal }
        }
      }
      return 0
    }

    func frame(_ number: Int) async throws(CinematicError) -> ClipFrame? { nil }
  }

  /// One output is begun, whoever asks; a call that comes later finds it open.
  @Test func anOutputIsOpenedOnce() throws {
    let folder = Folder()
    let frames = OpeningFrames()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 8, height: 8), pixelFormat: .rgba8, tags: .sRGB)
    settings.temporaryFiles = TemporaryFiles()
    let renderer = ClipRenderer(frames, to: folder.file("%04d.png"), settings: settings)
    frames.renderer.withLock { $0 = renderer }
    try renderer.open()
    #expect(frames.error.withLock { $0 }?.code == .invalidState)
    frames.renderer.withLock { $0 = nil }
    try renderer.open()
    #expect(folder.names.isEmpty)
  }

  /// A folder that is not there is told as the writer tells it.
  @Test func missingFoldersAreTheWriters() {
    let folder = Folder()
    let renderer = Self.renderer(0, to: folder.file("none/%04d.png"))
    let error = #expect(throws: CinematicError.self) { try renderer.open() }
    #expect(error?.code == .unwritable)
  }

  /// A clip has the frames that were chosen, and no others of its source. Callers of `frame(_:)` get an error for those, and
  /// none of them ends the program.
  @Test func framesThatWereNotChosen() async throws {
    let folder = Folder()
    let size = Dimensions(width: 8, height: 8)
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    let map = try PixelBuffer(dimensions: size, format: .gray8, tags: .linearBT709)
    for number in 5...8 {
      try PictureWriter.write(picture, to: folder.file("f\(number).png"))
      try PictureWriter.write(map, to: folder.file("m\(number).png"))
    }
    let pictures = try await FrameReader.open(
      folder.file("f%d.png"), options: ReadOptions(frames: 6...7))
    let maps = try await FrameReader.open(
      folder.file("m%d.png"), options: ReadOptions(content: .disparity(.unit)))
    let overlaid = try await OverlaidClip(pictures, output: folder.file("a%d.png")) { _, _ in }
    let focused = try await FocusedClip(
      pictures, maps: DisparityMatcher(maps, for: pictures),
      focus: RenderingSession.FrameAttributes(focusDisparity: 0, fNumber: 2.8),
      renderer: FrameRenderer(devices: [.cpu()], quality: .thumbnail),
      output: folder.file("b%d.png"))
    let clips: [any ClipFrames] = [overlaid, focused]
    for clip in clips {
      #expect(clip.frameCount == 2)
      #expect((0..<2).map { clip.fileNumber(ofFrame: $0) } == [6, 7])
      for number in [Int.min, -1, 2, 3, .max] {
        // As the protocol has it for clips that say nothing of numbers.
        #expect(clip.fileNumber(ofFrame: number) == number)
        let error = await failure { () async throws(CinematicError) in
          _ = try await clip.frame(number)
        }
        #expect(error?.code == .invalidParameter, "\(number)")
        #expect(error?.message.contains("f%d.png") == true)
      }
      let last = try #require(try await clip.frame(1))
      #expect(try await last.picture().dimensions == size)
    }
  }

  /// The progress of a renderer that goes away without having rendered ends.
  @Test(.timeLimit(.minutes(10))) func progressEndsWithTheRenderer() async throws {
    let folder = Folder()
    var renderer: ClipRenderer? = Self.renderer(0, to: folder.file("%04d.png"))
    try renderer?.open()
    let progress = try #require(renderer?.progress)
    renderer = nil
    var count = 0
    for await _ in progress { count += 1 }
    #expect(count == 0)
    #expect(folder.names.isEmpty)
  }
}
