// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// The pictures of a movie file, in the order they are shown.
final class ClipSource: FrameSource {
  let facts: SourceFacts
  private let path: String
  private let input: InputContext
  private let stream: UnsafeMutablePointer<AVStream>
  private let decoder: CodecContext
  private let packet: Packet
  private let startTime: Time
  private let isBoxFile: Bool
  /// Whether a stream may begin in the middle of a group of pictures, as a recorded broadcast does.
  private let mayBeginBroken: Bool

  private var packetsRead = 0
  private var framesDecoded = 0
  private var framesDelivered = 0
  private var isDrained = false
  private var firstError: CinematicError?
  /// The frame to deliver next: its duration is known once its successor is.
  private var held: (frame: PictureFrame, ticks: Int64)?
  private var lastTicks: Int64?
  private var lastStep: Int64 = 0

  init(_ file: SourceFile) throws(CinematicError) {
    try file.checkLength()
    path = file.path
    input = try InputContext(path: file.path)
    let names = input.formatName
    guard !["hls", "concat", "dash", "tty", "image2"].contains(names) else {
      throw Self.foreign(path)
    }
    let (stream, codec) = try Self.chooseStream(input, path)
    self.stream = stream
    guard let decoder = CodecContext(codec), let packet = Packet() else {
      throw .outOfMemory(for: path)
    }
    self.decoder = decoder
    self.packet = packet
    var code = avcodec_parameters_to_context(decoder.pointer, stream.pointee.codecpar)
    decoder.pointer.pointee.pkt_timebase = stream.pointee.time_base
    decoder.pointer.pointee.thread_count = 0
    // Codecs whose frames stand alone have no reason to be lenient. The others meet missing
    // references in sound files, after a cut, and say themselves what they made up.
    if let properties = avcodec_descriptor_get(codec.pointee.id)?.pointee.props,
      properties & AV_CODEC_PROP_INTRA_ONLY != 0 || properties & AV_CODEC_PROP_LOSSY == 0
    {
      decoder.pointer.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
    }
    if code >= 0 { code = avcodec_open2(decoder.pointer, codec, nil) }
    guard code >= 0 else {
      throw CinematicError(
        .unsupported, "cannot decode the pictures of \(path): \(FFmpeg.text(code))",
        remedy: "convert it to H.264 or HEVC in MP4")
    }
    for other in input.streams where other != stream { other!.pointee.discard = AVDISCARD_ALL }
    isBoxFile = names.hasPrefix("mov,")
    mayBeginBroken = input.pointer.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
    startTime = input.startTime
    var facts = Self.facts(input, stream, codec, startTime)
    facts.hdrMetadata = Self.hdrMetadata(file, stream)
    self.facts = facts
  }

  func next() throws(CinematicError) -> DecodedFrame? {
    if held == nil { held = try decode() }
    guard let current = held else { return nil }
    let following = try decode()
    held = following
    let step = following.map { $0.ticks - current.ticks } ?? lastDuration(current)
    lastStep = step
    defer { framesDelivered += 1 }
    return DecodedFrame(
      frame: current.frame, time: time(current.ticks) - startTime, duration: time(step),
      index: framesDelivered, path: path)
  }

  // MARK: - Decoding

  private func decode() throws(CinematicError) -> (frame: PictureFrame, ticks: Int64)? {
    guard let frame = PictureFrame() else { throw .outOfMemory(for: path) }
    while true {
      let code = avcodec_receive_frame(decoder.pointer, frame.pointer)
      if code == 0 {
        guard focal_frame_is_damaged(frame.pointer) == 0 || (mayBeginBroken && framesDecoded == 0)
        else { throw damaged("the data is damaged") }
        framesDecoded += 1
        return (frame, ticks(of: frame))
      }
      if code == FFmpeg.endOfFile {
        if framesDecoded == 0, let firstError { throw firstError }
        return nil
      }
      guard code == FFmpeg.again else {
        try tolerate(damaged(FFmpeg.text(code)))
        continue
      }
      try feed()
    }
  }

  /// Hands one more packet to the decoder, or tells it that there is none.
  private func feed() throws(CinematicError) {
    guard !isDrained else { throw damaged("the decoder does not finish") }
    defer { av_packet_unref(packet.pointer) }
    let code = av_read_frame(input.pointer, packet.pointer)
    if code == FFmpeg.endOfFile {
      isDrained = true
      try checkCount()
      avcodec_send_packet(decoder.pointer, nil)
      return
    }
    guard code >= 0 else { throw damaged(FFmpeg.text(code)) }
    guard packet.pointer.pointee.stream_index == stream.pointee.index else { return }
    packetsRead += 1
    guard packet.pointer.pointee.flags & AV_PKT_FLAG_CORRUPT == 0 || mayBeginBroken else {
      throw damaged("the file ends within it, or the data is damaged")
    }
    let sent = avcodec_send_packet(decoder.pointer, packet.pointer)
    if sent < 0 { try tolerate(damaged(FFmpeg.text(sent))) }
  }

  /// A file with an index must have given every packet that the index lists.
  private func checkCount() throws(CinematicError) {
    let listed = Int(avformat_index_get_entries_count(stream))
    guard !isBoxFile || packetsRead >= listed else {
      throw CinematicError(
        .malformed,
        "\(path) is cut short: \(packetsRead) of \(listed) frames are there",
        remedy: "copy or download it again")
    }
    if let error = input.pointer.pointee.pb?.pointee.error, error < 0, error != FFmpeg.endOfFile {
      throw CinematicError(.unreadable, "cannot read \(path): \(FFmpeg.text(error))")
    }
  }

  /// Errors before the first picture of a recorded broadcast are not the file's fault.
  private func tolerate(_ error: CinematicError) throws(CinematicError) {
    guard mayBeginBroken, framesDecoded == 0 else { throw error }
    firstError = firstError ?? error
  }

  // MARK: - Times

  private func ticks(of frame: PictureFrame) -> Int64 {
    var ticks = frame.pointer.pointee.best_effort_timestamp
    let step = max(focal_frame_duration(frame.pointer), lastStep, nominalStep, 1)
    if ticks == FFmpeg.noTimestamp { ticks = lastTicks.map { $0 &+ step } ?? 0 }
    // Frames come in the order of their times; one that does not was given a wrong time.
    if let lastTicks, ticks <= lastTicks { ticks = lastTicks + step }
    lastTicks = ticks
    return ticks
  }

  private var nominalStep: Int64 {
    let base = stream.pointee.time_base
    let ticks = facts.nominalFrameDuration.seconds * Double(base.den) / Double(max(base.num, 1))
    return max(1, Int64(min(ticks.rounded(), 1e15)))
  }

  /// What the file says about its last frame: the end of the track where the track has one, else the
  /// packet, else the step before.
  private func lastDuration(_ current: (frame: PictureFrame, ticks: Int64)) -> Int64 {
    if isBoxFile, stream.pointee.duration > 0, stream.pointee.start_time != FFmpeg.noTimestamp {
      let rest = stream.pointee.start_time + stream.pointee.duration - current.ticks
      if rest > 0 { return rest }
    }
    let stored = focal_frame_duration(current.frame.pointer)
    if stored > 0 { return stored }
    return lastStep > 0 ? lastStep : nominalStep
  }

  private func time(_ ticks: Int64) -> Time { Time(ticks, base: stream.pointee.time_base) }

  // MARK: - Opening

  static func chooseStream(
    _ input: InputContext, _ path: String
  ) throws(CinematicError) -> (UnsafeMutablePointer<AVStream>, UnsafePointer<AVCodec>) {
    // Covers of music files are not movies, and text art is not a picture.
    for stream in input.streams {
      let isCover = stream!.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
      let isText = [
        AV_CODEC_ID_ANSI, AV_CODEC_ID_BINTEXT, AV_CODEC_ID_XBIN, AV_CODEC_ID_IDF,
      ].contains(stream!.pointee.codecpar.pointee.codec_id)
      if isCover || isText { stream!.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT }
    }
    var codec: UnsafePointer<AVCodec>?
    let index = av_find_best_stream(input.pointer, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0)
    guard index >= 0, let codec, let stream = input.streams[Int(index)] else {
      let video = input.streams.first {
        $0!.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
      }
      guard let video else { throw foreign(path) }
      let name = String(cString: avcodec_get_name(video!.pointee.codecpar.pointee.codec_id))
      throw CinematicError(
        .unsupported, "this build of FFmpeg has no decoder for the pictures of \(path) (\(name))",
        remedy: "convert it to H.264 or HEVC in MP4")
    }
    return (stream, codec)
  }

  private static func foreign(_ path: String) -> CinematicError {
    CinematicError(
      .unsupported, "\(path) holds no pictures",
      remedy: "give a PNG, JPEG, TIFF, PFM or OpenEXR picture, or a movie")
  }

  private func damaged(_ reason: String) -> CinematicError {
    CinematicError(
      .malformed, "\(path) is damaged at frame \(framesDecoded): \(reason)",
      remedy: "make or copy the file again, or render only the frames before it")
  }

  /// What the container says about high dynamic range. The boxes say more than FFmpeg reads, and are
  /// looked at where there is some.
  private static func hdrMetadata(
    _ file: SourceFile, _ stream: UnsafeMutablePointer<AVStream>
  ) -> HDRMetadata {
    let found = HDRMetadata(
      focal_stream_mastering_display(stream), focal_stream_content_light(stream))
    let transfer = stream.pointee.codecpar.pointee.color_trc
    guard transfer == AVCOL_TRC_SMPTE2084 || transfer == AVCOL_TRC_ARIB_STD_B67,
      let description = try? StoredDescription(file, trackID: stream.pointee.id, isSound: false),
      let box = description.entry, let entry = try? SampleEntry(box, handler: "vide")
    else { return found }
    return found.filled(from: entry.hdrMetadata)
  }

  private static func facts(
    _ input: InputContext, _ stream: UnsafeMutablePointer<AVStream>,
    _ codec: UnsafePointer<AVCodec>,
    _ startTime: Time
  ) -> SourceFacts {
    let rate = av_guess_frame_rate(input.pointer, stream, nil)
    let step =
      rate.num > 0 && rate.den > 0
      ? Time(value: Int64(rate.den), timescale: rate.num) : Time(value: 1, timescale: 30)
    var duration: Time?
    if stream.pointee.duration > 0 {
      duration = Time(stream.pointee.duration, base: stream.pointee.time_base)
    } else if input.pointer.pointee.duration > 0 {
      duration = Time(value: input.pointer.pointee.duration, timescale: Int32(AV_TIME_BASE))
    }
    var count = stream.pointee.nb_frames > 0 ? Int(stream.pointee.nb_frames) : nil
    if count == nil, let duration {
      let frames = (duration.seconds / step.seconds).rounded()
      count = frames < 1e9 ? max(1, Int(frames)) : nil
    }
    let aspect = av_guess_sample_aspect_ratio(input.pointer, stream, nil)
    return SourceFacts(
      kind: .clip, frameCount: count, duration: duration, startTime: startTime,
      nominalFrameDuration: step,
      rotation: focal_stream_display_matrix(stream).map { DisplayRotation($0) },
      pixelAspectRatio: aspect.num > 0 && aspect.den > 0
        ? PixelAspectRatio(horizontal: aspect.num, vertical: aspect.den) : .square,
      hasAudio: input.streams.contains {
        $0!.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
      },
      containerColor: ContainerColor(stream.pointee.codecpar.pointee),
      codecName: String(cString: codec.pointee.name))
  }
}

extension Time {
  /// Ticks of an FFmpeg time base.
  init(_ ticks: Int64, base: AVRational) {
    let (value, overflow) = ticks.multipliedReportingOverflow(by: Int64(base.num))
    self.init(value: overflow ? (ticks < 0 ? .min : .max) : value, timescale: max(base.den, 1))
  }
}

extension InputContext {
  /// When the container's pictures and sound start, where that is after zero; sound that starts
  /// before zero is a codec's priming and moves nothing.
  var startTime: Time {
    var earliest: Time?
    for stream in streams {
      let kind = stream!.pointee.codecpar.pointee.codec_type
      guard kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO,
        stream!.pointee.start_time != FFmpeg.noTimestamp
      else { continue }
      let start = Time(stream!.pointee.start_time, base: stream!.pointee.time_base)
      earliest = min(earliest ?? start, start)
    }
    return max(earliest ?? .zero, .zero)
  }
}
