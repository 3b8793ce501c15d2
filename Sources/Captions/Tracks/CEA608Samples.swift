// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Samples of CEA-608 in movies: boxes with pairs of bytes, one a frame of 29.97 a second; `cdat` of the first field,
/// `cdt2` of the second.
enum CEA608Samples {
  private static let clock = TimeCodeRate.ntsc

  // MARK: Writing

  static func samples(
    _ document: CaptionDocument
  ) -> (samples: [CaptionTrack.Sample], losses: [CaptionIssue]) {
    let planned = SCCFile.plan(
      document.captions, in: .one, of: .one, others: [], doubling: document.doublesControlCodes)
    var losses = planned.losses
    if document.field == .two {
      losses.append(CaptionIssue(reason: "captions of field 2 become those of field 1"))
    }
    return (samples([(.one, planned.sent)]), losses)
  }

  private static func samples(
    _ fields: [(field: CEA608.Field, sent: [(frame: Int, pair: UInt16)])]
  ) -> [CaptionTrack.Sample] {
    var frames: [Int: [UInt8]] = [:]
    for (field, sent) in fields {
      for (frame, pair) in sent {
        let coded = CEA608.withParity(pair)
        let box = Box(type(of: field), data: [UInt8(coded >> 8), UInt8(coded & 0xFF)])
        frames[frame, default: []] += box.bytes
      }
    }
    return frames.sorted { $0.key < $1.key }.map { frame, bytes in
      (TimeRange(start: clock.time(ofFrame: frame), end: clock.time(ofFrame: frame + 1)), bytes)
    }
  }

  private static func type(of field: CEA608.Field) -> FourCC { field == .one ? "cdat" : "cdt2" }

  // MARK: Parts

  /// The captions of a part, sent within it: the codes of the first of them may lie before.
  static func part(
    of samples: [CaptionTrack.Sample], in range: TimeRange
  ) -> (samples: [CaptionTrack.Sample], losses: [CaptionIssue]) {
    var log = IssueLog()
    var losses: [CaptionIssue] = []
    var fields: [(field: CEA608.Field, sent: [(frame: Int, pair: UInt16)])] = []
    var start = clock.frame(nearest: range.start)
    if clock.time(ofFrame: start) < range.start { start += 1 }
    for field in CEA608.Field.allCases {
      let (sent, end) = pairs(of: samples, field, &log)
      let channels = CEA608.Channel.allCases.map { channel -> [Caption] in
        var tracker = ScreenTracker(channel: channel)
        for pair in sent { tracker.receive(pair) }
        let captions = tracker.finish(at: end)
        losses += told(tracker.log.all)
        return captions.compactMap { $0.part(in: range) }
      }
      let planned = SCCFile.plan(
        channels[0], in: .one, of: field, others: channels[1],
        doubling: SCCScanner.doublesControlCodes(sent), start: clock.time(ofFrame: start))
      fields.append((field, planned.sent))
      losses += planned.losses
    }
    return (Self.samples(fields), log.all + losses)
  }

  // MARK: Reading

  static func captions(
    _ samples: [CaptionTrack.Sample], _ options: CaptionReadingOptions
  ) -> CaptionDocument {
    var log = IssueLog()
    let first = pairs(of: samples, .one, &log)
    // Faults of samples are told once.
    var rest = IssueLog()
    let second = pairs(of: samples, .two, &rest)
    func hasText(_ sent: [SCCScanner.Sent]) -> Bool {
      CEA608.Channel.allCases.contains { SCCFile.firstLine(of: $0, in: sent) != nil }
    }
    let isSecond =
      options.field.map { $0 == .two } ?? (!hasText(first.sent) && hasText(second.sent))
    let (sent, end) = isSecond ? second : first
    let otherField = isSecond ? first.sent : second.sent
    let other: CEA608.Channel = options.channel == .one ? .two : .one
    if SCCFile.firstLine(of: other, in: sent) != nil {
      log.add("channel \(other.rawValue) has captions, too, which were not read")
    }
    if hasText(otherField) {
      log.add("field \(isSecond ? 1 : 2) has captions, too, which were not read")
    }
    var tracker = ScreenTracker(channel: options.channel)
    for pair in sent { tracker.receive(pair) }
    let captions = tracker.finish(at: end)
    var document = CaptionDocument(
      captions: captions, format: .scc, timeCodeRate: .ntsc,
      doublesControlCodes: SCCScanner.doublesControlCodes(sent), field: isSecond ? .two : .one,
      issues: log.all + told(tracker.log.all + tracker.observer.faults.all))
    document.transmission = tracker.observer.transmission
    return document
  }

  /// Lines of a file are samples here.
  private static func told(_ issues: [CaptionIssue]) -> [CaptionIssue] {
    issues.map { CaptionIssue(time: $0.time, severity: $0.severity, reason: $0.reason) }
  }

  /// The pairs of a field, and the frame that the track ends at.
  private static func pairs(
    of samples: [CaptionTrack.Sample], _ field: CEA608.Field, _ log: inout IssueLog
  ) -> (sent: [SCCScanner.Sent], end: Int) {
    var sent: [SCCScanner.Sent] = []
    var next = Int.min
    for (number, sample) in samples.enumerated() {
      guard let boxes = try? Box.prefix(sample.data[...], count: .max) else {
        log.add(
          time: sample.timeRange.start, as: .error,
          "a sample holds no pairs of bytes, and was skipped")
        continue
      }
      for box in boxes where box.type == type(of: field) {
        let bytes = Array(box.data)
        var frame = max(next, clock.frame(nearest: sample.timeRange.start))
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
          let pair = (UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])) & 0x7F7F
          if pair != 0 { sent.append(SCCScanner.Sent(frame: frame, pair: pair, line: number + 1)) }
          frame += 1
        }
        next = frame
      }
    }
    let end = samples.last.map { clock.frame(nearest: $0.timeRange.end) } ?? 0
    return (sent, max(end, next == .min ? 0 : next))
  }
}

extension Caption {
  /// The caption as a part of a movie shows it, at the same times; `nil` for one that is not in it.
  fileprivate func part(in range: TimeRange) -> Caption? {
    var part = self
    part.timeRange = timeRange.intersection(range)
    guard !part.timeRange.isEmpty else { return nil }
    let gone = part.timeRange.start - timeRange.start
    part.revealTimes = revealTimes.map { max(.zero, $0 - gone) }
    if gone > .zero, region?.scroll != .rollUp, part.revealTimes.allSatisfy({ $0 == .zero }) {
      (part.animation, part.revealTimes) = (.none, [])
    }
    return part
  }
}
