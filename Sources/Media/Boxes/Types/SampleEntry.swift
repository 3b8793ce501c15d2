// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// An entry of `stsd`: how a track's samples are coded.
public struct SampleEntry: Hashable, Sendable {
  /// `hvc1`, `dish`, `mebx`, `mp4a`…
  public var format: FourCC
  /// The entry as it stands in the file: nothing of it gets lost.
  public var box: Box
  /// The fields of its kind.
  public var details: Details

  /// The fields of a kind of entry.
  public enum Details: Hashable, Sendable {
    /// `vide`, `auxv` and `pict` tracks.
    case visual(VisualDetails)
    case audio(AudioDetails)
    /// `mebx`: keys, in the order of the file.
    case metadata([MetadataKey])
    /// A kind that is passed on without being understood.
    case other
  }

  /// The pictures of an entry.
  public struct VisualDetails: Hashable, Sendable {
    /// The size as coded, in pixels.
    public var dimensions: Dimensions
    /// Bits a pixel, as the entry says.
    public var depth: Int
    /// `hvcC`, `avcC`, `colr`, `clap`, `dvvC`, `amve` and others.
    public var extensions: [Box]
  }

  /// The fields of sound.
  public struct AudioDetails: Hashable, Sendable {
    /// Channels.
    public var channelCount: Int
    /// Samples a second.
    public var sampleRate: Double
    /// The boxes behind the fields.
    public var extensions: [Box]
  }

  /// The entries of `stsd`.
  ///
  /// - Parameters:
  ///   - content: the box's contents.
  ///   - handler: what the track holds (``HandlerReference/handler``).
  /// - Throws: `malformed` for contents that are cut short, and as ``init(_:handler:)``.
  public static func entries(
    _ content: ArraySlice<UInt8>, handler: FourCC
  ) throws(CinematicError) -> [SampleEntry] {
    var reader = ByteReader(content, box: "stsd")
    _ = try reader.versionAndFlags()
    // A copy by ffmpeg claims an entry and has none: what is there counts, so that what is lost can
    // be named.
    let count = Int(try reader.u32())
    var entries: [SampleEntry] = []
    // QuickTime files may end the table with a zero.
    for box in try Box.prefix(reader.rest, count: count) {
      entries.append(try SampleEntry(box, handler: handler))
    }
    return entries
  }

  /// An entry of a track with a handler. Unknown kinds are no error.
  ///
  /// - Throws: `malformed` for fields that are cut short, for a box in it that claims more bytes than are left, and for a rate of
  ///   sound that is no number.
  public init(_ box: Box, handler: FourCC) throws(CinematicError) {
    format = box.type
    self.box = box
    switch handler {
    case "vide", "auxv", "pict": details = .visual(try VisualDetails(box))
    case "soun": details = .audio(try AudioDetails(box))
    case "meta" where box.type == "mebx":
      details = .metadata(try MetadataKey.table(box.data.dropFirst(8)))
    default: details = .other
    }
  }

  /// The picture size; `nil` for other media.
  public var dimensions: Dimensions? {
    if case .visual(let visual) = details { visual.dimensions } else { nil }
  }

  /// The boxes behind the entry's own fields.
  public var extensions: [Box] {
    switch details {
    case .visual(let visual): visual.extensions
    case .audio(let audio): audio.extensions
    case .metadata, .other: []
    }
  }

  private var dolbyVisionBox: Box? {
    extensions.first { ["dvcC", "dvvC", "dvwC"].contains($0.type) }
  }

  /// Whether the pictures are of Dolby Vision, whatever else they can be taken for.
  public var isDolbyVision: Bool { dolbyVisionBox != nil }

  /// What the box of Dolby Vision says; `nil` without one, and for one that is cut short.
  public var dolbyVision: DolbyVision? { dolbyVisionBox.flatMap { DolbyVision($0.data) } }
}

/// The kind of Dolby Vision that a sample entry's `dvcC`, `dvvC` or `dvwC` tells of.
public struct DolbyVision: Hashable, Sendable, CustomStringConvertible {
  /// 5, 7, 8, 10…, up to 127.
  public let profile: Int
  /// What the base layer is to others: 0 nothing, 1 HDR10, 2 BT.709, 4 HLG, 6 HDR10 of discs; up to 15.
  public let compatibility: Int

  init?(_ content: ArraySlice<UInt8>) {
    let bytes = Array(content.prefix(5))
    guard bytes.count == 5 else { return nil }
    profile = Int(bytes[2] >> 1)
    compatibility = Int(bytes[4] >> 4)
  }

  /// Whether the pictures show what is meant without the metadata beside them. Only profiles 5, 10 and 20 may lack such a
  /// base; their pictures are then coded in IPT, a colour space that no `colr` names. Old boxes of the others say 0, too.
  public var hasCompatibleBase: Bool {
    !([5, 10, 20].contains(profile) && compatibility == 0)
  }

  /// `5`, `8.4`.
  public var description: String {
    compatibility == 0 ? "\(profile)" : "\(profile).\(compatibility)"
  }
}

extension SampleEntry.VisualDetails {
  init(_ box: Box) throws(CinematicError) {
    var reader = ByteReader(box.data, of: "the sample entry '\(box.type)'")
    try reader.skip(24)
    dimensions = Dimensions(width: Int(try reader.u16()), height: Int(try reader.u16()))
    try reader.skip(46)
    depth = Int(try reader.u16())
    try reader.skip(2)
    extensions = try Box.prefix(reader.rest, count: .max)
  }
}

extension SampleEntry.AudioDetails {
  init(_ box: Box) throws(CinematicError) {
    var reader = ByteReader(box.data, of: "the sample entry '\(box.type)'")
    try reader.skip(8)
    let version = try reader.u16()
    try reader.skip(6)
    channelCount = Int(try reader.u16())
    try reader.skip(6)
    sampleRate = Double(try reader.u32()) / 65536
    switch version {
    case 1: try reader.skip(16)
    case 2:
      try reader.skip(4)
      let rate = Double(bitPattern: try reader.u64())
      guard rate.isFinite, rate >= 0 else { throw reader.malformed("its sample rate is \(rate)") }
      sampleRate = rate
      channelCount = Int(try reader.u32())
      try reader.skip(20)
    default: break
    }
    extensions = try Box.prefix(reader.rest, count: .max)
  }
}

extension Box {
  /// Up to `count` boxes that follow each other; bytes that are no box end them without an error,
  /// as the zero at the end of many QuickTime lists must.
  package static func prefix(
    _ bytes: ArraySlice<UInt8>, count: Int
  ) throws(CinematicError) -> [Box] {
    var boxes: [Box] = []
    var rest = bytes
    while rest.count >= 8, boxes.count < min(count, 1024) {
      let limit = Int64(rest.count)
      guard let header = try? BoxHeader(rest, offset: 0, limit: limit), header.form != .toEnd else {
        break
      }
      guard header.size <= limit else {
        throw .malformedMovie(
          "the box '\(header.type)' claims \(header.size) bytes where \(limit) are left")
      }
      var box = Box(
        header.type, data: rest.dropFirst(header.headerSize).prefix(Int(header.contentSize)))
      box.extendedType = header.extendedType
      box.form = header.form
      boxes.append(box)
      rest = rest.dropFirst(Int(header.size))
    }
    return boxes
  }
}
