// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Samples of CEA-608 in movies: a box `cdat` with pairs of bytes, one a frame of 29.97 a second.
enum CEA608Samples {
  static func samples(
    _ document: CaptionDocument
  ) -> (samples: [CaptionTrack.Sample], losses: [CaptionIssue]) {
    let conversion = CaptionConversion(
      document.captions, doubling: document.doublesControlCodes)
    let clock = TimeCodeRate.ntsc
    let samples = conversion.sent.map { sent -> CaptionTrack.Sample in
      let pair = CEA608.withParity(sent.pair)
      let box = Box("cdat", data: [UInt8(pair >> 8), UInt8(pair & 0xFF)])
      return (
        TimeRange(start: clock.time(ofFrame: sent.frame), end: clock.time(ofFrame: sent.frame + 1)),
        box.bytes
      )
    }
    var losses = SCCFile.issues(of: conversion)
    if document.field == .two {
      losses.append(CaptionIssue(reason: "captions of field 2 become those of field 1"))
    }
    return (samples, losses)
  }

  static func captions(_ samples: [CaptionTrack.Sample]) -> CaptionDocument {
    let clock = TimeCodeRate.ntsc
    var tracker = ScreenTracker(channel: .one)
    var log = IssueLog()
    var next = Int.min
    for (number, sample) in samples.enumerated() {
      guard let boxes = try? Box.prefix(sample.data[...], count: .max) else {
        log.add(
          time: sample.timeRange.start, as: .error,
          "a sample holds no pairs of bytes, and was skipped")
        continue
      }
      // The second field has other channels.
      for box in boxes where box.type == "cdat" {
        let bytes = Array(box.data)
        var frame = max(next, clock.frame(nearest: sample.timeRange.start))
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
          let pair = (UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])) & 0x7F7F
          if pair != 0 {
            tracker.receive(SCCScanner.Sent(frame: frame, pair: pair, line: number + 1))
          }
          frame += 1
        }
        next = frame
      }
    }
    let end = samples.last.map { clock.frame(nearest: $0.timeRange.end) } ?? 0
    let captions = tracker.finish(at: max(end, next == .min ? 0 : next))
    // Lines of a file are samples here.
    let told = (tracker.log.all + tracker.observer.faults.all).map {
      CaptionIssue(time: $0.time, severity: $0.severity, reason: $0.reason)
    }
    var document = CaptionDocument(
      captions: captions, format: .scc, timeCodeRate: .ntsc, issues: log.all + told)
    document.transmission = tracker.observer.transmission
    return document
  }
}
