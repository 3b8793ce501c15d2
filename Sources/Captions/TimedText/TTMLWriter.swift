// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Writes iTT, and TTML in the IMSC text profile.
struct TTMLWriter {
  let isITT: Bool
  let rate: TimeCodeRate
  /// Whether times are frames of the rate; else seconds.
  let countsFrames: Bool
  /// Whether captions say when they are shown.
  private var isTimed = true
  private var losses: [CaptionIssue]
  private var told: Set<String> = []
  /// Those of the style, of regions and of captions.
  private var identifiers: Set<String> = ["normal"]
  var title: String?
  /// Where the first time was rounded, and by how much one was at most.
  private var rounding: (time: Time, amount: Double)?
  /// Whether there is what IMSC has from its version 1.1 on.
  var needsIMSC11 = false
  private(set) var regions: [(name: String, region: CaptionRegion)] = []
  /// Their names by all that they say.
  private var regionNames: [CaptionRegion.Properties: String] = [:]
  private var usedRegionNames: Set<String> = []
  /// Of names that several regions ask for, the last number behind one.
  private var lastNumbers: [String: Int] = [:]
  var body = ""

  static func write(
    _ document: CaptionDocument, _ options: CaptionWritingOptions, isITT: Bool,
    isTimed: Bool = true
  ) throws(CinematicError) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    let free = FreeCaptions(document.captions, for: isITT ? .itt : .ttml)
    let rate = options.timeCodeRate ?? document.timeCodeRate ?? .ntsc
    var countsFrames = isITT
    if !isITT, options.timeCodeRate ?? document.timeCodeRate != nil {
      countsFrames = !free.captions.allSatisfy {
        isDecimal($0.timeRange.start) && isDecimal($0.timeRange.end)
      }
    }
    var writer = TTMLWriter(
      isITT: isITT, rate: rate, countsFrames: countsFrames, losses: free.losses)
    writer.isTimed = isTimed
    writer.title = document.title
    writer.identifiers.formUnion(free.captions.compactMap { Self.region(of: $0).identifier })
    // Those of a region of iTT follow one another.
    writer.add(
      isITT
        ? free.captions.sorted { $0.timeRange.start < $1.timeRange.start } : free.captions)
    writer.tellRounding()
    if !isITT, let asked = options.timeCodeRate { writer.tellUnused(asked) }
    let text = writer.text(language: document.language)
    return (Array(text.utf8), writer.losses)
  }

  private init(isITT: Bool, rate: TimeCodeRate, countsFrames: Bool, losses: [CaptionIssue]) {
    self.isITT = isITT
    self.rate = rate
    self.countsFrames = countsFrames
    self.losses = losses
  }

  // MARK: Times

  /// Whether a time is one of whole microseconds.
  private static func isDecimal(_ time: Time) -> Bool { time.converted(to: 1_000_000) == time }

  /// A caption's begin and end in the file's units, at least one apart: readers skip what ends when it begins.
  private mutating func units(_ range: TimeRange) -> Range<Int64> {
    let start = unit(nearest: range.start)
    let end = unit(nearest: range.end)
    for (time, unit) in [(range.start, start), (range.end, end)] {
      let written = self.time(ofUnit: unit)
      if written != time { round(time, to: written) }
    }
    guard end <= start else { return start..<end }
    loseOnce(
      range.start, "a caption shorter than a \(countsFrames ? "frame" : "microsecond") lasts one",
      countsFrames ? .warning : .note)
    return start..<start + 1
  }

  /// Units are frames or microseconds. There is one behind each.
  private func unit(nearest time: Time) -> Int64 {
    countsFrames
      ? Int64(rate.frame(nearest: time)) : min(time.converted(to: 1_000_000).value, .max - 1)
  }

  private func time(ofUnit unit: Int64) -> Time {
    countsFrames ? rate.time(ofFrame: Int(unit)) : Time(value: unit, timescale: 1_000_000)
  }

  private func text(ofUnit unit: Int64) -> String {
    guard countsFrames else {
      let (seconds, fraction) = unit.quotientAndRemainder(dividingBy: 1_000_000)
      var digits = String(1_000_000 + fraction).dropFirst()
      while digits.count > 3, digits.last == "0" { digits.removeLast() }
      let whole = Int(seconds)
      return "\(two(whole / 3600)):\(two(whole / 60 % 60)):\(two(whole % 60)).\(digits)"
    }
    return isITT ? rate.label(of: Int(unit)).replacing(";", with: ":") : "\(unit)f"
  }

  private mutating func round(_ time: Time, to other: Time) {
    let amount = abs(time.seconds - other.seconds)
    rounding = (rounding?.time ?? time, max(rounding?.amount ?? 0, amount))
  }

  private mutating func tellRounding() {
    guard let (time, amount) = rounding else { return }
    let limit =
      amount < 0.001
      ? "less than a millisecond" : "\((amount * 1000).rounded(.up) / 1000) s at most"
    losses.append(
      CaptionIssue(
        time: time, severity: amount < 0.001 ? .note : .warning,
        reason: "times, here and later, are rounded to \(countsFrames ? "frames" : "microseconds"),"
          + " by \(limit)"))
  }

  /// Says what of a rate that was asked for TTML has no use for.
  private mutating func tellUnused(_ rate: TimeCodeRate) {
    let reason: String
    if !countsFrames {
      reason = "times are written in seconds, as whole microseconds hold them: no frame rate"
    } else if rate.dropMode != .nonDrop {
      reason = "times are numbers of frames, which have no labels to drop"
    } else {
      return
    }
    losses.append(CaptionIssue(severity: .note, reason: reason))
  }

  mutating func lose(
    _ start: Time, _ reason: String, _ severity: CaptionIssue.Severity = .warning
  ) {
    losses.append(CaptionIssue(time: start, severity: severity, reason: reason))
  }

  /// Tells something once.
  mutating func loseOnce(
    _ start: Time, _ reason: String, _ severity: CaptionIssue.Severity = .warning
  ) {
    if told.insert(reason).inserted { lose(start, "\(reason), here and later", severity) }
  }

  // MARK: Content

  private mutating func add(_ captions: [Caption]) {
    // In units of the file.
    var ends: [String: Int64] = [:]
    body.reserveCapacity(captions.count * 120)
    for caption in captions {
      let start = caption.timeRange.start
      if caption.timeRange.isEmpty {
        lose(start, "a caption of no duration is left out", .error)
        continue
      }
      if caption.animation != .none { loseOnce(start, "characters come at once") }
      if caption.region?.scroll == .rollUp { loseOnce(start, "lines of a region do not roll") }
      if !Self.isWritable(caption.region?.origin) || !Self.isWritable(caption.region?.size) {
        loseOnce(start, "the region's place is none, and is left out")
      }
      let units = isTimed ? units(caption.timeRange) : nil
      let region = regionName(Self.region(of: caption), caption)
      if isITT, let units {
        if let end = ends[region], units.lowerBound < end {
          lose(start, "captions overlap in one region, which iTT does not allow", .error)
        }
        ends[region] = max(ends[region] ?? 0, units.upperBound)
      }
      body += "\n      <p"
      if let name = caption.identifier {
        // Regions without a name have one with a number.
        let isRegion = name.hasPrefix("region") && name.dropFirst(6).allSatisfy(\.isNumber)
        if Self.identifier(name) == name, !isRegion, identifiers.insert(name).inserted {
          body += " xml:id=\"\(name)\""
        } else {
          loseOnce(
            start, "identifiers that XML does not have, or that stand twice, are left out", .note)
        }
      }
      if !caption.comments.isEmpty { loseOnce(start, "comments are left out", .note) }
      if let units {
        body += " begin=\"\(text(ofUnit: units.lowerBound))\""
        body += " end=\"\(text(ofUnit: units.upperBound))\""
      }
      body += " region=\"\(region)\""
      if let alignment = caption.textAlignment {
        body += " tts:textAlign=\"\(Self.text(alignment))\""
      }
      let whole = TTMLReader.collapsed(
        caption.pieces.flatMap { piece in
          Self.lines(piece.text).enumerated().flatMap { number, line in
            (number > 0 ? [Self.piece("\n", isBreak: true)] : []) + [Self.piece(line)]
          }
        }
      ).map(\.text).joined()
      let normalized = Self.lines(caption.text).joined(separator: "\n")
      if whole != normalized { body += " xml:space=\"preserve\"" }
      body += ">"
      for piece in caption.pieces { add(piece.text, piece.style, caption.timeRange.start) }
      body += "</p>"
    }
  }

  private mutating func regionName(_ region: CaptionRegion, _ caption: Caption) -> String {
    if let name = regionNames[region.properties] { return name }
    if isITT, region.displayAlignment == .center {
      lose(caption.timeRange.start, "iTT has no lines in a region's middle; they end there")
    }
    let wanted = Self.identifier(region.identifier ?? "region\(regions.count + 1)")
    var name = wanted
    if !usedRegionNames.insert(name).inserted {
      var number = lastNumbers[wanted] ?? 1
      var isFree = false
      while !isFree {
        number += 1
        name = "\(wanted)-\(number)"
        isFree = !usedRegionNames.contains(name) && !identifiers.contains(name)
      }
      usedRegionNames.insert(name)
      identifiers.insert(name)
      lastNumbers[wanted] = number
    }
    regions.append((name, region))
    regionNames[region.properties] = name
    return name
  }

  private static func piece(_ text: String, isBreak: Bool = false) -> TTMLReader.Piece {
    TTMLReader.Piece(
      text: text, style: .plain, begin: .zero, end: nil, preservesSpace: false, isBreak: isBreak)
  }

  private static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
  }

  private mutating func add(_ text: String, _ style: Caption.Style, _ start: Time) {
    let attributes = attributes(style)
    let content = escaped(text, start)
    if let ruby = style.ruby {
      let position = ruby.position == .before ? "before" : "after"
      let names = ["start", "center", "distributeSpaceBetween", "distributeSpaceAround"]
      let align = names[ruby.alignment.rawValue]
      let rubyText = escaped(ruby.text, start)
      if isITT {
        body +=
          "<span ry:kind=\"ruby\" ry:position=\"\(position)\" ry:align=\"\(align)\"\(attributes)>"
        body +=
          "<span ry:kind=\"rb\">\(content)</span><span ry:kind=\"rt\">\(rubyText)</span></span>"
      } else {
        // IMSC 1.1 has two alignments (8.4.9, #rubyAlign-minimal).
        needsIMSC11 = true
        let isCentred = ruby.alignment == .center || ruby.alignment == .start
        if ruby.alignment == .start || ruby.alignment == .distributeSpaceBetween {
          loseOnce(
            start,
            "IMSC has ruby centred or with space around it: '\(names[ruby.alignment.rawValue])' becomes"
              + " '\(isCentred ? "center" : "spaceAround")'")
        }
        let align = isCentred ? "center" : "spaceAround"
        body += "<span tts:ruby=\"container\" tts:rubyAlign=\"\(align)\"\(attributes)>"
        body += "<span tts:ruby=\"base\">\(content)</span>"
        body += "<span tts:ruby=\"text\" tts:rubyPosition=\"\(position)\">\(rubyText)</span></span>"
      }
      return
    }
    body += attributes.isEmpty ? content : "<span\(attributes)>\(content)</span>"
  }

  private mutating func attributes(_ style: Caption.Style) -> String {
    var text = ""
    if let color = style.textColor { text += " tts:color=\"\(ColorText.text(color))\"" }
    if let color = style.backgroundColor {
      text += " tts:backgroundColor=\"\(ColorText.text(color))\""
    }
    if let weight = style.fontWeight, weight != .unknown {
      text += " tts:fontWeight=\"\(weight == .bold ? "bold" : "normal")\""
    }
    if let fontStyle = style.fontStyle, fontStyle != .unknown {
      text += " tts:fontStyle=\"\(fontStyle == .italic ? "italic" : "normal")\""
    }
    if let decoration = style.decoration {
      var words: [String] = []
      if decoration.contains(.underline) { words.append("underline") }
      if decoration.contains(.lineThrough) { words.append("lineThrough") }
      if decoration.contains(.overline) { words.append("overline") }
      text += " tts:textDecoration=\"\(words.isEmpty ? "none" : words.joined(separator: " "))\""
    }
    if let combine = style.textCombine {
      let name: String
      switch combine {
      case .all: name = "all"
      case .none: name = "none"
      default: name = "digits \(combine.rawValue)"
      }
      needsIMSC11 = true
      text += isITT ? " vt:combine=\"\(name)\"" : " tts:textCombine=\"\(name)\""
    }
    return text
  }

  private mutating func escaped(_ text: String, _ start: Time) -> String {
    let (result, lost) = Self.escaped(text, lineBreak: "<br/>")
    if lost > 0 {
      lose(start, "\(lost) control characters, which XML does not have, are left out", .note)
    }
    return result
  }

  /// What the document has in its head, as text or in an attribute: its title, say.
  mutating func escaped(_ text: String, of name: String) -> String {
    let (result, lost) = Self.escaped(text, lineBreak: "&#10;")
    if lost > 0 {
      losses.append(
        CaptionIssue(
          severity: .note,
          reason:
            "\(lost) control characters of the \(name), which XML does not have, are left out"))
    }
    return result
  }

  /// A text as XML has it, and how many of its characters XML does not have.
  static func escaped(_ text: String, lineBreak: String) -> (text: String, lost: Int) {
    var result = ""
    var lost = 0
    for character in text {
      if character.isNewline {
        result += lineBreak
        continue
      }
      for scalar in character.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\t": result.unicodeScalars.append(scalar)
        case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": lost += 1
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return (result, lost)
  }
}
