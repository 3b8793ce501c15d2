// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalRendering

/// Lets few pieces of work at a time to the device: what a person waits for first, of positions under a finger the
/// newest.
actor FrameLane {
  /// The purpose of a wanted picture.
  enum Purpose: Int, Comparable, Sendable {
    /// Under the finger, or changed by a slider: older wishes of the kind are dropped.
    case scrub = 0
    case playback = 1
    case background = 2

    static func < (a: Purpose, b: Purpose) -> Bool { a.rawValue < b.rawValue }
  }

  private struct Wish {
    var purpose: Purpose
    /// Of the client's own line.
    var line: String
    var continuation: CheckedContinuation<Bool, Never>
  }

  private let width: Int
  private var running = 0
  /// Of the background's kind: one at most, so that a finger never waits for two.
  private var runningBehind = 0
  private var waiting: [Wish] = []
  private static let capacity = 48

  /// - Parameter width: how much is worked on at the same time: one is rendered while the next is decoded.
  init(width: Int = 2) { self.width = width }

  /// - Parameter line: wishes to scrub on one line take each other's place.
  /// - Throws: `cancelled` where a newer wish took this one's place, or too many wait.
  func run<Value: Sendable>(
    _ purpose: Purpose, line: String,
    _ body: @Sendable () async throws(CinematicError) -> Value
  ) async throws(CinematicError) -> Value {
    guard await enter(purpose, line) else {
      throw CinematicError(.cancelled, "another picture is wanted by now")
    }
    defer { leave(purpose) }
    return try await body()
  }

  private func enter(_ purpose: Purpose, _ line: String) async -> Bool {
    if purpose == .scrub {
      for (index, wish) in waiting.enumerated().reversed()
      where wish.purpose == .scrub && wish.line == line {
        waiting.remove(at: index).continuation.resume(returning: false)
      }
    }
    if hasRoom(for: purpose) {
      begin(purpose)
      return true
    }
    guard waiting.count < Self.capacity else { return false }
    return await withCheckedContinuation { continuation in
      let wish = Wish(purpose: purpose, line: line, continuation: continuation)
      let place = waiting.firstIndex { $0.purpose > purpose } ?? waiting.count
      waiting.insert(wish, at: place)
    }
  }

  private func hasRoom(for purpose: Purpose) -> Bool {
    running < width && (purpose != .background || runningBehind == 0)
  }

  private func begin(_ purpose: Purpose) {
    running += 1
    if purpose == .background { runningBehind += 1 }
  }

  private func leave(_ purpose: Purpose) {
    running -= 1
    if purpose == .background { runningBehind -= 1 }
    while let next = waiting.firstIndex(where: { hasRoom(for: $0.purpose) }) {
      let wish = waiting.remove(at: next)
      begin(wish.purpose)
      wish.continuation.resume(returning: true)
    }
  }
}

extension MovieDocument {
  /// The properties of a wanted picture.
  struct Wish: Sendable {
    var frame: Int
    var size: Dimensions
    var quality: RenderingQuality
    /// Whether the blur of a thumbnail is worked out at half its size.
    var isDraft = false
    var view: RenderingSession.DebugView?
    /// Whether a camera's curve is shown as a screen shows it.
    var isGraded = false
    var purpose: FrameLane.Purpose
    var line: String

    /// A thumbnail whose blur is worked out at half its size, in requests and answers.
    static let draft = "draft"

    /// At rest a picture is the export's. Under a finger it comes from anywhere, while it plays from the next place.
    var fidelity: PreviewRenderer.Fidelity {
      if quality.rawValue >= RenderingQuality.export.rawValue { return .exported }
      return purpose == .playback ? .reduced : .unsteady
    }
  }
}
