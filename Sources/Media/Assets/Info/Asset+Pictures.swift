// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

extension Asset {
  /// The track of the pictures that players show: of several the first that is enabled, of several of
  /// those the one with the most data.
  ///
  /// - Throws: `unsupported` for a file without pictures, and what loading the tracks throws.
  func pictureTrack() async throws(CinematicError) -> AssetTrack {
    let tracks = try await load(.tracks)
    var candidates = tracks.filter { $0.mediaType == .video }
    if candidates.count > 1 { candidates = try await shown(candidates, among: tracks) }
    guard var best = candidates.first else { throw .holdsNoPictures(name) }
    guard candidates.count > 1 else { return best }
    var rate = try await best.load(.estimatedDataRate)
    for track in candidates.dropFirst() {
      let other = try await track.load(.estimatedDataRate)
      if other > rate { (best, rate) = (track, other) }
    }
    return best
  }

  /// Leaves out maps, chapters' pictures and, if there is another, what is disabled.
  private func shown(
    _ candidates: [AssetTrack], among tracks: [AssetTrack]
  ) async throws(CinematicError) -> [AssetTrack] {
    var chapters: Set<UInt32> = []
    for track in tracks { chapters.formUnion(try await track.load(.references)["chap"] ?? []) }
    var shown: [AssetTrack] = []
    var enabled: [AssetTrack] = []
    for track in candidates where !chapters.contains(track.trackID) {
      let entries: [SampleEntry] = try await track.load(.formatDescriptions)
      guard !entries.isEmpty,
        !entries.contains(where: { CinematicTracks.disparityFormats.contains($0.format) })
      else { continue }
      shown.append(track)
      if try await track.load(.isEnabled) { enabled.append(track) }
    }
    return enabled.isEmpty ? shown : enabled
  }

  /// Whether the asset begins as QuickTime and MP4 movies do; `false` also if it cannot be read.
  public func beginsAsMovie() async -> Bool {
    guard let header = try? await browser.firstHeader() else { return false }
    return BoxContainer.firstBoxes.contains(header.type)
  }

  /// A doubt about the end of a local file, in words for messages that begin with its name: how much of it is there, where
  /// it states more. Transport and bare
  /// streams may have been cut between two packets or pictures, which cannot be told.
  public func doubtfulEnd() async -> String? {
    guard let file = source as? FileByteSource, let size = try? file.fileSize() else { return nil }
    return FileShape.doubtfulEnd(fileSize: size) { offset, count in
      (try? file.bytes(offset..<min(offset + Int64(count), size))) ?? []
    }
  }

  /// - Throws: `malformed` for a local file that claims to be longer than it is: demuxers end there as
  ///   if nothing were missing.
  func checkLength() async throws(CinematicError) {
    guard let file = source as? FileByteSource else { return }
    let size = try file.fileSize()
    let claimed = FileShape.claimedByteCount(fileSize: size) { offset, count in
      (try? file.bytes(offset..<(offset + Int64(count)))) ?? []
    }
    guard let claimed else { return }
    throw CinematicError(
      .malformed, "\(name) is cut short: it has \(size) of \(claimed) bytes",
      remedy: "copy or download it again")
  }
}
