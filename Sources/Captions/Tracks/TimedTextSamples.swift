// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Samples of 3GPP's timed text (TS 26.245) and of QuickTime's: a text, and styles of ranges of it.
enum TimedTextSamples {
  // MARK: Writing

  static func samples(
    _ captions: [Caption]
  ) -> (samples: [CaptionTrack.Sample], losses: [CaptionIssue]) {
    let free = FreeCaptions(captions, for: .timedText)
    var losses = free.losses
    var told: Set<String> = []
    func lose(
      _ caption: Caption, _ reason: String, _ severity: CaptionIssue.Severity = .warning
    ) {
      guard told.insert(reason).inserted else { return }
      losses.append(
        CaptionIssue(
          time: caption.timeRange.start, severity: severity, reason: "\(reason), here and later"))
    }
    for caption in free.captions {
      if let region = caption.region, !region.hasPlace(of: .appleITTBottom), region.origin != nil {
        lose(caption, "captions stand at the bottom")
      }
      if caption.animation != .none { lose(caption, "characters come at once") }
      if caption.identifier != nil || !caption.comments.isEmpty {
        lose(caption, "identifiers and comments are left out", .note)
      }
      for piece in caption.pieces {
        if piece.style.ruby != nil { lose(caption, "ruby is left out") }
        if piece.style.backgroundColor != nil { lose(caption, "boxes have the player's colour") }
        if piece.style.decoration?.isDisjoint(with: [.lineThrough, .overline]) == false {
          lose(caption, "lines through and over text are left out")
        }
      }
    }
    let samples = CaptionGrouper.groups(of: free.captions).filter { !$0.captions.isEmpty }
      .map { group in (group.timeRange, sample(group.captions)) }
    return (samples, losses)
  }

  private static func sample(_ captions: [Caption]) -> [UInt8] {
    var text = ""
    var records: [(start: Int, end: Int, style: Caption.Style)] = []
    for caption in captions {
      if !text.isEmpty { text += "\n" }
      for piece in caption.pieces {
        let start = text.unicodeScalars.count
        text += piece.text
        guard !visible(piece.style).isPlain else { continue }
        records.append((start, text.unicodeScalars.count, piece.style))
      }
    }
    guard text.utf8.count <= 0xFFFF, records.count <= 0xFFFF, text.unicodeScalars.count <= 0xFFFF
    else { return SampleEntry.textSample(String(text.prefix(4096))) }
    var writer = ByteWriter()
    writer.append(SampleEntry.textSample(text))
    guard !records.isEmpty else { return writer.bytes }
    writer.box(
      Box("styl") { writer in
        writer.u16(UInt16(records.count))
        for (start, end, style) in records {
          writer.u16(UInt16(start))
          writer.u16(UInt16(end))
          writer.u16(1)
          writer.u8(
            (style.fontWeight == .bold ? 1 : 0) | (style.fontStyle == .italic ? 2 : 0)
              | (style.decoration?.contains(.underline) == true ? 4 : 0))
          writer.u8(18)
          let color = style.textColor ?? .white
          for part in [color.red, color.green, color.blue, color.alpha] { writer.u8(part) }
        }
      })
    return writer.bytes
  }

  /// A style less what the samples do not have.
  private static func visible(_ style: Caption.Style) -> Caption.Style {
    var visible = Caption.Style()
    visible.fontWeight = style.fontWeight == .bold ? .bold : nil
    visible.fontStyle = style.fontStyle == .italic ? .italic : nil
    visible.decoration = style.decoration?.contains(.underline) == true ? .underline : nil
    visible.textColor = style.textColor == .white ? nil : style.textColor
    return visible
  }

  // MARK: Reading

  static func captions(_ samples: [CaptionTrack.Sample]) -> CaptionDocument {
    var joiner = CaptionJoiner()
    for (range, data) in samples where !range.isEmpty {
      guard let text = SampleEntry.text(ofSample: data), !text.isEmpty else {
        joiner.add([], range)
        continue
      }
      var caption = Caption(text, timeRange: range)
      caption.region = .subRipTextBottom
      for (start, end, style) in styles(data) {
        let scalars = caption.text.unicodeScalars
        guard start < end,
          let from = scalars.index(
            scalars.startIndex, offsetBy: start, limitedBy: scalars.endIndex),
          let to = scalars.index(scalars.startIndex, offsetBy: end, limitedBy: scalars.endIndex)
        else { continue }
        caption.changeStyle(in: from..<to) { $0 = style }
      }
      joiner.add([caption], range)
    }
    return CaptionDocument(captions: joiner.all, format: .subRip)
  }

  private static func styles(_ data: [UInt8]) -> [(Int, Int, Caption.Style)] {
    guard data.count > 2 else { return [] }
    let count = Int(data[0]) << 8 | Int(data[1])
    guard data.count > 2 + count,
      let boxes = try? Box.prefix(data[(2 + count)...], count: .max),
      let records = boxes.first(where: { $0.type == "styl" })
    else { return [] }
    var reader = ByteReader(records.data, box: "styl")
    guard let number = try? reader.u16() else { return [] }
    var styles: [(Int, Int, Caption.Style)] = []
    for _ in 0..<number {
      guard let start = try? reader.u16(), let end = try? reader.u16(),
        (try? reader.skip(2)) != nil, let face = try? reader.u8(), (try? reader.skip(1)) != nil,
        let color = try? reader.u32()
      else { break }
      var style = Caption.Style()
      if face & 1 != 0 { style.fontWeight = .bold }
      if face & 2 != 0 { style.fontStyle = .italic }
      if face & 4 != 0 { style.decoration = .underline }
      let own = Caption.Color(
        red: UInt8(color >> 24), green: UInt8(color >> 16 & 255), blue: UInt8(color >> 8 & 255),
        alpha: UInt8(color & 255))
      if own != .white, own.alpha > 0 { style.textColor = own }
      styles.append((Int(start), Int(end), style))
    }
    return styles
  }
}
