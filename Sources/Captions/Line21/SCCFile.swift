// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Scenarist caption files.
enum SCCFile {
  /// Receivers that erase by themselves wait for 16 s at least (CTA-608-E, C.9).
  private static let longestSilence = 480

  static func read(
    _ bytes: [UInt8], channel: CEA608.Channel
  ) throws(CinematicError) -> CaptionDocument {
    var scanner = try SCCScanner(bytes)
    let sent = scanner.transmission()
    var tracker = ScreenTracker(channel: channel)
    for pair in sent { tracker.receive(pair) }
    let captions = tracker.finish(at: (sent.last?.frame ?? 0) + 1, silence: Self.longestSilence)
    let field = scanner.field(of: sent)
    let other: CEA608.Channel = channel == .one ? .two : .one
    if let line = firstLine(of: other, in: sent) {
      scanner.tell(
        line: line, "channel \(other.rawValue) has captions, too, which were not read")
    }
    let isDropFrame = scanner.lines.contains { $0.isDropFrame }
    var log = scanner.log
    if field == .two {
      log.add(
        as: .note,
        "the codes are those of field 2 (CC3 and CC4): channels 1 and 2 here are that field's")
    }
    if isDropFrame, scanner.lines.contains(where: { !$0.isDropFrame }) {
      log.add("some time codes count drop frame and some do not; each was read as it is")
    }
    var document = CaptionDocument(
      captions: captions, format: .scc, timeCodeRate: isDropFrame ? .ntscDrop : .ntsc,
      doublesControlCodes: SCCScanner.doublesControlCodes(sent), field: field,
      issues: (log.all + tracker.log.all + tracker.observer.faults.all)
        .sorted { ($0.line ?? .max) < ($1.line ?? .max) })
    document.transmission = tracker.observer.transmission
    return document
  }

  /// The first line with characters of a channel.
  static func firstLine(of channel: CEA608.Channel, in sent: [SCCScanner.Sent]) -> Int? {
    var isIts = false
    for one in sent {
      let first = UInt8(one.pair >> 8)
      if (0x10..<0x18).contains(first & ~8), first & 0x70 == 0x10 {
        isIts = (first & 8 == 0) == (channel == .one)
      } else if first < 0x10 {
        // What the programme is (CTA-608-E, 9): codes and characters of no channel.
        isIts = isIts && first == 0
      } else if isIts, first >= 0x20 {
        return one.line
      }
    }
    return nil
  }

  static func write(
    _ document: CaptionDocument, _ options: CaptionWritingOptions
  ) throws(CinematicError) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    var rate = options.timeCodeRate ?? .ntsc
    if options.timeCodeRate == nil, document.timeCodeRate == .ntscDrop { rate = .ntscDrop }
    let settings = try CaptionConversionSettings(
      timeCodeRate: rate, channel: options.channel,
      doublesControlCodes: document.doublesControlCodes)
    let planned = plan(
      document.captions, in: settings.channel, of: document.field,
      others: options.otherChannelCaptions, doubling: settings.doublesControlCodes)
    var losses = planned.losses + unseen(document)
    if let frame = firstOfAnotherDay(planned.sent, settings.timeCodeRate) {
      losses.append(
        CaptionIssue(
          time: settings.timeCodeRate.time(ofFrame: frame), severity: .error,
          reason: "time codes begin again at 24 hours, and do not say which day it is: captions,"
            + " here and later, come earlier in the file"))
    }
    return (
      bytes(planned.sent, settings.timeCodeRate),
      losses.sorted { ($0.time ?? .zero) < ($1.time ?? .zero) }
    )
  }

  /// The pairs of a field, in order.
  ///
  /// - Parameters:
  ///   - others: of the other channel, sent in the frames that the first one leaves.
  ///   - start: nothing is sent before it.
  static func plan(
    _ captions: [Caption], in channel: CEA608.Channel, of field: CEA608.Field, others: [Caption],
    doubling: Bool, start: Time = .zero
  ) -> (sent: [(frame: Int, pair: UInt16)], losses: [CaptionIssue]) {
    let conversion = CaptionConversion(captions, doubling: doubling, start: start)
    var sent = conversion.sent.map { (frame: $0.frame, pair: paired($0.pair, channel, field)) }
    var losses = issues(of: conversion)
    if !others.isEmpty {
      let other: CEA608.Channel = channel == .one ? .two : .one
      let second = CaptionConversion(
        others, doubling: doubling, start: start,
        in: SharedField(conversion.sent, controlCost: doubling ? 2 : 1))
      sent =
        (sent + second.sent.map { (frame: $0.frame, pair: paired($0.pair, other, field)) })
        .sorted { $0.frame < $1.frame }
      losses += issues(of: second).map { issue in
        var issue = issue
        issue.reason = "channel \(other.rawValue): \(issue.reason)"
        return issue
      }
    }
    return (sent, losses)
  }

  /// Names of captions and remarks, which line 21 has none of.
  private static func unseen(_ document: CaptionDocument) -> [CaptionIssue] {
    let named = document.captions.first {
      $0.identifier != nil || !$0.comments.isEmpty
    }
    guard named != nil || document.title != nil else { return [] }
    return [
      CaptionIssue(
        time: named?.timeRange.start, severity: .note,
        reason: "titles, identifiers and comments are left out")
    ]
  }

  /// The warnings and losses of a conversion.
  static func issues(of conversion: CaptionConversion) -> [CaptionIssue] {
    conversion.warnings.map { warning in
      CaptionIssue(
        time: warning.timeRange.start,
        severity: warning.adjustment == nil ? .error : .warning,
        reason: warning.adjustment.map {
          "\(warning.reason); it starts \(rounded($0.startTimeOffset.seconds)) s later, and its"
            + " duration changes by \(rounded($0.durationOffset.seconds)) s"
        } ?? "\(warning.reason); it is left out")
    } + conversion.losses
  }

  /// A pair of a channel: control codes name it, and commands the field (CTA-608-E, 8.4).
  private static func paired(
    _ pair: UInt16, _ channel: CEA608.Channel, _ field: CEA608.Field
  ) -> UInt16 {
    guard SharedField.isControl(pair) else { return pair }
    let isCommand = pair & 0x7FF0 == 0x1420
    return pair | (channel == .two ? 0x0800 : 0) | (isCommand && field == .two ? 0x0100 : 0)
  }

  /// The first frame that ``SCCScanner`` reads as one of an earlier day: a line from 24 hours on without another
  /// within 12 hours before it.
  private static func firstOfAnotherDay(
    _ sent: [(frame: Int, pair: UInt16)], _ rate: TimeCodeRate
  ) -> Int? {
    let day = rate.frame(hours: 24, minutes: 0, seconds: 0, frames: 0)
    var days = 0
    var last = 0
    var next: Int?
    for (frame, _) in sent {
      if frame != next {
        var read = frame % day + days * day
        if last - read > day / 2 {
          days += 1
          read += day
        }
        guard read == frame else { return frame }
        last = read
      }
      next = frame + 1
    }
    return nil
  }

  private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

  private static let hexadecimal = Array("0123456789abcdef".utf8)

  private static func bytes(
    _ sent: [(frame: Int, pair: UInt16)], _ rate: TimeCodeRate
  ) -> [UInt8] {
    var bytes = Array("Scenarist_SCC V1.0\n".utf8)
    bytes.reserveCapacity(sent.count * 5 + 1024)
    // Time codes begin again at midnight.
    let day = rate.frame(hours: 24, minutes: 0, seconds: 0, frames: 0)
    var next: Int?
    for (frame, pair) in sent {
      if frame == next {
        bytes.append(0x20)
      } else {
        bytes += "\(next == nil ? "" : "\n")\n\(rate.label(of: frame % day))\t".utf8
      }
      next = frame + 1
      let value = CEA608.withParity(pair)
      for shift in [12, 8, 4, 0] { bytes.append(hexadecimal[Int(value >> UInt16(shift) & 15)]) }
    }
    bytes.append(0x0A)
    return bytes
  }
}
