// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Reads TTML: iTT, IMSC text, EBU-TT-D, DFXP.
struct TTMLReader {
  var log = IssueLog()
  var clock = TTMLClock()
  var sheet = TTMLStyleSheet()
  var captions: [Caption] = []
  /// Captions that never end, by number.
  var endless: [(index: Int, line: Int)] = []
  /// When regions are there that say so.
  var regionTimes: [String: (begin: Time, end: Time?)] = [:]
  /// Pieces of paragraphs that were shown in a second caption and more.
  var repeatedPieces = 0
  /// Every part of a text that comes and goes makes a caption of all that are there then: more than this are of no
  /// file that people made.
  static let mostRepeatedPieces = 1 << 20
  private var language: String?
  private var title: String?
  private var told: Set<String> = []

  /// - Parameter end: when captions end that say no end; by default with the last of the others.
  static func read(
    _ bytes: [UInt8], format: CaptionFormat, end: Time? = nil
  ) throws(CinematicError) -> CaptionDocument {
    let tree = XMLTree(bytes)
    guard let root = tree.root, root.name == "tt" else {
      let reason = tree.failure.map { ": line \($0.line): \($0.reason)" } ?? ""
      throw CinematicError(
        .malformed, "this is no TTML: it has no element 'tt'\(reason)",
        remedy: "name a caption file")
    }
    var reader = TTMLReader()
    if tree.saysOtherEncoding {
      reader.log.add(
        line: 1, "the file says that it is UTF-16, and was read as the UTF-8 that it is")
    }
    reader.language = root.attribute("lang", TTMLNames.xml)
    reader.readParameters(root)
    for head in root.elements where head.name == "head" { reader.readHead(head, root) }
    var base = TTMLContext()
    base.preservesSpace = root.attribute("space", TTMLNames.xml) == "preserve"
    for body in root.elements where body.name == "body" { _ = reader.readContainer(body, base) }
    reader.closeEndless(at: end)
    if let failure = tree.failure {
      guard !reader.captions.isEmpty else {
        throw CinematicError(
          .malformed, "line \(failure.line): \(failure.reason)",
          remedy: "mend the file")
      }
      reader.log.add(
        line: failure.line, as: .error, "\(failure.reason); the file was read up to here")
    }
    var language = root.attribute("lang", TTMLNames.xml)
    if language?.isEmpty == true || language == "und" { language = nil }
    return CaptionDocument(
      captions: reader.captions, format: format, language: language,
      title: reader.title?.isEmpty == false ? reader.title : nil,
      timeCodeRate: reader.clock.isSMPTE || root.attributes.contains { $0.name == "frameRate" }
        ? reader.clock.rate : nil,
      issues: reader.log.all)
  }

  /// Tells something once.
  mutating func tell(
    line: Int, as severity: CaptionIssue.Severity = .warning, _ reason: String
  ) {
    if told.insert(reason).inserted { log.add(line: line, as: severity, reason) }
  }

  private mutating func readHead(_ head: XMLElement, _ root: XMLElement) {
    sheet.readRoot(root)
    // Regions refer to styles.
    let parts =
      head.elements.filter { $0.name == "styling" }
      + head.elements.filter { $0.name != "styling" }
    for part in parts {
      switch part.name {
      case "styling":
        for style in part.elements {
          if style.name == "style" {
            sheet.addStyle(style)
          } else {
            tell(line: style.line, "the element '\(style.name)' was skipped")
          }
        }
        sheet.resolveStyles(in: part)
      case "layout":
        for region in part.elements where region.name == "region" {
          sheet.addRegion(region)
          readTimes(ofRegion: region)
          for set in region.elements where set.name != "style" {
            tell(line: set.line, "the element '\(set.name)' of a region was skipped")
          }
        }
      default:
        if part.namespace != TTMLNames.metadata, part.name != "metadata" {
          tell(line: part.line, "the element '\(part.name)' was skipped")
        }
        for title in [part] + part.elements
        where title.namespace == TTMLNames.metadata && title.name == "title" {
          self.title = title.text.trimmed
        }
      }
    }
    let told = sheet.skipped
    sheet.skipped = []
    for (line, reason) in told { tell(line: line, reason) }
  }

  /// A region's own times: what is in it is seen within them (TTML1, 9.1.2).
  private mutating func readTimes(ofRegion element: XMLElement) {
    guard ["begin", "end", "dur"].contains(where: { element.attribute($0) != nil }),
      let name = element.attribute("id", TTMLNames.xml) ?? element.attribute("id")
    else { return }
    var context = TTMLContext()
    timing(element, &context)
    regionTimes[name] = (context.begin, context.end)
  }

  /// Reads `body`, `div` or `p`, and returns where it ends; `nil` where it does not.
  private mutating func readContainer(_ element: XMLElement, _ outer: TTMLContext) -> Time? {
    var context = outer
    timing(element, &context)
    inherit(element, &context)
    guard context.style["display"] != "none" else {
      tell(line: element.line, as: .note, "an element with tts:display 'none' was skipped")
      return context.end
    }
    if element.name == "p" {
      readParagraph(element, context)
      return context.end
    }
    let isSequence = element.attribute("timeContainer") == "seq"
    var begin = context.begin
    for child in element.elements {
      switch child.name {
      case "div", "p", "body":
        var inner = context
        inner.begin = begin
        inner.parentRegion = context.region
        let end = readContainer(child, inner)
        if isSequence, let end { begin = end }
      case "metadata": break
      default:
        if child.namespace != TTMLNames.metadata {
          tell(line: child.line, "the element '\(child.name)' was skipped")
        }
      }
    }
    return context.end
  }

  /// Takes an element's own begin, end and duration.
  mutating func timing(_ element: XMLElement, _ context: inout TTMLContext) {
    let outer = context
    func value(_ name: String) -> Time? {
      guard let text = element.attribute(name) else { return nil }
      guard let time = clock.time(text) else {
        log.add(
          line: element.line, as: .error,
          "\(name)=\"\(text.prefix(40))\" is not a time, and was skipped")
        return nil
      }
      if let fault = clock.fault(of: text) {
        log.add(line: element.line, "\(name)=\"\(text.prefix(40))\": \(fault)")
      }
      return time
    }
    if let begin = value("begin") { context.begin = outer.begin + begin }
    var ends: [Time] = []
    if let end = value("end") { ends.append(outer.begin + end) }
    if let duration = value("dur") { ends.append(context.begin + duration) }
    // Apple's divisions move what they hold; their own end stays that of the whole.
    if let end = outer.end { ends.append(end) }
    context.end = ends.min()
  }

  /// Takes an element's region and styles.
  mutating func inherit(_ element: XMLElement, _ context: inout TTMLContext) {
    if element.name != "body", element.name != "p", element.attribute("id", TTMLNames.xml) != nil {
      tell(
        line: element.line, as: .note, "identifiers (xml:id) of parts of captions were skipped")
    }
    if let own = element.attribute("lang", TTMLNames.xml), own != language {
      tell(line: element.line, as: .note, "the language '\(own.prefix(40))' of a part was skipped")
    }
    context.preservesSpace =
      element.attribute("space", TTMLNames.xml).map { $0 == "preserve" } ?? context.preservesSpace
    if let name = element.attribute("region") {
      if sheet.regions[name] == nil, CaptionRegion.predefined(name) == nil {
        tell(line: element.line, "there is no region '\(name.prefix(40))'")
      } else {
        context.region = name
        // A region's styles are those of what stands in it.
        for (key, value) in sheet.regionStyles[name] ?? [:] where context.style[key] == nil {
          context.style[key] = value
        }
      }
    }
    context.style = context.style.filter { TTMLStyleSheet.isInherited($0.key) }
    let own = sheet.specified(element)
    for (line, reason) in sheet.skipped { tell(line: line, reason) }
    sheet.skipped = []
    context.style.merge(own) { $1 }
  }

  /// Captions without an end last as long as the others.
  private mutating func closeEndless(at limit: Time?) {
    if let limit {
      for (index, _) in endless {
        let start = captions[index].timeRange.start
        captions[index].timeRange = TimeRange(start: start, end: max(start, limit))
      }
      return
    }
    let open = Set(endless.map(\.index))
    let end = captions.indices.filter { !open.contains($0) }
      .map { captions[$0].timeRange.end }.max()
    var gone: Set<Int> = []
    for (index, line) in endless {
      let start = captions[index].timeRange.start
      guard let end, end > start else {
        log.add(line: line, as: .error, "a caption without an end was skipped")
        gone.insert(index)
        continue
      }
      captions[index].timeRange = TimeRange(start: start, end: end)
      log.add(line: line, "a caption without an end ends with the last one")
    }
    if !gone.isEmpty {
      captions = captions.indices.filter { !gone.contains($0) }.map { captions[$0] }
    }
  }
}

/// The properties that an element of TTML has from those around it.
struct TTMLContext {
  var begin = Time.zero
  /// `nil` for no end.
  var end: Time?
  var region: String?
  var parentRegion: String?
  var style: [String: String] = [:]
  var preservesSpace = false
}

extension CaptionRegion {
  /// iTT's regions by name.
  static func predefined(_ name: String) -> CaptionRegion? {
    [appleITTTop, appleITTBottom, appleITTLeft, appleITTRight].first { $0.identifier == name }
  }
}
