// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A caption of a container that has them one by one, as Matroska does: the text as a file of its format has it.
package struct CaptionPacket: Sendable {
  package var timeRange: TimeRange
  package var text: String
  /// Of WebVTT: where the cue stands.
  package var settings: String
  /// Of WebVTT: the cue's name; empty for none.
  package var identifier: String

  package init(
    timeRange: TimeRange, text: String, settings: String = "", identifier: String = ""
  ) {
    self.timeRange = timeRange
    self.text = text
    self.settings = settings
    self.identifier = identifier
  }
}

extension CaptionDocument {
  /// The captions of packets, styles and places included.
  ///
  /// - Parameter format: WebVTT; SubRip for all else.
  package init(packets: [CaptionPacket], format: CaptionFormat) {
    var captions: [Caption] = []
    var log = IssueLog()
    for packet in packets where !packet.timeRange.isEmpty {
      let start = packet.timeRange.start
      guard format == .webVTT else {
        let text = packet.text.replacing("\r\n", with: "\n")
        let read = SubRipReader.caption(text, packet.timeRange)
        for (severity, reason) in read.skipped { log.add(time: start, as: severity, reason) }
        if let caption = read.caption { captions.append(caption) }
        continue
      }
      let read = WebVTTReader.cue(
        packet.text, settings: packet.settings, start: PlainText.text(start, separator: "."))
      for issue in read.issues { log.add(time: start, as: issue.severity, issue.reason) }
      guard var caption = read.caption else { continue }
      caption.timeRange = packet.timeRange
      caption.identifier = packet.identifier.isEmpty ? nil : packet.identifier
      captions.append(caption)
    }
    self.init(captions: captions, format: format, issues: log.all)
  }
}
