// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// A movie in a phone's layout with real pictures: HEVC with reordered pictures and several groups of
/// them, maps coded without loss.
public enum EncodedMovie {
  public static let size = (width: 96, height: 64)
  public static let mapSize = (width: 64, height: 48)

  /// The luma code of a map, 64 to 939: video range.
  public static func mapCode(_ frame: Int, _ x: Int, _ y: Int) -> Int {
    64 + (frame * 31 + x * 7 + y) % 876
  }

  /// - Parameters:
  ///   - keys: of the metadata track, with QuickTime's types.
  ///   - mapCode: the luma code of a map, 64 to 939.
  ///   - payload: the metadata sample of a frame.
  public static func layout(
    frames: Int = 26, form: MovieLayout.Form = .movieLast,
    keys: [(name: String, type: Int)] = Entry.appleKeys.map { (name: $0.0, type: $0.1) },
    mapCode: (_ frame: Int, _ x: Int, _ y: Int) -> Int = EncodedMovie.mapCode,
    payload: (Int) -> [UInt8] = PhoneMovie.payload
  ) throws -> MovieLayout {
    let picture = try EncodedClip(width: size.width, height: size.height, frames: frames) {
      frame, plane, x, y in
      plane == 0 ? 100 + (frame * 23 + x * 5 + y * 3) % 700 : 400 + (frame * 9 + x + y) % 200
    }
    let map = try EncodedClip(
      width: mapSize.width, height: mapSize.height, frames: frames,
      parameters: "lossless=1:keyint=5:bframes=2:log-level=none"
    ) { frame, plane, x, y in plane == 0 ? mapCode(frame, x, y) : 512 }
    var video = MovieLayout.Track(
      "vide", timescale: 600, entry: picture.entry, samples: picture.samples)
    (video.width, video.height) = size
    video.edits = [(frames * 20, picture.delay, 1 << 16)]
    var disparity = MovieLayout.Track(
      "auxv", timescale: 600, entry: Box("dish", data: map.entry.data), samples: map.samples)
    disparity.edits = [(frames * 20, map.delay, 1 << 16)]
    let metadata = MovieLayout.Track(
      "meta", timescale: 600, entry: Entry.metadata(keys),
      samples: (0..<frames).map { MovieLayout.Sample(payload($0), duration: 20) })
    var layout = MovieLayout([video, disparity, metadata])
    layout.form = form
    return layout
  }
}
