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

  /// A decoding time on the movie's timeline.
  func time(_ ticks: Int64) -> Time { Time(value: ticks, timescale: timescale) }

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
