// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia

/// The second eye in clips of MV-HEVC, of which the first view alone is decoded here.
enum SecondView {
  /// Says that a clip holds another eye's pictures, which are not used.
  ///
  /// - Parameter isWanted: whether disparity is to come from two eyes.
  /// - Throws: `unsupported` if it is, with the way to have both.
  static func tell(
    _ input: String, isWanted: Bool, to note: Notes
  ) async throws(CinematicError) {
    guard !PipePath.isPipe(input), try await lies(in: input) else { return }
    let found =
      "\(input) holds both eyes as MV-HEVC, of which only the base view is decoded here"
    let remedy: CinematicError.Wording = """
      FFmpeg 7.1 or later lays both beside each other: ffmpeg -i \(input) -filter_complex \
      '[0:v:vpos:left][0:v:vpos:right]hstack' pair.mp4; then give pair.mp4 with \
      \(parameter: .stereoLayout, to: "side-by-side")
      """
    guard !isWanted else { throw CinematicError(.unsupported, found, remedy: remedy) }
    note(worded: "\(found), as one eye: \(remedy)")
  }

  private static func lies(in input: String) async throws(CinematicError) -> Bool {
    let asset = try Asset.named(input)
    for track in try await asset.loadTracks(withMediaType: .video)
    where try await track.load(.mediaCharacteristics).contains(.containsStereoMultiviewVideo) {
      return true
    }
    return false
  }
}
