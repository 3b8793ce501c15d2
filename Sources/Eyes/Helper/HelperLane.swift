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

  /// Sends a picture and takes the answer. A cancelled call ends the program, if its answer is being waited for, and so does
  /// an answer that is none; the next picture starts another.
  ///
  /// - Throws: what starting it and reading throw, `cancelled`.
  func ask<Answer: Sendable>(
    _ picture: PixelBuffer, turn: QuarterTurn,
    _ read: @escaping @Sendable (HelperProcess, Dimensions) throws(CinematicError) -> Answer
  ) async throws(CinematicError) -> Answer {
    let shown = turn.applied(to: picture.dimensions)
    let eye = try EyePicture(picture, turn: turn, dimensions: shown.fitting(longerSide: side))
    let call = HelperCall<Answer>(HelperProcess.cancellation(of: command))
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (caller: HelperCall<Answer>.Caller) in
        guard call.wait(caller) else { return }
        lane.async { self.work(on: call, eye, read) }
      }
    } onCancel: {
      call.cancel()
    }
    return try outcome.get()
  }

  /// On the lane.
  private func work<Answer: Sendable>(
    on call: HelperCall<Answer>, _ eye: EyePicture,
    _ read: (HelperProcess, Dimensions) throws(CinematicError) -> Answer
  ) {
    guard call.begin() else { return }
    do throws(CinematicError) {
      let helper = try started()
      try helper.send(eye) { call.isCancelled }
      let result = try read(helper, eye.dimensions)
      call.end(.success(result))
    } catch {
      // The rest of an answer would be taken for the next one.
      process.withLock { process in
        process?.stop()
        process = nil
      }
      call.end(.failure(error))
    }
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

/// A call on its way to the lane and back. Its caller is answered once: by the lane, or by the cancellation if the lane has
/// not come to it.
private final class HelperCall<Answer: Sendable>: Sendable {
  typealias Outcome = Result<Answer, CinematicError>
  typealias Caller = CheckedContinuation<Outcome, Never>

  private struct State {
    var caller: Caller?
    var hasBegun = false
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let cancellation: CinematicError

  init(_ cancellation: CinematicError) { self.cancellation = cancellation }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// - Returns: whether the lane has to come to it.
  func wait(_ caller: Caller) -> Bool {
    let isWanted = state.withLock { state -> Bool in
      guard !state.isCancelled else { return false }
      state.caller = caller
      return true
    }
    if !isWanted { caller.resume(returning: .failure(cancellation)) }
    return isWanted
  }

  /// - Returns: whether its caller still waits.
  func begin() -> Bool {
    state.withLock { state -> Bool in
      state.hasBegun = true
      return state.caller != nil
    }
  }

  func end(_ outcome: Outcome) {
    let caller = state.withLock { state -> Caller? in
      defer { state.caller = nil }
      return state.caller
    }
    caller?.resume(returning: outcome)
  }

  func cancel() {
    let caller = state.withLock { state -> Caller? in
      state.isCancelled = true
      // The lane looks for it, and ends the helper first.
      guard !state.hasBegun else { return nil }
      defer { state.caller = nil }
      return state.caller
    }
    caller?.resume(returning: .failure(cancellation))
  }
}
