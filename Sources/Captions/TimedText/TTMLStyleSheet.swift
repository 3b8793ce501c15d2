// SPDX-License-Identifier: Apache-2.0

/// A TTML document's styles and regions.
struct TTMLStyleSheet {
  private(set) var regions: [String: CaptionRegion] = [:]
  /// The properties that content has from its region.
  private(set) var regionStyles: [String: [String: String]] = [:]
  /// Columns and rows that a cell is one of.
  var cells = (32.0, 15.0)
  /// The parts that were not taken, with their lines.
  var skipped: [(line: Int, reason: String)] = []
  /// Styles as they were declared, which may refer to any others (TTML1, 8.4.1.3).
  private var declared: [String: XMLElement] = [:]
  private var styles: [String: [String: String]] = [:]
  /// Styles that are being resolved.
  private var open: [String] = []
  /// More references one behind the other are none that anyone made.
  private static let longestChain = 100
  private var pixels: (width: Double, height: Double)?

  /// Properties that are part of a caption, under TTML's names; Apple's and IMSC's have a prefix.
  private static let known: Set<String> = [
    "color", "backgroundColor", "fontStyle", "fontWeight", "textDecoration", "textAlign",
    "displayAlign", "writingMode", "origin", "extent", "position", "display", "ruby",
    "rubyPosition",
    "rubyAlign", "textCombine", "visibility", "ry:kind", "ry:position", "ry:align", "vt:combine",
  ]
  /// Attributes that change nothing at the value that captions have anyway.
  private static let usual: [String: Set<String>] = [
    "fontFamily": ["default", "sansserif", "sans-serif", "proportionalsansserif"],
    "fontSize": ["100%", "1c"], "lineHeight": ["normal", "100%", "125%"], "opacity": ["1", "1.0"],
    "overflow": ["visible", "hidden"],
    "showBackground": ["whenactive", "always"],
    "wrapOption": ["wrap", "nowrap"], "unicodeBidi": ["normal", "embed"],
    "direction": ["ltr"],
    "padding": ["0%", "0px", "0"], "zIndex": ["auto", "0"], "textOutline": ["none"],
    "itts:forcedDisplay": ["false"], "itts:fillLineGap": ["false"],
  ]

  static func isInherited(_ property: String) -> Bool {
    switch property {
    case "color", "fontStyle", "fontWeight", "textDecoration", "textAlign", "vt:combine",
      "textCombine", "visibility", "ry:position", "ry:align", "rubyPosition", "rubyAlign",
      "backgroundColor":
      true
    default: false
    }
  }

  /// The document's size in pixels, where it has one.
  mutating func readRoot(_ root: XMLElement) {
    let parts = (root.attribute("extent", TTMLNames.styling) ?? "").words
    guard parts.count == 2, parts.allSatisfy({ $0.hasSuffix("px") }),
      let width = Double(parts[0].dropLast(2)), let height = Double(parts[1].dropLast(2)),
      width >= 1, height >= 1, width.isFinite, height.isFinite
    else { return }
    pixels = (width, height)
  }

  mutating func addStyle(_ element: XMLElement) {
    guard let name = element.attribute("id", TTMLNames.xml) ?? element.attribute("id") else {
      skipped.append((element.line, "a style without xml:id was skipped"))
      return
    }
    declared[name] = element
    styles[name] = nil
  }

  /// Resolves the styles of the head, and tells what of them was not taken.
  mutating func resolveStyles(in element: XMLElement) {
    for style in element.elements where style.name == "style" {
      if let name = style.attribute("id", TTMLNames.xml) ?? style.attribute("id") {
        _ = properties(ofStyle: name, line: style.line)
      }
    }
  }

  /// A style's properties; `nil` for one that there is not.
  private mutating func properties(ofStyle name: String, line: Int) -> [String: String]? {
    if let known = styles[name] { return known }
    guard let element = declared[name] else { return nil }
    guard !open.contains(name), open.count < Self.longestChain else {
      skipped.append((line, "the style '\(name.prefix(40))' refers to itself, which was skipped"))
      return [:]
    }
    open.append(name)
    let properties = specified(element)
    open.removeLast()
    styles[name] = properties
    return properties
  }

  mutating func addRegion(_ element: XMLElement) {
    guard let name = element.attribute("id", TTMLNames.xml) ?? element.attribute("id") else {
      skipped.append((element.line, "a region without xml:id was skipped"))
      return
    }
    // Referred styles, then nested ones, then attributes (TTML1, 8.4.4.2).
    var properties = referred(element)
    for style in element.elements where style.name == "style" {
      properties.merge(specified(style)) { $1 }
    }
    properties.merge(attributes(element)) { $1 }
    var region = CaptionRegion(identifier: name)
    if let origin = pair(properties["origin"], element.line, "tts:origin") {
      region.origin = CaptionPoint(x: .percent(origin.0), y: .percent(origin.1))
    }
    if let extent = pair(properties["extent"], element.line, "tts:extent") {
      region.size = CaptionSize(width: .percent(extent.0), height: .percent(extent.1))
    }
    // A region that says neither is the whole screen (TTML1, 8.2.7 and 8.2.14).
    let origin = region.origin ?? .percent(0, 0)
    region.origin = origin
    region.size =
      region.size ?? .percent(max(0, 100 - origin.x.value), max(0, 100 - origin.y.value))
    if properties["position"] != nil, properties["origin"] == nil {
      skipped.append((element.line, "tts:position was skipped"))
    }
    switch properties["displayAlign"] {
    case "center": region.displayAlignment = .center
    case "after": region.displayAlignment = .after
    default: break
    }
    switch properties["writingMode"] {
    case "tbrl", "tb": region.writingMode = .topToBottomAndRightToLeft
    default: break  // from left or from right: the text's own characters tell
    }
    region.textAlignment = properties["textAlign"].flatMap(Self.alignment)
    if let color = properties["backgroundColor"], ColorText.color(color)?.alpha != 0 {
      skipped.append((element.line, "a region's tts:backgroundColor was skipped"))
    }
    regions[name] = region
    regionStyles[name] = properties.filter {
      Self.isInherited($0.key) && $0.key != "textAlign" && $0.key != "backgroundColor"
    }
  }

  static func alignment(_ text: String) -> Caption.TextAlignment? {
    switch text {
    case "start": .start
    case "end": .end
    case "center": .center
    case "left": .left
    case "right": .right
    default: nil
    }
  }

  /// An element's own styles: those that it refers to, then its attributes.
  mutating func specified(_ element: XMLElement) -> [String: String] {
    referred(element).merging(attributes(element)) { $1 }
  }

  private mutating func referred(_ element: XMLElement) -> [String: String] {
    var properties: [String: String] = [:]
    for name in (element.attribute("style") ?? "").words {
      if let style = self.properties(ofStyle: name, line: element.line) {
        properties.merge(style) { $1 }
      } else {
        skipped.append((element.line, "there is no style '\(name.prefix(40))'"))
      }
    }
    return properties
  }

  private mutating func attributes(_ element: XMLElement) -> [String: String] {
    var properties: [String: String] = [:]
    for attribute in element.attributes {
      let namespace = TTMLNames.current(attribute.namespace)
      var name = TTMLNames.qualified(namespace, attribute.name)
      switch namespace {
      case TTMLNames.styling: name = attribute.name
      case TTMLNames.ruby, TTMLNames.vertical, TTMLNames.imscStyling: break
      case "", TTMLNames.xml, TTMLNames.metadata, TTMLNames.parameter, TTMLNames.imscParameter:
        continue
      default:
        skipped.append((element.line, "the attribute '\(attribute.name)' was skipped"))
        continue
      }
      let value = attribute.value.trimmed
      if Self.known.contains(name) {
        // Dropped here, a value that is not understood leaves what is inherited or referred to.
        if Self.isUnderstood(name, value) {
          properties[name] = value
        } else {
          let qualified = TTMLNames.qualified(namespace, attribute.name)
          let reason = "\(qualified)=\"\(value.prefix(40))\" is not understood, and was skipped"
          skipped.append((element.line, reason))
        }
      } else if Self.usual[name]?.contains(value.lowercased()) != true {
        let qualified = TTMLNames.qualified(namespace, attribute.name)
        skipped.append((element.line, "\(qualified)=\"\(value.prefix(40))\" was skipped"))
      }
    }
    return properties
  }

  /// Whether a property's value is one that there is; lengths are looked at where they are used.
  private static func isUnderstood(_ property: String, _ value: String) -> Bool {
    switch property {
    case "color", "backgroundColor": ColorText.color(value) != nil
    case "fontStyle": ["normal", "italic", "oblique"].contains(value)
    case "fontWeight": ["normal", "bold"].contains(value)
    case "textAlign": alignment(value) != nil
    case "textDecoration": value.words.contains { decorations[$0] != nil }
    case "textCombine", "vt:combine": combine(value) != nil
    case "displayAlign": ["before", "center", "after"].contains(value)
    case "writingMode":
      ["lrtb", "lr", "tbrl", "tb", "rltb", "rl"].contains(value)
    default: true
    }
  }

  /// The words of `tts:textDecoration`, and the lines that they stand for.
  static let decorations: [String: Caption.Decoration] = [
    "underline": .underline, "lineThrough": .lineThrough, "overline": .overline, "none": [],
    "noUnderline": [], "noLineThrough": [], "noOverline": [],
  ]

  static func combine(_ value: String) -> Caption.TextCombine? {
    switch value {
    case "all": .all
    case "none": Caption.TextCombine.none
    case "digits": .twoDigits
    default:
      value.words.last.flatMap { Int($0) }.flatMap {
        (1...4).contains($0) ? Caption.TextCombine(rawValue: $0) : nil
      }
    }
  }

  /// Two lengths as hundredths of the screen.
  private mutating func pair(_ text: String?, _ line: Int, _ name: String) -> (Double, Double)? {
    guard let text, text != "auto" else { return nil }
    let parts = text.words
    guard parts.count == 2, let x = length(parts[0], pixels?.width, cells.0),
      let y = length(parts[1], pixels?.height, cells.1)
    else {
      skipped.append((line, "\(name)=\"\(text.prefix(40))\" was skipped"))
      return nil
    }
    return (x, y)
  }

  private func length(_ text: String, _ pixels: Double?, _ cells: Double) -> Double? {
    func number(_ count: Int) -> Double? {
      Double(text.dropLast(count)).flatMap { $0.isFinite && abs($0) < 1e6 ? $0 : nil }
    }
    if text.hasSuffix("%") { return number(1) }
    if text.hasSuffix("rw") || text.hasSuffix("rh") { return number(2) }
    if text.hasSuffix("px"), let pixels { return number(2).map { $0 / pixels * 100 } }
    if text.hasSuffix("c") { return number(1).map { $0 / cells * 100 } }
    return nil
  }
}
