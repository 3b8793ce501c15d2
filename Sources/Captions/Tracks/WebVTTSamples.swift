// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Samples of WebVTT in MP4 (ISO/IEC 14496-30): a box for each cue that is on the screen. The file's head, with the
/// regions, is in the sample entry.
enum WebVTTSamples {
  // MARK: Writing

  static func samples(
    _ captions: [Caption]
  ) throws(CinematicError) -> (samples: [CaptionTrack.Sample], losses: [CaptionIssue], head: String)
  {
    let free = FreeCaptions(captions, for: .webVTT)
    let written = WebVTTWriter.cues(free.captions)
    var losses = free.losses + written.losses
    // Equal regions may differ in what their identifiers do not tell.
    var cues: [Caption: [CodedCue]] = [:]
    let goesOn = captionsThatGoOn(free.captions)
    for (number, (caption, cue)) in zip(free.captions, written.cues).enumerated() {
      if !caption.comments.isEmpty {
        losses.append(
          CaptionIssue(
            time: caption.timeRange.start, severity: .note, reason: "comments are left out"))
      }
      var coded = CodedCue(region: caption.region, cue: cue)
      coded.source = goesOn[number] ? Int32(truncatingIfNeeded: number + 1) : nil
      // Of a cue that says no time, every sample has the same bytes.
      coded.bytes = caption.comesInParts ? nil : box(caption, coded).bytes
      cues[caption, default: []].append(coded)
    }
    let crowds = try CaptionGrouper.sampleGroups(of: free.captions)
    let samples = crowds.groups.map { group -> CaptionTrack.Sample in
      (
        group.timeRange,
        group.captions.flatMap { caption -> [UInt8] in
          guard
            let own = cues[caption]?.first(where: {
              CaptionRegion.areIdentical($0.region, caption.region)
            })
          else { return [] }
          return own.bytes ?? box(caption, own, sampleStart: group.timeRange.start).bytes
        }
      )
    }
    return (samples, losses + crowds.losses, written.head)
  }

  /// A cue as samples have it.
  private struct CodedCue {
    var region: CaptionRegion?
    var cue: WebVTTWriter.Cue
    /// The same in all samples that the cue goes on over; `nil` for a cue of one sample.
    var source: Int32?
    /// The whole box; `nil` where it differs from sample to sample.
    var bytes: [UInt8]?
  }

  /// Whether others begin or end while a caption is shown: it then is in more than one sample.
  private static func captionsThatGoOn(_ captions: [Caption]) -> [Bool] {
    let changes = captions.flatMap { [$0.timeRange.start, $0.timeRange.end] }.sorted()
    return captions.map { caption in
      // The first change behind its start.
      let next = changes.partitionPoint { $0 <= caption.timeRange.start }
      return next < changes.count && changes[next] < caption.timeRange.end
    }
  }

  /// - Parameter sampleStart: for a cue whose parts have times, which are those of the file, as this is.
  private static func box(
    _ caption: Caption, _ coded: CodedCue, sampleStart: Time? = nil
  ) -> Box {
    let cue = coded.cue
    var boxes: [Box] = []
    if let source = coded.source { boxes.append(Box("vsid") { $0.i32(source) }) }
    if let identifier = caption.identifier {
      boxes.append(Box("iden", data: Array(identifier.utf8)))
    }
    if let sampleStart { boxes.append(currentTime(sampleStart)) }
    if !cue.settings.isEmpty { boxes.append(Box("sttg", data: Array(cue.settings.utf8))) }
    boxes.append(Box("payl", data: Array(cue.text.utf8)))
    return Box("vttc", boxes)
  }

  /// Says which of the file's times a sample begins at.
  private static func currentTime(_ time: Time) -> Box {
    Box("ctim", data: Array(PlainText.text(time, separator: ".").utf8))
  }

  // MARK: Cutting

  /// A sample whose beginning is cut off: what its cues say of its start is moved with it.
  ///
  /// - Parameters:
  ///   - sample: at its times in the movie that it is of. Cues that say no time have those.
  ///   - start: when it begins there now.
  static func cut(_ sample: CaptionTrack.Sample, from start: Time) -> [UInt8] {
    guard let boxes = try? Box.prefix(sample.data[...], count: .max) else { return sample.data }
    let skipped = start - sample.timeRange.start
    return boxes.flatMap { box -> [UInt8] in
      guard box.type == "vttc", var parts = try? Box.prefix(box.data, count: .max) else {
        return box.bytes
      }
      if let index = parts.firstIndex(where: { $0.type == "ctim" }) {
        guard let own = time(parts[index]) else { return box.bytes }
        parts[index] = currentTime(own + skipped)
      } else if let index = parts.firstIndex(where: { $0.type == "payl" }),
        hasTimes(parts[index].data)
      {
        parts.insert(currentTime(start), at: index)
      } else {
        return box.bytes
      }
      return Box("vttc", parts).bytes
    }
  }

  private static func time(_ box: Box) -> Time? {
    PlainText.time(String(decoding: box.data, as: UTF8.self).trimmed[...])
  }

  /// Whether a cue's text has what looks like times of its parts.
  private static func hasTimes(_ text: ArraySlice<UInt8>) -> Bool {
    zip(text, text.dropFirst()).contains {
      $0 == UInt8(ascii: "<") && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($1)
    }
  }

  // MARK: Reading

  /// Ticks of the movie and milliseconds of the file are rounded: what differs by no more is one clock.
  private static let slack = Time(value: 2, timescale: 1000)

  static func captions(_ samples: [CaptionTrack.Sample], _ entry: Box) -> CaptionDocument {
    var joiner = CaptionJoiner(joinsBySource: samples.contains { hasSource($0.data) })
    // What is added to times of the file to have those of the movie.
    var offset = Time.zero
    var log = IssueLog()
    let regions = regions(entry, &log)
    for (range, data) in samples where !range.isEmpty {
      guard let boxes = try? Box.prefix(data[...], count: .max) else {
        log.add(time: range.start, as: .error, "a sample holds no WebVTT, and was skipped")
        continue
      }
      var shown: [Caption] = []
      var sources: [Int32?] = []
      for box in boxes where box.type == "vttc" {
        guard let parts = try? Box.prefix(box.data, count: .max) else {
          continue
        }
        func text(_ type: FourCC) -> String {
          parts.first { $0.type == type }.map { String(decoding: $0.data, as: UTF8.self) } ?? ""
        }
        // Times within the text as the file has them.
        let read = WebVTTReader.cue(
          text("payl"), settings: text("sttg"), start: "00:00:00.000", regions: regions)
        for issue in read.issues { log.add(time: range.start, as: issue.severity, issue.reason) }
        guard var caption = read.caption else { continue }
        caption.timeRange = range
        if caption.comesInParts {
          let said = parts.first { $0.type == "ctim" }.flatMap(time)
          let own = said.map { range.start - $0 } ?? .zero
          if max(own - offset, offset - own) > slack { offset = own }
          // A cue that goes on in the next sample has the same there.
          caption.revealTimes = caption.revealTimes.map { $0 > .zero ? $0 + offset : .zero }
        }
        caption.identifier = text("iden").isEmpty ? nil : text("iden")
        shown.append(caption)
        sources.append(source(parts))
      }
      joiner.add(shown, range, sources: sources)
    }
    let captions = joiner.all.map { caption -> Caption in
      var caption = caption
      let range = caption.timeRange
      caption.revealTimes = caption.revealTimes.map {
        $0 == .zero ? .zero : max(.zero, min($0 - range.start, range.duration))
      }
      return caption
    }
    return CaptionDocument(captions: captions, format: .webVTT, issues: log.all)
  }

  /// What is the same in all parts of a cue (ISO/IEC 14496-30, `vsid`); `nil` where the cue does not say.
  private static func source(_ parts: [Box]) -> Int32? {
    guard let box = parts.first(where: { $0.type == "vsid" }) else { return nil }
    var reader = ByteReader(box.data, box: "vsid")
    return try? reader.i32()
  }

  /// Whether any of a sample's cues says it.
  private static func hasSource(_ data: [UInt8]) -> Bool {
    guard let boxes = try? Box.prefix(data[...], count: .max) else { return false }
    return boxes.contains { box in
      guard box.type == "vttc", let parts = try? Box.prefix(box.data, count: .max) else {
        return false
      }
      return source(parts) != nil
    }
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

extension Caption {
  /// Whether parts of the text come later than others.
  fileprivate var comesInParts: Bool { revealTimes.contains { $0 > .zero } }
}
