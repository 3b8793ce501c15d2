// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

extension BoxContainer {
  /// The boxes of a movie or a track that describe it for people and for other programs.
  static let descriptions: Set<FourCC> = ["udta", "meta"]

  func storedMovie() async throws(CinematicError) -> StoredMovie? {
    let moov = try await moov()
    let content = try await browser.content(try await box("mvhd", in: moov))
    let header = try named { () throws(CinematicError) in try MovieHeader(content) }
    return StoredMovie(
      creationTime: UInt32(clamping: header.creationTime),
      extras: try await boxes(of: Self.descriptions, in: moov))
  }

  /// Whole boxes of some types.
  fileprivate func boxes(
    of types: Set<FourCC>, in parent: BoxHeader
  ) async throws(CinematicError) -> [Box] {
    var boxes: [Box] = []
    for header in try await browser.all(in: parent) where types.contains(header.type) {
      boxes.append(Box(header.type, data: try await browser.content(header)))
    }
    return boxes
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
    return StoredTrack(
      entry: entries.count == 1 ? entries[0].box : nil,
      shownSize: (Double(header.width) / 65536, Double(header.height) / 65536),
      extras: try await container.boxes(
        of: BoxContainer.descriptions.union(isSound ? [] : ["tapt"]), in: content.box))
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
      // libavformat distinguishes more codings than the boxes do.
      guard error.code == .unsupported,
        let found = try? await container.streamParameters(trackID: trackID)
      else { throw error.naming(container.name) }
      return try SoundParameters(found, name: container.name)
    }
  }
}
