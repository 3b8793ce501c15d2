// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Samples of WebVTT in MP4 (ISO/IEC 14496-30): a box for each cue that is on the screen. The file's head, with the
/// regions, is in the sample entry.
enum WebVTTSamples {
  // MARK: Writing

  static func samples(
    _ captions: [Caption]
  ) -> (samples: [CaptionTrack.Sample], losses: [CaptionIssue], head: String) {
    let free = FreeCaptions(captions, for: .webVTT)
    let written = WebVTTWriter.cues(free.captions)
    var losses = free.losses + written.losses
    // Equal regions may differ in what their identifiers do not tell.
    var boxes: [Caption: [(region: CaptionRegion?, bytes: [UInt8])]] = [:]
    for (caption, cue) in zip(free.captions, written.cues) {
      if !caption.comments.isEmpty {
        losses.append(
          CaptionIssue(
            time: caption.timeRange.start, severity: .note, reason: "comments are left out"))
      }
      boxes[caption, default: []].append((caption.region, box(caption, cue).bytes))
    }
    let crowds = CaptionGrouper.sampleGroups(of: free.captions)
    let samples = crowds.groups.map { group -> CaptionTrack.Sample in
      (
        group.timeRange,
        group.captions.flatMap { caption in
          boxes[caption]?.first { CaptionRegion.areIdentical($0.region, caption.region) }?.bytes
            ?? []
        }
      )
    }
    return (samples, losses + crowds.losses, written.head)
  }

  private static func box(_ caption: Caption, _ cue: WebVTTWriter.Cue) -> Box {
    var boxes: [Box] = []
    if let identifier = caption.identifier {
      boxes.append(Box("iden", data: Array(identifier.utf8)))
    }
    // Times within the text are of the file; this is when the cue begins there.
    if caption.revealTimes.contains(where: { $0 > .zero }) {
      let start = PlainText.text(caption.timeRange.start, separator: ".")
      boxes.append(Box("ctim", data: Array(start.utf8)))
    }
    if !cue.settings.isEmpty { boxes.append(Box("sttg", data: Array(cue.settings.utf8))) }
    boxes.append(Box("payl", data: Array(cue.text.utf8)))
    return Box("vttc", boxes)
  }

  // MARK: Reading

  static func captions(_ samples: [CaptionTrack.Sample], _ entry: Box) -> CaptionDocument {
    var joiner = CaptionJoiner()
    var log = IssueLog()
    let regions = regions(entry, &log)
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
        let own = text("ctim").trimmed
        let isTime = PlainText.time(own[...]) != nil
        let read = WebVTTReader.cue(
          text("payl"), settings: text("sttg"),
          start: isTime ? own : PlainText.text(range.start, separator: "."), regions: regions)
        for issue in read.issues { log.add(time: range.start, as: issue.severity, issue.reason) }
        guard var caption = read.caption else { continue }
        caption.timeRange = range
        caption.identifier = text("iden").isEmpty ? nil : text("iden")
        shown.append(caption)
      }
      joiner.add(shown, range)
    }
    return CaptionDocument(captions: joiner.all, format: .webVTT, issues: log.all)
  }

  /// The regions of the file's head, in the sample entry.
  private static func regions(_ entry: Box, _ log: inout IssueLog) -> [String: CaptionRegion] {
    // Behind what every entry begins with.
    let content = entry.bytes[...].dropFirst(entry.headerSize + 8)
    guard let boxes = try? Box.prefix(content, count: .max),
      let head = boxes.first(where: { $0.type == "vttC" }),
      let read = try? WebVTTReader.head(Array(head.data))
    else { return [:] }
    for issue in read.issues { log.add(as: issue.severity, issue.reason) }
    return read.regions
  }
}
