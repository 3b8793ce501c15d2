// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore

/// Captions as JSON tells them.
enum CaptionReport {
  struct Issue: Encodable {
    var line: Int?
    var time: Double?
    var reason: String

    init(_ issue: CaptionIssue) {
      line = issue.line
      time = issue.time?.seconds
      reason = issue.reason
    }
  }

  struct Region: Encodable {
    var identifier: String?
    var x: Double?
    var y: Double?
    var width: Double?
    var height: Double?
    var units: String?
    var scroll: String?
    var vertical: Bool?

    init(_ region: CaptionRegion) {
      identifier = region.identifier
      x = region.origin?.x.value
      y = region.origin?.y.value
      width = region.size?.width.value
      height = region.size?.height.value
      units = region.origin.map { $0.x.units == .cells ? "cells" : "percent" }
      scroll = region.scroll == .rollUp ? "rollUp" : nil
      vertical = region.writingMode == .topToBottomAndRightToLeft ? true : nil
    }
  }

  struct Item: Encodable {
    var start: Double
    var end: Double
    var text: String
    var region: Region?
    var revealed: Bool?

    init(_ caption: Caption) {
      start = caption.timeRange.start.seconds
      end = caption.timeRange.end.seconds
      text = caption.text
      region = caption.region.map(Region.init)
      revealed = caption.animation == .characterReveal ? true : nil
    }
  }

  /// A file that was written.
  struct Written: Encodable {
    var output: String
    var captions: Int
    var issues: [Issue]
    var losses: [Issue]

    init(_ output: String, _ document: CaptionDocument, _ losses: [CaptionIssue] = []) {
      self.output = output
      captions = document.captions.count
      issues = document.issues.map(Issue.init)
      self.losses = losses.map(Issue.init)
    }
  }

  struct Rate: Encodable {
    var framesPerSecond: Double
    var dropMode: String

    init(_ rate: TimeCodeRate) {
      framesPerSecond = 1 / rate.frameDuration.seconds
      dropMode = rate.dropMode.rawValue
    }
  }

  struct Warning: Encodable {
    var kind: String
    var captions: [Int]
    var start: Double
    var end: Double
    /// Absent where no change helps.
    var startOffset: Double?
    var durationOffset: Double?
    var reason: String

    init(_ warning: CaptionConversionWarning) {
      kind = warning.kind.rawValue
      captions = warning.captions
      start = warning.timeRange.start.seconds
      end = warning.timeRange.end.seconds
      startOffset = warning.adjustment?.startTimeOffset.seconds
      durationOffset = warning.adjustment?.durationOffset.seconds
      reason = warning.reason
    }
  }

  /// `1:02:03.456`.
  static func clock(_ time: Time) -> String {
    let milliseconds = time.converted(to: 1000).value
    let (seconds, rest) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    func two(_ value: UInt64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return (milliseconds < 0 ? "-" : "") + "\(seconds / 3600):\(two(seconds / 60 % 60)):"
      + "\(two(seconds % 60)).\(String(1000 + rest).dropFirst())"
  }
}
