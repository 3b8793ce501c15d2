// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Writes iTT, and TTML in the IMSC text profile.
struct TTMLWriter {
  private let isITT: Bool
  private let rate: TimeCodeRate
  /// Whether times are frames of the rate; else seconds.
  private let countsFrames: Bool
  /// Whether captions say when they are shown.
  private var isTimed = true
  private var losses: [CaptionIssue]
  private var regions: [(name: String, region: CaptionRegion)] = []
  private var body = ""

  static func write(
    _ document: CaptionDocument, _ options: CaptionWritingOptions, isITT: Bool,
    isTimed: Bool = true
  ) throws(CinematicError) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    let free = FreeCaptions(document.captions)
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
    writer.add(free.captions)
    return (Array(writer.text(language: document.language).utf8), writer.losses)
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

  private mutating func time(_ time: Time) -> String {
    guard countsFrames else {
      let micro = time.converted(to: 1_000_000)
      if micro != time {
        losses.append(CaptionIssue(time: time, reason: "the time is rounded to a microsecond"))
      }
      let (seconds, fraction) = micro.value.quotientAndRemainder(dividingBy: 1_000_000)
      var digits = String(1_000_000 + fraction).dropFirst()
      while digits.count > 3, digits.last == "0" { digits.removeLast() }
      let whole = Int(seconds)
      return "\(two(whole / 3600)):\(two(whole / 60 % 60)):\(two(whole % 60)).\(digits)"
    }
    let frame = rate.frame(nearest: time)
    if rate.time(ofFrame: frame) != time {
      losses.append(CaptionIssue(time: time, reason: "the time is rounded to a frame"))
    }
    return isITT ? rate.label(of: frame).replacing(";", with: ":") : "\(frame)f"
  }

  // MARK: Content

  private mutating func add(_ captions: [Caption]) {
    var ends: [String: Time] = [:]
    body.reserveCapacity(captions.count * 120)
    for caption in captions {
      if caption.timeRange.isEmpty {
        losses.append(
          CaptionIssue(
            time: caption.timeRange.start, reason: "a caption of no duration is left out"))
        continue
      }
      if caption.animation != .none, !caption.isInCells {
        losses.append(
          CaptionIssue(time: caption.timeRange.start, reason: "characters come at once"))
      }
      let name = caption.region.map { regionName($0, caption) }
      if isITT {
        let key = name ?? ""
        if let end = ends[key], caption.timeRange.start < end {
          losses.append(
            CaptionIssue(
              time: caption.timeRange.start,
              reason: "captions overlap in one region, which iTT does not allow"))
        }
        ends[key] = max(ends[key] ?? .zero, caption.timeRange.end)
      }
      body += "\n      <p"
      if isTimed {
        body += " begin=\"\(time(caption.timeRange.start))\""
        body += " end=\"\(time(caption.timeRange.end))\""
      }
      if let name { body += " region=\"\(name)\"" }
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
        let align = ["start", "center", "spaceBetween", "spaceAround"][ruby.alignment.rawValue]
        body += "<span tts:ruby=\"container\" tts:rubyAlign=\"\(align)\"\(attributes)>"
        body += "<span tts:ruby=\"base\">\(content)</span>"
        body += "<span tts:ruby=\"text\" tts:rubyPosition=\"\(position)\">\(rubyText)</span></span>"
      }
      return
    }
    body += attributes.isEmpty ? content : "<span\(attributes)>\(content)</span>"
  }

  private func attributes(_ style: Caption.Style) -> String {
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
      text += isITT ? " vt:combine=\"\(name)\"" : " tts:textCombine=\"\(name)\""
    }
    return text
  }

  private mutating func escaped(_ text: String, _ start: Time) -> String {
    var result = String.UnicodeScalarView()
    var lost = 0
    for character in text {
      if character.isNewline {
        result.append(contentsOf: "<br/>".unicodeScalars)
        continue
      }
      for scalar in character.unicodeScalars {
        switch scalar {
        case "&": result.append(contentsOf: "&amp;".unicodeScalars)
        case "<": result.append(contentsOf: "&lt;".unicodeScalars)
        case ">": result.append(contentsOf: "&gt;".unicodeScalars)
        case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
        case "\t": result.append(scalar)
        case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": lost += 1
        default: result.append(scalar)
        }
      }
    }
    if lost > 0 {
      losses.append(
        CaptionIssue(time: start, reason: "\(lost) control characters, which XML does not have"))
    }
    return String(result)
  }

  // MARK: Regions

  private mutating func regionName(_ region: CaptionRegion, _ caption: Caption) -> String {
    if let same = regions.first(where: { $0.region.isIdentical(to: region) }) { return same.name }
    if isITT, region.displayAlignment == .center {
      losses.append(
        CaptionIssue(
          time: caption.timeRange.start,
          reason: "iTT has no lines in a region's middle; they end there"))
    }
    var name = Self.identifier(region.identifier ?? "region\(regions.count + 1)")
    while regions.contains(where: { $0.name == name }) { name += "-2" }
    regions.append((name, region))
    return name
  }

  /// A name as XML has them.
  private static func identifier(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      let isLetter = scalar == "_" || scalar.properties.isAlphabetic
      let isInside = isLetter || ("0"..."9").contains(scalar) || scalar == "-" || scalar == "."
      if result.isEmpty, !isLetter { result = "r" }
      result.unicodeScalars.append(isInside ? scalar : "_")
    }
    return result.isEmpty ? "region" : result
  }

  private func element(_ name: String, _ region: CaptionRegion) -> String {
    var text = "\n      <region xml:id=\"\(name)\""
    func length(_ dimension: CaptionDimension, _ cells: Double) -> String {
      let value =
        dimension.units == .cells ? 10 + dimension.value / cells * 80 : dimension.value
      return value == value.rounded() && abs(value) < 1e6 ? "\(Int(value))%" : "\(value)%"
    }
    func size(_ dimension: CaptionDimension, _ cells: Double) -> String {
      dimension.units == .cells ? "\(dimension.value / cells * 80)%" : length(dimension, cells)
    }
    if let origin = region.origin {
      text += " tts:origin=\"\(length(origin.x, 32)) \(length(origin.y, 15))\""
    }
    if let extent = region.size {
      text += " tts:extent=\"\(size(extent.width, 32)) \(size(extent.height, 15))\""
    }
    switch region.displayAlignment {
    case .before: text += " tts:displayAlign=\"before\""
    case .center: text += " tts:displayAlign=\"\(isITT ? "after" : "center")\""
    case .after: text += " tts:displayAlign=\"after\""
    }
    if let alignment = region.textAlignment {
      text += " tts:textAlign=\"\(Self.text(alignment))\""
    }
    if region.writingMode == .topToBottomAndRightToLeft { text += " tts:writingMode=\"tbrl\"" }
    return text + "/>"
  }

  static func text(_ alignment: Caption.TextAlignment) -> String {
    ["start", "end", "center", "left", "right"][alignment.rawValue]
  }

  // MARK: Document

  private func text(language: String?) -> String {
    // Frames a second over the whole number that labels count.
    let numerator = Int64(rate.frameDuration.timescale)
    let denominator = rate.frameDuration.value * Int64(rate.framesPerSecond)
    let divisor = Int64(
      Time.greatestCommonDivisor(numerator.magnitude, denominator.magnitude))
    let multiplier = "\(numerator / divisor) \(denominator / divisor)"
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tt xmlns=\"\(TTMLNames.tt)\""
    text += " xmlns:ttp=\"\(TTMLNames.parameter)\" xmlns:tts=\"\(TTMLNames.styling)\""
    if isITT {
      text += " xmlns:ry=\"\(TTMLNames.ruby)\" xmlns:vt=\"\(TTMLNames.vertical)\""
    }
    text += " xml:lang=\"\(language.map(Self.attribute) ?? (isITT ? "en" : ""))\""
    if isITT {
      text += " ttp:timeBase=\"smpte\""
    } else {
      text += " ttp:profile=\"http://www.w3.org/ns/ttml/profile/imsc1/text\" ttp:timeBase=\"media\""
    }
    if countsFrames {
      text += " ttp:frameRate=\"\(rate.framesPerSecond)\" ttp:frameRateMultiplier=\"\(multiplier)\""
      if isITT { text += " ttp:dropMode=\"\(rate.dropMode.rawValue)\"" }
    }
    text += ">\n  <head>\n    <styling>\n      <style xml:id=\"normal\""
    text += " tts:fontFamily=\"\(isITT ? "sansSerif" : "proportionalSansSerif")\""
    text += " tts:fontSize=\"100%\"/>\n    </styling>\n    <layout>"
    for (name, region) in regions { text += element(name, region) }
    text += "\n    </layout>\n  </head>\n  <body style=\"normal\">\n    <div>"
    return text + body + "\n    </div>\n  </body>\n</tt>\n"
  }

  private static func attribute(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
