// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The facts of a track that a muxer needs before its first sample.
public struct TrackSettings: Sendable {
  /// Another track that this one belongs to.
  public struct Reference: Hashable, Sendable {
    /// `cdsc` (describes the content of), `auxl` (auxiliary to).
    public var type: FourCC
    /// The track's number in the order of addition, from 0.
    public var track: Int

    /// A reference of a type to a track by its position.
    public init(_ type: FourCC, to track: Int) {
      self.type = type
      self.track = track
    }
  }

  /// `vide`, `auxv`, `soun` or `meta`.
  public var handler: FourCC
  /// The handler's name, for people.
  public var name: String
  /// Ticks a second of the samples' times, at least 1.
  public var timescale: Int32
  /// The entry of the sample description box that all samples have.
  public var sampleEntry: Box
  /// Width and height as shown before the turn, in pixels; zero for what is not seen.
  public var shownSize: (width: Double, height: Double) = (0, 0)
  /// From how the pictures are stored to how they are shown.
  public var matrix = TransformMatrix.identity
  /// The tracks that this one refers to.
  public var references: [Reference] = []
  /// Descriptions of the track, stored under `mdta` keys.
  public var metadata: [ItemMetadata.Item] = []
  /// Boxes that the track gets beside its own: descriptions copied from elsewhere.
  public var extraBoxes: [Box] = []
  /// ISO 639-2/T.
  public var language = "und"
  /// The language with its script and country (BCP 47), where three letters do not say it.
  public var extendedLanguage: String?
  /// Whether players show or play it unless they are told otherwise.
  public var isEnabled = true
  /// Tracks of the same number, except 0, are alternatives of which players choose one.
  public var alternateGroup: UInt16 = 0
  /// Of sound: how many packets, counted backwards and so negative, a decoder needs to get going;
  /// `nil` for no statement.
  public var rollDistance: Int16?
  /// Whether samples come rarely, or only at the end: others do not wait for them.
  public var isSparse = false
  /// About how many samples the track will have, for the size of an index that stands first.
  public var expectedCount = 0
  /// Of plain sound: the bytes that all channels take in one tick, 1 to `UInt32.max`. Bytes handed over as one sample
  /// is then stored as one a tick, as QuickTime has it, at the cost of one.
  public var plainFrameSize: Int?

  /// A track without samples.
  public init(handler: FourCC, name: String, timescale: Int32, sampleEntry: Box) {
    self.handler = handler
    self.name = name
    self.timescale = timescale
    self.sampleEntry = sampleEntry
  }
}

extension TrackSettings {
  /// Whether tracks are written by them.
  ///
  /// - Throws: `invalidParameter` for seconds without a tick, and for plain sound of sizes that there are not.
  func validate() throws(CinematicError) {
    guard timescale >= 1 else {
      throw CinematicError(
        .invalidParameter, "the track “\(name)” cannot have \(timescale) ticks a second",
        remedy: "give a timescale of at least 1")
    }
    guard let size = plainFrameSize else { return }
    guard size >= 1, UInt32(exactly: size) != nil else {
      throw CinematicError(
        .invalidParameter, "the track “\(name)” cannot have plain sound of \(size) bytes a tick",
        remedy: "give the bytes that all channels take")
    }
  }
}

extension TransformMatrix {
  /// A quarter turn that keeps a picture of a size, in pixels, in the first quadrant.
  public init(_ turn: QuarterTurn, width: Double, height: Double) {
    let one: Int32 = 1 << 16
    // 16.16 holds 32767; larger pictures keep the turn without the translation.
    func fixed(_ length: Double) -> Int32 { length < 32768 ? Int32(length * 65536) : 0 }
    let (w, h) = (fixed(width), fixed(height))
    let (a, b, c, d, x, y): (Int32, Int32, Int32, Int32, Int32, Int32) =
      switch turn {
      case .identity: (one, 0, 0, one, 0, 0)
      case .clockwise90: (0, one, -one, 0, h, 0)
      case .clockwise180: (-one, 0, 0, -one, w, h)
      case .clockwise270: (0, -one, one, 0, 0, w)
      }
    self.init(values: [a, b, 0, c, d, 0, x, y, 1 << 30])
  }
}

/// One coded picture, stretch of sound, or group of metadata on its way into a movie.
public struct MediaSample: Sendable {
  /// The bytes of the sample.
  public var data: [UInt8]
  /// When it is decoded, in ticks of its track after the movie's zero; rises from sample to sample.
  public var decodeTime: Int64
  /// When it is shown, likewise.
  public var presentationTime: Int64
  /// How long it is shown.
  public var duration: Int64
  /// Whether decoding can begin with it.
  public var isSync: Bool
  /// Whether it is decoded only for others to build on: shown pictures begin later.
  public var isPreroll = false
  /// A second picture that only WebM has a place for: the alpha of VP9.
  public var beside: [UInt8]?

  /// A sample whose place on the screen may differ from its place in the decoder; times in ticks of its
  /// track.
  public init(
    data: [UInt8], decodeTime: Int64, presentationTime: Int64, duration: Int64, isSync: Bool
  ) {
    self.data = data
    self.decodeTime = decodeTime
    self.presentationTime = presentationTime
    self.duration = duration
    self.isSync = isSync
  }

  /// A sample that is shown when it is decoded, and stands alone.
  public init(data: [UInt8], time: Int64, duration: Int64) {
    self.init(
      data: data, decodeTime: time, presentationTime: time, duration: duration, isSync: true)
  }
}
