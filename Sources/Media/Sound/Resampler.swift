// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// How samples are laid out.
struct SoundForm {
  var sampleFormat: AVSampleFormat
  var sampleRate: Int32
  /// Where the channels are heard, as the bits of WAVE files.
  var channelMask: UInt64

  var channelCount: Int32 { Int32(channelMask.nonzeroBitCount) }

  /// Where a number of channels are usually heard, and what every encoder here takes; of more than
  /// eight channels, those that matter are mixed into eight.
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
    default: six | sideLeft | sideRight
    }
  }

  /// A frame with room for `count` samples; `nil` where no memory is left.
  func makeFrame(count: Int) -> PictureFrame? {
    guard let frame = PictureFrame() else { return nil }
    frame.pointer.pointee.format = sampleFormat.rawValue
    frame.pointer.pointee.sample_rate = sampleRate
    frame.pointer.pointee.nb_samples = Int32(count)
    guard av_channel_layout_from_mask(&frame.pointer.pointee.ch_layout, channelMask) >= 0,
      av_frame_get_buffer(frame.pointer, 0) >= 0
    else { return nil }
    return frame
  }
}

/// Brings decoded sound into another form of samples, another rate, other channels, by libswresample.
final class Resampler {
  private let context: OpaquePointer
  private let form: SoundForm
  private let format: Int32
  private let sampleRate: Int32
  private let channelCount: Int32
  private let name: String

  /// - Throws: `unsupported` for channels that cannot be mixed into others.
  init(from frame: PictureFrame, to form: SoundForm, name: String) throws(CinematicError) {
    let stored = frame.pointer.pointee
    format = stored.format
    sampleRate = stored.sample_rate
    channelCount = stored.ch_layout.nb_channels
    self.form = form
    self.name = name
    var input = AVChannelLayout()
    // Files that do not say where their channels are heard mean the usual places.
    if stored.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
      av_channel_layout_default(&input, channelCount)
    } else {
      av_channel_layout_copy(&input, &frame.pointer.pointee.ch_layout)
    }
    var output = AVChannelLayout()
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
    guard swr_init(made) >= 0 else {
      var gone: OpaquePointer? = made
      swr_free(&gone)
      throw CinematicError(
        .unsupported,
        "the \(channelCount) channels of the sound of \(name) cannot be mixed to"
          + " \(form.channelCount)", remedy: "convert its sound to stereo, or leave it out")
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

  /// A frame's samples from the `first` one on, as far as they are ready; `nil` where none is.
  func convert(_ frame: PictureFrame, from first: Int) throws(CinematicError) -> PictureFrame? {
    let count = frame.pointer.pointee.nb_samples - Int32(first)
    return try collect(count) { focal_resample(context, frame.pointer, Int32(first), $0) }
  }

  /// As much silence as samples of the source last; its last samples may come with what follows.
  ///
  /// - Parameter add: is handed the silence in parts, so that little is held.
  func silence(
    _ count: Int64, add: (PictureFrame) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    var left = count
    while left > 0 {
      let part = min(left, 1 << 16)
      guard swr_inject_silence(context, Int32(part)) >= 0 else { throw .outOfMemory(for: name) }
      if let frame = try collect(0, { focal_resample_ready(context, $0) }) { try add(frame) }
      left -= part
    }
  }

  /// What it still holds; `nil` for nothing.
  func flush() throws(CinematicError) -> PictureFrame? {
    try collect(0) { focal_resample(context, nil, 0, $0) }
  }

  private func collect(
    _ count: Int32, _ convert: (UnsafeMutablePointer<AVFrame>) -> Int32
  ) throws(CinematicError) -> PictureFrame? {
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
