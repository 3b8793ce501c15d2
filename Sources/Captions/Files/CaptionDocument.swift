// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A format of caption files.
public enum CaptionFormat: String, Hashable, Sendable, CaseIterable {
  /// Scenarist's caption file: CEA-608.
  case scc
  /// iTunes Timed Text: TTML1 with Apple's ruby and vertical text.
  case itt
  /// TTML in the IMSC text profile, and TTML of other profiles.
  case ttml
  case webVTT = "vtt"
  case subRip = "srt"

  /// The format of a file's name; `nil` for another.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    switch path[path.index(after: dot)...].lowercased() {
    case "scc": self = .scc
    case "itt": self = .itt
    case "ttml", "xml", "dfxp", "imsc": self = .ttml
    case "vtt", "webvtt": self = .webVTT
    case "srt": self = .subRip
    default: return nil
    }
  }
}

/// The captions of a file, and what was found while reading it.
public struct CaptionDocument: Hashable, Sendable {
  /// In the file's order; those of a `.scc` file in the order of their starts.
  public var captions: [Caption]
  public var format: CaptionFormat
  /// As BCP 47 names it; `nil` where the file does not say.
  public var language: String?
  /// The title in the file's head, which WebVTT and TTML have.
  public var title: String?
  /// How the file's time codes count; `nil` for one whose times are seconds.
  public var timeCodeRate: TimeCodeRate?
  /// Whether a `.scc` file sends control codes twice.
  public var doublesControlCodes: Bool
  /// The field of line 21 that a `.scc` file's codes are for.
  public var field: CEA608.Field
  /// How a `.scc` file or a track of CEA-608 sends its captions; `nil` for what was not read from one.
  public internal(set) var transmission: CaptionTransmission?
  /// Everything that was skipped, mended or is not part of the model, with its line.
  public var issues: [CaptionIssue]

  public init(
    captions: [Caption], format: CaptionFormat, language: String? = nil, title: String? = nil,
    timeCodeRate: TimeCodeRate? = nil, doublesControlCodes: Bool = true,
    field: CEA608.Field = .one, issues: [CaptionIssue] = []
  ) {
    self.captions = captions
    self.format = format
    self.language = language
    self.title = title
    self.timeCodeRate = timeCodeRate
    self.doublesControlCodes = doublesControlCodes
    self.field = field
    self.issues = issues
  }

  /// From the first caption's start to the last one's end; empty without captions.
  public var timeRange: TimeRange {
    guard let start = captions.map(\.timeRange.start).min(),
      let end = captions.map(\.timeRange.end).max()
    else { return .zero }
    return TimeRange(start: start, end: end)
  }
}

/// Choices of reading.
public struct CaptionReadingOptions: Hashable, Sendable {
  /// Whether anything that would have to be skipped or mended is an error: every issue that is more than a note.
  public var isStrict = false
  /// The channel of a `.scc` file, or of a movie's CEA-608, that is read.
  public var channel = CEA608.Channel.one
  /// The field of a movie's CEA-608 that is read: by default the first, or the second where it alone has captions.
  public var field: CEA608.Field?
  /// The encoding of a SubRip or WebVTT file, as iconv names it: `windows-1251`, `Shift_JIS`. By default UTF-8, or UTF-16
  /// where the bytes say so; lines that are neither are read as Windows-1252, and told.
  public var encoding: String?
  /// For messages.
  public var name = "the file"

  public init() {}
}

/// Choices of writing.
public struct CaptionWritingOptions: Hashable, Sendable {
  /// Whether anything that the format cannot say is an error: every loss that is more than a note.
  public var isStrict = false
  /// How time codes count in `.scc` and `.itt`: by default as in the file that was read, else 29.97
  /// frames a second without drop frame.
  public var timeCodeRate: TimeCodeRate?
  /// The channel of a `.scc` file that is written.
  public var channel = CEA608.Channel.one
  /// Captions for the other channel of a `.scc` file, another language say: sent in the frames that the
  /// first one leaves.
  public var otherChannelCaptions: [Caption] = []

  public init() {}
}

extension CaptionDocument {
  /// Largest file that is read: captions of a film take a hundredth of it.
  public static let maximumByteCount = 64 << 20

  /// Reads a file.
  ///
  /// Everything readable is read; the rest is named in ``issues``.
  ///
  /// - Parameter format: by default the one that the bytes look like.
  /// - Throws: `malformed` for bytes of no caption format, and with ``CaptionReadingOptions/isStrict``
  ///   for the first issue; `unsupported` for a file beyond ``maximumByteCount``.
  public init(
    reading bytes: [UInt8], format: CaptionFormat? = nil,
    options: CaptionReadingOptions = CaptionReadingOptions()
  ) throws(CinematicError) {
    guard bytes.count <= Self.maximumByteCount else {
      throw CinematicError(
        .unsupported, "\(options.name) has \(bytes.count) bytes, more than captions have",
        remedy: "name a caption file")
    }
    let (bytes, faults) =
      try options.encoding.map { name throws(CinematicError) in
        try Self.decoded(bytes, from: name, as: format, options)
      } ?? (bytes, [])
    guard let format = format ?? Self.format(of: bytes) else {
      throw CinematicError(
        .malformed,
        "\(options.name) is no caption file: it looks like none of"
          + " \(CaptionFormat.allCases.map(\.rawValue).joined(separator: ", "))",
        remedy: "name a .scc, .itt, .ttml, .vtt or .srt file")
    }
    do throws(CinematicError) {
      switch format {
      case .scc: self = try SCCFile.read(bytes, channel: options.channel)
      case .itt, .ttml: self = try TTMLReader.read(bytes, format: format)
      case .webVTT: self = try WebVTTReader.read(bytes)
      case .subRip: self = try SubRipReader.read(bytes)
      }
    } catch {
      throw error.replacing(message: "\(options.name): \(error.message)")
    }
    issues = faults + issues
    if options.isStrict, let issue = issues.firstLoss {
      throw CinematicError(
        .malformed, "\(options.name), \(issue)",
        remedy: "mend the file, or read it without \(parameter: .strictReading)")
    }
  }

  /// The bytes in UTF-8, and what of them is not of the encoding.
  private static func decoded(
    _ bytes: [UInt8], from encoding: String, as format: CaptionFormat?,
    _ options: CaptionReadingOptions
  ) throws(CinematicError) -> (bytes: [UInt8], faults: [CaptionIssue]) {
    let decoded = try TextEncoding.utf8(bytes, from: encoding)
    let format = format ?? Self.format(of: decoded.bytes)
    guard format == nil || format == .subRip || format == .webVTT else {
      throw CinematicError(
        .invalidParameter,
        "\(options.name) is .\(format?.rawValue ?? ""), and an encoding is named for SubRip and WebVTT alone",
        remedy: "leave it out")
    }
    guard let line = decoded.faultyLines.first else { return (decoded.bytes, []) }
    let more = decoded.faultyLines.count - 1
    let place = more == 0 ? "bytes" : "bytes, here and in \(more) more line\(more == 1 ? "" : "s"),"
    return (
      decoded.bytes,
      [
        CaptionIssue(
          line: line, severity: .error, reason: "\(place) are not \(encoding): each became U+FFFD")
      ]
    )
  }

  /// The format that bytes look like.
  static func format(of bytes: [UInt8]) -> CaptionFormat? {
    let text = Array(PlainText.utf8(bytes).prefix(4096))
    let start = text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if start.starts(with: "Scenarist_SCC".utf8) { return .scc }
    if start.starts(with: "WEBVTT".utf8) { return .webVTT }
    let head = String(decoding: start, as: UTF8.self)
    if head.hasPrefix("<") {
      return head.contains("itt/ttml-extension") || head.contains("urn:apple:itt") ? .itt : .ttml
    }
    if head.contains("-->") { return .subRip }
    if let line = head.split(whereSeparator: \.isNewline).first,
      line.prefix(12).count(where: { ":;.,".contains($0) }) >= 3, line.first?.isNumber == true
    {
      return .scc
    }
    return nil
  }

  /// - Throws: `unsupported` for a caption that starts below zero.
  static func checkStarts(_ captions: [Caption]) throws(CinematicError) {
    guard let caption = captions.first(where: { $0.timeRange.start < .zero }) else { return }
    throw CinematicError(
      .unsupported,
      "a caption starts at \(caption.timeRange.start.secondsText) s, and files begin at zero",
      remedy: "shift the captions to later times")
  }

  /// The file's bytes in a format, and what of the captions it cannot say.
  ///
  /// - Throws: `incompatible` for the first loss with ``CaptionWritingOptions/isStrict``, `unsupported`
  ///   for times or rates that the format does not have.
  public func written(
    as format: CaptionFormat, options: CaptionWritingOptions = CaptionWritingOptions()
  ) throws(CinematicError) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    try Self.checkStarts(captions + options.otherChannelCaptions)
    guard options.otherChannelCaptions.isEmpty || format == .scc else {
      throw CinematicError(
        .invalidParameter, "captions for another channel do not fit .\(format.rawValue)",
        remedy: "write a .scc file, or another file for them")
    }
    let result: (bytes: [UInt8], losses: [CaptionIssue])
    switch format {
    case .scc: result = try SCCFile.write(self, options)
    case .itt: result = try TTMLWriter.write(self, options, isITT: true)
    case .ttml: result = try TTMLWriter.write(self, options, isITT: false)
    case .webVTT: result = WebVTTWriter.write(self)
    case .subRip: result = SubRipWriter.write(self)
    }
    if options.isStrict, let loss = result.losses.firstLoss {
      throw CinematicError(
        .incompatible, "the captions do not fit .\(format.rawValue): \(loss)",
        remedy: "change them, or write without \(parameter: .strictWriting)")
    }
    return result
  }
}
