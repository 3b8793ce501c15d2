// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Files with bytes changed, cut out and repeated: read, or refused, and what is read can be written.
///
/// `FOCAL_FUZZ_COUNT=1000000` for a long run.
struct HostileInputTests {
  private static func seeds() throws -> [[UInt8]] {
    var random = Seeded(5)
    var seeds: [[UInt8]] = [RoundTripTests.file(&random), RoundTripTests.file(&random)]
    let captions = RandomCaptions.free(&random, rate: .ntsc)
    for format in [CaptionFormat.itt, .ttml, .webVTT, .subRip] {
      seeds.append(
        try CaptionDocument(captions: captions, format: format).written(as: format).bytes)
    }
    return seeds
  }

  @Test func mutations() throws {
    let seeds = try Self.seeds()
    var random = Seeded(UInt64(caseCount(0)) &+ 11)
    let words = [
      "-01:00:00:00", "99999:59:59:29", "begin=\"\"", "<span>", "</p>", "&#x110000;",
      "<!DOCTYPE a>",
      " 94a7 94ad", " 9425 9425 94ad", " 97a1 97a2", " 9429", "-->", "\u{0}", "\u{FFFD}", "1e999%",
      "nan% inf%", "<ruby><rt>", "{\\an5}", "\u{202E}", "line:-999999999", "frameRate=\"1000\"",
    ].map { Array($0.utf8) }
    for number in 0..<caseCount(4000) {
      var bytes = random.pick(seeds)
      for _ in 0..<(1 + random.below(4)) {
        guard bytes.count > 8 else { break }
        let place = random.below(bytes.count)
        switch random.below(6) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(30)))
        case 3: bytes.insert(contentsOf: random.pick(words), at: place)
        case 4:
          let piece = Array(bytes[place..<min(bytes.count, place + random.below(200))])
          bytes.insert(contentsOf: piece, at: random.below(bytes.count))
        default: bytes.removeLast(random.below(bytes.count))
        }
      }
      guard let document = try? CaptionDocument(reading: bytes) else { continue }
      for caption in document.captions {
        #expect(caption.timeRange.duration >= .zero)
        #expect(caption.revealTimes.isEmpty || caption.revealTimes.count == caption.text.count)
      }
      // Groups and every format of what was read.
      _ = CaptionGrouper.groups(of: document.captions)
      let format = CaptionFormat.allCases[number % CaptionFormat.allCases.count]
      guard let written = try? document.written(as: format) else { continue }
      #expect(throws: Never.self, "\(number)") {
        if !document.captions.isEmpty {
          _ = try CaptionDocument(reading: written.bytes, format: format)
        }
      }
    }
  }
}
