// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The head of an answer to a request for a range of a file.
struct RangeHead: Sendable {
  /// The fields by which versions of a file are told apart.
  struct Version: Sendable, Equatable {
    var tag: String?
    var date: String?

    /// A tag by which a server can be asked for bytes of this version alone.
    var strongTag: String? { tag.flatMap { $0.hasPrefix("\"") ? $0 : nil } }

    /// Whether nothing says that the versions differ. Answers may leave out what the question named.
    func mayBe(_ other: Version) -> Bool {
      if let tag, let other = other.tag { return tag == other }
      if let date, let other = other.date { return date == other }
      return true
    }
  }

  /// How long the whole file is.
  var total: Int64
  var version: Version

  /// - Parameters:
  ///   - range: that was asked for.
  ///   - version: that the answer has to be of; `nil` for any.
  ///   - name: of the file, for messages.
  static func judge(
    _ response: URLResponse, _ range: Range<Int64>, _ version: Version?, _ name: String
  ) -> Result<RangeHead, CinematicError> {
    guard let response = response as? HTTPURLResponse else {
      return .failure(CinematicError(.downloadFailed, "\(name) is not on a web server"))
    }
    if let error = refusal(response.statusCode, isOfVersion: version != nil, name) {
      return .failure(error)
    }
    func value(_ field: String) -> String? { response.value(forHTTPHeaderField: field) }
    // Compressed bytes have other places, and may be any number.
    if let encoding = value("Content-Encoding"), encoding.lowercased() != "identity" {
      return .failure(
        CinematicError(
          .unsupported, "the server of \(name) compresses it (\(encoding)), unasked",
          remedy: "download the file first"))
    }
    guard let total = total(ofContentRange: value("Content-Range") ?? "", asked: range) else {
      return .failure(
        CinematicError(
          .downloadFailed,
          "the server of \(name) does not answer the range that it was asked for",
          remedy: "download the file first"))
    }
    let found = Version(tag: value("ETag"), date: value("Last-Modified"))
    guard version?.mayBe(found) ?? true else { return .failure(changed(name)) }
    return .success(RangeHead(total: total, version: found))
  }

  static func changed(_ name: String) -> CinematicError {
    CinematicError(.downloadFailed, "\(name) changed while it was read", remedy: "try again")
  }

  private static func refusal(
    _ status: Int, isOfVersion: Bool, _ name: String
  ) -> CinematicError? {
    switch status {
    case 206: nil
    // The answer to a question for bytes of a version that is gone.
    case 200 where isOfVersion: changed(name)
    case 200:
      CinematicError(
        .unsupported, "the server of \(name) does not answer byte ranges",
        remedy: "download the file first")
    case 401, 403, 404, 410:
      CinematicError(
        .unreadable, "cannot read \(name): the server answers \(status)",
        remedy: "check the address")
    default:
      CinematicError(
        .downloadFailed, "cannot read \(name): the server answers \(status)",
        remedy: "try again later")
    }
  }

  /// How long a file is by `bytes 0-63/2000`; `nil` where that is not the range that was asked for, as far as the file
  /// goes.
  static func total(ofContentRange text: String, asked range: Range<Int64>) -> Int64? {
    guard text.hasPrefix("bytes ") else { return nil }
    let halves = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2, let total = number(halves[1]) else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]),
      first == range.lowerBound, first < total, last == min(range.upperBound, total) - 1
    else { return nil }
    return total
  }

  /// Digits alone: no sign, no space.
  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
  }
}
