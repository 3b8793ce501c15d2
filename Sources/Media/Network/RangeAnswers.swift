// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The servers' answers so far.
// @unchecked Sendable: the only stored property is a lock and what it guards.
final class RangeAnswers: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Outcome = Result<Answered, CinematicError>

  enum Answered: Sendable {
    case part(RangeClient.Part)
    /// Another address has it.
    case elsewhere(URL)
    /// There was no answer.
    case none(CinematicError)
  }

  struct Question: Sendable {
    var place: ServerPlace
    var range: Range<Int64>
    var version: RangeHead.Version?
    var name: String { place.url.shown }
  }

  private struct Answer {
    var question: Question
    var part: RangeClient.Part?
    var continuation: CheckedContinuation<Outcome, Never>
  }

  private struct State {
    var waiting: [Int: Answer] = [:]
    /// Tasks that were cancelled while no answer of theirs was waited for.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  func expect(
    _ task: URLSessionTask, _ question: Question,
    _ continuation: CheckedContinuation<Outcome, Never>
  ) {
    let number = task.taskIdentifier
    let answer = Answer(question: question, continuation: continuation)
    let isCancelled = state.withLock { state -> Bool in
      guard !state.cancelled.contains(number) else { return true }
      state.waiting[number] = answer
      return false
    }
    if isCancelled { continuation.resume(returning: .failure(Self.cancellation(question.name))) }
  }

  /// Ends the wait for an answer at once, also one that has not begun yet.
  func cancel(_ task: URLSessionTask) {
    let number = task.taskIdentifier
    let answer = state.withLock { state -> Answer? in
      if let answer = state.waiting.removeValue(forKey: number) { return answer }
      state.cancelled.insert(number)
      return nil
    }
    guard let answer else { return }
    answer.continuation.resume(returning: .failure(Self.cancellation(answer.question.name)))
  }

  /// Ends the wait for an answer by an error.
  func end(_ task: URLSessionTask, by error: CinematicError) {
    let answer = state.withLock { $0.waiting.removeValue(forKey: task.taskIdentifier) }
    answer?.continuation.resume(returning: .failure(error))
  }

  /// Drops the record of a task whose answer is no longer awaited.
  func forget(_ task: URLSessionTask) {
    let number = task.taskIdentifier
    state.withLock { _ = $0.cancelled.remove(number) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let number = dataTask.taskIdentifier
    // A refusal is reported at once: the end of a cancelled task is not always reported.
    let refused = state.withLock { state -> (Answer, CinematicError)? in
      guard let answer = state.waiting[number] else { return nil }
      let question = answer.question
      switch RangeHead.judge(response, question.range, question.version, question.name) {
      case .success(let head):
        state.waiting[number]!.part = RangeClient.Part(bytes: [], head: head, place: question.place)
        return nil
      case .failure(let error):
        state.waiting[number] = nil
        return (answer, error)
      }
    }
    completionHandler(refused == nil ? .allow : .cancel)
    if let (answer, error) = refused { answer.continuation.resume(returning: .failure(error)) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The session would look the name up once more, and elsewhere than it was judged.
    completionHandler(nil)
    task.cancel()
    let number = task.taskIdentifier
    guard let answer = state.withLock({ $0.waiting.removeValue(forKey: number) }) else { return }
    let text = response.value(forHTTPHeaderField: "Location") ?? ""
    guard let url = URL(string: text, relativeTo: answer.question.place.url)?.absoluteURL else {
      return answer.continuation.resume(
        returning: .failure(Self.otherBytes(answer.question.name)))
    }
    answer.continuation.resume(returning: .success(.elsewhere(url)))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let number = dataTask.taskIdentifier
    let refused = state.withLock { state -> Answer? in
      guard let answer = state.waiting[number] else { return nil }
      let count = (answer.part?.bytes.count ?? 0) + data.count
      guard answer.part == nil || count > answer.question.range.count else {
        state.waiting[number]!.part?.bytes += data
        return nil
      }
      state.waiting[number] = nil
      return answer
    }
    guard let refused else { return }
    dataTask.cancel()
    refused.continuation.resume(returning: .failure(Self.otherBytes(refused.question.name)))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let number = task.taskIdentifier
    guard let answer = state.withLock({ $0.waiting.removeValue(forKey: number) }) else { return }
    answer.continuation.resume(returning: Self.outcome(answer, error))
  }

  private static func outcome(_ answer: Answer, _ error: (any Error)?) -> Outcome {
    if let error {
      if (error as? URLError)?.code == .cancelled {
        return .failure(cancellation(answer.question.name))
      }
      let failure = CinematicError(
        .downloadFailed, "cannot read \(answer.question.name): \(error.localizedDescription)",
        remedy: "check the address and the connection")
      return answer.part == nil ? .success(.none(failure)) : .failure(failure)
    }
    guard let part = answer.part else { return .failure(otherBytes(answer.question.name)) }
    return .success(.part(part))
  }

  private static func cancellation(_ name: String) -> CinematicError {
    CinematicError(.cancelled, "reading \(name) was cancelled")
  }

  private static func otherBytes(_ name: String) -> CinematicError {
    CinematicError(
      .downloadFailed, "\(name) gave other bytes than it was asked for",
      remedy: "download the file first")
  }
}
