// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Samples of 3GPP's timed text (TS 26.245) and of QuickTime's: a text, and styles of ranges of it. Where captions stand,
/// and the colour behind them, is said once, in the sample entry.
struct TimedTextSamples {
  private(set) var samples: [CaptionTrack.Sample] = []
  private(set) var losses: [CaptionIssue]
  let entry: Box

  private static let mostBytes = 0xFFFF
  private var told: Set<String> = []

  // MARK: Writing

  init(_ captions: [Caption], _ kind: CaptionTrack.Kind) throws(CinematicError) {
    let free = FreeCaptions(captions, for: .timedText)
    losses = free.losses
    let place = kind == .timedText ? Place.mostOften(in: free.captions) : .usual
    let background = kind == .timedText ? Self.commonBackground(of: free.captions) : nil
    entry =
      kind == .timedText
      ? SampleEntry.timedText(
        justification: (place.horizontal, place.vertical), background: background?.rgba ?? 0)
      : SampleEntry.text
    for caption in free.captions { tellLosses(of: caption, in: place, on: background) }
    let crowds = try CaptionGrouper.sampleGroups(of: free.captions)
    losses += crowds.losses
    samples = crowds.groups.map { ($0.timeRange, sample($0.captions)) }
  }

  private mutating func lose(
    _ caption: Caption, _ reason: String, _ severity: CaptionIssue.Severity = .warning
  ) {
    guard told.insert(reason).inserted else { return }
    losses.append(
      CaptionIssue(
        time: caption.timeRange.start, severity: severity, reason: "\(reason), here and later"))
  }

  /// The colour behind all text; `nil` if some of it has another one, or none.
  private static func commonBackground(of captions: [Caption]) -> Caption.Color? {
    let pieces = captions.flatMap(\.pieces).filter { !isBlank($0.text) }
    let colors = Set(pieces.map(\.style.backgroundColor))
    guard colors.count == 1, let color = colors.first else { return nil }
    return color
  }

  /// Whether a piece is nothing but blanks and line breaks, which files that colour each span leave without a colour.
  private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }

  private mutating func tellLosses(
    of caption: Caption, in place: Place, on background: Caption.Color?
  ) {
    let own = Place(caption)
    if own.vertical != place.vertical || !own.isExact {
      lose(caption, "captions stand at the \(place.vertical == 0 ? "top" : "bottom")")
    }
    if own.horizontal != place.horizontal {
      lose(
        caption,
        place.horizontal == 1
          ? "lines are centred" : "lines stand at the \(place.horizontal == 0 ? "left" : "right")")
    }
    if caption.region?.writingMode == .topToBottomAndRightToLeft {
      lose(caption, "vertical text is set in lines")
    }
    if caption.animation != .none { lose(caption, "characters come at once") }
    if caption.identifier != nil || !caption.comments.isEmpty {
      lose(caption, "identifiers and comments are left out", .note)
    }
    for piece in caption.pieces {
      if piece.style.ruby != nil { lose(caption, "ruby is left out") }
      if let color = piece.style.backgroundColor, !Self.isBlank(piece.text) {
        if color.alpha == 0 {
          lose(caption, "boxes that are transparent are left to the player", .note)
        } else if color != background {
          lose(caption, "boxes have the player's colour")
        }
      }
      if piece.style.decoration?.isDisjoint(with: [.lineThrough, .overline]) == false {
        lose(caption, "lines through and over text are left out")
      }
    }
  }

  private mutating func sample(_ captions: [Caption]) -> [UInt8] {
    var text = ""
    var records: [(start: Int, end: Int, style: Caption.Style)] = []
    var count = 0
    for caption in captions {
      var pieces = caption.pieces
      if count > 0 { pieces.insert(("\n", .plain), at: 0) }
      for piece in pieces {
        var part = piece.text
        let room = Self.mostBytes - text.utf8.count
        if part.utf8.count > room {
          lose(captions[0], "a text of more than \(Self.mostBytes) bytes is cut", .error)
          part = Self.prefix(part, bytes: room)
        }
        let start = count
        text += part
        count += part.unicodeScalars.count
        guard !Self.visible(piece.style).isPlain, count > start else { continue }
        records.append((start, count, piece.style))
      }
    }
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
          writer.u32((style.textColor ?? .white).rgba)
        }
      })
    return writer.bytes
  }

  /// As many whole characters as so many bytes of UTF-8 hold.
  private static func prefix(_ text: String, bytes: Int) -> String {
    var left = bytes
    return String(
      text.prefix { character in
        left -= character.utf8.count
        return left >= 0
      })
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
}

// MARK: - Places

extension TimedTextSamples {
  /// Where captions stand, as a sample entry says it.
  struct Place: Hashable {
    /// From the left 0, centred 1, to the right -1.
    var horizontal: Int8
    /// At the top 0, in the middle 1, at the bottom -1.
    var vertical: Int8
    /// Whether the caption stands at the screen's edge.
    var isExact = true

    static let usual = Place(horizontal: 1, vertical: -1)

    init(horizontal: Int8, vertical: Int8) {
      (self.horizontal, self.vertical) = (horizontal, vertical)
    }

    init(_ caption: Caption) {
      switch caption.shownAlignment {
      case .start, .left: horizontal = 0
      case .center: horizontal = 1
      case .end, .right: horizontal = -1
      }
      vertical = -1
      guard let region = caption.region, region.origin != nil else { return }
      if SubRipWriter.isInUpperHalf(region) { vertical = 0 }
      isExact = region.hasPlace(of: vertical == 0 ? .appleITTTop : .appleITTBottom)
    }

    /// The place of most captions.
    static func mostOften(in captions: [Caption]) -> Place {
      var counts: [Place: Int] = [:]
      for caption in captions {
        let own = Place(caption)
        counts[Place(horizontal: own.horizontal, vertical: own.vertical), default: 0] += 1
      }
      let most = counts.values.max() ?? 0
      // Of places as frequent, always the same one.
      return counts.filter { $0.value == most }.map(\.key)
        .min { ($0.vertical, -$0.horizontal) < ($1.vertical, -$1.horizontal) } ?? .usual
    }

    var region: CaptionRegion {
      switch vertical {
      case 0: .appleITTTop
      case 1:
        CaptionRegion(
          origin: .percent(0, 0), size: .percent(100, 100), displayAlignment: .center,
          textAlignment: .center)
      default: .subRipTextBottom
      }
    }

    /// `nil` for the region's own.
    var alignment: Caption.TextAlignment? {
      switch horizontal {
      case 0: .left
      case -1: .right
      default: nil
      }
    }
  }
}
