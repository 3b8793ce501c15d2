// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Captions as a track of a movie has them: an entry that says how, and samples one after another.
public struct CaptionTrack: Sendable {
  /// How captions are coded in a movie.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// 3GPP's timed text (TS 26.245): lines at the bottom, in styles.
    case timedText = "tx3g"
    /// QuickTime's text.
    case quickTimeText = "text"
    /// WebVTT in MP4 (ISO/IEC 14496-30).
    case webVTT = "wvtt"
    /// TTML in MP4 (ISO/IEC 14496-30).
    case ttml = "stpp"
    /// CEA-608 (QuickTime's closed captions).
    case cea608 = "c608"

    /// The kind of an entry; `nil` for one that holds something else.
    public init?(_ entry: Box) { self.init(rawValue: "\(entry.type)") }

    /// The kind that a movie gets for captions of a format: CEA-608 where they are; in MP4 WebVTT and TTML as they
    /// are; else timed text, which every player shows.
    public init(_ format: CaptionFormat, inMP4 isMP4: Bool) {
      switch format {
      case .scc: self = .cea608
      case .itt, .ttml: self = isMP4 ? .ttml : .timedText
      case .webVTT: self = isMP4 ? .webVTT : .timedText
      case .subRip: self = .timedText
      }
    }

    var handler: FourCC {
      switch self {
      case .timedText: "sbtl"
      case .quickTimeText, .webVTT: "text"
      case .ttml: "subt"
      case .cea608: "clcp"
      }
    }
  }

  /// A sample, when it is shown, and its bytes.
  public typealias Sample = (timeRange: TimeRange, data: [UInt8])

  public let kind: Kind
  /// The track's handler.
  public let handler: FourCC
  /// The sample entry.
  public let entry: Box
  /// Three letters of ISO 639-2; `nil` if unknown.
  public let languageCode: String?
  /// In order, none over another; times are the captions'.
  public let samples: [Sample]
  /// The properties of captions that the coding does not have.
  public let losses: [CaptionIssue]

  /// Codes captions.
  ///
  /// - Throws: `unsupported` for a caption that starts below zero, and for captions that lie over each other so often
  ///   that the samples would have more text than ``CaptionDocument/maximumByteCount``.
  public init(_ document: CaptionDocument, kind: Kind) throws(CinematicError) {
    try CaptionDocument.checkStarts(document.captions)
    self.kind = kind
    handler = kind.handler
    languageCode = document.language.flatMap(Self.languageCode)
    switch kind {
    case .timedText, .quickTimeText:
      let coded = try TimedTextSamples(document.captions, kind)
      (samples, losses, entry) = (coded.samples, coded.losses, coded.entry)
    case .webVTT:
      let coded = try WebVTTSamples.samples(document.captions)
      (samples, losses) = (coded.samples, coded.losses)
      entry = Box("wvtt") { writer in
        writer.zeros(6)
        writer.u16(1)
        writer.box(Box("vttC", data: Array(coded.head.utf8)))
      }
    case .ttml:
      (samples, losses) = try TTMLSamples.samples(document)
      entry = Box("stpp") { writer in
        writer.zeros(6)
        writer.u16(1)
        writer.append(Array("\(TTMLNames.tt)\0".utf8))
        // Neither a schema's place nor pictures.
        writer.zeros(2)
      }
    case .cea608:
      (samples, losses) = CEA608Samples.samples(document)
      entry = Box("c608") { writer in
        writer.zeros(6)
        writer.u16(1)
      }
    }
  }

  /// Reads the captions of a track.
  ///
  /// - Parameters:
  ///   - samples: in order, times on the movie's timeline.
  ///   - options: of CEA-608 the channel and the field.
  /// - Throws: `unsupported` for an entry of another kind.
  public static func captions(
    entry: Box, samples: [Sample], options: CaptionReadingOptions = CaptionReadingOptions()
  ) throws(CinematicError) -> CaptionDocument {
    guard let kind = Kind(entry) else {
      throw CinematicError(
        .unsupported, "captions of the kind '\(entry.type)' cannot be read",
        remedy: "convert them to a file first")
    }
    switch kind {
    case .timedText, .quickTimeText: return TimedTextSamples.captions(samples, entry)
    case .webVTT: return WebVTTSamples.captions(samples, entry)
    case .ttml: return TTMLSamples.captions(samples)
    case .cea608: return CEA608Samples.captions(samples, options)
    }
  }

  /// The samples of CEA-608 for a part of a movie, at their times: every channel and field. The codes of a caption are
  /// sent before it is shown, so that samples which are only cut off have captions no more.
  ///
  /// - Returns: samples within the part, and captions that come later in it, or not at all.
  public static func line21(
    _ samples: [Sample], in range: TimeRange
  ) -> (samples: [Sample], losses: [CaptionIssue]) {
    CEA608Samples.part(of: samples, in: range)
  }

  /// The bytes of a sample whose beginning is cut off. Of WebVTT, cues whose parts come one after the other say which of
  /// their file's times the sample begins at.
  ///
  /// - Parameters:
  ///   - sample: at its times in the movie that it is of.
  ///   - start: when it begins there now.
  package static func data(of sample: Sample, in entry: Box, from start: Time) -> [UInt8] {
    Kind(entry) == .webVTT ? WebVTTSamples.cut(sample, from: start) : sample.data
  }

  /// BCP 47 to ISO 639-2/T, of the languages that films are captioned in.
  private static func languageCode(_ tag: String) -> String? {
    let first = tag.split(separator: "-").first.map { $0.lowercased() } ?? ""
    if first.utf8.count == 3 { return first }
    let pairs =
      "ar:ara bg:bul bn:ben ca:cat cs:ces cy:cym da:dan de:deu el:ell en:eng es:spa et:est eu:eus fa:fas"
      + " fi:fin fr:fra ga:gle gl:glg gu:guj he:heb hi:hin hr:hrv hu:hun hy:hye id:ind is:isl it:ita"
      + " ja:jpn ka:kat kk:kaz km:khm kn:kan ko:kor lo:lao lt:lit lv:lav mk:mkd ml:mal mn:mon mr:mar"
      + " ms:msa my:mya nb:nob ne:nep nl:nld nn:nno no:nor pa:pan pl:pol pt:por ro:ron ru:rus si:sin"
      + " sk:slk sl:slv sq:sqi sr:srp sv:swe sw:swa ta:tam te:tel th:tha tl:tgl tr:tur uk:ukr ur:urd"
      + " uz:uzb vi:vie zh:zho zu:zul"
    return pairs.split(separator: " ").first { $0.hasPrefix("\(first):") }
      .map { String($0.suffix(3)) }
  }
}

/// Puts together captions that go on from sample to sample.
struct CaptionJoiner {
  private var captions: [Caption] = []
  /// Of each caption, which one of the file it is a part of; `nil` where samples do not say.
  private var sources: [Int32?] = []
  /// The captions of the sample before.
  private var open: [Int] = []
  private var end = Time.zero
  private let joinsBySource: Bool

  /// What the parts of a caption have in common.
  private struct Content: Hashable {
    var caption: Caption
    var source: Int32?

    init(_ caption: Caption, _ source: Int32?) {
      self.caption = caption
      self.caption.timeRange = .zero
      self.source = source
    }
  }

  /// - Parameter joinsBySource: whether captions without a source are whole.
  init(joinsBySource: Bool = false) { self.joinsBySource = joinsBySource }

  /// Takes the captions of the next sample.
  ///
  /// - Parameter sources: one for each, or none.
  mutating func add(_ shown: [Caption], _ range: TimeRange, sources shownSources: [Int32?] = []) {
    var next: [Int] = []
    // By their content, the first of several that are alike last.
    var left: [Content: [Int]] = [:]
    if range.start == end {
      for index in open.reversed() where !joinsBySource || sources[index] != nil {
        left[Content(captions[index], sources[index]), default: []].append(index)
      }
    }
    for (number, caption) in shown.enumerated() {
      let source = shownSources.isEmpty ? nil : shownSources[number]
      let content = Content(caption, source)
      // Equal regions may differ in what their identifiers do not tell.
      let place = left[content]?.lastIndex { index in
        captions[index].timeRange.end == caption.timeRange.start
          && CaptionRegion.areIdentical(captions[index].region, caption.region)
      }
      if let place, let index = left[content]?.remove(at: place) {
        captions[index].timeRange = TimeRange(
          start: captions[index].timeRange.start, end: caption.timeRange.end)
        next.append(index)
      } else {
        captions.append(caption)
        sources.append(source)
        next.append(captions.count - 1)
      }
    }
    open = next
    end = range.end
  }

  var all: [Caption] { captions }
}
