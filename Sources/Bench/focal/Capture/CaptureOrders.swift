// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCapture
import FocalCommands
import FocalCore
import FocalScript
import Foundation

/// A line of `--commands`: what to do while a session runs, and when.
struct CaptureOrderLine: Sendable {
  enum Action: Sendable {
    case tap(NormalizedPoint)
    case press(NormalizedPoint)
    case track(NormalizedPoint, CinematicVideoFocusMode)
    case follow(DetectionID, CinematicVideoFocusMode)
    case fix(NormalizedPoint, CinematicVideoFocusMode)
    case automatic
    case aperture(Float)
    case photo(String)
    case stop
  }

  static let help = """
    Lines of commands: tap X,Y; press X,Y; track X,Y weak|strong; fix X,Y weak|strong; follow ID weak|strong; auto; \
    aperture N; photo FILE; stop. A line may begin with the seconds at which it is meant, as in '2.5 tap 0.4,0.5'; \
    empty lines and those that begin with # are skipped.
    """

  /// Seconds of the session; `nil` for at once.
  var time: Double?
  var action: Action
  var text: String

  /// - Returns: `nil` for a line that says nothing.
  /// - Throws: `invalidParameter` for one that is not understood.
  init?(_ line: String) throws(CinematicError) {
    text = line.trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
    var words = text.split(separator: " ").map(String.init)
    if let first = words.first, let seconds = Double(first), seconds.isFinite, seconds >= 0 {
      time = seconds
      words.removeFirst()
    }
    guard let action = Self.action(words) else {
      throw CinematicError(
        .invalidParameter, "the command '\(text)' is not understood",
        remedy: "see focal capture record --help")
    }
    self.action = action
  }

  private static func action(_ words: [String]) -> Action? {
    guard let name = words.first else { return nil }
    func point() -> NormalizedPoint? {
      words.count > 1 ? (try? PointArgument(parsing: words[1]))?.point : nil
    }
    func mode() -> CinematicVideoFocusMode? {
      switch words.count > 2 ? words[2] : "weak" {
      case "weak": .weak
      case "strong": .strong
      default: nil
      }
    }
    let most =
      ["track", "fix", "follow"].contains(name) ? 3 : ["auto", "stop"].contains(name) ? 1 : 2
    // A file's name may have spaces.
    if name == "photo" {
      return words.count > 1 ? .photo(words.dropFirst().joined(separator: " ")) : nil
    }
    guard words.count <= most else { return nil }
    switch name {
    case "tap": return point().map { .tap($0) }
    case "press": return point().map { .press($0) }
    case "track":
      guard let point = point(), let mode = mode() else { return nil }
      return .track(point, mode)
    case "fix":
      guard let point = point(), let mode = mode() else { return nil }
      return .fix(point, mode)
    case "follow":
      guard words.count > 1, let id = Int64(words[1]), let mode = mode() else { return nil }
      return .follow(DetectionID(id), mode)
    case "aperture": return words.count > 1 ? Float(words[1]).map { .aperture($0) } : nil
    case "auto": return .automatic
    case "stop": return .stop
    default: return nil
    }
  }

  /// - Returns: whether the session goes on.
  /// - Throws: what the session throws.
  func run(on session: CaptureSession) async throws(CinematicError) -> Bool {
    switch action {
    case .tap(let point): try await session.tap(at: point)
    case .press(let point): try await session.press(at: point)
    case .track(let point, let mode):
      let id = try await session.setTrackingFocus(at: point, focusMode: mode)
      note("\(text): following \(id)")
    case .follow(let id, let mode):
      try await session.setTrackingFocus(detectedObjectID: id, focusMode: mode)
    case .fix(let point, let mode): try await session.setFixedFocus(at: point, focusMode: mode)
    case .automatic: await session.setAutomaticFocus()
    case .aperture(let fNumber): try await session.setSimulatedAperture(fNumber)
    case .photo(let path): try await session.capturePhoto(to: path)
    case .stop: return false
    }
    return true
  }
}
