// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Asks servers for ranges of bytes. An answer that is not the range is refused when its head comes,
/// not after the whole file did.
final class RangeClient: Sendable {
  /// A part of a file.
  struct Part: Sendable {
    var bytes: [UInt8]
    var head: RangeHead
    /// Where it came from, behind all redirections.
    var place: ServerPlace
  }

  private let answers = RangeAnswers()
  private let session: URLSession
  private let patience: Duration
  /// Bytes a second below which a server is not waited for, whether it goes on or not.
  private static let slowest = 10_000.0

  /// - Parameter patience: for an answer's first byte, and between two.
  init(patience: Duration) {
    self.patience = patience
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = patience / .seconds(1)
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// The place that a user names.
  func place(of url: URL) async -> ServerPlace {
    await Self.blocking { Redirection.origin(url) }
  }

  /// - Parameter version: that the bytes have to be of; `nil` for any.
  /// - Throws: `downloadFailed`, `unreadable` for a file that is not there, `unsupported` for a server
  ///   that does not answer ranges, `cancelled`.
  func load(
    _ start: ServerPlace, _ range: Range<Int64>, of version: RangeHead.Version? = nil
  ) async throws(CinematicError) -> Part {
    let limit = patience + .seconds(Double(range.count) / Self.slowest)
    let end = ContinuousClock.now + limit
    var place = start
    var count = 0
    while true {
      let question = RangeAnswers.Question(place: place, range: range, version: version)
      switch try await ask(question, until: end, limit) {
      case .part(let part): return part
      case .none(let error):
        guard !place.others.isEmpty else { throw error }
        place.address = place.others.removeFirst()
      case .elsewhere(let url):
        let next = await Self.blocking { [place, count] in
          Result { () throws(CinematicError) in
            try Redirection.place(from: place, to: url, count: count, question.name)
          }
        }
        place = try next.get()
        count += 1
      }
    }
  }

  /// Asking for the numbers of a name may take its time.
  private static func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async
    -> Value
  {
    await withCheckedContinuation { next in
      DispatchQueue.global().async { next.resume(returning: body()) }
    }
  }

  private func ask(
    _ question: RangeAnswers.Question, until end: ContinuousClock.Instant, _ limit: Duration
  ) async throws(CinematicError) -> RangeAnswers.Answered {
    let (range, name) = (question.range, question.name)
    guard let url = question.place.asked else {
      throw CinematicError(.downloadFailed, "\(name) cannot be asked", remedy: "check the address")
    }
    var request = URLRequest(url: url)
    if let host = question.place.host { request.setValue(host, forHTTPHeaderField: "Host") }
    request.setValue(
      "bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
    // Compressed bytes have other places.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if let tag = question.version?.strongTag {
      request.setValue(tag, forHTTPHeaderField: "If-Range")
    }
    let task = session.dataTask(with: request)
    let deadline = Task { [answers] in
      guard (try? await Task.sleep(until: end, clock: .continuous)) != nil else { return }
      answers.end(
        task,
        by: CinematicError(
          .downloadFailed,
          "the server of \(name) did not give \(range.count) bytes in"
            + " \(limit.components.seconds) s",
          remedy: "check the connection, or download the file first"))
      task.cancel()
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answers.expect(task, question, continuation)
        task.resume()
      }
    } onCancel: {
      // In a task that is cancelled already, this comes before the answer is expected.
      answers.cancel(task)
      task.cancel()
    }
    deadline.cancel()
    answers.forget(task)
    return try outcome.get()
  }
}
