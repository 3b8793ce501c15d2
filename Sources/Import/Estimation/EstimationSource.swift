// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalMedia

/// The frames of a clip, each with its second eye where there is one.
struct EstimationSource: Sendable {
  /// Where the second eye's pictures are.
  enum Eyes: Sendable {
    case one
    case file(String)
    case layout(StereoLayout)
  }

  let reader: FrameReader
  private let other: FrameReader?
  private let layout: StereoLayout?
  private let exchanged: Bool

  /// - Parameter exchanged: whether the input, or what lies first in it, is the right eye's.
  /// - Throws: `incompatible` for a second eye with another number of frames, and what opening throws.
  init(
    _ input: String, eyes: Eyes, exchanged: Bool, options: ReadOptions
  ) async throws(CinematicError) {
    reader = try await FrameReader.open(input, options: options)
    self.exchanged = exchanged
    switch eyes {
    case .one: (other, layout) = (nil, nil)
    case .layout(let given): (other, layout) = (nil, given)
    case .file(let path):
      let other = try await FrameReader.open(path, options: options)
      let (own, theirs) = (reader.properties, other.properties)
      guard own.frameCount == theirs.frameCount else {
        let those = reader.choosesFrames ? "of the chosen frames, " : ""
        throw CinematicError(
          .incompatible,
          "\(those)\(input) has \(counted(own.frameCount, "frame")) and \(path) has \(theirs.frameCount):"
            + " they are no pair",
          remedy: "give both eyes of the same recording, cut alike")
      }
      guard own.preferredTransform == theirs.preferredTransform else {
        throw CinematicError(
          .incompatible, "\(input) and \(path) are turned differently",
          remedy: "give both eyes as one camera recorded them")
      }
      (self.other, layout) = (other, nil)
    }
  }

  /// The part around the chosen frames that can be read.
  ///
  /// - Parameter range: holds the chosen frames, and some before and behind them.
  func readable(_ range: Range<Int>) async throws(CinematicError) -> Range<Int> {
    let chosen = reader.frameNumbers
    var (first, end) = (range.lowerBound, chosen.upperBound)
    for number in range.lowerBound..<chosen.lowerBound {
      if try await input(ifReadable: number) == nil { first = number + 1 }
    }
    while end < range.upperBound, try await input(ifReadable: end) != nil { end += 1 }
    return first..<end
  }

  /// A frame that was not asked for; `nil` if it cannot be read.
  func input(ifReadable number: Int) async throws(CinematicError) -> EstimationInput? {
    do throws(CinematicError) {
      return try await input(number)
    } catch {
      if error.code == .cancelled { throw error }
      return nil
    }
  }

  /// A frame by its number in the source, whether it was chosen or not.
  func input(_ number: Int) async throws(CinematicError) -> EstimationInput {
    try checkCancellation(of: reader.name)
    let turn = reader.properties.preferredTransform
    let picture = try await reader.frame(number: number).pixelBuffer
    if let layout { return try layout.eyes(of: picture, turn: turn, exchanged: exchanged) }
    guard let other else { return EstimationInput(picture: picture, turn: turn) }
    let second =
      try await other.frame(
        number: number - reader.frameNumbers.lowerBound + other.frameNumbers.lowerBound
      ).pixelBuffer
    var pair = EstimationInput(picture: picture, otherEye: second, turn: turn)
    pair.isRightEye = exchanged
    return pair
  }
}
