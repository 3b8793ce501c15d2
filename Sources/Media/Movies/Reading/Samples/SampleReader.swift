// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Gives the bytes of a track's samples to one decoder, on a thread that may wait.
protocol SampleReader: Sendable {
  /// The bytes of a sample by its number in the track's ``FocalBoxes/SampleIndex``.
  ///
  /// - Throws: `malformed` where the file ends in it, what the source throws.
  func sample(_ number: Int) throws(CinematicError) -> [UInt8]
  /// The bytes of samples that follow each other, one after another.
  func samples(_ numbers: Range<Int>) throws(CinematicError) -> [UInt8]
  /// The data that the container holds beside the sample that was read last, as libavformat gives it: the alpha
  /// of WebM. `nil` if there is none.
  var besideLast: [UInt8]? { get }
  /// Another reader of the same samples: each serves one thread at a time.
  func another() -> any SampleReader
}

extension SampleReader {
  var besideLast: [UInt8]? { nil }

  func samples(_ numbers: Range<Int>) throws(CinematicError) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { bytes += try sample(number) }
    return bytes
  }
}

/// Samples that are stretches of the file.
struct RangeSampleReader: SampleReader {
  let reader: BlockingReader
  let index: SampleIndex

  func sample(_ number: Int) throws(CinematicError) -> [UInt8] { try reader.sample(index[number]) }

  // It keeps no place in the file.
  func another() -> any SampleReader { self }

  /// One read where they lie side by side.
  func samples(_ numbers: Range<Int>) throws(CinematicError) -> [UInt8] {
    guard let number = numbers.first else { return [] }
    var whole = index[number]
    for number in numbers.dropFirst() {
      let sample = index[number]
      guard sample.offset == whole.offset + Int64(whole.size) else {
        var bytes: [UInt8] = []
        for number in numbers { bytes += try reader.sample(index[number]) }
        return bytes
      }
      whole.size += sample.size
    }
    return try reader.sample(whole)
  }
}
