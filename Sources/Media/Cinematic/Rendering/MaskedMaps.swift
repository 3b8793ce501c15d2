// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalSubjects
import Synchronization

/// The maps of a clip's frames with the step at the outline of a subject, whose masks are found or given.
public final class MaskedMaps: Sendable {
  /// Where the masks come from.
  public enum Masks: Sendable {
    /// Subjects that are followed through the clip.
    case followed(SubjectFollower)
    /// Pictures beside the clip's, read as ``FocalMedia/ReadOptions/Content/mask``; a half and more is the subject's.
    case given(DisparityMatcher)
  }

  /// Whether the subject is in focus in every frame, as a whole, and not only its outline is better.
  public let holdsFocus: Bool

  private struct State {
    /// The frame that was asked for last.
    var last: (index: Int, held: HeldDisparity)?
    /// Where the subject was when it was seen last.
    var focusDisparity: Float?
    var cuts: [Int] = []
  }

  private let masks: Masks
  private let holder: DisparityHolder
  private let turn: QuarterTurn
  private let state = Mutex(State())

  /// - Parameters:
  ///   - holder: of the quality that is rendered.
  ///   - turn: from the pictures as stored to the pictures as shown.
  public init(_ masks: Masks, holder: DisparityHolder, turn: QuarterTurn, holdsFocus: Bool) {
    (self.masks, self.holder, self.turn) = (masks, holder, turn)
    self.holdsFocus = holdsFocus
  }

  /// The map of the next frame. Frames come in order, one call after the other; the last one may be asked for again.
  ///
  /// - Parameter map: the frame's own, as its picture is stored.
  /// - Throws: what finding or reading the mask throws, and what rendering throws.
  public func map(
    of frame: MediaFrame, _ map: PixelBuffer
  ) async throws(CinematicError) -> HeldDisparity {
    if let last = state.withLock({ $0.last }), last.index == frame.index { return last.held }
    let picture = frame.pixelBuffer
    let mask: PixelBuffer
    switch masks {
    case .followed(let follower):
      let found = try await follower.observation(of: picture, disparity: map)
      if found.beginsScene {
        state.withLock { if $0.last != nil { $0.cuts.append(frame.index) } }
      }
      mask = try found.mask(of: picture).turnedDisparity(by: turn.inverse)
    case .given(let matcher):
      mask = try await matcher.map(for: frame.place)
    }
    let held = try holder.held(map, of: picture, mask: mask, isFlat: holdsFocus)
    state.withLock { state in
      state.last = (frame.index, held)
      state.focusDisparity = held.subjectDisparity ?? state.focusDisparity
    }
    return held
  }

  /// The frames that begin another scene, by their numbers in the clip, of those so far and without the first one, where
  /// subjects are followed. A subject that was pointed at is not looked for in other scenes than its own.
  public var cuts: [Int] { state.withLock { $0.cuts } }

  /// The focus of the frame that was asked for last; that of the frames before where the subject is not seen, `nil` where it
  /// never was, or the focus is not held.
  public var focusDisparity: Float? { holdsFocus ? state.withLock { $0.focusDisparity } : nil }
}
