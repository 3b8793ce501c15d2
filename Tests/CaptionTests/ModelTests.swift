// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Captions, regions, groups.
struct ModelTests {
  private func seconds(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: Time(value: start, timescale: 1), end: Time(value: end, timescale: 1))
  }

  @Test func styles() {
    var caption = Caption("Hello brave world", timeRange: seconds(0, 1))
    let text = caption.text
    let brave = text.range(of: "brave")
    let all = text.startIndex..<text.endIndex
    caption.setTextColor(.red, in: all)
    caption.setFontStyle(.italic, in: brave)
    #expect(caption.pieces.map(\.text) == ["Hello ", "brave", " world"])
    #expect(caption.textColor(at: brave.lowerBound).0 == .red)
    #expect(caption.textColor(at: brave.lowerBound).1 == all)
    #expect(caption.fontStyle(at: brave.lowerBound).1 == brave)
    caption.setFontStyle(nil, in: all)
    #expect(caption.pieces.map(\.text) == [text])
    caption.setTextColor(nil, in: all)
    #expect(caption == Caption(text, timeRange: seconds(0, 1)))
    caption.setRuby(Caption.Ruby(text: "x"), in: brave)
    caption.text = "new"
    #expect(caption == Caption("new", timeRange: seconds(0, 1)))
    #expect(Caption("", timeRange: seconds(0, 1)).styledRanges.isEmpty)
  }

  /// Of issues that differ in numbers and names alone the first ones are told, and how many more there are.
  @Test func manyIssues() {
    var issues: [CaptionIssue] = []
    for number in 1...50 {
      let letters = String(repeating: "x", count: number)
      issues.append(CaptionIssue(line: number, reason: "the tag <\(letters)> was skipped"))
      issues.append(
        CaptionIssue(
          line: number, severity: .note, reason: "the file's '\(letters)' says \(number)"))
    }
    issues.append(CaptionIssue(line: 51, reason: "something else"))
    let told = CaptionIssue.shortened(issues)
    #expect(told.count == 43 && told.last?.reason == "something else")
    #expect(Array(told.prefix(39)) == Array(issues.prefix(39)))
    let rest = told.filter { $0.reason == "30 more of the like" }
    #expect(rest.map(\.severity) == [.warning, .note] && rest.allSatisfy { $0.line == nil })
    #expect(CaptionIssue.shortened(Array(told.prefix(40))) == Array(told.prefix(40)))
  }

  /// Every property by itself: its range has it, what lies beside has none, and the other properties stay.
  @Test func everyProperty() {
    var caption = Caption("Hello brave world", timeRange: seconds(0, 1))
    let text = caption.text
    let (brave, world) = (text.range(of: "brave"), text.range(of: "world"))
    caption.setFontWeight(.bold, in: brave)
    #expect(caption.pieces.map(\.text) == ["Hello ", "brave", " world"])
    #expect(caption.fontWeight(at: brave.lowerBound).0 == .bold)
    #expect(caption.fontWeight(at: brave.lowerBound).1 == brave)
    #expect(caption.fontWeight(at: text.startIndex).0 == nil)
    #expect(caption.fontWeight(at: world.lowerBound).0 == nil)
    var expected = Caption.Style()
    expected.fontWeight = .bold
    #expect(caption.style(at: brave.lowerBound).style == expected)

    let lines: Caption.Decoration = [.underline, .overline]
    caption.setDecoration(lines, in: brave)
    expected.decoration = lines
    #expect(caption.style(at: brave.lowerBound).style == expected)
    #expect(caption.decoration(at: brave.lowerBound).0 == lines)
    #expect(caption.decoration(at: brave.lowerBound).1 == brave)
    #expect(caption.decoration(at: world.lowerBound).0 == nil)

    caption.setBackgroundColor(.blue, in: brave)
    expected.backgroundColor = .blue
    #expect(caption.style(at: brave.lowerBound).style == expected)
    #expect(caption.backgroundColor(at: brave.lowerBound).0 == .blue)
    #expect(caption.backgroundColor(at: brave.lowerBound).1 == brave)
    #expect(caption.backgroundColor(at: text.startIndex).0 == nil)

    caption.setTextCombine(.twoDigits, in: brave)
    expected.textCombine = .twoDigits
    #expect(caption.style(at: brave.lowerBound).style == expected)
    #expect(caption.textCombine(at: brave.lowerBound).0 == .twoDigits)
    #expect(caption.textCombine(at: brave.lowerBound).1 == brave)
    #expect(caption.textCombine(at: world.lowerBound).0 == nil)

    #expect(caption.style(at: text.startIndex).style == .plain)
    #expect(caption.style(at: world.lowerBound).style == .plain)
    // Each is taken away by itself, too.
    caption.setFontWeight(nil, in: brave)
    expected.fontWeight = nil
    #expect(caption.style(at: brave.lowerBound).style == expected)
    caption.setDecoration(nil, in: brave)
    expected.decoration = nil
    #expect(caption.style(at: brave.lowerBound).style == expected)
    caption.setBackgroundColor(nil, in: brave)
    expected.backgroundColor = nil
    #expect(caption.style(at: brave.lowerBound).style == expected)
    caption.setTextCombine(nil, in: brave)
    #expect(caption == Caption(text, timeRange: seconds(0, 1)))
  }

  @Test func regions() {
    var named = CaptionRegion.appleITTTop
    named.origin = .percent(50, 50)
    #expect(named == .appleITTTop && !named.isIdentical(to: .appleITTTop))
    #expect(
      CaptionRegion(origin: .percent(0, 0))
        == CaptionRegion(origin: .percent(0, 0), scroll: .rollUp))
    #expect(
      CaptionRegion(origin: .percent(0, 0)) != CaptionRegion(origin: .cell(column: 0, row: 0)))
    #expect(CaptionRegion(identifier: "a") != CaptionRegion())
  }

  @Test func groups() throws {
    let a = Caption("a", timeRange: seconds(1, 5))
    let b = Caption("b", timeRange: seconds(2, 3))
    let c = Caption("c", timeRange: seconds(7, 8))
    let groups = CaptionGrouper.groups(of: [b, a, c])
    #expect(groups.map { $0.captions.map(\.text) } == [["a"], ["b", "a"], ["a"], [], ["c"]])
    for (one, next) in zip(groups, groups.dropFirst()) {
      #expect(one.timeRange.end == next.timeRange.start)
    }
    #expect(groups[1].captionsNotPresentInPreviousGroups == [b])
    #expect(groups[2].captions[0] == a)
    var grouper = CaptionGrouper()
    try grouper.add(a)
    #expect(grouper.flushAddedCaptions(upTo: Time(value: 4, timescale: 1)).count == 1)
    #expect(throws: CinematicError.self) { try grouper.add(b) }
    #expect(
      grouper.flushAddedCaptions(upTo: Time(value: 9, timescale: 1)).map(\.captions) == [[a], []])
  }

  @Test func groupsRefuseCaptionsThatAreNotSeen() throws {
    let caption = Caption("a", timeRange: seconds(1, 5))
    #expect(try CaptionGroup(captions: [caption], timeRange: seconds(2, 5)).captions == [caption])
    for range in [seconds(0, 2), seconds(4, 6)] {
      let error = #expect(throws: CinematicError.self) {
        try CaptionGroup(captions: [caption], timeRange: range)
      }
      #expect(error?.code == .invalidParameter)
    }
  }

  /// Durations that no timescale of 32 bits holds: groups do not overlap, and their captions are seen in all of them.
  @Test func groupsOfTimesWithoutACommonTimescale() {
    let scales: [Int32] = [30000, 1_000_000_000, 44100, 90000, .max]
    var random = Seeded(8)
    for _ in 0..<200 {
      var captions: [Caption] = []
      for number in 0..<6 {
        let from = Double(random.below(3_000_000)) / 1e6
        let to = from + 0.001 + Double(random.below(2_000_000)) / 1e6
        let start = Time(seconds: from, preferredTimescale: random.pick(scales))
        let end = Time(seconds: to, preferredTimescale: random.pick(scales))
        captions.append(Caption("\(number)", timeRange: TimeRange(start: start, end: end)))
      }
      let groups = CaptionGrouper.groups(of: captions)
      for group in groups {
        let (start, end) = (group.timeRange.start, group.timeRange.end)
        let areSeen = group.captions.allSatisfy {
          $0.timeRange.start <= start && end <= $0.timeRange.end
        }
        #expect(areSeen)
      }
      for (one, next) in zip(groups, groups.dropFirst()) {
        let gap = (next.timeRange.start - one.timeRange.end).seconds
        #expect(gap >= 0 && gap < 1e-9)
      }
    }
  }

  /// Frames of 29.97 a second beside decimal seconds.
  @Test func groupsOfFramesAndSeconds() async throws {
    let text = """
      <tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" \
      ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"><body><div>\
      <p begin="0s" end="2f">A</p><p begin="0.019753075s" end="3s">B</p></div></body></tt>
      """
    let reader = CaptionReader(bytes: Array(text.utf8), format: .ttml)
    var texts: [[String]] = []
    while let output = try await reader.nextGroup() {
      texts.append(output.group.captions.map(\.text))
    }
    #expect(texts == [["A"], ["A", "B"], ["B"]])
    let document = try await reader.document()
    for kind in [CaptionTrack.Kind.timedText, .webVTT, .ttml] {
      #expect(try CaptionTrack(document, kind: kind).samples.count == 3)
    }
  }

  @Test func writerOrder() async throws {
    let writer = CaptionWriter(format: .webVTT)
    try await writer.append(Caption("b", timeRange: seconds(2, 3)))
    await #expect(throws: CinematicError.self) {
      try await writer.append(Caption("a", timeRange: seconds(1, 5)))
    }
    try await writer.append(Caption("c", timeRange: seconds(2, 4)))
    let file = try await writer.finish()
    #expect(try CaptionDocument(reading: file.bytes).captions.map(\.text) == ["b", "c"])
    await #expect(throws: CinematicError.self) { try await writer.finish() }
  }

  @Test func groupsThroughReaderAndWriter() async throws {
    let captions = [
      Caption("a", timeRange: seconds(1, 5)), Caption("b", timeRange: seconds(2, 3)),
      Caption("c", timeRange: seconds(7, 8)),
    ]
    let bytes = try CaptionDocument(captions: captions, format: .webVTT).written(as: .webVTT).bytes
    let reader = CaptionReader(bytes: bytes)
    let writer = CaptionWriter(format: .webVTT)
    while let output = try await reader.nextGroup() {
      try await writer.append(output.group)
      #expect(output.skippedElements.isEmpty)
    }
    #expect(try await writer.finish().bytes == bytes)
  }
}

extension String {
  /// The first place of a text.
  func range(of part: String) -> Range<String.Index> {
    firstRange(of: part) ?? startIndex..<startIndex
  }
}
