// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalBoxes
import FocalCore
import Synchronization

/// The pictures of a track in the order of the screen, decoded ahead on a thread of its own.
///
/// It holds at most ``capacity`` converted pictures beside those in the decoder. A reader that asks for
/// another picture than the next one makes it begin there, and gets that one alone: who jumps mostly jumps
/// again.
// @unchecked Sendable: the decoder and the converter are touched only by jobs on `queue`, one after
// another; everything else is immutable or in `state`.
final class FrameFeed: @unchecked Sendable {
  /// How many pictures are ready before they are asked for.
  static let capacity = 3

  /// A picture, and what its file says beside its pixels.
  struct Picture: Sendable {
    var pixelBuffer: PixelBuffer
    var metadata: PictureMetadata
  }

  typealias Outcome = Result<Picture, CinematicError>
  /// Makes a pixel buffer of the picture of a sample.
  typealias Convert = (PictureFrame, _ sample: Int) throws(CinematicError) -> PixelBuffer
  /// Makes that, given the first picture.
  typealias MakeConverter = (PictureFrame) throws(CinematicError) -> Convert

  private struct State {
    /// Entries of the timeline that are ready, rising by one.
    var ready: [(number: Int, outcome: Outcome)] = []
    /// The entry to decode next.
    var next = 0
    /// Changes whenever decoding begins elsewhere.
    var generation = 0
    /// The entry that was asked for last; decoding ahead begins where one follows another.
    var asked = -1
    var isSequential = true
    var isRunning = false
    /// Whether a failure was handed out: nothing is decoded until the next request.
    var isPaused = false

    /// How many entries to have ready.
    var capacity: Int { isSequential ? FrameFeed.capacity : 1 }
    var waiter: (number: Int, continuation: CheckedContinuation<Outcome, Never>)?
    /// Whether the caller was cancelled before it began to wait.
    var isCancelled = false
  }

  let timeline: Timeline
  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let decoder: any PictureDecoder
  private let makeConverter: MakeConverter
  private var converter: Convert?

  /// - Parameter makeConverter: makes pixel buffers of pictures; given the first one.
  init(
    _ decoder: any PictureDecoder, timeline: Timeline, label: String,
    makeConverter: @escaping MakeConverter
  ) {
    self.decoder = decoder
    self.timeline = timeline
    self.makeConverter = makeConverter
    queue = DispatchQueue(label: "focal.decode.\(label)")
  }

  /// Begins to decode an entry, unless it is ready or on its way.
  func expect(_ number: Int) {
    let starts = state.withLock { state -> Bool in
      move(&state, to: number)
      return start(&state)
    }
    if starts { run() }
  }

  /// The picture of an entry. One caller at a time.
  ///
  /// - Throws: what decoding throws; `cancelled` where the calling task is cancelled.
  func picture(_ number: Int) async throws(CinematicError) -> PixelBuffer {
    try await read(number).pixelBuffer
  }

  /// The same with what its file says. One caller at a time.
  func read(_ number: Int) async throws(CinematicError) -> Picture {
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        wait(continuation, number)
      }
    } onCancel: {
      cancelWaiting()
    }
    state.withLock { $0.isCancelled = false }
    return try outcome.get()
  }

  private func wait(_ continuation: CheckedContinuation<Outcome, Never>, _ number: Int) {
    let (outcome, starts) = state.withLock { state -> (Outcome?, Bool) in
      if state.isCancelled { return (.failure(Self.cancellation), false) }
      move(&state, to: number)
      if let first = state.ready.first, first.number == number {
        if case .failure = first.outcome {
          pause(&state, at: number)
          return (first.outcome, false)
        }
        // It stays until another one is asked for: who asks twice gets the same picture.
        return (first.outcome, start(&state))
      }
      state.waiter = (number, continuation)
      return (nil, start(&state))
    }
    if let outcome { continuation.resume(returning: outcome) }
    if starts { run() }
  }

  private func cancelWaiting() {
    let waiter = state.withLock { state in
      let waiter = state.waiter
      state.waiter = nil
      if waiter == nil { state.isCancelled = true }
      return waiter
    }
    waiter?.continuation.resume(returning: .failure(Self.cancellation))
  }

  private static var cancellation: CinematicError {
    CinematicError(.cancelled, "reading a frame was cancelled")
  }

  /// Drops what lies before an entry; begins there where it is not ready or next.
  private func move(_ state: inout State, to number: Int) {
    state.isPaused = false
    if number != state.asked {
      state.isSequential = number == state.asked + 1
      state.asked = number
    }
    while let first = state.ready.first, first.number != number { state.ready.removeFirst() }
    guard state.ready.isEmpty, state.next != number else { return }
    state.generation += 1
    state.next = number
  }

  /// Forgets a failure that is handed out. It may have passed by the next request: the entry is
  /// decoded anew then.
  private func pause(_ state: inout State, at number: Int) {
    state.ready = []
    state.next = number
    state.generation += 1
    state.isPaused = true
  }

  /// Whether a job has to be started.
  private func start(_ state: inout State) -> Bool {
    guard !state.isRunning, state.ready.count < state.capacity, state.next < timeline.count else {
      return false
    }
    state.isRunning = true
    return true
  }

  private func run() { queue.async { [self] in work() } }

  /// Decodes until enough is ready.
  private func work() {
    while true {
      let job = state.withLock { state -> (number: Int, generation: Int)? in
        guard !state.isPaused, state.ready.count < state.capacity, state.next < timeline.count
        else {
          state.isRunning = false
          return nil
        }
        return (state.next, state.generation)
      }
      guard let job else { return }
      let outcome: Outcome?
      do throws(CinematicError) {
        outcome = try decode(job.number, job.generation).map { .success($0) }
      } catch {
        outcome = .failure(error)
      }
      guard let outcome else { continue }
      let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
        guard state.generation == job.generation else { return nil }
        state.ready.append((job.number, outcome))
        state.next += 1
        guard let waiter = state.waiter, waiter.number == job.number else { return nil }
        state.waiter = nil
        if case .failure = outcome { pause(&state, at: job.number) }
        return waiter.continuation
      }
      waiter?.resume(returning: outcome)
    }
  }

  /// - Returns: `nil` where something else is wanted by now.
  private func decode(_ number: Int, _ generation: Int) throws(CinematicError) -> Picture? {
    let sample = timeline[number].sample
    let picture = try decoder.picture(of: sample) {
      state.withLock { $0.generation == generation }
    }
    guard let picture else { return nil }
    if converter == nil { converter = try makeConverter(picture) }
    guard let buffer = try converter?(picture, sample) else { return nil }
    return Picture(pixelBuffer: buffer, metadata: picture.metadata)
  }
}
