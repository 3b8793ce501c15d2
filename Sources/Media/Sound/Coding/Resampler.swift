// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Brings decoded sound into another form of samples, another rate, other channels, by libswresample. As many channels
/// as before stay apart; only fewer or more are mixed.
final class Resampler {
  private let context: OpaquePointer
  /// The channel that comes to each place; libswresample reads it as long as it works.
  private let order: UnsafeMutableBufferPointer<Int32>
  private let form: SoundForm
  private let format: Int32
  private let sampleRate: Int32
  private let channelCount: Int32
  private let name: String

  /// - Throws: `unsupported` for channels that cannot be mixed into others.
  init(from frame: SoundFrame, to form: SoundForm, name: String) throws(CinematicError) {
    let stored = frame.pointer.pointee
    format = stored.format
    sampleRate = stored.sample_rate
    channelCount = stored.ch_layout.nb_channels
    self.form = form
    self.name = name
    let heard = SoundLayout(stored.ch_layout)
    let order = heard.order(for: form.layout)
    var (input, output) = (AVChannelLayout(), AVChannelLayout())
    if order != nil {
      // The same on both sides, so that nothing is mixed.
      av_channel_layout_from_mask(&input, form.channelMask)
    } else if let mask = heard.mask {
      av_channel_layout_from_mask(&input, mask)
    } else {
      av_channel_layout_copy(&input, &frame.pointer.pointee.ch_layout)
    }
    av_channel_layout_from_mask(&output, form.channelMask)
    defer {
      av_channel_layout_uninit(&input)
      av_channel_layout_uninit(&output)
    }
    var made: OpaquePointer?
    let code = swr_alloc_set_opts2(
      &made, &output, form.sampleFormat, form.sampleRate, &input, AVSampleFormat(rawValue: format),
      sampleRate, 0, nil)
    guard code >= 0, let made else { throw .outOfMemory(for: name) }
    let isMoved = order.map { $0 != Array($0.indices) } ?? false
    let places = UnsafeMutableBufferPointer<Int32>.allocate(
      capacity: isMoved ? Int(channelCount) : 0)
    if isMoved, let order {
      _ = places.initialize(from: order.map { Int32($0) })
      swr_set_channel_mapping(made, places.baseAddress)
    }
    guard swr_init(made) >= 0 else {
      var gone: OpaquePointer? = made
      swr_free(&gone)
      places.deallocate()
      throw CinematicError(
        .unsupported,
        "the \(channelCount) channels of the sound of \(name) cannot be mixed to"
          + " \(form.channelCount)", remedy: "convert its sound to stereo, or leave it out")
    }
    context = made
    self.order = places
  }

  deinit {
    var context: OpaquePointer? = context
    swr_free(&context)
    order.deallocate()
  }

  /// Whether a frame is laid out as the first one.
  func takes(_ frame: SoundFrame) -> Bool {
    let stored = frame.pointer.pointee
    return stored.format == format && stored.sample_rate == sampleRate
      && stored.ch_layout.nb_channels == channelCount
  }

  /// A frame's samples from the `first` one on, as far as they are ready; `nil` where none is.
  func convert(_ frame: SoundFrame, from first: Int) throws(CinematicError) -> SoundFrame? {
    let count = frame.pointer.pointee.nb_samples - Int32(first)
    return try collect(count) { focal_resample(context, frame.pointer, Int32(first), $0) }
  }

  /// As much silence as some samples of the source last, at most 65536 of them, as far as it is ready:
  /// its last samples may come with what follows. `nil` where none is.
  func silence(_ count: Int64) throws(CinematicError) -> SoundFrame? {
    guard swr_inject_silence(context, Int32(clamping: count)) >= 0 else {
      throw .outOfMemory(for: name)
    }
    return try collect(0) { focal_resample_ready(context, $0) }
  }

  /// The samples that it still holds; `nil` for none.
  func flush() throws(CinematicError) -> SoundFrame? {
    try collect(0) { focal_resample(context, nil, 0, $0) }
  }

  private func collect(
    _ count: Int32, _ convert: (UnsafeMutablePointer<AVFrame>) -> Int32
  ) throws(CinematicError) -> SoundFrame? {
    let room = swr_get_out_samples(context, count)
    guard room > 0 else { return nil }
    guard let result = form.makeFrame(count: Int(room)) else { throw .outOfMemory(for: name) }
    let made = convert(result.pointer)
    guard made >= 0 else {
      throw CinematicError(
        .unknown, "cannot resample the sound of \(name): \(FFmpeg.text(made))")
    }
    result.pointer.pointee.nb_samples = made
    return made > 0 ? result : nil
  }
}
