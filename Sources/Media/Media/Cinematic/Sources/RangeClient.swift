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
      task.cancel()
    }
    return try outcome.get()
  }
}

/// What servers have answered so far.
// @unchecked Sendable: the only stored property is a lock and what it guards.
private final class Answers: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Outcome = Result<RangeClient.Part, CinematicError>

  private struct Answer {
    var name: String
    var range: Range<Int64>
    var part: RangeClient.Part?
    var continuation: CheckedContinuation<Outcome, Never>
  }

  private let answers = Mutex<[Int: Answer]>([:])

  func expect(
    _ task: URLSessionTask, _ name: String, _ range: Range<Int64>,
    _ continuation: CheckedContinuation<Outcome, Never>
  ) {
    let answer = Answer(name: name, range: range, continuation: continuation)
    answers.withLock { $0[task.taskIdentifier] = answer }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let number = dataTask.taskIdentifier
    // A refusal is told at once: who cancels a task is not always told how it ended.
    let refused = answers.withLock { answers -> (Answer, CinematicError)? in
      guard let answer = answers[number] else { return nil }
      switch Self.total(response, answer.range, answer.name) {
      case .success(let total):
        answers[number]!.part = RangeClient.Part(bytes: [], total: total)
        return nil
      case .failure(let error):
        answers[number] = nil
        return (answer, error)
      }
    }
    completionHandler(refused == nil ? .allow : .cancel)
    if let (answer, error) = refused { answer.continuation.resume(returning: .failure(error)) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let number = dataTask.taskIdentifier
    let refused = answers.withLock { answers -> Answer? in
      guard let answer = answers[number] else { return nil }
      answers[number]!.part?.bytes += data
      let count = (answer.part?.bytes.count ?? 0) + data.count
      guard answer.part == nil || count > answer.range.count else { return nil }
      answers[number] = nil
      return answer
    }
    guard let refused else { return }
    dataTask.cancel()
    refused.continuation.resume(returning: .failure(Self.otherBytes(refused.name)))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let answer = answers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
      return
    }
    answer.continuation.resume(returning: Self.outcome(answer, error))
  }

  private static func outcome(_ answer: Answer, _ error: (any Error)?) -> Outcome {
    if let error {
      if (error as? URLError)?.code == .cancelled {
        return .failure(CinematicError(.cancelled, "reading \(answer.name) was cancelled"))
      }
      return .failure(
        CinematicError(
          .downloadFailed, "cannot read \(answer.name): \(error.localizedDescription)",
          remedy: "check the address and the connection"))
    }
    guard let part = answer.part else { return .failure(otherBytes(answer.name)) }
    return .success(part)
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
          .unsupported, "the server of \(name) does not say how long the file is",
          remedy: "download the file first"))
    }
    return .success(total)
  }
}
