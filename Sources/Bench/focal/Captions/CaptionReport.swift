// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore

/// Captions as JSON tells them.
enum CaptionReport {
  struct Issue: Encodable {
    var line: Int?
    var time: Double?
    /// note, warning or error.
    var severity: String
    var reason: String

    init(_ issue: CaptionIssue) {
      line = issue.line
      time = issue.time?.seconds
      severity = issue.severity.rawValue
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
    var displayAlignment: String
    var textAlignment: String?

    init(_ region: CaptionRegion) {
      identifier = region.identifier
      x = region.origin?.x.value
      y = region.origin?.y.value
      width = region.size?.width.value
      height = region.size?.height.value
      units = region.origin.map { $0.x.units == .cells ? "cells" : "percent" }
      scroll = region.scroll == .rollUp ? "rollUp" : nil
      vertical = region.writingMode == .topToBottomAndRightToLeft ? true : nil
      displayAlignment = ["before", "center", "after"][region.displayAlignment.rawValue]
      textAlignment = region.textAlignment.map(CaptionReport.name)
    }
  }

  static func name(_ alignment: Caption.TextAlignment) -> String {
    ["start", "end", "center", "left", "right"][alignment.rawValue]
  }

  struct Ruby: Encodable {
    var text: String
    var position: String
    var alignment: String

    init(_ ruby: Caption.Ruby) {
      text = ruby.text
      position = ruby.position == .before ? "before" : "after"
      alignment =
        ["start", "center", "distributeSpaceBetween", "distributeSpaceAround"][
          ruby.alignment.rawValue]
    }
  }

  /// A part of a text that is not plain.
  struct Styled: Encodable {
    var text: String
    /// Characters before it, and in it.
    var start: Int
    var count: Int
    var bold: Bool?
    var italic: Bool?
    var decoration: [String]?
    var color: String?
    var background: String?
    /// Digits that stand side by side; -1 for all characters.
    var combine: Int?
    var ruby: Ruby?

    init(_ text: String, start: Int, _ style: Caption.Style) {
      self.text = text
      self.start = start
      count = text.count
      bold = style.fontWeight.map { $0 == .bold }
      italic = style.fontStyle.map { $0 == .italic }
      decoration = style.decoration.map { decoration in
        [
          (Caption.Decoration.underline, "underline"), (.lineThrough, "lineThrough"),
          (.overline, "overline"),
        ]
        .filter { decoration.contains($0.0) }.map(\.1)
      }
      color = style.textColor.map(ColorText.text)
      background = style.backgroundColor.map(ColorText.text)
      combine = style.textCombine?.rawValue
      ruby = style.ruby.map(Ruby.init)
    }
  }

  struct Item: Encodable {
    var start: Double
    var end: Double
    var text: String
    var textAlignment: String?
    var identifier: String?
    var comments: [String]?
    /// How CEA-608 shows a caption in cells: popOn, paintOn or rollUp.
    var mode: String?
    var styles: [Styled]?
    var region: Region?
    var revealed: Bool?
    /// Seconds after the start that each character comes.
    var revealTimes: [Double]?

    init(_ caption: Caption) {
      start = caption.timeRange.start.seconds
      end = caption.timeRange.end.seconds
      text = caption.text
      region = caption.region.map(Region.init)
      textAlignment = caption.textAlignment.map(CaptionReport.name)
      identifier = caption.identifier
      comments = caption.comments.isEmpty ? nil : caption.comments
      if caption.isInCells {
        let isRolling = caption.region?.scroll == .rollUp
        mode = isRolling ? "rollUp" : caption.animation == .none ? "popOn" : "paintOn"
      }
      var position = 0
      let styled = caption.pieces.compactMap { piece -> Styled? in
        defer { position += piece.text.count }
        return piece.style.isPlain ? nil : Styled(piece.text, start: position, piece.style)
      }
      styles = styled.isEmpty ? nil : styled
      revealed = caption.animation == .characterReveal ? true : nil
      revealTimes = caption.revealTimes.isEmpty ? nil : caption.revealTimes.map(\.seconds)
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

  /// How a file of line 21 sends its captions.
  struct Transmission: Encodable {
    struct Load: Encodable {
      var line: Int
      var start: Double
      var shown: Double
      /// Frames, a pair of bytes each.
      var pairs: Int
      /// How much later it is shown than its time code says.
      var delay: Double
    }
    var pairs: Int
    var loads: [Load]
    var issues: [Issue]

    init(_ transmission: CaptionTransmission) {
      pairs = transmission.pairCount
      loads = transmission.loads.map {
        Load(
          line: $0.line, start: $0.start.seconds, shown: $0.shown.seconds, pairs: $0.pairCount,
          delay: $0.delay.seconds)
      }
      issues = transmission.issues.map(Issue.init)
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
