// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Samples of WebVTT in MP4 (ISO/IEC 14496-30): a box for each cue that is on the screen.
enum WebVTTSamples {
  static func samples(
    _ captions: [Caption]
  ) -> (samples: [CaptionTrack.Sample], losses: [CaptionIssue]) {
    let free = FreeCaptions(captions, for: .webVTT)
    var losses = free.losses
    // One cue a document: its line of settings and its text.
    var cues: [Caption: Box] = [:]
    for caption in free.captions where cues[caption] == nil {
      var one = caption
      one.timeRange = TimeRange(start: .zero, duration: caption.timeRange.duration)
      let written = WebVTTWriter.write(CaptionDocument(captions: [one], format: .webVTT))
      losses += written.losses.filter { !$0.reason.contains("rounded") }.map {
        CaptionIssue(time: caption.timeRange.start, severity: $0.severity, reason: $0.reason)
      }
      if !caption.comments.isEmpty {
        losses.append(
          CaptionIssue(
            time: caption.timeRange.start, severity: .note, reason: "comments are left out"))
      }
      cues[caption] = cue(
        String(decoding: written.bytes, as: UTF8.self), identifier: caption.identifier)
    }
    let samples = CaptionGrouper.groups(of: free.captions).filter { !$0.captions.isEmpty }
      .map { group -> CaptionTrack.Sample in
        (group.timeRange, group.captions.compactMap { cues[$0]?.bytes }.flatMap { $0 })
      }
    return (samples, losses)
  }

  private static func cue(_ document: String, identifier: String?) -> Box? {
    let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
    guard let head = lines.firstIndex(where: { $0.contains(" --> ") }) else { return nil }
    let settings = lines[head].split(separator: " ").dropFirst(3).joined(separator: " ")
    let text = lines[(head + 1)...].prefix { !$0.isEmpty }.joined(separator: "\n")
    var boxes: [Box] = []
    if let identifier { boxes.append(Box("iden", data: Array(identifier.utf8))) }
    if !settings.isEmpty { boxes.append(Box("sttg", data: Array(settings.utf8))) }
    boxes.append(Box("payl", data: Array(text.utf8)))
    return Box("vttc", boxes)
  }

  static func captions(_ samples: [CaptionTrack.Sample]) -> CaptionDocument {
    var joiner = CaptionJoiner()
    var log = IssueLog()
    for (range, data) in samples where !range.isEmpty {
      guard let boxes = try? Box.prefix(data[...], count: .max) else {
        log.add(time: range.start, as: .error, "a sample holds no WebVTT, and was skipped")
        continue
      }
      var shown: [Caption] = []
      for box in boxes where box.type == "vttc" {
        guard let parts = try? Box.prefix(box.data, count: .max) else {
          continue
        }
        func text(_ type: FourCC) -> String {
          parts.first { $0.type == type }.map { String(decoding: $0.data, as: UTF8.self) } ?? ""
        }
        let settings = text("sttg").replacing("\n", with: " ")
        // Empty lines would end the cue.
        let body = text("payl").split(whereSeparator: \.isNewline).joined(separator: "\n")
        let document = "WEBVTT\n\n00:00:00.000 --> 99:00:00.000 \(settings)\n\(body)\n"
        guard let read = try? WebVTTReader.read(Array(document.utf8)) else { continue }
        for issue in read.issues { log.add(time: range.start, as: issue.severity, issue.reason) }
        for var caption in read.captions {
          caption.timeRange = range
          caption.identifier = text("iden").isEmpty ? nil : text("iden")
          shown.append(caption)
        }
      }
      joiner.add(shown, range)
    }
    return CaptionDocument(captions: joiner.all, format: .webVTT, issues: log.all)
  }
}
