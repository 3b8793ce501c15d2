// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Synchronization

/// A program of the caller's that is asked one picture after the other, on a thread that may block.
final class HelperLane: Sendable {
  /// Pixels of the longer side of the pictures that are sent.
  static let usualSide = 640
  /// Seconds in which a picture has to be answered: the first answer comes after a helper has loaded what it needs.
  static let usualTimeLimit = 120.0

  let command: String
  private let answer: String
  private let side: Int
  private let timeLimit: Double
  private let lane = DispatchQueue(label: "focal.helper")
  private let process = Mutex<HelperProcess?>(nil)

  /// - Parameter answer: the line that it answers with, for messages.
  init(_ command: String, answer: String, side: Int, timeLimit: Double) {
    (self.command, self.answer) = (command, answer)
    // A duration of more would not fit.
    (self.side, self.timeLimit) = (max(16, side), min(max(0.001, timeLimit), 1e8))
  }

  deinit { process.withLock { $0?.end() } }

  /// Sends a picture and takes the answer.
  func ask<Answer: Sendable>(
    _ picture: PixelBuffer, turn: QuarterTurn,
    _ read: @escaping @Sendable (HelperProcess, Dimensions) throws(CinematicError) -> Answer
  ) async throws(CinematicError) -> Answer {
    let shown = turn.applied(to: picture.dimensions)
    let eye = try EyePicture(picture, turn: turn, dimensions: shown.fitting(longerSide: side))
    let result: Result<Answer, CinematicError> = await withCheckedContinuation { next in
      lane.async {
        next.resume(
          returning: Result { () throws(CinematicError) in
            let helper = try self.started()
            try helper.send(eye)
            return try read(helper, eye.dimensions)
          })
      }
    }
    return try result.get()
  }

  private func started() throws(CinematicError) -> HelperProcess {
    try process.withLock { process throws(CinematicError) in
      if let process { return process }
      let new = try HelperProcess(command, answer: answer, timeLimit: timeLimit)
      process = new
      return new
    }
  }
}
