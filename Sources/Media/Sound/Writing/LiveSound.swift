// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A track of sound that comes while it is recorded.
///
/// A sound card's clock and a camera's are not the same. Samples follow each other as long as they are heard within a
/// fiftieth of a second of when their buffer says; what is farther off is put right at once, by silence or by leaving
/// samples out, so that sound never drifts from the pictures.
final class LiveSound: SoundLane {
  /// Half of what people notice.
  static let slack = Time(value: 1, timescale: 50)
  /// The longest silence that is filled in, in seconds: a longer one is a damaged time.
  private static let longestGap: Int64 = 600

  private let format: SoundFormat
  private let path: String
  private let packer: SoundPacker
  /// The form in which samples come.
  private let form: SoundForm
  private var resampler: Resampler?

  let entry: SoundEntry
  var timescale: Int32 { packer.compressor.form.sampleRate }
  var codecName: String { packer.compressor.codecName }

  /// - Throws: `invalidParameter` for a form that no sound has, `unsupported` where this FFmpeg has no encoder.
  init(
    _ format: SoundFormat, in container: SoundContainer, path: String
  ) throws(CinematicError) {
    guard format.sampleRate > 0, format.sampleRate <= 768_000, (1...8).contains(format.channelCount)
    else {
      throw CinematicError(
        .invalidParameter,
        "sound of \(format.channelCount) channels at \(format.sampleRate) Hz cannot be recorded",
        remedy: "give 1 to 8 channels, and a rate above zero")
    }
    (self.format, self.path) = (format, path)
    packer = try SoundPacker(
      SoundCompressor(
        container.usualCoding, sampleRate: format.sampleRate,
        layout: SoundLayout(usual: format.channelCount), path: path),
      path: path)
    form = SoundForm(
      sampleFormat: AV_SAMPLE_FMT_FLT, sampleRate: format.sampleRate,
      channelMask: SoundForm.channelMask(count: format.channelCount))
    entry = try SoundEntry(packer.compressor, in: container)
  }

  /// - Parameter time: of the first sample, in the movie.
  /// - Throws: `incompatible` for sound of another form, or that lacks samples of some channels, `malformed` for a time far
  ///   beyond the last.
  func append(_ buffer: SoundBuffer, at time: Time, sink: SoundSink) throws(CinematicError) {
    guard buffer.format == format else {
      throw CinematicError(
        .incompatible,
        "\(path) takes sound of \(format.channelCount) channels at \(format.sampleRate) Hz, not of"
          + " \(buffer.format.channelCount) at \(buffer.format.sampleRate)")
    }
    // Its samples may have been changed since it was made.
    guard buffer.isWhole else {
      throw CinematicError(
        .incompatible,
        "\(path) takes as many samples of each of \(format.channelCount) channels, and a buffer has"
          + " \(buffer.samples.count) of all", remedy: "complete the last moment, or leave it out")
    }
    // Samples from before the start of the movie are left out.
    var first = Int(clamping: max(0, -time.ticks(format.sampleRate)))
    guard first < buffer.count else { return }
    var begin = packer.samples(time + Time(value: Int64(first), timescale: format.sampleRate))
    // Sound that begins later than the pictures begins with silence: what a crash leaves of a movie says no start.
    let slack = packer.start == nil ? 0 : packer.samples(Self.slack)
    packer.start = packer.start ?? 0
    if begin > packer.position + slack {
      guard begin - packer.position < Self.longestGap * Int64(timescale) else {
        throw CinematicError(
          .malformed,
          "the sound of \(path) jumps by \((begin - packer.position) / Int64(timescale)) s",
          remedy: "check the clock of the sound's device")
      }
      while packer.position < begin {
        try packer.add(silence: begin - packer.position)
        try packer.send(sink)
      }
    } else if begin < packer.position - slack {
      let known = packer.position - begin
      first += Int(clamping: known * Int64(format.sampleRate) / Int64(timescale))
      guard first < buffer.count else { return }
      begin = packer.position
    }
    try add(buffer, from: first)
    try packer.send(sink)
  }

  private func add(_ buffer: SoundBuffer, from first: Int) throws(CinematicError) {
    guard let frame = form.makeFrame(count: buffer.count - first) else {
      throw .outOfMemory(for: path)
    }
    let channels = Int(format.channelCount)
    buffer.samples.withUnsafeBytes { samples in
      let skipped = first * channels * MemoryLayout<Float>.stride
      UnsafeMutableRawPointer(frame.pointer.pointee.data.0!).copyMemory(
        from: samples.baseAddress! + skipped, byteCount: samples.count - skipped)
    }
    if resampler == nil {
      resampler = try Resampler(from: frame, to: packer.compressor.form, name: path)
    }
    if let converted = try resampler?.convert(frame, from: 0) { try packer.add(converted) }
  }

  func write(until limit: Time?, sink: SoundSink) throws(CinematicError) {
    try packer.send(sink)
  }

  func finish(at end: Time?, sink: SoundSink) throws(CinematicError) {
    if let rest = try resampler?.flush() { try packer.add(rest) }
    try packer.finish(at: end.map(packer.samples) ?? .max, sink)
  }
}
