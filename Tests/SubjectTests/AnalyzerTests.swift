// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSubjects
import Testing

/// The analyzer, which remembers.
@Suite struct AnalyzerTests {
  @Test func analysesAPictureOnce() async throws {
    let scene = try SubjectScene()
    let analyzer = ImageAnalyzer()
    var configuration = ImageAnalyzer.Configuration()
    configuration.disparity = scene.map
    async let first = analyzer.analyze(scene.picture, configuration: configuration)
    async let second = analyzer.analyze(scene.picture, configuration: configuration)
    let (a, b) = try await (first, second)
    #expect(a === b)
    analyzer.removeAll()
    let again = try await analyzer.analyze(scene.picture, configuration: configuration)
    #expect(again !== a)
    #expect(again.subjects == a.subjects)
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

  /// When nobody waits any more, the analysis is given up; the next call begins it anew.
  @Test func isGivenUpWithTheLastCaller() async throws {
    let scene = try SubjectScene()
    let analyzer = ImageAnalyzer()
    let callers = (0..<2).map { _ in Task { try await analyzer.analyze(scene.picture) } }
    while analyzer.runningCount == 0 { await Task.yield() }
    for caller in callers { caller.cancel() }
    for caller in callers { _ = await caller.result }
    #expect(analyzer.runningCount == 0)
    let again = try await analyzer.analyze(scene.picture)
    #expect(!again.subjects.isEmpty)
  }
}
