// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Titles, dates and other metadata.
extension FilmCompanions {
  /// A box of descriptions without what would not be true of another film: that it is Cinematic, and where
  /// its chapters lie.
  static func kept(_ box: Box) -> Box? {
    if box.type == "udta" {
      guard let boxes = try? Box.prefix(box.data, count: .max) else { return box }
      guard boxes.contains(where: { $0.type == "chpl" }) else { return box }
      let rest = boxes.filter { $0.type != "chpl" }
      return rest.isEmpty ? nil : Box("udta", rest)
    }
    guard let parsed = try? Box.parse(box.bytes[...]).first,
      let items = try? ItemMetadata(parsed).items
    else { return box }
    let isCinematic = { (key: String) in
      CinematicTracks.keyPrefixes.contains { key.lowercased().hasPrefix($0) }
    }
    guard items.contains(where: { isCinematic($0.key) }) else { return box }
    return parsed.droppingItems(where: isCinematic)
  }

  /// The companions in a pipe: all that its head holds. Captions come among the pictures, and are left out.
  init(_ description: StreamDescription, frameDuration: Time) {
    read(description, frameDuration: frameDuration)
    for stream in description.streams {
      switch stream.mediaType {
      case .subtitle: leftOut.append("the captions of track \(stream.trackID)")
      case .metadata: leftOut.append("the timed metadata of track \(stream.trackID)")
      default: break
      }
    }
    let pictures = description.streams.filter { $0.mediaType == .video }
    if let first = pictures.first { pictureLabels = TrackLabels(first) }
    leftOut += pictures.dropFirst().map { "the video track \($0.trackID)" }
    chapters.sort { $0.time < $1.time }
  }

  mutating func read(_ description: StreamDescription, frameDuration: Time) {
    let all = description.tags + (description.streams.first { $0.mediaType == .video }?.tags ?? [])
    if let text = all.first(where: { $0.key.lowercased() == "timecode" })?.value {
      timecode = Timecode(text, frameDuration: frameDuration)
      if timecode == nil { leftOut.append("the timecode \(text)") }
    }
    if let date = description.tags.first(where: { $0.key.lowercased() == "creation_time" })?.value {
      creationTime = Self.seconds(since1904: date) ?? 0
    }
    // The name of the source's muxer is not true of another film.
    let own: Set<String> = [
      "timecode", "creation_time", "encoder", "major_brand", "minor_version", "compatible_brands",
      "duration",
    ]
    tags = description.tags.map { ($0.key, $0.value) }.filter { tag in
      let key = tag.key.lowercased()
      return !own.contains(key) && !CinematicTracks.keyPrefixes.contains { key.hasPrefix($0) }
    }
    chapters = description.chapters
    leftOut += description.attachments
  }

  /// The chapters, or their beginnings, that lie before all pictures and sound, where the film begins with these, in words.
  /// Of a film that begins later than its source it is clear that the chapters of the rest are not in it.
  ///
  /// - Parameters:
  ///   - timelineStart: the time that becomes the film's zero, as of the pictures.
  ///   - slack: how much a chapter may begin earlier without a word.
  package func chaptersBeforeStart(_ timelineStart: Time, slack: Time) -> [String] {
    let start = min(origin + timelineStart, .zero)
    // Each lasts until the next.
    let count = zip(chapters, chapters.dropFirst()).count { $1.time <= start }
    var words: [String] = []
    if count > 0 {
      words.append(
        count == 1
          ? "a chapter that ends before the beginning"
          : "\(count) chapters that end before the beginning")
    }
    if count < chapters.count, chapters[count].time + slack < start {
      words.append("the first part of the chapter that goes on at the beginning")
    }
    return words
  }

  /// `2024-05-06T07:08:09.000000Z` in seconds since 1904.
  static func seconds(since1904 text: String) -> UInt32? {
    let parts = text.prefix(19).split(whereSeparator: { "-T: ".contains($0) }).map { Int($0) }
    guard parts.count == 6, !parts.contains(nil) else { return nil }
    let numbers = parts.compactMap { $0 }
    var (year, month) = (numbers[0], numbers[1])
    guard (1904...2039).contains(year), (1...12).contains(month) else { return nil }
    // Days of the proleptic Gregorian calendar, with years that begin in March.
    if month <= 2 {
      year -= 1
      month += 12
    }
    func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
      365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day
    }
    let day = days(year, month, numbers[2]) - days(1903, 13, 1)
    return UInt32(exactly: ((day * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5])
  }
}
