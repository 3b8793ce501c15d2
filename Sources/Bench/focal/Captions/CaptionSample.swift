// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore
import FocalSample

/// Captions as a film has them, the same in every run.
struct CaptionSample {
  /// As many as a film of 105 minutes has.
  static let filmCount = 1194

  private static let words =
    "the a I you and we to of it that is was in on what with not your all can just like about know well who"
    .split(separator: " ").map(String.init)
    + ["naïve", "café", "don't", "señor", "♪", "really", "nothing", "somewhere", "understand"]

  let captions: [Caption]

  /// - Parameter seed: another one gives others.
  init(count: Int, seed: UInt64 = 608) {
    var random = SeededGenerator(seed: seed)
    var captions: [Caption] = []
    var start = 150
    for number in 0..<count {
      let frames = Int.random(in: 60...150, using: &random)
      var pieces: [(text: String, style: Caption.Style)] = []
      for line in 0..<Int.random(in: 1...2, using: &random) {
        var text = line == 0 ? "" : "\n"
        let length = Int.random(in: 12...30, using: &random)
        while text.count < length {
          if text.count > 1 { text += " " }
          text += Self.words.randomElement(using: &random) ?? ""
        }
        var style = Caption.Style()
        if number % 9 == 0 { style.fontStyle = .italic }
        if number % 31 == 0 { style.textColor = .yellow }
        pieces.append((String(text.prefix(32)), style))
      }
      let rate = TimeCodeRate.ntsc
      var caption = Caption(
        pieces: pieces,
        timeRange: TimeRange(
          start: rate.time(ofFrame: start), end: rate.time(ofFrame: start + frames)))
      caption.region = number % 12 == 0 ? .appleITTTop : .appleITTBottom
      captions.append(caption)
      start += frames + Int.random(in: 0...60, using: &random)
    }
    self.captions = captions
  }
}

/// Changes files as damage does: bytes and bits, pieces cut out, moved and repeated, and words that readers trip over.
struct CaptionMutations {
  private static let words = [
    "-01:00:00:00", "99999:59:59:29", "begin=\"\"", "<span>", "</p>", "&#x110000;", "<!DOCTYPE a>",
    " 94a7 94ad", " 9425 9425 94ad", " 97a1 97a2", " 9429", " 1c20 1c2f", "-->", "\u{0}",
    "\u{FFFD}", "1e999%", "nan% inf%", "<ruby><rt>", "{\\an5}", "\u{202E}", "line:-999999999",
    "frameRate=\"1000\"", "tts:extent=\"1e9% 1e9%\"", "vertical:rl", "\u{1F469}\u{200D}\u{1F4BB}",
  ].map { Array($0.utf8) }

  private let seeds: [[UInt8]]
  private var random: SeededGenerator

  init(seed: UInt64) throws(CinematicError) {
    random = SeededGenerator(seed: seed)
    let captions = CaptionSample(count: 6).captions
    var seeds: [[UInt8]] = []
    for format in CaptionFormat.allCases {
      seeds.append(
        try CaptionDocument(captions: captions, format: format).written(as: format).bytes)
    }
    var options = CaptionWritingOptions()
    options.otherChannelCaptions = CaptionSample(count: 4, seed: 2).captions
    seeds.append(
      try CaptionDocument(captions: captions, format: .scc).written(as: .scc, options: options)
        .bytes)
    // Windows that roll, and ruby in columns.
    seeds.append(
      Array(
        ("Scenarist_SCC V1.0\n\n00:00:01:00\t9426 9426 94ad 94ad 9470 9470 c1c2 4344\n\n"
          + "00:00:02:00\t9426 9426 94ad 94ad 9470 9470 c4c5 46c7\n\n00:00:03:00\t9429 9429 94d0 94d0 c1c2\n")
          .utf8))
    seeds.append(
      Array(
        """
        <tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling"><head><layout>
        <region xml:id="r" tts:origin="85% 0%" tts:extent="15% 100%" tts:writingMode="tbrl"/></layout></head><body><div>
        <p region="r" begin="1s" end="2s"><span tts:ruby="container"><span tts:ruby="base">漢</span><span
        tts:ruby="text">かん</span></span>字 שלום</p></div></body></tt>
        """.utf8))
    self.seeds = seeds
  }

  private mutating func below(_ bound: Int) -> Int {
    Int.random(in: 0..<max(1, bound), using: &random)
  }

  mutating func next() -> [UInt8] {
    var bytes = seeds[below(seeds.count)]
    for _ in 0..<(1 + below(4)) {
      guard bytes.count > 8 else { break }
      let place = below(bytes.count)
      switch below(6) {
      case 0: bytes[place] = UInt8(below(256))
      case 1: bytes[place] ^= 1 << UInt8(below(8))
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(30)))
      case 3: bytes.insert(contentsOf: Self.words[below(Self.words.count)], at: place)
      case 4:
        let piece = Array(bytes[place..<min(bytes.count, place + below(200))])
        bytes.insert(contentsOf: piece, at: below(bytes.count))
      default: bytes.removeLast(below(bytes.count))
      }
    }
    return bytes
  }
}
