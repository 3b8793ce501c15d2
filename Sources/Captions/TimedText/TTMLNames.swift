// SPDX-License-Identifier: Apache-2.0

/// Namespaces of TTML and of Apple's extensions to it.
enum TTMLNames {
  static let tt = "http://www.w3.org/ns/ttml"
  static let parameter = tt + "#parameter"
  static let styling = tt + "#styling"
  static let metadata = tt + "#metadata"
  static let xml = "http://www.w3.org/XML/1998/namespace"
  static let ruby = "http://namespace.itunes.apple.com/itt/ttml-extension#ruby"
  static let vertical = "http://namespace.itunes.apple.com/itt/ttml-extension#vertical"
  static let imscParameter = "http://www.w3.org/ns/ttml/profile/imsc1#parameter"
  static let imscStyling = "http://www.w3.org/ns/ttml/profile/imsc1#styling"

  /// Drafts of 2006 (TTAF1) had other names for the same.
  static func current(_ namespace: String) -> String {
    for draft in ["http://www.w3.org/2006/10/ttaf1", "http://www.w3.org/2006/04/ttaf1"]
    where namespace.hasPrefix(draft) {
      let rest = namespace.dropFirst(draft.count)
      return tt + (rest == "#style" ? "#styling" : String(rest))
    }
    return namespace
  }

  /// How a file would write a name.
  static func qualified(_ namespace: String, _ name: String) -> String {
    switch current(namespace) {
    case parameter: "ttp:\(name)"
    case styling: "tts:\(name)"
    case metadata: "ttm:\(name)"
    case xml: "xml:\(name)"
    case ruby: "ry:\(name)"
    case vertical: "vt:\(name)"
    case imscParameter: "ittp:\(name)"
    case imscStyling: "itts:\(name)"
    default: name
    }
  }
}
