// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Samples of TTML in MP4 (ISO/IEC 14496-30): a document each, whose times are the track's, shown as long as its
/// sample.
///
/// Documents are written without times, so that samples can be cut and moved.
enum TTMLSamples {
  static func samples(
    _ document: CaptionDocument
  ) throws(CinematicError) -> (samples: [CaptionTrack.Sample], losses: [CaptionIssue]) {
    let free = FreeCaptions(document.captions, for: .ttml)
    var losses = free.losses
    var told: Set<String> = []
    var samples: [CaptionTrack.Sample] = []
    let crowds = try CaptionGrouper.sampleGroups(of: free.captions)
    losses += crowds.losses
    for group in crowds.groups {
      let shown = CaptionDocument(
        captions: group.captions, format: .ttml, language: document.language)
      let written = try TTMLWriter.write(
        shown, CaptionWritingOptions(), isITT: false, isTimed: false)
      for loss in written.losses where told.insert("\(loss)").inserted { losses.append(loss) }
      samples.append((group.timeRange, written.bytes))
    }
    return (samples, losses)
  }

  static func captions(_ samples: [CaptionTrack.Sample]) -> CaptionDocument {
    var joiner = CaptionJoiner()
    var log = IssueLog()
    var language: String?
    for (range, data) in samples where !range.isEmpty {
      guard !data.isEmpty,
        let document = try? TTMLReader.read(data, format: .ttml, end: range.end)
      else {
        if !data.isEmpty {
          log.add(time: range.start, as: .error, "a sample holds no TTML, and was skipped")
        }
        joiner.add([], range)
        continue
      }
      language = language ?? document.language
      for issue in document.issues { log.add(time: range.start, as: issue.severity, issue.reason) }
      joiner.add(
        document.captions.compactMap { caption in
          var caption = caption
          caption.timeRange = caption.timeRange.intersection(range)
          return caption.timeRange.isEmpty ? nil : caption
        }, range)
    }
    return CaptionDocument(
      captions: joiner.all, format: .ttml, language: language, issues: log.all)
  }
}
