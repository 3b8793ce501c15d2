// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Turns decoded sound into floats of another sample rate and other channels, by libswresample.
final class Resampler {
  private let context: OpaquePointer
  private let format: Int32
  private let sampleRate: Int32
  private let channelCount: Int32
  private let layout: SoundLayout
  private let name: String

  /// - Throws: `unsupported` for channels that cannot be mixed into others.
  init(
    from frame: PictureFrame, to layout: SoundLayout, name: String
  ) throws(CinematicError) {
    let stored = frame.pointer.pointee
    format = stored.format
    sampleRate = stored.sample_rate
    channelCount = stored.ch_layout.nb_channels
    self.layout = layout
    self.name = name
    var input = AVChannelLayout()
    // Files that do not say where their channels are heard mean the usual places.
    if stored.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
      av_channel_layout_default(&input, channelCount)
    } else {
      av_channel_layout_copy(&input, &frame.pointer.pointee.ch_layout)
    }
    var output = AVChannelLayout()
    av_channel_layout_default(&output, layout.channelCount)
    defer {
      av_channel_layout_uninit(&input)
      av_channel_layout_uninit(&output)
    }
    var made: OpaquePointer?
    let code = swr_alloc_set_opts2(
      &made, &output, AV_SAMPLE_FMT_FLTP, layout.sampleRate, &input,
      AVSampleFormat(rawValue: format), sampleRate, 0, nil)
    guard code >= 0, let made else { throw .outOfMemory(for: name) }
    guard swr_init(made) >= 0 else {
      var gone: OpaquePointer? = made
      swr_free(&gone)
      throw CinematicError(
        .unsupported,
        "the \(channelCount) channels of the sound of \(name) cannot be mixed to"
          + " \(layout.channelCount)", remedy: "convert its sound to stereo, or leave it out")
    }
    context = made
  }

  deinit {
    var context: OpaquePointer? = context
    swr_free(&context)
  }

  /// Whether a frame is laid out as the first one.
  func takes(_ frame: PictureFrame) -> Bool {
    let stored = frame.pointer.pointee
    return stored.format == format && stored.sample_rate == sampleRate
      && stored.ch_layout.nb_channels == channelCount
  }

  /// Appends a frame's samples from the `first` one on.
  func convert(
    _ frame: PictureFrame, from first: Int, into result: inout [[Float]]
  ) throws(CinematicError) {
    let sampleFormat = AVSampleFormat(rawValue: format)
    let isPlanar = av_sample_fmt_is_planar(sampleFormat) != 0
    let size = Int(av_get_bytes_per_sample(sampleFormat)) * (isPlanar ? 1 : Int(channelCount))
    let count = Int(frame.pointer.pointee.nb_samples) - first
    var planes = [UnsafePointer<UInt8>?](
      repeating: nil, count: max(isPlanar ? Int(channelCount) : 1, 1))
    for index in planes.indices {
      planes[index] = UnsafePointer(frame.pointer.pointee.extended_data[index]! + first * size)
    }
    try convert(&planes, count, &result)
  }

  /// Appends as much silence as `count` samples of the source last.
  func silence(_ count: Int64, into result: inout [[Float]]) throws(CinematicError) {
    var left = count
    while left > 0 {
      let part = min(left, 1 << 16)
      guard swr_inject_silence(context, Int32(part)) >= 0 else { throw .outOfMemory(for: name) }
      try convert(nil, 0, &result)
      left -= part
    }
  }

  /// What it still holds.
  func flush() throws(CinematicError) -> [[Float]] {
    var result: [[Float]] = []
    guard swr_convert(context, nil, 0, nil, 0) >= 0 else { return result }
    try convert(nil, 0, &result)
    return result
  }

  private func convert(
    _ planes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: Int,
    _ result: inout [[Float]]
  ) throws(CinematicError) {
    let channels = Int(layout.channelCount)
    if result.isEmpty { result = [[Float]](repeating: [], count: channels) }
    let room = Int(swr_get_out_samples(context, Int32(count)))
    guard room > 0 else { return }
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: room * channels)
    defer { memory.deallocate() }
    var outputs = (0..<channels).map { channel -> UnsafeMutablePointer<UInt8>? in
      UnsafeMutableRawPointer(memory + channel * room).assumingMemoryBound(to: UInt8.self)
    }
    let made = swr_convert(context, &outputs, Int32(room), planes, Int32(count))
    guard made >= 0 else {
      throw CinematicError(
        .unknown, "cannot resample the sound of \(name): \(FFmpeg.text(made))")
    }
    for channel in 0..<channels {
      result[channel] += UnsafeBufferPointer(start: memory + channel * room, count: Int(made))
    }
  }
}
