// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Samples that wait until there are enough for a frame.
final class SoundFifo {
  private let pointer: OpaquePointer

  /// A queue of samples of the kind that an encoder takes.
  init?(_ encoder: CodecContext) {
    let context = encoder.pointer.pointee
    guard
      let fifo = av_audio_fifo_alloc(context.sample_fmt, context.ch_layout.nb_channels, 4096)
    else { return nil }
    pointer = fifo
  }

  deinit { av_audio_fifo_free(pointer) }

  /// Samples of each channel.
  var count: Int32 { av_audio_fifo_size(pointer) }

  func add(_ frame: PictureFrame) -> Bool {
    focal_fifo_write(pointer, frame.pointer) == frame.pointer.pointee.nb_samples
  }

  func take(_ count: Int32, for encoder: CodecContext) -> PictureFrame? {
    guard let frame = PictureFrame.sound(count, for: encoder),
      focal_fifo_read(pointer, frame.pointer) == count
    else { return nil }
    return frame
  }
}

/// Brings sound into another form of samples, another rate, other channels.
final class Resampler {
  private let path: String
  private let encoder: CodecContext
  private var pointer: OpaquePointer?
  private let format: Int32
  private let rate: Int32
  private let channels: Int32

  init(
    from frame: UnsafeMutablePointer<AVFrame>, to encoder: CodecContext, path: String
  ) throws(CinematicError) {
    self.path = path
    self.encoder = encoder
    format = frame.pointee.format
    rate = frame.pointee.sample_rate
    channels = frame.pointee.ch_layout.nb_channels
    var layout = AVChannelLayout()
    defer { av_channel_layout_uninit(&layout) }
    // Some sources only count their channels.
    if frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
      av_channel_layout_default(&layout, channels)
    } else {
      av_channel_layout_copy(&layout, &frame.pointee.ch_layout)
    }
    let target = encoder.pointer
    let code = swr_alloc_set_opts2(
      &pointer, &target.pointee.ch_layout, target.pointee.sample_fmt, target.pointee.sample_rate,
      &layout, AVSampleFormat(rawValue: format), rate, 0, nil)
    guard code >= 0, swr_init(pointer) >= 0 else {
      throw CinematicError(
        .unsupported, "cannot convert the sound of \(path) to \(target.pointee.sample_rate) Hz",
        remedy: "leave the sound out with --no-sound")
    }
  }

  deinit { swr_free(&pointer) }

  func fits(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
    frame.pointee.format == format && frame.pointee.sample_rate == rate
      && frame.pointee.ch_layout.nb_channels == channels
  }

  /// Silence before what is added next, in samples of the source.
  func addSilence(_ count: Int32) throws(CinematicError) {
    guard swr_inject_silence(pointer, count) >= 0 else { throw failed }
  }

  /// Adds a frame's samples, from one of them on.
  func add(
    _ frame: UnsafeMutablePointer<AVFrame>, from first: Int, to fifo: SoundFifo
  ) throws(CinematicError) {
    try convert(frame, Int32(first), to: fifo)
  }

  /// Gets everything out.
  func finish(to fifo: SoundFifo) throws(CinematicError) { try convert(nil, 0, to: fifo) }

  private func convert(
    _ frame: UnsafeMutablePointer<AVFrame>?, _ first: Int32, to fifo: SoundFifo
  ) throws(CinematicError) {
    let room = swr_get_out_samples(pointer, frame.map { $0.pointee.nb_samples - first } ?? 0)
    guard room >= 0 else { throw failed }
    guard room > 0 else { return }
    guard let result = PictureFrame.sound(room, for: encoder) else {
      throw .outOfMemory(for: path)
    }
    let done = focal_resample(pointer, frame, first, result.pointer)
    guard done >= 0 else { throw failed }
    result.pointer.pointee.nb_samples = done
    guard done == 0 || fifo.add(result) else { throw .outOfMemory(for: path) }
  }

  private var failed: CinematicError {
    CinematicError(.unknown, "cannot convert the sound of \(path)")
  }
}

extension PictureFrame {
  /// Room for sound of the kind that an encoder takes.
  static func sound(_ count: Int32, for encoder: CodecContext) -> PictureFrame? {
    guard let frame = PictureFrame() else { return nil }
    frame.pointer.pointee.format = encoder.pointer.pointee.sample_fmt.rawValue
    frame.pointer.pointee.sample_rate = encoder.pointer.pointee.sample_rate
    frame.pointer.pointee.nb_samples = count
    guard
      av_channel_layout_copy(
        &frame.pointer.pointee.ch_layout, &encoder.pointer.pointee.ch_layout) >= 0,
      av_frame_get_buffer(frame.pointer, 0) >= 0
    else { return nil }
    return frame
  }
}
