// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

extension BoxContainer {
  /// The boxes of a movie or a track that describe it for people and for other programs.
  static let descriptions: Set<FourCC> = ["udta", "meta"]

  /// Boxes that say how a file is built or read, which a copy says anew, and old ones of pictures' editing.
  private static let structure: Set<FourCC> = [
    "ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "pnot", "PICT", "pdin", "moof", "mfra",
    "sidx", "ssix", "prft", "mvhd", "trak", "mvex", "iods", "cmov", "ctab", "tkhd", "mdia", "edts",
    "tref", "tapt", "load", "clip", "matt", "trgr",
  ]
  /// Adobe's XMP, which stands for itself wherever it is.
  static let xmp: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]

  /// Whether a box describes, and what it says is in itself.
  private static func describes(_ header: BoxHeader) -> Bool {
    header.type == "uuid" ? header.extendedType == xmp : descriptions.contains(header.type)
  }

  /// A box that is not kept because nothing is known of it, in words; `nil` for others.
  private static func unknown(_ header: BoxHeader, of place: String) -> String? {
    guard !describes(header), !structure.contains(header.type) else { return nil }
    let digits = header.extendedType?.map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    return "the box '\(header.type)'\(digits.map { " \($0.joined())" } ?? "") of \(place)"
  }

  func storedMovie() async throws(CinematicError) -> StoredMovie? {
    let moov = try await moov()
    let content = try await browser.content(try await box("mvhd", in: moov))
    let header = try named { () throws(CinematicError) in try MovieHeader(content) }
    let (extras, unknown) = try await described(by: moov, "the movie")
    let (outer, others) = try await described(by: nil, "the file")
    // Parts of a box of items may lie anywhere in the file.
    let isInItself = { (box: Box) in
      guard box.type == "meta" else { return true }
      let parsed = try? Box.parse(box.bytes[...]).first
      return parsed.map { $0["iloc"] == nil } ?? false
    }
    return StoredMovie(
      creationTime: UInt32(clamping: header.creationTime), extras: extras,
      fileExtras: outer.filter(isInItself),
      unknown: unknown + others
        + outer.filter { !isInItself($0) }.map { "the box '\($0.type)' of the file" })
  }

  /// Boxes of a place that are named where they are not kept: a broken file may have any number.
  private static let mostNamed = 12

  /// The descriptions in a box, or at the top of the file, and what nothing is known of.
  ///
  /// - Parameter place: names the box in words.
  fileprivate func described(
    by parent: BoxHeader?, _ place: String, beside types: Set<FourCC> = []
  ) async throws(CinematicError) -> (boxes: [Box], unknown: [String]) {
    var boxes: [Box] = []
    var unknown: [String] = []
    var told: Set<String> = []
    func tell(_ name: String) {
      if told.insert(name).inserted, told.count <= Self.mostNamed { unknown.append(name) }
    }
    let size = try await browser.source.believedByteCount()
    var left = BoxBrowser.maximumContentSize
    for header in try await browser.all(in: parent)
    where (parent != nil || header.end <= size) && header.type.rawValue != 0 {
      if Self.describes(header) || types.contains(header.type) {
        left -= header.contentSize
        guard left >= 0 else {
          tell("the box '\(header.type)' of \(place), of \(header.size) bytes")
          continue
        }
        var box = Box(header.type, data: try await browser.content(header))
        box.extendedType = header.extendedType
        boxes.append(box)
      } else if let name = Self.unknown(header, of: place) {
        tell(name)
      }
    }
    let more = told.count - unknown.count
    if more > 0 { unknown.append("\(more) more box\(more == 1 ? "" : "es") of \(place)") }
    return (boxes, unknown)
  }
}

extension BoxTrack {
  func stored() async throws(CinematicError) -> StoredTrack? {
    var entries = try await sampleEntries()
    // Most tracks need no look at their samples.
    if entries.count > 1 { entries = try await codings().entries }
    let isSound = mediaType == .audio
    let header = content.header
    // The apertures of pictures have a box of their own.
    let (extras, unknown) = try await container.described(
      by: content.box, "track \(trackID)", beside: isSound ? [] : ["tapt"])
    return StoredTrack(
      entry: entries.count == 1 ? entries[0].box : nil,
      shownSize: (Double(header.width) / 65536, Double(header.height) / 65536),
      extras: extras, extendedLanguage: try await extendedLanguage(), unknown: unknown)
  }

  private func extendedLanguage() async throws(CinematicError) -> String? {
    guard let header = try await container.browser.find("mdia", "elng", in: content.box) else {
      return nil
    }
    let text = try await container.browser.content(header).dropFirst(4).prefix { $0 != 0 }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  /// The descriptions that samples refer to, those that say the same once, and whether all of them are there.
  private func codings() async throws(CinematicError) -> (entries: [SampleEntry], isWhole: Bool) {
    let all = try await sampleEntries()
    let used = try await sampleIndex().usedDescriptions
    var entries: [SampleEntry] = []
    for number in used.isEmpty ? [0] : used.sorted() where all.indices.contains(number) {
      if !entries.contains(all[number]) { entries.append(all[number]) }
    }
    return (entries, used.allSatisfy { all.indices.contains($0) })
  }

  func usedEntry() async throws(CinematicError) -> SampleEntry? {
    try await codings().entries.first
  }

  func hasOneCoding() async throws(CinematicError) -> Bool {
    let (entries, isWhole) = try await codings()
    return isWhole && entries.count == 1
  }

  func soundParameters() async throws(CinematicError) -> SoundParameters {
    guard let entry = try await usedEntry() else {
      throw CinematicError(
        .malformed, "track \(trackID) of \(container.name) has no description of its sound",
        remedy: "copy or download the file again")
    }
    let index = try await sampleIndex()
    let length =
      index.isEmpty
      ? Time.zero : Time(value: index[0].duration, timescale: try await timescale())
    do throws(CinematicError) {
      let parameters = try entry.soundParameters(packetDuration: length)
      // Boxes of many forms say where the channels of plain samples are heard.
      guard parameters.bytesPerFrame > 0, parameters.channelCount > 2,
        let found = try? await container.streamParameters(trackID: trackID)
      else { return parameters }
      return try SoundParameters(parameters, layoutOf: found, name: container.name)
    } catch {
      // libavformat distinguishes more codings than the boxes do; one that it does not know either is a stream of no codec.
      guard error.code == .unsupported,
        let found = try? await container.streamParameters(trackID: trackID),
        found.values.codec_id != AV_CODEC_ID_NONE
      else { throw error.naming(container.name) }
      return try SoundParameters(found, name: container.name)
    }
  }
}
