// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

extension FilmCompanions {
  /// A plain name in QuickTime's and in iTunes' lists; `nil` if they have none for it.
  static let names: [String: (quickTime: String, iTunes: String?)] = [
    "title": ("com.apple.quicktime.title", "\u{A9}nam"),
    "artist": ("com.apple.quicktime.artist", "\u{A9}ART"),
    "author": ("com.apple.quicktime.author", "\u{A9}wrt"),
    "album": ("com.apple.quicktime.album", "\u{A9}alb"),
    "comment": ("com.apple.quicktime.comment", "\u{A9}cmt"),
    "copyright": ("com.apple.quicktime.copyright", "cprt"),
    "description": ("com.apple.quicktime.description", "desc"),
    "genre": ("com.apple.quicktime.genre", "\u{A9}gen"),
    "date": ("com.apple.quicktime.creationdate", "\u{A9}day"),
    "keywords": ("com.apple.quicktime.keywords", "keyw"),
    "make": ("com.apple.quicktime.make", nil),
    "model": ("com.apple.quicktime.model", nil),
    "location": ("com.apple.quicktime.location.ISO6709", "\u{A9}xyz"),
  ]

  /// Keys of phones that most programs read from an MP4's user data alone, and their names there.
  static let userData: [(quickTime: String, code: FourCC)] = [
    ("com.apple.quicktime.make", "\u{A9}mak"), ("com.apple.quicktime.model", "\u{A9}mod"),
    ("com.apple.quicktime.software", "\u{A9}swr"),
    ("com.apple.quicktime.creationdate", "\u{A9}day"),
  ]

  /// The texts of a movie's keys as user data.
  private static func userData(of boxes: [Box]) -> [Box] {
    var items: [ItemMetadata.Item] = []
    for box in boxes where box.type == "meta" {
      guard let parsed = try? Box.parse(box.bytes[...]).first,
        let found = try? ItemMetadata(parsed).items
      else { continue }
      items += found
    }
    return userData.compactMap { name in
      let item = items.first { $0.key == name.quickTime && $0.dataType == 1 }
      guard let text = item?.value, let count = UInt16(exactly: text.count) else { return nil }
      return Box(name.code) { writer in
        writer.u16(count)
        writer.u16(0x55C4)  // a language that is not said
        writer.append(text)
      }
    }
  }

  /// Boxes of an MP4 with the texts of their keys as user data, too. What the user data says of it already stays.
  private static func withUserData(_ boxes: [Box]) -> [Box] {
    let texts = userData(of: boxes)
    guard !texts.isEmpty else { return boxes }
    guard let place = boxes.firstIndex(where: { $0.type == "udta" }) else {
      return boxes + [Box("udta", texts)]
    }
    // A zero at the end, as QuickTime has it, would end the list before what is added.
    let content = boxes[place].bytes[...].dropFirst(boxes[place].headerSize)
    guard let old = try? Box.prefix(content, count: .max) else { return boxes }
    let left = content.dropFirst(old.reduce(0) { $0 + $1.bytes.count })
    guard left.allSatisfy({ $0 == 0 }) else { return boxes }
    let new = texts.filter { text in !old.contains { $0.type == text.type } }
    guard !new.isEmpty else { return boxes }
    var result = boxes
    result[place] = Box("udta", old + new)
    return result
  }

  /// The descriptions as boxes of a kind of movie.
  func descriptions(in format: MovieFormat) -> [Box] {
    var boxes = boxes.map { Self.box($0, in: format) }
    if format == .mp4 { boxes = Self.withUserData(boxes) }
    guard !tags.isEmpty else { return boxes }
    let named = tags.map { ($0.key.lowercased(), $0.value) }
    guard format == .mp4 else {
      return boxes + [
        .metadata(named.map { key, value in .text(Self.names[key]?.quickTime ?? key, value) })
      ]
    }
    let entries = named.compactMap { key, value -> Box? in
      guard let code = Self.names[key]?.iTunes else { return nil }
      let type = FourCC(rawValue: code.unicodeScalars.reduce(0) { $0 << 8 | $1.value })
      let data = Box("data") { writer in
        writer.u32(1)
        writer.u32(0)
        writer.append(value.utf8)
      }
      return Box(type, [data])
    }
    let handler = Box("hdlr", version: 0) { writer in
      writer.u32(0)
      writer.fourCC("mdir")
      writer.fourCC("appl")
      writer.zeros(9)
    }
    guard !entries.isEmpty else { return boxes }
    let meta = Box("meta", leading: [0, 0, 0, 0], [handler, Box("ilst", entries)])
    return boxes + [Box("udta", [meta])]
  }

  /// The descriptions of the pictures' track.
  func pictureDescriptions(in format: MovieFormat) -> [Box] {
    Self.descriptions(ofTrack: pictureBoxes, pictureLabels, in: format)
  }

  /// A track's descriptions as boxes of a kind of movie, with its name and roles.
  static func descriptions(
    ofTrack boxes: [Box], _ labels: TrackLabels, in format: MovieFormat
  ) -> [Box] {
    labels.added(to: boxes.map { box($0, in: format) })
  }

  /// A movie's own `meta`: a plain box in QuickTime, one with a version in MP4.
  private static func box(_ box: Box, in format: MovieFormat) -> Box {
    guard box.type == "meta", case .data(let data) = box.content else { return box }
    let isPlain = data.dropFirst(4).starts(with: "hdlr".utf8)
    let isVersioned = data.dropFirst(8).starts(with: "hdlr".utf8)
    switch format {
    case .mp4 where isPlain: return Box("meta", data: [0, 0, 0, 0] + data)
    case .quickTime where isVersioned && !isPlain: return Box("meta", data: data.dropFirst(4))
    default: return box
    }
  }

  /// Companions that a kind of movie has no place for, in words.
  public func losses(in container: OutputFormat.Container) -> [String] {
    if container == .webM {
      let lost =
        [
          timecode == nil ? nil : "the timecode", texts.isEmpty ? nil : "the captions",
          unnamedDescriptions.isEmpty
            ? nil : "the metadata \(unnamedDescriptions.joined(separator: ", "))",
          pictureBoxes.allSatisfy(Self.isLabels) ? nil : "the metadata of the pictures' track",
        ]
        + soundWithMetadata.map { Self.metadata(ofSound: $0.trackID) }
        .filter { !leftOut.contains($0) }
      return leftOut + lost.compactMap(\.self) + languagesBeyondLetters
    }
    guard container == .mp4 else { return leftOut }
    let lost = tags.map { $0.key.lowercased() }.filter { Self.names[$0]?.iTunes == nil }
    return leftOut + (lost.isEmpty ? [] : ["the metadata \(lost.sorted().joined(separator: ", "))"])
  }

  /// Whether a language (BCP 47) has more than three letters of ISO 639-2 say.
  static func says(_ tag: String, moreThan code: String?) -> Bool {
    code == nil || tag.contains("-")
  }

  /// The languages with script and country, which libavformat's muxer of WebM does not write, in words.
  private var languagesBeyondLetters: [String] {
    let pictures = pictureLabels.extendedLanguage.flatMap { tag in
      Self.says(tag, moreThan: pictureLanguageCode) ? tag : nil
    }
    return (pictures.map { ["the language \($0) of the pictures' track"] } ?? [])
      + soundLanguages.map { "the language \($0.tag) of the sound track \($0.trackID)" }
  }
}
