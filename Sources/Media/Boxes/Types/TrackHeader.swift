// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// `tkhd`: a track's number, place and length.
public struct TrackHeader: Hashable, Sendable {
  /// Enabled, in the movie, in the preview.
  public var flags: UInt32
  /// Unique in the movie, at least 1.
  public var trackID: UInt32
  /// Ticks of the movie's timescale; `nil` if unknown.
  public var duration: Int64?
  /// Front to back: lower is nearer.
  public var layer: Int16
  /// Tracks of one group, except 0, exclude each other.
  public var alternateGroup: Int16
  /// 8.8.
  public var volume: Int16
  /// From the track to the movie.
  public var matrix: TransformMatrix
  /// Size on the screen in pixels, 16.16.
  public var width: UInt32
  /// Rows, in 1/65536.
  public var height: UInt32

  /// Whether players use the track.
  public var isEnabled: Bool { flags & 1 != 0 }
  /// The size on the screen, before the matrix, rounded to whole pixels.
  public var dimensions: Dimensions {
    Dimensions(
      width: Int((UInt64(width) + 0x8000) >> 16), height: Int((UInt64(height) + 0x8000) >> 16))
  }

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are cut short, the number 0, and lengths that no track has.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "tkhd")
    let (version, flags) = try reader.versionAndFlags()
    self.flags = flags
    _ = try reader.count(wide: version == 1)
    _ = try reader.count(wide: version == 1)
    trackID = try reader.u32()
    guard trackID > 0 else { throw reader.malformed("a track has the number 0") }
    try reader.skip(4)
    duration = try reader.duration(wide: version == 1)
    try reader.skip(8)
    layer = try reader.i16()
    alternateGroup = try reader.i16()
    volume = try reader.i16()
    try reader.skip(2)
    matrix = try TransformMatrix(&reader)
    width = try reader.u32()
    height = try reader.u32()
  }
}

/// `mdhd`: the clock of a track's samples.
public struct MediaHeader: Hashable, Sendable {
  /// Ticks a second of the samples' times, at least 1.
  public var timescale: Int32
  /// Ticks; `nil` if unknown.
  public var duration: Int64?
  /// A packed ISO 639-2 code; below 0x400 a Macintosh language number.
  public var language: UInt16

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are cut short, a timescale of 0, and numbers that no track has.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "mdhd")
    let isWide = try reader.versionAndFlags().version == 1
    _ = try reader.count(wide: isWide)
    _ = try reader.count(wide: isWide)
    timescale = try reader.timescale()
    duration = try reader.duration(wide: isWide)
    language = try reader.u16()
  }

  /// `und`, `eng`; `nil` where nothing is said.
  public var languageCode: String? {
    guard language >= 0x400 else { return Self.macintoshLanguages[language] }
    let letters = [10, 5, 0].map { UInt8((language >> $0) & 31) + 0x60 }
    guard letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return nil }
    return String(decoding: letters, as: UTF8.self)
  }
}

extension MediaHeader {
  /// The numbers that QuickTime files have for languages: from 0, and from 128 on.
  private static let macintoshLanguages: [UInt16: String] = {
    let first = """
      eng fra deu ita nld swe spa dan por nor heb jpn ara fin ell isl mlt tur hrv zho urd hin tha kor
      lit pol hun est lav sme fao fas rus zho nld gle sqi ron ces slk slv yid srp mkd bul ukr bel uzb
      kaz aze aze hye kat ron kir tgk tuk mon mon pus kur kas snd bod nep san mar ben asm guj pan ori
      mal kan tam tel sin mya khm lao vie ind tgl msa msa amh tir orm som swa kin run nya mlg epo
      """
    let second = "cym eus cat lat que grn aym tat uig dzo jav"
    var result: [UInt16: String] = [:]
    for (start, names) in [(0, first), (128, second)] as [(UInt16, String)] {
      for (index, name) in names.split(whereSeparator: \.isWhitespace).enumerated() {
        result[start + UInt16(index)] = String(name)
      }
    }
    return result
  }()
}

/// `hdlr`: what a track, or a metadata box, holds.
public struct HandlerReference: Hashable, Sendable {
  /// `mhlr` in QuickTime, zero in MP4.
  public var componentType: FourCC
  /// `vide`, `auxv`, `soun`, `meta`, `mdta`…
  public var handler: FourCC
  /// The name for people; QuickTime stores its length before it, MP4 a zero after it.
  public var name: String

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that end before the handler does.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "hdlr")
    _ = try reader.versionAndFlags()
    componentType = try reader.fourCC()
    handler = try reader.fourCC()
    // Very old files end here.
    guard reader.remaining >= 12 else {
      name = ""
      return
    }
    try reader.skip(12)
    var text = reader.rest
    if let count = text.first, componentType.rawValue != 0, Int(count) <= text.count - 1 {
      text = text.dropFirst().prefix(Int(count))
    }
    name = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }
}
