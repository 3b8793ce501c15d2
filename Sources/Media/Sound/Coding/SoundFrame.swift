// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Owns an `AVFrame` of decoded samples.
final class SoundFrame {
  let pointer: UnsafeMutablePointer<AVFrame>

  /// `nil` where no memory is left.
  init?() {
    guard let frame = av_frame_alloc() else { return nil }
    pointer = frame
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = pointer
    av_frame_free(&frame)
  }

  /// Samples of each channel.
  var count: Int { Int(pointer.pointee.nb_samples) }

  /// Leaves out what lies behind the first samples.
  func cut(to count: Int) {
    pointer.pointee.nb_samples = min(pointer.pointee.nb_samples, Int32(clamping: count))
  }

  /// Moves the channels of floats that stand side by side.
  ///
  /// - Parameter order: which channel comes to each place.
  func arrange(_ order: [Int]) {
    guard let data = pointer.pointee.extended_data[0] else { return }
    data.withMemoryRebound(to: Float.self, capacity: count * order.count) { samples in
      var kept = [Float](repeating: 0, count: order.count)
      for first in stride(from: 0, to: count * order.count, by: order.count) {
        for place in order.indices { kept[place] = samples[first + order[place]] }
        for place in order.indices { samples[first + place] = kept[place] }
      }
    }
  }
}

/// How samples are laid out.
struct SoundForm {
  var sampleFormat: AVSampleFormat
  var sampleRate: Int32
  /// Where the channels are heard, as the bits of WAVE files.
  var channelMask: UInt64

  var channelCount: Int32 { Int32(channelMask.nonzeroBitCount) }

  var layout: SoundLayout { SoundLayout(mask: channelMask) }

  /// Where a number of channels are usually heard; of more than eight channels, those that matter are mixed into
  /// eight.
  static func channelMask(count: Int32) -> UInt64 {
    let (left, right, centre, low): (UInt64, UInt64, UInt64, UInt64) = (1, 2, 4, 8)
    let (backLeft, backRight, backCentre): (UInt64, UInt64, UInt64) = (0x10, 0x20, 0x100)
    let (sideLeft, sideRight): (UInt64, UInt64) = (0x200, 0x400)
    let six = left | right | centre | low | backLeft | backRight
    return switch count {
    case ...1: centre
    case 2: left | right
    case 3: left | right | centre
    case 4: left | right | centre | backCentre
    case 5: left | right | centre | backLeft | backRight
    case 6: six
    case 7: left | right | centre | low | backCentre | sideLeft | sideRight
    default: six | sideLeft | sideRight
    }
  }

  /// A frame with room for `count` samples; `nil` where no memory is left.
  func makeFrame(count: Int) -> SoundFrame? {
    guard let frame = SoundFrame() else { return nil }
    frame.pointer.pointee.format = sampleFormat.rawValue
    frame.pointer.pointee.sample_rate = sampleRate
    frame.pointer.pointee.nb_samples = Int32(count)
    guard av_channel_layout_from_mask(&frame.pointer.pointee.ch_layout, channelMask) >= 0,
      av_frame_get_buffer(frame.pointer, 0) >= 0
    else { return nil }
    return frame
  }

  /// A frame of silence; `nil` where no memory is left.
  func makeSilence(count: Int) -> SoundFrame? {
    guard let frame = makeFrame(count: count),
      av_samples_set_silence(
        frame.pointer.pointee.extended_data, 0, Int32(count), channelCount, sampleFormat) >= 0
    else { return nil }
    return frame
  }
}
