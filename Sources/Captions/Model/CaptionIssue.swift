// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Something that a reader had to skip or mend, or that a writer could not say in its format.
public struct CaptionIssue: Hashable, Sendable, CustomStringConvertible {
  /// How much an issue matters.
  public enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Nothing that is seen: a comment, an identifier, a time that moves by less than a millisecond.
    case note
    /// The text is there, but looks, stands or comes otherwise than meant.
    case warning
    /// Text is missing or may be wrong, or others do not read the file as it was read here.
    case error

    private var rank: Int { self == .note ? 0 : self == .warning ? 1 : 2 }
    public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }
  }

  /// The line of the file, from 1; `nil` where it is not of a line.
  public var line: Int?
  /// The caption's start; `nil` where it is not of one.
  public var time: Time?
  public var severity: Severity
  /// The element, code or property, and what became of it: a clause without a full stop.
  public var reason: String

  public init(
    line: Int? = nil, time: Time? = nil, severity: Severity = .warning, reason: String
  ) {
    self.line = line
    self.time = time
    self.severity = severity
    self.reason = reason
  }

  public var description: String {
    let clause = "\(severity.rawValue): \(reason)"
    if let line { return "line \(line): \(clause)" }
    if let time { return "at \((time.seconds * 1000).rounded() / 1000) s: \(clause)" }
    return clause
  }
}

extension Sequence<CaptionIssue> {
  /// The first issue that counts where nothing may be lost: a warning or an error.
  var firstLoss: CaptionIssue? { first { $0.severity > .note } }
}

extension CaptionIssue {
  /// How many of a kind people are told.
  package static let toldCount = 20

  /// What issues of one kind have in common: all but numbers, tags and what is quoted.
  private struct Kind: Hashable {
    var severity: Severity
    var words = ""
  }

  private var kind: Kind {
    var kind = Kind(severity: severity)
    // Of what is quoted, its end.
    var end: Character?
    var last: Character = " "
    for character in reason {
      if end != nil {
        if character == end { end = nil }
      } else if character == "<" {
        end = ">"
      } else if character == "'", !last.isLetter {
        // Behind a letter it is an apostrophe.
        end = "'"
      } else if !character.isNumber {
        kind.words.append(character)
      }
      last = character
    }
    return kind
  }

  /// Issues as people are told them: of each kind the first ``toldCount``, and behind these how many more there are.
  package static func shortened(_ issues: [CaptionIssue]) -> [CaptionIssue] {
    guard issues.count > toldCount else { return issues }
    let kinds = issues.map(\.kind)
    var counts: [Kind: Int] = [:]
    for kind in kinds { counts[kind, default: 0] += 1 }
    var told: [Kind: Int] = [:]
    var result: [CaptionIssue] = []
    for (issue, kind) in zip(issues, kinds) {
      let number = told[kind, default: 0] + 1
      told[kind] = number
      guard number <= toldCount else { continue }
      result.append(issue)
      let rest = (counts[kind] ?? number) - toldCount
      if number == toldCount, rest > 0 {
        result.append(
          CaptionIssue(severity: issue.severity, reason: "\(rest) more of the like"))
      }
    }
    return result
  }
}

/// Collects issues. A file of nothing but faults has as many as it has bytes: after the first thousand
/// only their number is kept.
struct IssueLog: Sendable {
  static let limit = 1000
  private(set) var issues: [CaptionIssue] = []
  private(set) var count = 0
  /// The gravest of those that are not kept.
  private var rest = CaptionIssue.Severity.note

  mutating func add(
    line: Int? = nil, time: Time? = nil, as severity: CaptionIssue.Severity = .warning,
    _ reason: @autoclosure () -> String
  ) {
    count += 1
    guard issues.count < Self.limit else {
      rest = max(rest, severity)
      return
    }
    issues.append(CaptionIssue(line: line, time: time, severity: severity, reason: reason()))
  }

  /// The issues; the last one tells how many more there were.
  var all: [CaptionIssue] {
    guard count > issues.count else { return issues }
    return issues
      + [CaptionIssue(severity: rest, reason: "\(count - issues.count) more of the like")]
  }
}
