// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Something that a reader had to skip or mend, or that a writer could not say in its format.
public struct CaptionIssue: Hashable, Sendable, CustomStringConvertible {
  /// The line of the file, from 1; `nil` where it is not of a line.
  public var line: Int?
  /// The caption's start; `nil` where it is not of one.
  public var time: Time?
  /// The element, code or property, and what became of it: a clause without a full stop.
  public var reason: String

  public init(line: Int? = nil, time: Time? = nil, reason: String) {
    self.line = line
    self.time = time
    self.reason = reason
  }

  public var description: String {
    if let line { return "line \(line): \(reason)" }
    if let time { return "at \((time.seconds * 1000).rounded() / 1000) s: \(reason)" }
    return reason
  }
}

/// Collects issues. A file of nothing but faults has as many as it has bytes: after the first thousand
/// only their number is kept.
struct IssueLog: Sendable {
  static let limit = 1000
  private(set) var issues: [CaptionIssue] = []
  private(set) var count = 0

  mutating func add(line: Int? = nil, time: Time? = nil, _ reason: @autoclosure () -> String) {
    count += 1
    guard issues.count < Self.limit else { return }
    issues.append(CaptionIssue(line: line, time: time, reason: reason()))
  }

  /// The issues; the last one tells how many more there were.
  var all: [CaptionIssue] {
    guard count > issues.count else { return issues }
    return issues + [CaptionIssue(reason: "\(count - issues.count) more of the like")]
  }
}
