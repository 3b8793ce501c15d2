// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSubjects
import Synchronization
import Testing

/// The analyzer, which remembers.
@Suite struct AnalyzerTests {
  @Test func analysesAPictureOnce() async throws {
    let scene = try SubjectScene()
    let analyzer = ImageAnalyzer()
    var configuration = ImageAnalyzer.Configuration()
    configuration.disparity = scene.map
    let wanted = configuration
    async let first = analyzer.analyze(scene.picture, configuration: wanted)
    async let second = analyzer.analyze(scene.picture, configuration: wanted)
    let (a, b) = try await (first, second)
    #expect(a === b)
    analyzer.removeAll()
    let again = try await analyzer.analyze(scene.picture, configuration: configuration)
    #expect(again !== a)
    #expect(again.subjects == a.subjects)
  }

  /// The same mask for every picture.
  private final class Masks: SubjectMaskProvider {
    let given: PixelBuffer

    init(_ given: PixelBuffer) { self.given = given }

    func mask(
      of picture: PixelBuffer, turn: QuarterTurn
    ) async throws(CinematicError) -> PixelBuffer { given }
  }

  /// A configuration holds a whole request, and analyses are shared by equal ones alone.
  @Test func analysesAsAsked() async throws {
    let scene = try SubjectScene()
    let analyzer = ImageAnalyzer()
    var configuration = ImageAnalyzer.Configuration()
    configuration.disparity = scene.map
    #expect(configuration.request.disparity === scene.map)
    let whole = try await analyzer.analyze(scene.picture, configuration: configuration)
    configuration.request.points = [NormalizedPoint(x: 0.05, y: 0.05)]
    let wall = try await analyzer.analyze(scene.picture, configuration: configuration)
    #expect(wall !== whole && wall.subjects.isEmpty)
    let wallAgain = try await analyzer.analyze(scene.picture, configuration: configuration)
    #expect(wallAgain === wall)
    configuration.request.points = []
    let wholeAgain = try await analyzer.analyze(scene.picture, configuration: configuration)
    #expect(wholeAgain === whole)
    configuration.request.maskProvider = Masks(scene.map)
    let masked = try await analyzer.analyze(scene.picture, configuration: configuration)
    #expect(masked !== whole && masked !== wall)
    let maskedAgain = try await analyzer.analyze(scene.picture, configuration: configuration)
    #expect(maskedAgain === masked)
    // A map of another shape is refused unless it is stretched.
    let size = Dimensions(width: 48, height: 8)
    var stretched = ImageAnalyzer.Configuration()
    stretched.disparity = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709,
      values: (0..<size.count).map { $0 % 48 > 16 && $0 % 48 < 32 ? 0.8 : Float(0.2) })
    let refused = stretched
    let error = await #expect(throws: CinematicError.self) {
      try await analyzer.analyze(scene.picture, configuration: refused)
    }
    #expect(error?.code == .incompatible)
    stretched.request.stretchesDisparity = true
    _ = try await analyzer.analyze(scene.picture, configuration: stretched)
  }

  @Test func knowsItsSubjects() async throws {
    let scene = try SubjectScene()
    var configuration = ImageAnalyzer.Configuration()
    configuration.disparity = scene.map
    let analysis = try await ImageAnalyzer().analyze(scene.picture, configuration: configuration)
    let subject = try #require(analysis.subject(at: NormalizedPoint(x: 0.5, y: 0.42)))
    #expect(analysis.subjects == [subject])
    #expect(subject.bounds.contains(NormalizedPoint(x: 0.5, y: 0.42)))
    #expect(analysis.subject(at: NormalizedPoint(x: 0.05, y: 0.05)) == nil)
    analysis.highlightedSubjects = [subject]
    #expect(analysis.highlightedSubjects == [subject])
    let other = try await ImageAnalyzer().analyze(try SubjectScene(shift: 0.1).picture)
    other.highlightedSubjects = [subject]
    #expect(other.highlightedSubjects.isEmpty)
    let image = try await analysis.image(of: subject)
    let all = try await analysis.image(for: [subject])
    let areAlike = image.floats == all.floats
    #expect(areAlike)
    #expect(image.width < scene.picture.width)
    await #expect(throws: CinematicError.self) { try await analysis.image(for: []) }
  }

  /// A caller that is cancelled does not take the analysis from the others.
  @Test func letsCallersGo() async throws {
    let scene = try SubjectScene()
    let analyzer = ImageAnalyzer()
    let leaving = Task { try await analyzer.analyze(scene.picture) }
    let staying = Task { try await analyzer.analyze(scene.picture) }
    leaving.cancel()
    let error = await #expect(throws: CinematicError.self) { try await leaving.value }
    #expect(error?.code == .cancelled)
    #expect(try await !staying.value.subjects.isEmpty)
  }

  /// A mask that is there at the second call; the first call lasts until its task is cancelled.
  private final class LateMasks: SubjectMaskProvider {
    let given: PixelBuffer
    let calls = Mutex(0)

    init(_ given: PixelBuffer) { self.given = given }

    func mask(
      of picture: PixelBuffer, turn: QuarterTurn
    ) async throws(CinematicError) -> PixelBuffer {
      let isFirst = calls.withLock { calls in
        calls += 1
        return calls == 1
      }
      guard isFirst else { return given }
      while !Task.isCancelled { await Task.yield() }
      throw CinematicError(.cancelled, "the mask was cancelled")
    }
  }

  /// When nobody waits any more, the analysis is given up; the next call begins it anew.
  @Test func isGivenUpWithTheLastCaller() async throws {
    let scene = try SubjectScene()
    let masks = LateMasks(scene.map)
    var configuration = ImageAnalyzer.Configuration()
    configuration.request.maskProvider = masks
    let wanted = configuration
    let analyzer = ImageAnalyzer()
    let callers = (0..<2).map { _ in
      Task { try await analyzer.analyze(scene.picture, configuration: wanted) }
    }
    while masks.calls.withLock({ $0 }) == 0 { await Task.yield() }
    #expect(analyzer.runningCount == 1)
    for caller in callers { caller.cancel() }
    for caller in callers {
      let error = await #expect(throws: CinematicError.self) { try await caller.value }
      #expect(error?.code == .cancelled)
    }
    #expect(analyzer.runningCount == 0)
    let again = try await analyzer.analyze(scene.picture, configuration: wanted)
    #expect(!again.subjects.isEmpty)
    #expect(masks.calls.withLock { $0 } == 2)
  }
}
