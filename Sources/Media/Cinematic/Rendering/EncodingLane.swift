// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalMedia
import Synchronization

/// Hands pictures to a writer on a thread of its own, a few at a time: rendering waits only when
/// the writer cannot follow.
final class EncodingLane: Sendable {
  private struct State {
    var waiting = 0
    var failure: CinematicError?
    /// The producer's wait for room, or for the end. There is one producer.
    var continuation: CheckedContinuation<Void, Never>?
    var limit = 0
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "focal.encode")
  private let writer: FrameWriter
  private let capacity: Int

  init(_ writer: FrameWriter, capacity: Int) {
    self.writer = writer
    self.capacity = capacity
  }

  /// Waits for room and adds a picture.
  ///
  /// - Parameter publishes: whether numbered pictures that wait for their names get them with it.
  /// - Throws: the error of a picture before.
  func append(
    _ picture: PixelBuffer, timeRange: TimeRange, fileNumber: Int, metadata: PictureMetadata?,
    publishes: Bool
  ) async throws(CinematicError) {
    await wait(until: capacity - 1)
    try check()
    state.withLock { $0.waiting += 1 }
    queue.async { [self] in
      if state.withLock({ $0.failure }) == nil {
        do throws(CinematicError) {
          try writer.append(
            picture, time: timeRange.start, duration: timeRange.duration, fileNumber: fileNumber,
            metadata: metadata)
          if publishes { try writer.publishWaiting() }
        } catch {
          state.withLock { $0.failure = error }
        }
      }
      done()
    }
  }

  /// Waits for every picture.
  ///
  /// - Throws: the first error that a picture met.
  func drain() async throws(CinematicError) {
    await wait(until: 0)
    try check()
  }

  /// Waits for the pictures, then completes the output.
  func finish() async throws(CinematicError) {
    try await drain()
    state.withLock { $0.waiting += 1 }
    queue.async { [self] in
      do throws(CinematicError) {
        try writer.finish()
      } catch {
        state.withLock { $0.failure = error }
      }
      done()
    }
    try await drain()
  }

  private func check() throws(CinematicError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  private func wait(until count: Int) async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.waiting <= count { return true }
        state.continuation = continuation
        state.limit = count
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func done() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.waiting -= 1
      guard state.waiting <= state.limit, let waiter = state.continuation else { return nil }
      state.continuation = nil
      return waiter
    }
    waiter?.resume()
  }
}
