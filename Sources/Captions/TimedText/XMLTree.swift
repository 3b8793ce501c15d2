// SPDX-License-Identifier: Apache-2.0

import CExpat
import FocalCore

/// An element of an XML document, with its namespace resolved.
final class XMLElement {
  enum Child {
    case element(XMLElement)
    case text(String)
  }
  struct Attribute {
    var namespace: String
    var name: String
    var value: String
  }

  let namespace: String
  let name: String
  let attributes: [Attribute]
  /// In the file, from 1.
  let line: Int
  fileprivate(set) var children: [Child] = []
  /// Whether its end was read.
  fileprivate(set) var isComplete = false

  fileprivate init(namespace: String, name: String, attributes: [Attribute], line: Int) {
    self.namespace = namespace
    self.name = name
    self.attributes = attributes
    self.line = line
  }

  var elements: [XMLElement] {
    children.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }

  /// The text in it, without that of its elements.
  var text: String {
    children.map { if case .text(let text) = $0 { text } else { "" } }.joined()
  }

  func attribute(_ name: String, _ namespace: String = "") -> String? {
    attributes.first { $0.name == name && $0.namespace == namespace }?.value
  }
}

/// XML read by Expat into a tree.
///
/// Expat, because it stops at the first thing that is not well-formed and says where, resolves namespaces
/// of attributes, and is on every machine; Foundation's parser for Linux calls mismatched tags and trailing
/// text a success, leaves out internal entities without a word, and brings tens of megabytes with it.
/// No document types, so no entities but XML's own five; elements nest up to a limit.
struct XMLTree {
  static let maximumDepth = 100

  /// The document's element; `nil` where not even that was found.
  private(set) var root: XMLElement?
  /// The first fault and its line; the tree has everything before it.
  private(set) var failure: (line: Int, reason: String)?

  /// Whether it says that it is UTF-16 in single bytes, as programs write that convert the one and forget the other.
  let saysOtherEncoding: Bool

  private static func saysOtherEncoding(_ bytes: [UInt8]) -> Bool {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard bytes[start...].starts(with: "<?xml".utf8) else { return false }
    let head = String(decoding: bytes[start...].prefix { $0 != 0x3E }.prefix(200), as: UTF8.self)
    return head.lowercased().contains("utf-16")
  }

  init(_ bytes: [UInt8]) {
    saysOtherEncoding = Self.saysOtherEncoding(bytes)
    // No namespace has a line feed: those of attributes become spaces.
    guard let parser = XML_ParserCreateNS(saysOtherEncoding ? "UTF-8" : nil, 0x0A) else {
      failure = (1, "no memory to read it")
      return
    }
    defer { XML_ParserFree(parser) }
    let builder = Builder(parser)
    XML_SetUserData(parser, Unmanaged.passUnretained(builder).toOpaque())
    XML_SetElementHandler(
      parser,
      { data, name, attributes in Builder.of(data)?.start(name, attributes) },
      { data, _ in Builder.of(data)?.end() })
    XML_SetCharacterDataHandler(parser) { data, text, count in
      Builder.of(data)?.characters(text, count)
    }
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
      Builder.of(data)?.stop("it declares a document type, which captions have no use for")
    }
    let status = withExtendedLifetime(builder) {
      bytes.withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          XML_Parse(parser, text.baseAddress, Int32(clamping: text.count), 1)
        }
      }
    }
    builder.flushText()
    root = builder.root
    if let reason = builder.stopReason {
      failure = (Int(XML_GetCurrentLineNumber(parser)), reason)
    } else if status != XML_STATUS_OK {
      let message = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
      failure = (Int(XML_GetCurrentLineNumber(parser)), message ?? "it is not well-formed")
    }
  }

  private final class Builder {
    var root: XMLElement?
    var stopReason: String?
    private let parser: XML_Parser
    private var open: [XMLElement] = []
    private var text: [UInt8] = []

    init(_ parser: XML_Parser) { self.parser = parser }

    static func of(_ data: UnsafeMutableRawPointer?) -> Builder? {
      data.map { Unmanaged<Builder>.fromOpaque($0).takeUnretainedValue() }
    }

    func stop(_ reason: String) {
      guard stopReason == nil else { return }
      stopReason = reason
      XML_StopParser(parser, 0)
    }

    func start(
      _ name: UnsafePointer<CChar>?,
      _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
      guard stopReason == nil, let name else { return }
      guard open.count < XMLTree.maximumDepth else {
        return stop("elements are nested more than \(XMLTree.maximumDepth) deep")
      }
      flushText()
      var list: [XMLElement.Attribute] = []
      var index = 0
      while let attributes, let key = attributes[index], let value = attributes[index + 1] {
        let (namespace, name) = Self.split(key)
        list.append(
          XMLElement.Attribute(namespace: namespace, name: name, value: String(cString: value)))
        index += 2
      }
      let (namespace, local) = Self.split(name)
      let element = XMLElement(
        namespace: namespace, name: local, attributes: list,
        line: Int(XML_GetCurrentLineNumber(parser)))
      if let parent = open.last { parent.children.append(.element(element)) }
      if root == nil { root = element }
      open.append(element)
    }

    func end() {
      guard stopReason == nil else { return }
      flushText()
      open.popLast()?.isComplete = true
    }

    func characters(_ bytes: UnsafePointer<CChar>?, _ count: Int32) {
      guard stopReason == nil, let bytes, !open.isEmpty else { return }
      bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        text.append(contentsOf: UnsafeBufferPointer(start: $0, count: Int(count)))
      }
    }

    func flushText() {
      guard !text.isEmpty else { return }
      open.last?.children.append(.text(String(decoding: text, as: UTF8.self)))
      text.removeAll(keepingCapacity: true)
    }

    private static func split(_ name: UnsafePointer<CChar>) -> (String, String) {
      let text = String(cString: name)
      guard let separator = text.firstIndex(of: "\n") else { return ("", text) }
      return (String(text[..<separator]), String(text[text.index(after: separator)...]))
    }
  }
}
