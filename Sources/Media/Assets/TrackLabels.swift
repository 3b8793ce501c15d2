// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A track's name for people, and what it is there for.
package struct TrackLabels: Hashable, Sendable {
  package var name: String?
  /// As DASH calls them (ISO/IEC 23009-1 §5.8.5.5): `commentary`, `caption`, `forced-subtitle`….
  package var roles: [String] = []
  /// The language with its script and country (BCP 47); `nil` where its code says all.
  package var extendedLanguage: String?

  private static let scheme = "urn:mpeg:dash:role:2011"

  package init(name: String? = nil, roles: [String] = []) {
    self.name = name
    self.roles = roles
  }

  /// The labels of a stream of another container.
  init(_ stream: StreamDescription.Stream) {
    name = stream.tags.first { $0.key.lowercased() == "title" }?.value
    roles = Self.kinds.filter { stream.disposition & $0.0 != 0 }.map(\.1)
  }

  private static let kinds: [(Int32, String)] = [
    (AV_DISPOSITION_COMMENT, "commentary"), (AV_DISPOSITION_DUB, "dub"),
    (AV_DISPOSITION_FORCED, "forced-subtitle"), (AV_DISPOSITION_HEARING_IMPAIRED, "caption"),
    (AV_DISPOSITION_VISUAL_IMPAIRED, "description"),
  ]

  /// The roles as FFmpeg's flags of a stream.
  var disposition: Int32 {
    Self.kinds.filter { roles.contains($0.1) }.reduce(0) { $0 | $1.0 }
  }

  /// The labels among a movie file's descriptions of a track: `name` and `kind` in its user data (QuickTime's
  /// format; ISO/IEC 14496-12 §8.10).
  init(_ descriptions: [Box]) {
    for box in descriptions where box.type == "udta" {
      for item in (try? Box.prefix(Self.content(box), count: .max)) ?? [] {
        if item.type == "name" {
          let text = String(decoding: item.data.prefix { $0 != 0 }, as: UTF8.self)
          if !text.isEmpty { name = text }
        } else if item.type == "kind" {
          let texts = item.data.dropFirst(4).split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
          if texts.count >= 2, texts[0] == Self.scheme, !texts[1].isEmpty { roles.append(texts[1]) }
        }
      }
    }
  }

  private static func content(_ box: Box) -> ArraySlice<UInt8> {
    box.bytes[...].dropFirst(box.headerSize)
  }

  /// The boxes in user data; `nil` where these are damaged.
  private static func items(_ box: Box) -> [Box]? {
    let content = Self.content(box)
    guard let items = try? Box.prefix(content, count: .max) else { return nil }
    // QuickTime's end in zeros.
    let rest = content.dropFirst(items.reduce(0) { $0 + $1.bytes.count })
    return rest.allSatisfy { $0 == 0 } ? items : nil
  }

  /// Descriptions of a track with the name and the roles that they do not say.
  func added(to descriptions: [Box]) -> [Box] {
    let said = TrackLabels(descriptions)
    let unsaid = TrackLabels(
      name: said.name == name ? nil : name, roles: roles.filter { !said.roles.contains($0) })
    guard let added = unsaid.boxes.first else { return descriptions }
    // A track has its user data in one box, if that can be read.
    guard let place = descriptions.firstIndex(where: { $0.type == "udta" }),
      let items = Self.items(descriptions[place])
    else { return descriptions + [added] }
    var result = descriptions
    result[place] = Box("udta", items + added.boxes)
    return result
  }

  /// The name that a handler gives its track; `nil` for one that programs give every track of a kind.
  ///
  /// - Parameter handler: the handler's name, as it is stored.
  static func name(ofHandler handler: String) -> String? {
    var name = handler[...]
    // Some programs write QuickTime's form, a count in front, into other files.
    while let first = name.unicodeScalars.first, first.value <= 0x20 { name = name.dropFirst() }
    while let last = name.unicodeScalars.last, last.value <= 0x20 { name = name.dropLast() }
    let plain = name.lowercased()
    if plain.isEmpty || usualHandlers.contains(plain) || plain.contains("gpac") { return nil }
    if usualStarts.contains(where: { plain.hasPrefix($0) }) { return nil }
    if usualEnds.contains(where: { plain.hasSuffix($0) }) { return nil }
    return String(name)
  }

  /// The last ones are this project's own.
  private static let usualHandlers: Set<String> = [
    "audio", "data", "metadata", "subtitle", "subtitles", "text", "vide", "soun",
    "video", "sound", "captions", "chapters", "timecode", "disparity", "cinematic metadata",
  ]
  /// Apple's, Adobe's and Google's; of cameras, which name the coding.
  private static let usualStarts = [
    "core media ", "mainconcept", "iso media", "gopro ", "dji.", "\u{A9}", "(c) ",
  ]
  /// `VideoHandler`, `Apple Sound Media Handler`, Android's `VideoHandle`.
  private static let usualEnds = ["handler", "handle"]

  /// The user data that say this; none for a track without labels.
  var boxes: [Box] {
    var items: [Box] = []
    if let name { items.append(Box("name", data: Array(name.utf8))) }
    items += roles.map { role in
      Box("kind", version: 0, flags: 0) { writer in
        writer.append(Self.scheme.utf8)
        writer.u8(0)
        writer.append(role.utf8)
        writer.u8(0)
      }
    }
    return items.isEmpty ? [] : [Box("udta", items)]
  }
}

/// How players choose among a movie's tracks of sound (ISO/IEC 14496-12 §8.3.2).
package struct TrackChoice: Hashable, Sendable {
  /// Whether it is played unasked.
  package var isEnabled = true
  /// Tracks of one group, except 0, are alternatives; those of 0 are played together.
  package var alternateGroup: UInt16 = 1

  package init(isEnabled: Bool = true, alternateGroup: UInt16 = 1) {
    self.isEnabled = isEnabled
    self.alternateGroup = alternateGroup
  }

  /// The choices of a movie that is written: one enabled track a group at most, and one at all.
  ///
  /// - Parameter reserved: the group of other kinds of tracks.
  static func settled(_ choices: [Self], reserved: UInt16) -> [Self] {
    var choices = choices
    var groups: [UInt16: UInt16] = [:]
    var next: UInt16 = 1
    var taken: Set<UInt16> = []
    for index in choices.indices where choices[index].alternateGroup != 0 {
      let group = choices[index].alternateGroup
      if groups[group] == nil {
        if next == reserved { next += 1 }
        groups[group] = next
        next += 1
      }
      choices[index].alternateGroup = groups[group] ?? 1
      if choices[index].isEnabled {
        choices[index].isEnabled = taken.insert(group).inserted
      }
    }
    if !choices.isEmpty, !choices.contains(where: \.isEnabled) { choices[0].isEnabled = true }
    return choices
  }
}

extension AssetTrack {
  /// How players choose it, as far as the file says it.
  package func choice() async throws(CinematicError) -> TrackChoice {
    if let stream = container as? StreamTrack {
      return TrackChoice(isEnabled: stream.isDefault)
    }
    guard let track = container as? BoxTrack else { return TrackChoice() }
    return TrackChoice(
      isEnabled: track.isEnabled(), alternateGroup: UInt16(bitPattern: track.alternateGroup))
  }

  /// Its name and what it is there for, as far as the file says it.
  package func labels() async throws(CinematicError) -> TrackLabels {
    if let stream = container as? StreamTrack { return stream.labels }
    let stored = try await (container as? any CodedTrack)?.stored()
    var labels = TrackLabels(stored?.extras ?? [])
    labels.name = labels.name ?? (container as? BoxTrack)?.handlerName
    labels.extendedLanguage = stored?.extendedLanguage
    return labels
  }
}
