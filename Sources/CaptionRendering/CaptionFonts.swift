// SPDX-License-Identifier: Apache-2.0

import CPango
import FocalCore

/// The fonts that captions are drawn with: nothing but the named families, from the named folders, so that the
/// settings of a machine or a user change no pixel.
///
/// DejaVu (Debian: `fonts-dejavu-core`) has Latin, Greek, Cyrillic, Hebrew and Arabic, a monospaced cut with
/// nearly all of CEA-608's characters, and is 3 MB, on nearly every machine already. Noto Sans CJK
/// (`fonts-noto-cjk`) adds Chinese, Japanese and Korean, with the forms of vertical text. Other scripts come
/// from Noto Sans (`fonts-noto-core`) where it is installed.
public struct CaptionFonts: Hashable, Sendable {
  /// Folders with font files.
  public var folders: [String]
  /// Families in the order of preference; the first one must be there.
  public var proportional: [String]
  /// Likewise, for CEA-608's cells.
  public var monospaced: [String]

  public init(folders: [String], proportional: [String], monospaced: [String]) {
    self.folders = folders
    self.proportional = proportional
    self.monospaced = monospaced
  }

  /// DejaVu and Noto where Debian, Ubuntu, Fedora and Arch have them.
  public static let standard = CaptionFonts(
    folders: [
      "/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/opentype/noto",
      "/usr/share/fonts/truetype/noto", "/usr/share/fonts/dejavu-sans-fonts",
      "/usr/share/fonts/dejavu-sans-mono-fonts", "/usr/share/fonts/google-noto-sans-cjk-fonts",
      "/usr/share/fonts/TTF", "/usr/share/fonts/noto", "/usr/share/fonts/noto-cjk",
    ],
    proportional: ["DejaVu Sans"] + Self.scripts,
    monospaced: ["DejaVu Sans Mono", "DejaVu Sans"] + Self.scripts)

  private static let scripts =
    ["Noto Sans CJK JP", "Noto Sans"]
    + [
      "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam",
      "Sinhala", "Thai", "Lao", "Khmer", "Myanmar", "Georgian", "Armenian", "Ethiopic", "Tibetan",
    ].map { "Noto Sans \($0)" }

  /// The same with the shapes that a language has for ideographs: Chinese, Korean, Japanese.
  func suited(to language: String?) -> CaptionFonts {
    let tag = language?.lowercased() ?? ""
    let cut: String
    switch true {
    case tag.hasPrefix("ko"): cut = "KR"
    case tag.hasPrefix("zh-hk"): cut = "HK"
    case tag.hasPrefix("zh-tw"), tag.hasPrefix("zh-hant"), tag.hasPrefix("yue"): cut = "TC"
    case tag.hasPrefix("zh"): cut = "SC"
    default: return self
    }
    var fonts = self
    fonts.proportional = proportional.map { $0 == "Noto Sans CJK JP" ? "Noto Sans CJK \(cut)" : $0 }
    return fonts
  }

  /// - Throws: `incomplete` where the first families are not installed.
  func makeMap() throws(CinematicError) -> UnsafeMutablePointer<PangoFontMap> {
    guard let configuration = FcConfigCreate() else {
      throw CinematicError(.outOfMemory, "Fontconfig has no memory for a list of fonts")
    }
    defer { FcConfigDestroy(configuration) }
    // The system's caches know these fonts; without them each file would be looked through.
    let text =
      "<fontconfig>"
      + folders.map { "<dir>\(Self.escaped($0))</dir>" }.joined()
      + "<cachedir>/var/cache/fontconfig</cachedir><cachedir prefix=\"xdg\">fontconfig</cachedir>"
      + "</fontconfig>"
    let isRead = text.withCString { bytes in
      bytes.withMemoryRebound(to: FcChar8.self, capacity: text.utf8.count + 1) {
        FcConfigParseAndLoadFromMemory(configuration, $0, FcTrue)
      }
    }
    guard isRead == FcTrue, FcConfigBuildFonts(configuration) == FcTrue else {
      throw CinematicError(.unknown, "Fontconfig cannot list fonts")
    }
    for family in [proportional.first, monospaced.first].compactMap({ $0 })
    where !Self.has(family, configuration) {
      throw CinematicError(
        .incomplete, "captions are drawn in the font \(family), which is not installed",
        remedy: "install it (Debian, Ubuntu: apt-get install fonts-dejavu-core)")
    }
    guard let map = focal_font_map_new(configuration) else {
      throw CinematicError(.unsupported, "this Cairo draws no FreeType fonts")
    }
    return map
  }

  /// How characters that the standard fonts have no shape for come to be drawn, each way once.
  package static func remedies(for missing: [Unicode.Scalar]) -> [String] {
    var (needsEmoji, hasNone) = (false, false)
    var packages: Set<String> = []
    for scalar in missing {
      let value = scalar.value
      switch scalar.properties.generalCategory {
      case .privateUse, .unassigned, .surrogate: hasNone = true
      case _ where scalar.properties.isEmojiPresentation || scalar.properties.isEmojiModifier:
        needsEmoji = true
      case _ where scalar.properties.isIdeographic, _ where (0x1100...0x11FF).contains(value),
        _ where (0x2E80...0x31FF).contains(value), _ where (0x3200...0x33FF).contains(value),
        _ where (0xA960...0xA97F).contains(value), _ where (0xAC00...0xD7FF).contains(value),
        _ where (0xFF00...0xFFEF).contains(value):
        packages.insert("fonts-noto-cjk")
      default: packages.insert("fonts-noto-core")
      }
    }
    var remedies: [String] = []
    if !packages.isEmpty {
      remedies.append("install \(packages.sorted().joined(separator: " and "))")
    }
    if needsEmoji {
      // Glyphs are masks, which one colour is seen through.
      let folder = standard.folders.first { $0.hasSuffix("/truetype/noto") } ?? standard.folders[0]
      remedies.append(
        "emoji are drawn in the text's colour, from a font without colours of its own: put one, such as Noto Emoji, into \(folder)"
      )
    }
    if hasNone {
      remedies.append("characters of private use, and those that Unicode has not, have no font")
    }
    return remedies
  }

  private static func has(_ family: String, _ configuration: OpaquePointer) -> Bool {
    guard let fonts = FcConfigGetFonts(configuration, FcSetSystem) else { return false }
    for index in 0..<Int(fonts.pointee.nfont) {
      var name: UnsafeMutablePointer<FcChar8>?
      guard FcPatternGetString(fonts.pointee.fonts[index], FC_FAMILY, 0, &name) == FcResultMatch,
        let name
      else { continue }
      if String(cString: name) == family { return true }
    }
    return false
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      default: result.append(character)
      }
    }
  }
}
