// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Synchronization

/// Analyses pictures and holds the last ones (``heldPictures``), so that views, taps and copies of one picture cost one analysis.
///
/// ```swift
/// let analysis = try await ImageAnalyzer.shared.analyze(picture)
/// if let subject = analysis.subject(at: tap) { analysis.highlightedSubjects = [subject] }
/// let sticker = try await analysis.image(for: analysis.highlightedSubjects)
/// ```
public final class ImageAnalyzer: Sendable {
  /// How a picture's subjects are looked for.
  public struct Configuration: Sendable {
    /// With everything that is known of the picture beside its pixels. Analyses are shared where maps and mask providers are the same
    /// objects and all else is equal; those with a provider that is no object of a class are shared by none.
    public var request = GenerateForegroundInstanceMaskRequest()
    /// As in ``GenerateForegroundInstanceMaskRequest/disparity``, of the request.
    public var disparity: PixelBuffer? {
      get { request.disparity }
      set { request.disparity = newValue }
    }
    /// From the picture as stored to the picture as shown.
    public var turn = QuarterTurn.identity

    public init() {}

    /// Whether both give the same subjects.
    func isSame(as other: Configuration) -> Bool {
      turn == other.turn && request.isSame(as: other.request)
    }
  }

  /// One for the program.
  public static let shared = ImageAnalyzer()

  private struct Entry {
    let picture: PixelBuffer
    let configuration: Configuration
    let load: SharedLoad<ImageAnalysis>
  }

  private let entries = Mutex<[Entry]>([])
  /// How many pictures are held with what is known of them.
  public static let heldPictures = 4

  public init() {}

  /// The subjects of a picture; of one without any, an analysis without subjects.
  ///
  /// The picture's bytes must not change: the same buffer is taken for the same picture.
  /// Calls for one picture share one analysis; a caller whose task is cancelled stops waiting, and the others get it. When the last one
  /// is gone, the analysis ends.
  ///
  /// - Throws: as ``GenerateForegroundInstanceMaskRequest/perform(on:turn:)``.
  public func analyze(
    _ picture: PixelBuffer, configuration: Configuration = Configuration()
  ) async throws(CinematicError) -> ImageAnalysis {
    try GenerateForegroundInstanceMaskRequest.checkCancellation()
    let load = entries.withLock { entries in
      let known = entries.first {
        $0.picture === picture && $0.configuration.isSame(as: configuration)
      }
      if let known { return known.load }
      let load = SharedLoad<ImageAnalysis>(cancellation: "looking for subjects was cancelled")
      entries.append(Entry(picture: picture, configuration: configuration, load: load))
      if entries.count > Self.heldPictures { entries.removeFirst() }
      return load
    }
    do throws(CinematicError) {
      return try await load.value { () async throws(CinematicError) -> ImageAnalysis in
        let observation = try await configuration.request.perform(
          on: picture, turn: configuration.turn)
        return ImageAnalysis(picture, observation)
      }
    } catch {
      // An analysis that failed is tried again the next time.
      if error.code != .cancelled { entries.withLock { $0.removeAll { $0.load === load } } }
      throw error
    }
  }

  /// Forgets all pictures. Callers that wait get their analyses.
  public func removeAll() { entries.withLock { $0 = [] } }

  /// Analyses of held pictures that are under way.
  package var runningCount: Int {
    entries.withLock { $0.count { $0.load.progress.isLoading } }
  }
}

/// The subjects of one picture.
public final class ImageAnalysis: Sendable {
  /// A subject of a picture.
  public struct Subject: Hashable, Sendable, Identifiable {
    /// Its number in the observation, from 1.
    public let id: Int
    /// Where it is in the picture as shown.
    public let bounds: NormalizedRect
    /// The share of the picture that it covers.
    public let area: Double
    /// As ``InstanceMaskObservation/confidence(of:)``.
    public let confidence: Float
  }

  /// All subjects, those that stand out most first; none of a picture without any.
  public let subjects: [Subject]
  /// `nil` of a picture without subjects.
  public let observation: InstanceMaskObservation?
  private let picture: PixelBuffer
  private let highlighted = Mutex<Set<Subject>>([])

  init(_ picture: PixelBuffer, _ observation: InstanceMaskObservation?) {
    self.picture = picture
    self.observation = observation
    subjects =
      observation.map { observation in
        observation.allInstances.map { number in
          Subject(
            id: number,
            bounds: observation.bounds(of: number)
              ?? NormalizedRect(x: 0, y: 0, width: 0, height: 0),
            area: observation.area(of: number) ?? 0,
            confidence: observation.confidence(of: number) ?? 0)
        }
      } ?? []
  }

  /// The subjects that are chosen; those of other pictures are left out.
  public var highlightedSubjects: Set<Subject> {
    get { highlighted.withLock { $0 } }
    set {
      let known = newValue.filter { subjects.contains($0) }
      highlighted.withLock { $0 = known }
    }
  }

  /// The subject at a point of the picture as shown; `nil` where there is none.
  public func subject(at point: NormalizedPoint) -> Subject? {
    guard let number = observation?.instance(at: point) else { return nil }
    return subjects.first { $0.id == number }
  }

  /// The picture of several subjects, tight around them, all else transparent; as
  /// ``InstanceMaskObservation/generateMaskedImage(for:imageFrom:croppedToInstancesExtent:)`` gives it.
  ///
  /// - Throws: `invalidParameter` for no subject or one of another picture, `outOfMemory`, `cancelled`.
  public func image(for subjects: Set<Subject>) async throws(CinematicError) -> PixelBuffer {
    guard let observation, !subjects.isEmpty, subjects.allSatisfy({ self.subjects.contains($0) })
    else {
      throw CinematicError(
        .invalidParameter, "there is no picture of these subjects",
        remedy: "give some of the analysis' own subjects")
    }
    return try observation.generateMaskedImage(
      for: IndexSet(subjects.map(\.id)), imageFrom: picture, croppedToInstancesExtent: true)
  }

  /// The picture of one subject.
  ///
  /// - Throws: as ``image(for:)``.
  public func image(of subject: Subject) async throws(CinematicError) -> PixelBuffer {
    try await image(for: [subject])
  }
}
