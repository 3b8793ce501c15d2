// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A container's statements about itself and its streams, before its samples are read.
struct StreamDescription: Sendable {
  /// A stream that is a track.
  struct Stream: Sendable {
    /// Its place in the container.
    var index: Int32
    /// The container's own number of it: a QuickTime or MP4 file's track number.
    var id: Int32
    var mediaType: MediaType
    var parameters: CodecParameters
    /// Of sound whose coding is known.
    var sound: SoundParameters?
    var entry: SampleEntry
    var clock: StreamClock
    /// On the movie's timeline; `nil` where the container does not say it.
    var timeRange: TimeRange?
    /// As it is shown, before the matrix.
    var dimensions: Dimensions
    /// `nil` if the container does not say it.
    var matrix: TransformMatrix?
    /// As FFmpeg estimates it; `nil` if it cannot.
    var frameDuration: Time?
    var languageCode: String?
    var tags: [Tag]
    /// FFmpeg's flags of what it is there for.
    var disposition: Int32

    /// From 1, in the order of the container.
    var trackID: UInt32 { UInt32(index) + 1 }

    /// Whether the alpha of its pictures is a second picture beside each, as WebM keeps that of VP8 and VP9.
    var hasAlphaApart: Bool {
      tags.contains { $0.key.lowercased() == "alpha_mode" && $0.value == "1" }
    }

    /// How Matroska says that both eyes' pictures lie in one; `nil` for pictures of one.
    var stereoMode: String? {
      tags.first { $0.key.lowercased() == "stereo_mode" && $0.value != "mono" }?.value
    }
  }

  /// A named text.
  struct Tag: Sendable {
    var key: String
    var value: String
  }

  /// The demuxer's short names.
  var formatName: String
  /// Whether a stream may begin in the middle of a group of pictures, as a recorded broadcast does.
  var mayBeginBroken: Bool
  /// When pictures and sound start on the container's clock: zero on the movie's timeline.
  var startTime: Time
  /// `nil` where the container does not say it.
  var duration: Time?
  var tags: [Tag]
  /// Counted from the container's start.
  var chapters: [Chapter] = []
  var streams: [Stream]
  /// The container's content beside its streams, in words: covers, fonts and other files.
  var attachments: [String] = []

  /// - Parameter input: opened, its streams looked at.
  init(_ input: InputContext, name: String) throws(CinematicError) {
    formatName = input.formatName
    mayBeginBroken = input.pointer.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
    tags = Self.tags(input.pointer.pointee.metadata)
    // A guess by the bit rate is none of the container's statements.
    let isStated =
      input.pointer.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE
    duration = isStated ? input.statedDuration : nil
    startTime = input.startTime
    for index in 0..<min(Int(input.pointer.pointee.nb_chapters), Self.maximumTagCount) {
      guard let chapter = input.pointer.pointee.chapters[index], chapter.pointee.time_base.den > 0,
        chapter.pointee.time_base.num > 0
      else { continue }
      let title = Self.tags(chapter.pointee.metadata).first { $0.key == "title" }?.value
      chapters.append(
        Chapter(
          time: Time(chapter.pointee.start, base: chapter.pointee.time_base) - startTime,
          title: title ?? "Chapter \(index + 1)"))
    }
    streams = []
    for stream in input.streams {
      guard let stream else { continue }
      guard let mediaType = Self.mediaType(stream) else {
        if attachments.count < Self.maximumTagCount { attachments.append(Self.title(stream)) }
        continue
      }
      streams.append(
        try Self.describe(stream, mediaType, input, zero: startTime, isStated: isStated, name))
    }
    guard !streams.isEmpty else {
      throw CinematicError(
        .unsupported, "\(name) has neither pictures nor sound",
        remedy: "give a movie file, or a picture")
    }
  }

  private static func describe(
    _ stream: UnsafeMutablePointer<AVStream>, _ mediaType: MediaType, _ input: InputContext,
    zero: Time, isStated: Bool, _ name: String
  ) throws(CinematicError) -> Stream {
    let parameters = try CodecParameters(stream, name: name)
    let aspect = av_guess_sample_aspect_ratio(input.pointer, stream, nil)
    let base = stream.pointee.time_base
    guard base.num > 0, base.den > 0 else {
      throw CinematicError(.malformed, "\(name): a stream counts time in \(base.num)/\(base.den) s")
    }
    var range: TimeRange?
    if isStated, stream.pointee.duration > 0 {
      let start =
        stream.pointee.start_time == FFmpeg.noTimestamp
        ? Time.zero : Time(stream.pointee.start_time, base: base) - zero
      // Nothing before the movie's zero is shown.
      range = TimeRange(
        start: max(start, .zero), end: start + Time(stream.pointee.duration, base: base))
    }
    let matrix = focal_stream_display_matrix(stream)
    var tags = tags(stream.pointee.metadata)
    let language = tags.first { $0.key == "language" }?.value
    tags.removeAll { $0.key == "language" }
    let hdrMetadata = HDRMetadata(
      focal_stream_mastering_display(stream), focal_stream_content_light(stream))
    var record = AVDOVIDecoderConfigurationRecord()
    let dolbyVision = focal_stream_dolby_vision(stream, &record) != 0 ? record : nil
    let rate = av_guess_frame_rate(input.pointer, stream, nil)
    let sound =
      mediaType == .audio && parameters.values.codec_id != AV_CODEC_ID_NONE
        && parameters.values.sample_rate > 0
      ? try SoundParameters(parameters, name: name) : nil
    return Stream(
      index: stream.pointee.index, id: stream.pointee.id, mediaType: mediaType,
      parameters: parameters, sound: sound,
      entry: try parameters.sampleEntry(
        aspect: aspect, hdrMetadata: hdrMetadata,
        dolbyVision: dolbyVision),
      clock: StreamClock(base: base, zero: zero, timescale: sound?.sampleRate),
      timeRange: range,
      dimensions: shownSize(parameters.values, aspect),
      matrix: matrix.map { matrix in TransformMatrix(values: (0..<9).map { matrix[$0] }) },
      frameDuration: rate.num > 0 && rate.den > 0
        ? Time(value: Int64(rate.den), timescale: rate.num) : nil,
      languageCode: language.flatMap { $0.utf8.count == 3 ? $0 : nil }, tags: tags,
      disposition: stream.pointee.disposition)
  }

  /// Pixels that are no squares widen the picture, as a movie file's track header has it.
  private static func shownSize(_ values: AVCodecParameters, _ aspect: AVRational) -> Dimensions {
    guard values.codec_type == AVMEDIA_TYPE_VIDEO else { return Dimensions(width: 0, height: 0) }
    let (width, height) = (max(Int(values.width), 0), max(Int(values.height), 0))
    guard aspect.num > 0, aspect.den > 0 else { return Dimensions(width: width, height: height) }
    let shown = (Double(width) * Double(aspect.num) / Double(aspect.den)).rounded()
    return Dimensions(width: shown < 65536 ? Int(shown) : width, height: height)
  }

  /// The kind of a stream; `nil` for covers, fonts and other attachments.
  private static func mediaType(_ stream: UnsafeMutablePointer<AVStream>) -> MediaType? {
    guard InputContext.isPicture(stream) else { return nil }
    switch stream.pointee.codecpar.pointee.codec_type {
    case AVMEDIA_TYPE_VIDEO: return .video
    case AVMEDIA_TYPE_AUDIO: return .audio
    case AVMEDIA_TYPE_SUBTITLE: return .subtitle
    case AVMEDIA_TYPE_DATA: return .metadata
    default: return nil
    }
  }

  /// The name, in messages, of a stream that is no track.
  private static func title(_ stream: UnsafeMutablePointer<AVStream>) -> String {
    if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 { return "the cover" }
    let name = tags(stream.pointee.metadata).first { $0.key == "filename" }?.value
    return name.map { "the attachment \($0)" } ?? "an attachment"
  }

  /// The most tags that are read.
  private static let maximumTagCount = 1 << 12

  private static func tags(_ dictionary: OpaquePointer?) -> [Tag] {
    var tags: [Tag] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while tags.count < maximumTagCount {
      entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)
      guard let entry else { break }
      tags.append(
        Tag(
          key: String(cString: entry.pointee.key), value: String(cString: entry.pointee.value)))
    }
    return tags
  }
}

extension InputContext {
  /// The container's length, where it is positive.
  var statedDuration: Time? {
    let ticks = pointer.pointee.duration
    return ticks > 0 ? Time(value: ticks, timescale: Int32(AV_TIME_BASE)) : nil
  }
}
