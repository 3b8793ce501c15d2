// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

extension UnsafeMutablePointer<AVFormatContext> {
  /// Adds chapters to a film that is written.
  ///
  /// - Parameters:
  ///   - zero: the time that becomes zero.
  ///   - length: of the film.
  /// - Returns: whether there was memory.
  func add(_ chapters: [Chapter], zero: Time, length: Time) -> Bool {
    let starts = chapters.map { max($0.time - zero, .zero).ticks(1000) }
    let end = max(length.ticks(1000), 1)
    // Of those before the beginning the last one goes on.
    let kept = chapters.indices.filter {
      starts[$0] < end && ($0 + 1 == chapters.count || chapters[$0 + 1].time - zero > .zero)
    }
    guard !kept.isEmpty else { return true }
    let size = MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride
    // The context frees them.
    guard let list = av_calloc(kept.count, size) else { return false }
    let places = list.assumingMemoryBound(to: UnsafeMutablePointer<AVChapter>?.self)
    pointee.chapters = places
    for (place, index) in kept.enumerated() {
      guard let memory = av_mallocz(MemoryLayout<AVChapter>.size) else {
        return false
      }
      let chapter = memory.assumingMemoryBound(to: AVChapter.self)
      chapter.pointee.id = Int64(place + 1)
      chapter.pointee.time_base = AVRational(num: 1, den: 1000)
      chapter.pointee.start = starts[index]
      // The muxer takes no chapter without an end.
      chapter.pointee.end = place + 1 < kept.count ? starts[kept[place + 1]] : end
      av_dict_set(&chapter.pointee.metadata, "title", chapters[index].title, 0)
      places[place] = chapter
      pointee.nb_chapters = UInt32(place + 1)
    }
    return true
  }
}
