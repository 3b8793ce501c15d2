// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Asks servers for ranges of bytes. An answer that is not the range is refused when its head comes,
/// not after the whole file did.
final class RangeClient: Sendable {
  /// A part of a file, and how long the whole is.
  struct Part: Sendable {
    var bytes: [UInt8]
    var total: Int64
  }

  private let answers = Answers()
  private let session: URLSession

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 30
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// - Throws: `downloadFailed`, `unreadable` for a file that is not there, `unsupported` for a server
  ///   that does not answer ranges, `cancelled`.
  func load(_ url: URL, _ range: Range<Int64>) async throws(CinematicError) -> Part {
    var request = URLRequest(url: url)
    request.setValue(
      "bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
    // Compressed bytes have other places.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    let task = session.dataTask(with: request)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answers.expect(task, url.absoluteString, range, continuation)
        task.resume()
      }
    } onCancel: {
      // In a task that is cancelled already, this comes before the answer is expected.
      answers.cancel(task)
      task.cancel()
    }
    answers.forget(task)
    return try outcome.get()
  }
}

/// The servers' answers so far.
// @unchecked Sendable: the only stored property is a lock and what it guards.
private final class Answers: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Outcome = Result<RangeClient.Part, CinematicError>

  private struct Answer {
    var name: String
    var range: Range<Int64>
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
    _ task: URLSessionTask, _ name: String, _ range: Range<Int64>,
    _ continuation: CheckedContinuation<Outcome, Never>
  ) {
    let number = task.taskIdentifier
    let answer = Answer(name: name, range: range, continuation: continuation)
    let isCancelled = state.withLock { state -> Bool in
      guard !state.cancelled.contains(number) else { return true }
      state.waiting[number] = answer
      return false
    }
    if isCancelled { continuation.resume(returning: .failure(Self.cancellation(name))) }
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
    answer.continuation.resume(returning: .failure(Self.cancellation(answer.name)))
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
      switch Self.total(response, answer.range, answer.name) {
      case .success(let total):
        state.waiting[number]!.part = RangeClient.Part(bytes: [], total: total)
        return nil
      case .failure(let error):
        state.waiting[number] = nil
        return (answer, error)
      }
    }
    completionHandler(refused == nil ? .allow : .cancel)
    if let (answer, error) = refused { answer.continuation.resume(returning: .failure(error)) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let number = dataTask.taskIdentifier
    let refused = state.withLock { state -> Answer? in
      guard let answer = state.waiting[number] else { return nil }
      state.waiting[number]!.part?.bytes += data
      let count = (answer.part?.bytes.count ?? 0) + data.count
      guard answer.part == nil || count > answer.range.count else { return nil }
      state.waiting[number] = nil
      return answer
    }
    guard let refused else { return }
    dataTask.cancel()
    refused.continuation.resume(returning: .failure(Self.otherBytes(refused.name)))
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
        return .failure(cancellation(answer.name))
      }
      return .failure(
        CinematicError(
          .downloadFailed, "cannot read \(answer.name): \(error.localizedDescription)",
          remedy: "check the address and the connection"))
    }
    guard let part = answer.part else { return .failure(otherBytes(answer.name)) }
    return .success(part)
  }

  private static func cancellation(_ name: String) -> CinematicError {
    CinematicError(.cancelled, "reading \(name) was cancelled")
  }

  private static func otherBytes(_ name: String) -> CinematicError {
    CinematicError(
      .downloadFailed, "\(name) gave other bytes than it was asked for",
      remedy: "download the file first")
  }

  /// How long the file is, where the response is the range.
  private static func total(
    _ response: URLResponse, _ range: Range<Int64>, _ name: String
  ) -> Result<Int64, CinematicError> {
    guard let response = response as? HTTPURLResponse else {
      return .failure(CinematicError(.downloadFailed, "\(name) is not on a web server"))
    }
    switch response.statusCode {
    case 206: break
    case 200:
      return .failure(
        CinematicError(
          .unsupported, "the server of \(name) does not answer byte ranges",
          remedy: "download the file first"))
    case 401, 403, 404, 410:
      return .failure(
        CinematicError(
          .unreadable, "cannot read \(name): the server answers \(response.statusCode)",
          remedy: "check the address"))
    default:
      return .failure(
        CinematicError(
          .downloadFailed, "cannot read \(name): the server answers \(response.statusCode)",
          remedy: "try again later"))
    }
    // "bytes 0-63/2000"
    let text = response.value(forHTTPHeaderField: "Content-Range") ?? ""
    let parts = text.split(whereSeparator: { " -/".contains($0) })
    guard parts.count == 4, parts[0] == "bytes", let first = Int64(parts[1]),
      let total = Int64(parts[3]), first == range.lowerBound, total > 0
    else {
      return .failure(
        CinematicError(
          .downloadFailed, "the server of \(name) does not say how long the file is",
          remedy: "download the file first"))
    }
    return .success(total)
  }
}
