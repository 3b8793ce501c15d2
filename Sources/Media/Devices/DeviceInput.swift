// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Pictures and sound of a device, through libavdevice. Used by one thread at a time, one that may wait.
package final class DeviceInput {
  /// A device's output.
  package enum Sample: Sendable {
    case picture(PixelBuffer, time: Time)
    case sound(SoundBuffer)
  }

  /// A stream of the device.
  private struct Stream {
    var index: Int32
    var base: AVRational
    var decoder: CodecContext
  }

  package let name: String
  /// `nil` for a device without pictures.
  package private(set) var properties: SourceProperties?
  /// `nil` for a device without sound.
  package private(set) var soundFormat: SoundFormat?

  private let context: UnsafeMutablePointer<AVFormatContext>
  private let packet: Packet
  private var video: Stream?
  private var audio: Stream?
  private var convert: FrameFeed.Convert?
  private var scaler: Scaler?
  private var resampler: Resampler?
  private var form: SoundForm?
  private var ready: [Sample] = []
  private var count = 0
  /// Why nothing more is read.
  private var ending: CinematicError?

  /// Opens a device, and waits for its first picture or sound.
  ///
  /// - Parameters:
  ///   - id: `KIND:NAME`, such as `v4l2:/dev/video0` or `alsa:default`.
  ///   - settings: the device's own, by FFmpeg's names: `video_size`, `framerate`, `input_format`.
  ///   - content: pictures, or maps of a depth camera.
  /// - Throws: `invalidParameter` for an id that names no device and for a scale of maps without extent, `incomplete`
  ///   without libavdevice, `unsupported` for another kind of device or pixels that cannot be
  ///   read, `unreadable` for a device that is not there or does not take the settings.
  package convenience init(
    _ id: String, settings: [String: String] = [:], content: ReadOptions.Content = .picture
  ) throws(CinematicError) {
    // The first picture would be too late: its converter comes with it.
    try content.validate()
    guard let colon = id.firstIndex(of: ":") else {
      throw CinematicError(
        .invalidParameter, "\(id) is no device", remedy: "give one such as v4l2:/dev/video0")
    }
    let kind = String(id[..<colon])
    var settings = settings
    // By the clock on the wall, as microphones count.
    if kind == "v4l2", settings["timestamps"] == nil { settings["timestamps"] = "abs" }
    try self.init(
      name: id, address: String(id[id.index(after: colon)...]),
      format: DeviceLibrary.input(kind), settings: settings, content: content)
  }

  /// Opens what any of libavformat's inputs gives as a device.
  init(
    name: String, address: String, format: UnsafePointer<AVInputFormat>,
    settings: [String: String] = [:], content: ReadOptions.Content = .picture
  ) throws(CinematicError) {
    self.name = name
    guard let packet = Packet(), let allocated = avformat_alloc_context() else {
      throw .outOfMemory(for: name)
    }
    self.packet = packet
    // A wait can be ended then, and a device that is silent is noticed.
    allocated.pointee.flags |= AVFMT_FLAG_NONBLOCK
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    for (key, value) in settings { av_dict_set(&options, key, value, 0) }
    var opened: UnsafeMutablePointer<AVFormatContext>? = allocated
    let code = avformat_open_input(&opened, address, format, &options)
    guard code >= 0, let opened else {
      throw CinematicError(
        .unreadable, "\(name) cannot be opened: \(FFmpeg.text(code))",
        remedy: "see what is there with \(parameter: .captureDevices)")
    }
    context = opened
    try findStreams(content)
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&context)
  }

  private func findStreams(_ content: ReadOptions.Content) throws(CinematicError) {
    var options = ReadOptions(content: content)
    options.interlacing = .keep
    for number in 0..<Int(context.pointee.nb_streams) {
      guard let stream = context.pointee.streams[number] else { continue }
      let type = stream.pointee.codecpar.pointee.codec_type
      let isVideo = type == AVMEDIA_TYPE_VIDEO
      guard isVideo ? video == nil : type == AVMEDIA_TYPE_AUDIO && audio == nil else { continue }
      let parameters = try CodecParameters(stream, name: name)
      let decoder = try parameters.makeDecoder(
        name: name, base: stream.pointee.time_base, isLive: isVideo)
      let found = Stream(
        index: Int32(number), base: stream.pointee.time_base, decoder: decoder)
      if isVideo {
        video = found
        try findPictures(stream, PictureReading(name, PictureFacts(kind: .clip), options))
      } else {
        audio = found
        let values = parameters.values
        let channels = min(8, max(1, values.ch_layout.nb_channels))
        soundFormat = SoundFormat(sampleRate: max(values.sample_rate, 1), channelCount: channels)
        form = SoundForm(
          sampleFormat: AV_SAMPLE_FMT_FLT, sampleRate: max(values.sample_rate, 1),
          channelMask: SoundForm.channelMask(count: channels))
      }
    }
    guard video != nil || audio != nil else {
      throw CinematicError(
        .unsupported, "\(name) gives neither pictures nor sound", remedy: "give another device")
    }
  }

  /// Waits for the first picture, which says what all are.
  private func findPictures(
    _ stream: UnsafeMutablePointer<AVStream>, _ reading: PictureReading
  ) throws(CinematicError) {
    var waited = 0
    while true {
      let first = try read { [self] frame throws(CinematicError) in
        if convert == nil {
          convert = try reading.makeConverter(
            first: frame,
            codecName: String(
              cString: avcodec_get_name(
                stream.pointee.codecpar.pointee.codec_id)))
        }
      }
      if let first {
        ready.append(first)
        if convert != nil { break }
      } else {
        waited += 1
        guard waited < 2500 else { throw silent }
        usleep(2000)
      }
    }
    guard let found = reading.found else { throw silent }
    let rate =
      stream.pointee.avg_frame_rate.num > 0
      ? stream.pointee.avg_frame_rate : stream.pointee.r_frame_rate
    let step =
      rate.num > 0 && rate.den > 0
      ? Time(value: Int64(rate.den), timescale: rate.num) : Time(value: 1, timescale: 30)
    properties = SourceProperties(live: found, frameDuration: step)
  }

  private var silent: CinematicError {
    CinematicError(
      .deviceLost, "\(name) delivers nothing",
      remedy: "check its cable, and that no other program uses it")
  }

  /// The next sample; `nil` if none has come.
  ///
  /// - Throws: `deviceLost` for a device that has gone.
  package func next() throws(CinematicError) -> Sample? {
    if !ready.isEmpty { return ready.removeFirst() }
    return try read { _ in }
  }

  /// - Parameter look: sees each picture before it is converted.
  private func read(
    _ look: (PictureFrame) throws(CinematicError) -> Void
  ) throws(CinematicError) -> Sample? {
    while true {
      if let video, let sample = try picture(video, look) { return sample }
      if let ending { throw ending }
      av_packet_unref(packet.pointer)
      let code = av_read_frame(context, packet.pointer)
      if code == FFmpeg.again { return nil }
      guard code >= 0 else {
        ending = CinematicError(
          .deviceLost, "\(name) has gone: \(FFmpeg.text(code))", remedy: "check its cable")
        // What the decoder still holds was taken before.
        if let video { avcodec_send_packet(video.decoder.pointer, nil) }
        continue
      }
      if let video, packet.pointer.pointee.stream_index == video.index {
        // A damaged picture of a camera is left out; the next one follows.
        avcodec_send_packet(video.decoder.pointer, packet.pointer)
      } else if let audio, packet.pointer.pointee.stream_index == audio.index {
        if let sample = try sound(audio) { return sample }
      }
    }
  }

  /// The next picture of the packets that have come; `nil` if it needs another one.
  private func picture(
    _ stream: Stream, _ look: (PictureFrame) throws(CinematicError) -> Void
  ) throws(CinematicError) -> Sample? {
    guard let frame = PictureFrame() else { throw .outOfMemory(for: name) }
    guard avcodec_receive_frame(stream.decoder.pointer, frame.pointer) >= 0 else { return nil }
    // Of the packet that it comes from, which need not be the last one.
    let stamp = frame.pointer.pointee.best_effort_timestamp
    let plain = try plain(frame)
    plain.pointer.pointee.pts = Int64(count)
    try look(plain)
    count += 1
    guard let convert else { return nil }
    return .picture(
      try convert(plain, count - 1), time: Time(seconds: stamp, base: stream.base))
  }

  /// The picture in 4:2:0, which stays in planes all the way: cameras' other forms become that here.
  private func plain(_ frame: PictureFrame) throws(CinematicError) -> PictureFrame {
    guard let layout = PixelLayout(frame.pixelFormat), !layout.isGray, !layout.isOpaque,
      layout.depth == 8, !(layout.isYUV && layout.chromaColumns == 2 && layout.chromaRows == 2)
    else { return frame }
    let isFullRange =
      frame.pointer.pointee.color_range == AVCOL_RANGE_JPEG || layout.name.hasPrefix("yuvj")
    if scaler == nil {
      scaler = Scaler(
        from: .init(
          format: frame.pixelFormat, matrix: .bt601, isFullRange: isFullRange || layout.isRGB,
          siting: .left),
        to: .init(
          format: AV_PIX_FMT_YUV420P, matrix: .bt601, isFullRange: isFullRange, siting: .left),
        dimensions: frame.dimensions)
    }
    guard let scaler, let result = PictureFrame(AV_PIX_FMT_YUV420P, frame.dimensions) else {
      throw .outOfMemory(for: name)
    }
    let strides = result.pointer.pointee.linesize
    let planes = [strides.0, strides.1, strides.2].enumerated().map {
      (base: result.row(0, ofPlane: $0.offset), bytesPerRow: Int($0.element))
    }
    guard scaler.dimensions == frame.dimensions, scaler.convert(frame, to: planes) else {
      throw CinematicError(
        .incompatible, "\(name) gives a picture of \(frame.dimensions), and another size before",
        remedy: "choose one size with \(parameter: .deviceSize)")
    }
    result.pointer.pointee.color_range = isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    // The matrix of cameras of this kind that state none.
    result.pointer.pointee.colorspace =
      layout.isRGB || frame.pointer.pointee.colorspace == AVCOL_SPC_UNSPECIFIED
      ? AVCOL_SPC_SMPTE170M : frame.pointer.pointee.colorspace
    result.pointer.pointee.color_primaries = frame.pointer.pointee.color_primaries
    result.pointer.pointee.color_trc = frame.pointer.pointee.color_trc
    return result
  }

  private func sound(_ stream: Stream) throws(CinematicError) -> Sample? {
    guard let frame = SoundFrame(), let form, let soundFormat else { return nil }
    let stamp = packet.pointer.pointee.pts
    guard avcodec_send_packet(stream.decoder.pointer, packet.pointer) >= 0,
      avcodec_receive_frame(stream.decoder.pointer, frame.pointer) >= 0, frame.count > 0
    else { return nil }
    if resampler?.takes(frame) != true {
      resampler = try Resampler(from: frame, to: form, name: name)
    }
    guard let converted = try resampler?.convert(frame, from: 0) else { return nil }
    return .sound(
      SoundBuffer(
        format: soundFormat, samples: converted.floats(soundFormat.channelCount),
        time: Time(seconds: stamp, base: stream.base)))
  }
}

extension Time {
  /// A stamp of a device, in microseconds: what cameras count in.
  fileprivate init(seconds stamp: Int64, base: AVRational) {
    let microseconds = AVRational(num: 1, den: 1_000_000)
    self.init(
      value: stamp == FFmpeg.noTimestamp ? 0 : av_rescale_q(stamp, base, microseconds),
      timescale: 1_000_000)
  }
}

extension SourceProperties {
  fileprivate init(live found: PictureReading.Found, frameDuration: Time) {
    self.init(
      kind: .clip, dimensions: found.dimensions, pixelFormat: found.pixelFormat, tags: found.tags,
      logCoding: found.logCoding, colorCodes: found.colorCodes, hdrMetadata: found.hdrMetadata,
      codedPixels: found.codedPixels, fieldOrder: found.fieldOrder,
      unkeptExtras: found.unkeptExtras, bitDepth: found.bitDepth,
      preferredTransform: found.rotation.turn, pixelAspectRatio: found.pixelAspectRatio,
      frameCount: 0, duration: .zero, startTime: .zero, timescale: 90000,
      nominalFrameDuration: frameDuration, hasAudio: false,
      codecDescription: found.codecDescription, pictureMetadata: found.pictureMetadata.shared)
  }

  /// The properties of pictures that a program makes itself.
  ///
  /// - Parameters:
  ///   - pixelFormat: of every picture, with ``tags``.
  ///   - timescale: ticks a second of the pictures' times, at least 1.
  ///   - frameDuration: the typical time from picture to picture, above zero.
  public init(
    dimensions: Dimensions, pixelFormat: PixelFormat, tags: ColorTags, timescale: Int32 = 90000,
    frameDuration: Time = Time(value: 1, timescale: 30)
  ) {
    self.init(
      kind: .clip, dimensions: dimensions, pixelFormat: pixelFormat, tags: tags, logCoding: nil,
      colorCodes: ColorCodes(tags), hdrMetadata: HDRMetadata(),
      codedPixels: CodedPixels(pixelFormat),
      fieldOrder: nil, unkeptExtras: [], bitDepth: pixelFormat.bitsPerComponent,
      preferredTransform: .identity, pixelAspectRatio: .square, frameCount: 0, duration: .zero,
      startTime: .zero, timescale: timescale, nominalFrameDuration: frameDuration, hasAudio: false,
      codecDescription: "\(pixelFormat)", pictureMetadata: PictureMetadata())
  }
}
