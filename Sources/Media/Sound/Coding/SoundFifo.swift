// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Samples that wait until there are enough for a frame.
final class SoundFifo {
  private let pointer: OpaquePointer
  private let form: SoundForm

  /// A queue of samples of a form; `nil` where no memory is left.
  init?(_ form: SoundForm) {
    guard let fifo = av_audio_fifo_alloc(form.sampleFormat, form.channelCount, 4096) else {
      return nil
    }
    pointer = fifo
    self.form = form
  }

  deinit { av_audio_fifo_free(pointer) }

  /// Samples of each channel.
  var count: Int { Int(av_audio_fifo_size(pointer)) }

  /// Whether there was memory for them.
  func add(_ frame: SoundFrame) -> Bool {
    focal_fifo_write(pointer, frame.pointer) == frame.pointer.pointee.nb_samples
  }

  /// The first samples; `nil` where no memory is left.
  func take(_ count: Int) -> SoundFrame? {
    guard let frame = form.makeFrame(count: count),
      focal_fifo_read(pointer, frame.pointer) == count
    else { return nil }
    return frame
  }
}
