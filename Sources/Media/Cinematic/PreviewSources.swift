// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import Synchronization

/// The decoded pictures and maps of a movie, whole and at a part of their size, held up to a number of bytes.
///
/// Frames are decoded from the nearest place where that can begin. Those on the way there are held too where they may
/// be asked for next: backwards, and where requests that belong to playback overtake each other.
final class PreviewSources: Sendable {
  /// Names the sources of a frame.
  struct Key: Hashable {
    var number: Int
    /// By how much the picture is made smaller.
    var reduction = 1
    /// Whether the flicker of the maps is taken out.
    var isSteady = true
  }

  private struct State {
    var requests: [Key: VideoCompositionRequest] = [:]
    /// Those that are held, the one that was used last at the end.
    var used: [Key] = []
    var byteCount = 0
    /// The frame that was asked for last; at first one that is far from all.
    var latest = Int.min / 2
  }

  private let reader: CompositionReader
  private let videoTrackID: UInt32
  private let limit: Int
  private let turn = AsyncLock()
  private let state = Mutex(State())

  /// Frames that a step backwards goes, at the most; from farther away the next one may go anywhere.
  private static let longestStep = 6
  /// Frames that are held on the way backwards, at the most.
  private static let longestRun = 32
  /// Frames by which requests overtake each other, at the most.
  private static let longestGap = 4

  init(_ reader: CompositionReader, videoTrackID: UInt32, limit: Int) {
    self.reader = reader
    self.videoTrackID = videoTrackID
    self.limit = limit
  }

  var byteCount: Int { state.withLock { $0.byteCount } }

  /// - Throws: `invalidParameter` for a frame that there is not, `cancelled`, and what reading throws.
  func request(_ key: Key) async throws(CinematicError) -> VideoCompositionRequest {
    try reader.check(key.number)
    if let known = held(key) { return known }
    try await turn.lock()
    defer { turn.unlock() }
    if let known = held(key) { return known }
    if key.reduction > 1 {
      let step = key.number - state.withLock { $0.latest }
      var first = key.number
      if (2...Self.longestGap).contains(step), key.isSteady {
        first = key.number - step + 1
      } else if (1...Self.longestStep).contains(-step) {
        first = try await start(of: key.number)
      }
      for number in first..<key.number {
        var other = key
        other.number = number
        if held(other) == nil { _ = try await read(other) }
      }
    }
    let request = try await read(key)
    state.withLock { $0.latest = key.number }
    return request
  }

  /// Where decoding a frame begins, if that is near.
  private func start(of number: Int) async throws(CinematicError) -> Int {
    for first in (max(0, number - Self.longestRun)...number).reversed() {
      if try await reader.isSync(frame: first) { return first }
    }
    return number
  }

  private func read(_ key: Key) async throws(CinematicError) -> VideoCompositionRequest {
    var whole = key
    whole.reduction = 1
    let made: VideoCompositionRequest
    if key.reduction > 1, let known = held(whole) {
      made = known
    } else {
      made = try await reader.request(number: key.number, steadies: key.isSteady)
    }
    let small = key.reduction > 1 ? try made.reduced(videoTrackID, by: key.reduction) : nil
    hold(small ?? made, key)
    return small ?? made
  }

  private func held(_ key: Key) -> VideoCompositionRequest? {
    var steady = key
    steady.isSteady = true
    return state.withLock { state in
      // A steady map is as good as one that is not.
      for place in [steady, key] {
        guard let known = state.requests[place] else { continue }
        state.used.removeAll { $0 == place }
        state.used.append(place)
        state.latest = key.number
        return known
      }
      return nil
    }
  }

  private func hold(_ request: VideoCompositionRequest, _ key: Key) {
    state.withLock { state in
      guard state.requests[key] == nil else { return }
      state.requests[key] = request
      state.used.append(key)
      state.byteCount += request.sourceByteCount
      // The newest stays, however large.
      while state.byteCount > limit, state.used.count > 1 {
        let oldest = state.used.removeFirst()
        state.byteCount -= state.requests.removeValue(forKey: oldest)?.sourceByteCount ?? 0
      }
    }
  }
}
