// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Synchronization

/// Two devices that look at one scene at the same time: a stereo pair, or a camera with a depth camera beside it.
///
/// To each picture belongs what the other one took within half a picture's time. A picture without that is left out
/// and counted. Numbered files have no times: of them, the first one belongs to the first picture, and so on. Maps lie as
/// the pictures are shown, or, where they have the shape or the rotation of what is stored, as that: as of other commands.
public actor PairedSource: CaptureSource {
  /// The kind of the second device's pictures.
  public enum Companion: Hashable, Sendable {
    /// The other eye's pictures.
    ///
    /// - Parameter isLeft: whether the second device is the left eye.
    case otherEye(isLeft: Bool = false)
    /// Maps: its source reads disparity.
    case disparity
  }

  public nonisolated let name: String
  public nonisolated var properties: SourceProperties { main.properties }
  public nonisolated var soundFormat: SoundFormat? { main.soundFormat }
  public nonisolated var disparityRange: ClosedRange<Float>? { companion.disparityRange }
  /// Pictures to which the other device gave nothing.
  public nonisolated var unpairedCount: Int { unpaired.withLock { $0 } }

  private nonisolated let main: any CaptureSource
  private nonisolated let companion: any CaptureSource
  private let kind: Companion
  private let isInOrder: Bool
  /// From maps to pictures, as both are read.
  private let fit: DisparityMatcher.Fit
  private nonisolated let unpaired = Mutex(0)
  /// The second device's picture that was taken last.
  private var latest: CapturedPicture?
  private var hasEnded = false

  /// - Parameters:
  ///   - stretches: whether maps of another shape are stretched over the pictures.
  ///   - inOrder: whether both are files, and the second device's pictures belong to the first one's by their order,
  ///     whatever their times are.
  /// - Throws: `incompatible` for eyes of different sizes, or a map of another shape than the pictures.
  public init(
    _ main: any CaptureSource, _ companion: any CaptureSource, as kind: Companion,
    stretches: Bool = false, inOrder: Bool = false
  ) throws(CinematicError) {
    (self.main, self.companion, self.kind) = (main, companion, kind)
    isInOrder = inOrder
    name = main.name
    let (pictures, maps) = (main.properties, companion.properties)
    let fit = DisparityMatcher.Fit(from: maps, to: pictures)
    self.fit = fit
    let own = pictures.dimensions
    switch kind {
    case .otherEye:
      let theirs = maps.dimensions
      guard own == theirs else {
        throw CinematicError(
          .incompatible,
          "\(main.name) is \(own) and \(companion.name) is \(theirs): they are no pair",
          remedy: "choose the same size for both")
      }
    case .disparity:
      let theirs = fit.turn.applied(to: maps.dimensions)
      let ratio = Double(own.width * theirs.height) / Double(own.height * theirs.width)
      guard stretches || abs(ratio - 1) < 0.03 else {
        throw CinematicError(
          .incompatible,
          "\(companion.name) is \(DisparityMatcher.shown(maps)) where \(main.name) is"
            + " \(DisparityMatcher.shown(pictures)): the shapes differ",
          remedy: """
            give maps of the pictures' shape, or \(parameter: .stretchedMaps) if they cover the \
            same view
            """)
      }
    }
  }

  /// The error of a pair whose second half has ended.
  private var ended: CinematicError {
    let end = latest.map { $0.time + $0.duration } ?? .zero
    return CinematicError(
      .incomplete,
      "\(companion.name) ended at \((end.seconds * 100).rounded() / 100) s, before \(name)",
      remedy: "give two of the same length")
  }

  public func next() async throws(CinematicError) -> CaptureSample? {
    while let sample = try await main.next() {
      guard case .picture(var picture) = sample else { return sample }
      guard let other = try await partner(of: picture) else {
        // A pair that has lost one half has gone.
        if hasEnded { throw ended }
        unpaired.withLock { $0 += 1 }
        continue
      }
      switch kind {
      case .disparity: picture.disparity = try fit.fitted(other.pixelBuffer)
      case .otherEye(let isLeft):
        picture.otherEye = other.pixelBuffer
        picture.isRightEye = isLeft
      }
      return .picture(picture)
    }
    return nil
  }

  /// What the second device took with a picture; `nil` where it took nothing.
  private func partner(
    of picture: CapturedPicture
  ) async throws(CinematicError) -> CapturedPicture? {
    if isInOrder {
      guard try await advance() else { return nil }
      latest?.time = picture.time
      latest?.duration = picture.duration
      return latest
    }
    let slack = Time(
      seconds: properties.nominalFrameDuration.seconds / 2, preferredTimescale: 1_000_000)
    while latest.map({ $0.time < picture.time - slack }) ?? true {
      guard try await advance() else { break }
    }
    guard let latest, latest.time >= picture.time - slack, latest.time <= picture.time + slack
    else { return nil }
    return latest
  }

  /// Takes the second device's next picture.
  ///
  /// - Returns: whether there was one.
  private func advance() async throws(CinematicError) -> Bool {
    while !hasEnded {
      guard let sample = try await companion.next() else {
        hasEnded = true
        break
      }
      guard case .picture(let taken) = sample else { continue }
      latest = taken
      return true
    }
    return false
  }
}
