// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Picture files with consecutive numbers, from the lowest there is to the first gap.
final class PatternSource: FrameSource {
  let facts: SourceFacts
  private let pattern: NumberedPattern
  private let numbers: ClosedRange<Int>
  private let frameDuration: Time
  private var index = 0

  /// - Throws: `unreadable` where no file matches.
  init(_ pattern: NumberedPattern, frameDuration: Time) throws(CinematicError) {
    guard let numbers = try pattern.existingNumbers() else {
      throw CinematicError(
        .unreadable, "no file matches \(pattern)",
        remedy: "the first would be \(pattern.path(0)) or \(pattern.path(1))")
    }
    self.pattern = pattern
    self.numbers = numbers
    self.frameDuration = frameDuration
    let codec = StillKind(ending: pattern.ending)?.rawValue ?? pattern.ending
    facts = SourceFacts(
      kind: .numbered, frameCount: numbers.count, duration: frameDuration * numbers.count,
      nominalFrameDuration: frameDuration, codecName: codec)
  }

  func skip(to index: Int) { self.index = max(self.index, index) }

  func next() throws(CinematicError) -> DecodedFrame? {
    guard index < numbers.count else { return nil }
    let path = pattern.path(numbers.lowerBound + index)
    let file = try SourceFile(path: path)
    guard let kind = file.stillKind else {
      throw CinematicError(
        .malformed, "\(path) is not a picture",
        remedy: "numbered files are PNG, JPEG, TIFF, PFM or OpenEXR pictures")
    }
    defer { index += 1 }
    return DecodedFrame(
      frame: try StillDecoder.decode(file, kind: kind), time: frameDuration * index,
      duration: frameDuration, index: index, path: path)
  }
}
