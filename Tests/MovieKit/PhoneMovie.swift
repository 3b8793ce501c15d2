// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// A movie in the layout of a phone's Cinematic recordings. Its samples are numbers, not pictures:
/// for what never decodes them.
public enum PhoneMovie {
  public static func layout(frames: Int = 12, form: MovieLayout.Form = .movieLast) -> MovieLayout {
    func samples(_ seed: UInt8, _ size: Int) -> [MovieLayout.Sample] {
      (0..<frames).map { frame in
        MovieLayout.Sample(
          [UInt8](repeating: seed &+ UInt8(truncatingIfNeeded: frame), count: size + frame % 3),
          duration: 20, isSync: frame % 6 == 0)
      }
    }
    let configuration = Box("hvcC", data: [UInt8](repeating: 1, count: 23))
    var video = MovieLayout.Track(
      "vide", timescale: 600,
      entry: Entry.visual(
        "hvc1", width: 1920, height: 1080,
        [
          configuration,
          Box.of("colr") { builder in
            builder.code("nclc")
            for code in [9, 18, 9] { builder.u16(code) }
          },
          Box("dvvC", data: Array(0..<24)), Box("amve", data: Array(0..<8)),
        ]), samples: samples(0, 40))
    (video.width, video.height) = (1920, 1080)
    let one: Int32 = 1 << 16
    // Shown upright, it is turned by a quarter.
    video.matrix = [0, one, 0, -one, 0, 0, 1080 << 16, 0, 1 << 30]
    video.edits = [(frames * 20, 0, 1 << 16)]
    var disparity = MovieLayout.Track(
      "auxv", timescale: 600,
      entry: Entry.visual("dish", width: 320, height: 180, [configuration]),
      samples: samples(100, 10))
    (disparity.width, disparity.height) = (320, 180)
    disparity.references = [("auxl", [1])]
    let sound = MovieLayout.Track(
      "soun", timescale: 44100,
      entry: Box.of("mp4a") { builder in
        builder.zeros(6)
        builder.u16(1)
        builder.zeros(8)
        builder.u16(2)
        builder.u16(16)
        builder.u32(0)
        builder.u32(44100 << 16)
      },
      samples: (0..<frames).map { MovieLayout.Sample([7, UInt8($0 & 255), 9], duration: 1470) })
    var metadata = MovieLayout.Track(
      "meta", timescale: 600, entry: Entry.metadata(Entry.appleKeys),
      samples: (0..<frames).map { frame in
        MovieLayout.Sample(payload(frame), duration: 20)
      })
    metadata.references = [("cdsc", [1])]
    var layout = MovieLayout([video, disparity, sound, metadata])
    layout.form = form
    layout.extras = [
      Entry.items([
        ("com.apple.quicktime.make", 1, Array("Apple".utf8)),
        ("com.apple.quicktime.cinematic-video", 0, []),
      ])
    ]
    return layout
  }

  /// A payload that only the phone's maker reads.
  public static func payload(_ frame: Int) -> [UInt8] {
    Entry.sample([
      (1, (0..<16).map { UInt8(truncatingIfNeeded: $0 * 7 + frame) }),
      (2, [UInt8](repeating: 0xC0, count: frame % 4 + 1)),
    ])
  }
}
