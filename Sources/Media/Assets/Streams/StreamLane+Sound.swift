// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

extension StreamLane {
  /// When the packets of sound are heard, in ticks of its rate. Containers that count in milliseconds
  /// round; sound without gaps is exact.
  func soundTimes(_ parameters: SoundParameters) -> [Times] {
    let (clock, rate) = (stream.clock, parameters.sampleRate)
    let rounding = Time(1, base: clock.base).ticks(rate) + 1
    // Where the next packet should begin.
    var expected: Int64?
    return packets.map { packet in
      var time = expected ?? -hidden.start
      if let stamp = packet.presentation ?? packet.decode {
        let said = clock.ticks(stamp)
        // The first sound mostly begins at zero, after the codec's start-up samples.
        let likely = expected ?? -hidden.start
        time = abs(said - likely) <= rounding ? likely : said
      }
      let length =
        parameters.bytesPerFrame > 0
        ? Int64(packet.size / parameters.bytesPerFrame) : parameters.packetLength
      var duration = length
      if packet.duration > 0 {
        let said = clock.length(packet.duration)
        if length == 0 || abs(said - length) > rounding { duration = said }
      }
      expected = time + duration
      return Times(decode: time, presentation: time, duration: duration)
    }
  }
}

extension StreamTrack {
  /// The parts that are not heard by the container's word, as a movie's edit list: a codec's start-up
  /// samples before the first sound, and the padding of its last packet.
  func soundEdits(_ scan: StreamScan) -> EditList? {
    let index = scan.index
    guard mediaType == .audio, !index.isEmpty, scan.hidden.start > 0 || scan.hidden.end > 0 else {
      return nil
    }
    let begin = max(index[0].compositionTime + scan.hidden.start, 0)
    let last = index[index.count - 1]
    let end = last.compositionTime + last.duration - scan.hidden.end
    guard begin < end else { return nil }
    let shown = EditList.Edit(duration: end - begin, mediaTime: begin)
    // The media's clock is the movie's.
    let lead = EditList.Edit(duration: begin, mediaTime: -1)
    return EditList(edits: begin > 0 ? [lead, shown] : [shown])
  }
}
