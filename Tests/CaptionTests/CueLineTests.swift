// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Lines that cues of WebVTT stand in by their numbers.
struct CueLineTests {
  private static func read(_ settings: String) throws -> CaptionDocument {
    try CaptionDocument(
      reading: Array("WEBVTT\n\n00:01.000 --> 00:02.000 \(settings)\nx\n".utf8), format: .webVTT)
  }

  /// A line is 5.33 % of the screen's height, as a region's is.
  @Test(
    arguments: [
      ("line:10", 53.3, 46.7, .before), ("line:0", 0, 100, .before),
      ("line:3", 15.99, 84.01, .before), ("line:-1", 0, 100, .after),
      ("line:-3", 0, 89.34, .after), ("line:40", 100, 0, .before), ("line:-40", 0, 0, .after),
      ("line:4,end", 0, 21.32, .after), ("line:4,center", 0, 42.64, .center),
    ] as [(String, Double, Double, CaptionRegion.DisplayAlignment)])
  func numbers(
    settings: String, y: Double, height: Double, display: CaptionRegion.DisplayAlignment
  ) throws {
    let document = try Self.read(settings)
    let region = try #require(document.captions.first?.region)
    let (origin, size) = (try #require(region.origin), try #require(region.size))
    #expect(abs(origin.y.value - y) < 1e-9 && abs(size.height.value - height) < 1e-9)
    #expect(region.displayAlignment == display)
    // Written again, a number is the number that it was, with all beside it.
    for more in ["", " align:start", " position:10% size:50% align:start"] {
      let whole = try Self.read(settings + more)
      let text = String(decoding: try whole.written(as: .webVTT).bytes, as: UTF8.self)
      #expect(text.contains(" --> 00:00:02.000 \(settings)\(more)\n"), "\(text)")
    }
  }

  /// Numbers beyond all screens are skipped, the least of all, too.
  @Test(arguments: ["line:-9223372036854775808", "line:1000", "line:1,2,3", "line:", "line:1,top"])
  func skipped(settings: String) throws {
    let document = try Self.read(settings)
    #expect(document.captions.count == 1 && document.captions.first?.region == nil)
    #expect(document.issues.count == 1)
  }

  /// A number is for the place that it was read with, and parts of the screen stay parts.
  @Test func places() throws {
    let percent = try Self.read("line:53.3%").written(as: .webVTT)
    #expect(String(decoding: percent.bytes, as: UTF8.self).contains(" line:53.3%\n"))
    var document = try Self.read("line:10")
    document.captions[0].region?.origin = .percent(0, 20)
    let moved = String(decoding: try document.written(as: .webVTT).bytes, as: UTF8.self)
    #expect(moved.contains(" line:20%\n"), "\(moved)")
    // In tracks of movies, too.
    let track = try CaptionTrack(try Self.read("line:10"), kind: .webVTT)
    let back = try CaptionTrack.captions(entry: track.entry, samples: track.samples).captions
    let again = CaptionDocument(captions: back, format: .webVTT)
    let text = String(decoding: try again.written(as: .webVTT).bytes, as: UTF8.self)
    #expect(text.contains(" line:10\n"), "\(text)")
  }
}
