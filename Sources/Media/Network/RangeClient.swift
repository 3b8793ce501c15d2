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
    var url: URL
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

  /// - Parameter version: that the bytes have to be of; `nil` for any.
  /// - Throws: `downloadFailed`, `unreadable` for a file that is not there, `unsupported` for a server
  ///   that does not answer ranges, `cancelled`.
  func load(
    _ url: URL, _ range: Range<Int64>, of version: RangeHead.Version? = nil
  ) async throws(CinematicError) -> Part {
    var request = URLRequest(url: url)
    request.setValue(
      "bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
    // Compressed bytes have other places.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if let tag = version?.strongTag { request.setValue(tag, forHTTPHeaderField: "If-Range") }
    let task = session.dataTask(with: request)
    let limit = patience + .seconds(Double(range.count) / Self.slowest)
    let deadline = Task { [answers] in
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      answers.end(
        task,
        by: CinematicError(
          .downloadFailed,
          "the server of \(url.shown) did not give \(range.count) bytes in"
            + " \(limit.components.seconds) s",
          remedy: "check the connection, or download the file first"))
      task.cancel()
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answers.expect(
          task,
          RangeAnswers.Question(url: url, range: range, version: version), continuation)
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
