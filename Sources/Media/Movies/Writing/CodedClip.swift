// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// A clip whose coded pictures a QuickTime movie can hold as they are: H.264 and HEVC of one coding
/// throughout.
public struct CodedClip: Sendable {
  /// The place of a frame in time.
  public struct Frame: Hashable, Sendable {
    /// Counted from the container's start, as ``FrameReader`` counts.
    public var time: Time
    /// Up to the next frame; of the last one, what the file says.
    public var duration: Time
  }

  /// When a coded picture is decoded and shown, in ticks of ``timescale``.
  struct PacketTimes: Sendable {
    var decode: Int64
    var presentation: Int64
    /// Whether it only helps others to be decoded.
    var isPreroll: Bool
  }

  public let path: String
  /// The frames that are shown, in the order of their times.
  public let frames: [Frame]
  /// Ticks a second that express every frame's time.
  public let timescale: Int32

  /// The pictures' stream in the file.
  let streamIndex: Int32
  /// In the order of the file.
  let packets: [PacketTimes]
  let configuration: DecoderConfiguration
  /// Whether the file parts units by start codes, which movie files do not.
  let hasStartCodes: Bool
  let track: TrackSettings
  /// Descriptions of the whole movie, from a file that has them in QuickTime's form.
  let movieExtras: [Box]
  let creationTime: UInt32
  let startTime: Time

  /// Looks through a clip once, without decoding it.
  ///
  /// - Returns: `nil` where the pictures cannot be kept: another codec, a coding that changes in the
  ///   middle, times that no movie file can hold. Such a clip has to be encoded.
  /// - Throws: the error of a file that cannot be read.
  public init?(path: String) throws(CinematicError) {
    self.path = path
    guard fileExists(path) else { return nil }
    let file = try SourceFile(path: path)
    guard file.stillKind == nil else { return nil }
    try file.checkLength()
    let input = try InputContext(path: path)
    let stream = try input.pictureStream(path)
    let parameters = stream.pointee.codecpar!
    let codec: DecoderConfiguration.Codec
    switch parameters.pointee.codec_id {
    case AV_CODEC_ID_H264: codec = .h264
    case AV_CODEC_ID_HEVC: codec = .hevc
    default: return nil
    }
    let extradata = parameters.extradata
    guard let configuration = try? DecoderConfiguration(codec, extradata), configuration.isComplete
    else { return nil }
    self.configuration = configuration
    hasStartCodes = NetworkUnits.hasStartCode(extradata)
    streamIndex = stream.pointee.index
    startTime = input.startTime
    let base = stream.pointee.time_base
    let clock = StreamClock(base: base, zero: startTime)
    timescale = clock.timescale
    guard let scan = try PacketScan(input, stream, path: path, clock: clock) else { return nil }
    packets = scan.packets
    frames = scan.frames
    let source = try StoredDescription(file, trackID: stream.pointee.id, isSound: false)
    // Another coding behind the first entry would be lost.
    guard source?.entryCount ?? 1 == 1 else { return nil }
    movieExtras = source?.movieExtras ?? []
    creationTime = source?.creationTime ?? 0
    track = Self.track(stream, configuration, timescale, source)
  }

  private static func track(
    _ stream: UnsafeMutablePointer<AVStream>, _ configuration: DecoderConfiguration,
    _ timescale: Int32, _ source: StoredDescription?
  ) -> TrackSettings {
    let parameters = stream.pointee.codecpar.pointee
    let size = Dimensions(width: Int(parameters.width), height: Int(parameters.height))
    if let source, let entry = source.entry {
      // Everything that the entry says stays; only its name has to tell that no parameter sets stand
      // among the pictures, which is so where all stand here.
      var entry = entry
      if entry.type == "hev1" { entry.type = "hvc1" }
      if entry.type == "avc3" { entry.type = "avc1" }
      var track = TrackSettings(
        handler: "vide", name: "Video", timescale: timescale, sampleEntry: entry)
      track.shownSize = source.shownSize
      track.matrix = source.matrix
      track.extraBoxes = source.trackExtras
      return track
    }
    var extensions = [configuration.box]
    let color = SampleEntry.ColorDescription(parameters)
    if let color { extensions.append(color.box) }
    var width = Double(size.width)
    let aspect = stream.pointee.sample_aspect_ratio
    if aspect.num > 0, aspect.den > 0, aspect.num != aspect.den {
      extensions.append(SampleEntry.pixelAspect(UInt32(aspect.num), UInt32(aspect.den)))
      width = width * Double(aspect.num) / Double(aspect.den)
    }
    var track = TrackSettings(
      handler: "vide", name: "Video", timescale: timescale,
      sampleEntry: SampleEntry.visual(
        configuration.format, dimensions: size,
        name: configuration.codec == .hevc ? "HEVC" : "H.264", extensions: extensions))
    track.shownSize = (width, Double(size.height))
    if let matrix = focal_stream_display_matrix(stream) {
      track.matrix = TransformMatrix(values: (0..<9).map { matrix[$0] })
    }
    return track
  }
}

/// Turns a stream's ticks into those of a movie that starts with the container.
struct StreamClock: Sendable {
  let base: AVRational
  let zero: Time
  /// Ticks a second in which the results are exact, where 32 bits allow.
  let timescale: Int32

  init(base: AVRational, zero: Time) {
    self.base = base
    self.zero = zero
    timescale = (Time(1, base: base) - zero).timescale
  }

  func ticks(_ stamp: Int64) -> Int64 {
    (Time(stamp, base: base) - zero).ticks(timescale)
  }

  func length(_ duration: Int64) -> Int64 {
    Time(duration, base: base).ticks(timescale)
  }

  func time(_ ticks: Int64) -> Time { Time(value: ticks, timescale: timescale) }
}

extension Time {
  /// In ticks of a timescale, kept so far from the largest number that sums of a few do not overflow.
  func ticks(_ timescale: Int32) -> Int64 {
    min(max(converted(to: timescale).value, -Int64.max / 8), Int64.max / 8)
  }
}

/// The times of a stream's packets, sorted out.
private struct PacketScan {
  let packets: [CodedClip.PacketTimes]
  let frames: [CodedClip.Frame]

  /// - Returns: `nil` where the times cannot be kept.
  init?(
    _ input: InputContext, _ stream: UnsafeMutablePointer<AVStream>, path: String,
    clock: StreamClock
  ) throws(CinematicError) {
    guard let packet = Packet() else { throw .outOfMemory(for: path) }
    for other in input.streams where other != stream { other!.pointee.discard = AVDISCARD_ALL }
    var packets: [CodedClip.PacketTimes] = []
    // Of the packet shown last so far.
    var latest: (presentation: Int64, duration: Int64) = (.min, 0)
    var hasDecodeTimes = true
    while true {
      let code = av_read_frame(input.pointer, packet.pointer)
      if code == FFmpeg.endOfFile { break }
      guard code >= 0 else {
        throw CinematicError(
          .malformed, "\(path) is damaged: \(FFmpeg.text(code))",
          remedy: "make or copy the file again")
      }
      defer { av_packet_unref(packet.pointer) }
      let stamp = packet.pointer.pointee
      guard stamp.stream_index == stream.pointee.index, stamp.size > 0 else { continue }
      guard stamp.pts != FFmpeg.noTimestamp,
        av_packet_get_side_data(packet.pointer, AV_PKT_DATA_NEW_EXTRADATA, nil) == nil,
        stamp.flags & AV_PKT_FLAG_CORRUPT == 0
      else { return nil }
      let presentation = clock.ticks(stamp.pts)
      var decode = presentation
      if stamp.dts == FFmpeg.noTimestamp {
        hasDecodeTimes = false
      } else {
        decode = clock.ticks(stamp.dts)
        if let last = packets.last?.decode, decode <= last { hasDecodeTimes = false }
      }
      if decode > presentation { hasDecodeTimes = false }
      packets.append(
        .init(
          decode: decode, presentation: presentation,
          isPreroll: stamp.flags & AV_PKT_FLAG_DISCARD != 0 || presentation < 0))
      if presentation > latest.presentation {
        latest = (presentation, clock.length(max(stamp.duration, 0)))
      }
    }
    let order = packets.map(\.presentation).sorted()
    guard !order.isEmpty, zip(order, order.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    if !hasDecodeTimes {
      // Pictures can be decoded one a frame, as many frames early as the order demands.
      let delay = zip(order, packets).map { $0 - $1.presentation }.max() ?? 0
      for index in packets.indices { packets[index].decode = order[index] - max(delay, 0) }
    }
    let shown = packets.filter { !$0.isPreroll }.map(\.presentation).sorted()
    guard let last = shown.last else { return nil }
    var end = last + (latest.presentation == last ? latest.duration : 0)
    if stream.pointee.duration > 0, stream.pointee.start_time != FFmpeg.noTimestamp,
      input.formatName.hasPrefix("mov,")
    {
      end = max(
        last, clock.ticks(stream.pointee.start_time) + clock.length(stream.pointee.duration))
    }
    if end <= last { end = last + (shown.count > 1 ? last - shown[shown.count - 2] : 1) }
    self.packets = packets
    let ends = shown.dropFirst() + [end]
    frames = zip(shown, ends).map {
      CodedClip.Frame(time: clock.time($0), duration: clock.time($1 - $0))
    }
  }
}

extension UnsafeMutablePointer<AVCodecParameters> {
  var extradata: [UInt8] {
    guard let data = pointee.extradata else { return [] }
    return [UInt8](UnsafeBufferPointer(start: data, count: Int(pointee.extradata_size)))
  }
}

extension SampleEntry.ColorDescription {
  /// What a stream says about its colours; `nil` where it says nothing.
  init?(_ parameters: AVCodecParameters) {
    let isFull = parameters.color_range == AVCOL_RANGE_JPEG
    let codes = [
      parameters.color_primaries.rawValue, parameters.color_trc.rawValue,
      parameters.color_space.rawValue,
    ]
    guard isFull || codes.contains(where: { $0 != 2 && $0 != 0 }) else { return nil }
    self.init(
      primaries: UInt16(truncatingIfNeeded: codes[0]),
      transfer: UInt16(truncatingIfNeeded: codes[1]), matrix: UInt16(truncatingIfNeeded: codes[2]),
      isFullRange: isFull)
  }
}
