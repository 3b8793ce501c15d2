// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCaptions
import FocalCore

/// A title in a movie, from where on it holds.
public struct Chapter: Hashable, Sendable {
  public var time: Time
  public var title: String

  public init(time: Time, title: String) {
    self.time = time
    self.title = title
  }
}

/// Everything in a movie beside pictures and sound, on its way into another one: title, dates and other
/// metadata, timecode, chapters, captions.
///
/// Times count from the container's start, as those of ``FrameReader`` do.
public struct FilmCompanions: Sendable {
  /// A track of text, sample by sample.
  public struct TextTrack: Sendable {
    public var handler: FourCC
    /// The sample entry.
    public var entry: Box
    /// Three letters of ISO 639-2; `nil` if unknown.
    public var languageCode: String?
    /// Whether players show it unless they are told otherwise.
    public var isEnabled: Bool
    /// In order, none over another: in a movie, one ends where the next one begins, and of several that begin at once
    /// there is the first.
    public var samples: [(timeRange: TimeRange, data: [UInt8])]
    var labels = TrackLabels()
    /// Captions of another container as they were read, of which the samples are made: none where they are too many for a
    /// movie. `nil` for a movie's own.
    package internal(set) var document: CaptionDocument?

    public init(
      handler: FourCC, entry: Box, languageCode: String?, isEnabled: Bool,
      samples: [(timeRange: TimeRange, data: [UInt8])]
    ) {
      self.handler = handler
      self.entry = entry
      self.languageCode = languageCode
      self.isEnabled = isEnabled
      self.samples = samples
    }

    /// Whether samples are TTML that says when it is shown: such captions cannot be moved as they are.
    public var timesLieInText: Bool {
      entry.type == "stpp"
        && samples.contains { String(decoding: $0.data, as: UTF8.self).contains("begin=") }
    }

    func moved(by offset: Time) -> TextTrack {
      var track = self
      track.samples = samples.map { sample in
        (
          TimeRange(start: sample.timeRange.start + offset, duration: sample.timeRange.duration),
          sample.data
        )
      }
      let captions = document?.captions.map { caption in
        var caption = caption
        caption.timeRange.start += offset
        return caption
      }
      if let captions { track.document?.captions = captions }
      return track
    }
  }

  /// Seconds since the beginning of 1904; zero for no statement.
  var creationTime: UInt32 = 0
  /// Descriptions as a movie file has them.
  var boxes: [Box] = []
  /// Descriptions by plain names, of other containers.
  var tags: [(key: String, value: String)] = []
  /// A production's clock at the first picture, or where the source's track begins; `nil` without one.
  public var timecode: Timecode?
  /// When the clock shows that.
  var timecodeTime = Time.zero
  /// Chapters by their times; each lasts until the next.
  public var chapters: [Chapter] = []
  var texts: [TextTrack] = []
  /// Descriptions that a file has beside its movie.
  var fileBoxes: [Box] = []
  /// Descriptions of the pictures' track, as a movie file has them.
  var pictureBoxes: [Box] = []
  /// Descriptions of each track of sound, likewise.
  var soundBoxes: [(trackID: UInt32, boxes: [Box])] = []
  /// The tracks of sound that have more of them than a name and roles.
  var soundWithMetadata: [(trackID: UInt32, boxes: [Box])] {
    soundBoxes.filter { !$0.boxes.allSatisfy(Self.isLabels) }
  }
  /// The languages of tracks of sound whose three letters do not say all (BCP 47).
  var soundLanguages: [(trackID: UInt32, tag: String)] = []
  /// Of the pictures' track.
  var pictureLabels = TrackLabels()
  /// Three letters of ISO 639-2 for the pictures' track; `nil` if unknown.
  var pictureLanguageCode: String?
  /// The time that becomes zero in the other movie.
  public var origin = Time.zero
  /// Companions that the other movie does not get, in words.
  public internal(set) var leftOut: [String] = []
  /// Of them the captions that cannot be read.
  package internal(set) var unreadCaptions: [String] = []
  /// And those whose track is damaged, with what is wrong with it.
  package internal(set) var damagedCaptions: [String] = []

  /// Everything that is there to be kept, in words.
  public var contents: [String] {
    [
      timecode == nil ? nil : "the timecode", chapters.isEmpty ? nil : "the chapters",
      texts.isEmpty ? nil : "the captions",
      creationTime == 0 && boxes.isEmpty && fileBoxes.isEmpty && pictureBoxes.isEmpty
        && tags.isEmpty && pictureLabels == TrackLabels() ? nil : "the metadata",
    ].compactMap { $0 }
  }

  /// How many tracks of captions there are.
  public var captionTrackCount: Int { texts.count }

  /// The tracks of captions. Times are the source's; of a part, its first moment is not zero.
  public var captionTracks: [TextTrack] { texts.map { $0.moved(by: -origin) } }

  /// Adds captions, whose times are the source's own.
  public mutating func addCaptions(_ tracks: [TextTrack]) {
    texts += tracks.map { $0.moved(by: origin) }
  }

  /// Puts captions in the place of a track, whose times are the source's own.
  ///
  /// - Precondition: `index` is from 0, below ``captionTrackCount``.
  package mutating func replaceCaptions(at index: Int, with track: TextTrack) {
    precondition(texts.indices.contains(index), Self.captionTrackRule)
    texts[index] = track.moved(by: origin)
  }

  /// Leaves a track of captions out without a word: it is shown otherwise.
  ///
  /// - Precondition: `index` is from 0, below ``captionTrackCount``.
  public mutating func removeCaptions(at index: Int) {
    precondition(texts.indices.contains(index), Self.captionTrackRule)
    texts.remove(at: index)
  }

  private static let captionTrackRule =
    "the number of a track of captions is from 0, below captionTrackCount"

  /// Leaves out captions whose documents hold the times, which a part of the movie would have to change.
  package mutating func leaveOutTimedText() {
    for text in texts where text.timesLieInText {
      leftOut.append(
        "the captions ('stpp'\(text.languageCode.map { ", \($0)" } ?? "")), whose times lie in their text"
      )
    }
    texts.removeAll(where: \.timesLieInText)
  }

  /// Makes the companions those of a part that begins at a time of the source.
  public mutating func cut(from start: Time) {
    origin += start
    if start != .zero { leaveOutTimedText() }
  }

  public init() {}

  /// A movie file's own companions.
  init(_ movie: StoredMovie) {
    creationTime = movie.creationTime
    boxes = movie.extras.compactMap(Self.kept)
    fileBoxes = movie.fileExtras
    leftOut = movie.unknown
  }

  /// Drops what has its place in one movie, where that is one of several.
  public mutating func keepDescriptions() {
    if !chapters.isEmpty { leftOut.append("the chapters of several movies") }
    if !texts.isEmpty { leftOut.append("the captions of several movies") }
    (chapters, texts) = ([], [])
  }

  /// Names what of a movie that is shown behind this one is not kept. When each was made is of no film.
  ///
  /// - Parameter name: the other movie's.
  package mutating func leaveOut(_ other: FilmCompanions, of name: String) {
    let describes = !other.boxes.isEmpty || !other.fileBoxes.isEmpty || !other.tags.isEmpty
    let isDescribed =
      other.boxes == boxes && other.fileBoxes == fileBoxes
      && other.tags.elementsEqual(tags, by: { $0 == $1 })
    let trackMetadata = other.pictureBoxes.filter { !Self.isLabels($0) }
    let lost = [
      other.timecode == nil ? nil : "the timecode", other.chapters.isEmpty ? nil : "the chapters",
      other.texts.isEmpty ? nil : "the captions", describes && !isDescribed ? "the metadata" : nil,
      other.pictureLabels.name == nil || other.pictureLabels == pictureLabels
        ? nil : "the name of the pictures' track",
      trackMetadata.allSatisfy(pictureBoxes.contains)
        ? nil : "the metadata of the pictures' track",
    ]
    // A track of sound in several movies gets the descriptions that all of them have.
    let lostSound = other.soundWithMetadata.filter { track in
      !soundBoxes.isEmpty && !soundBoxes.contains { $0.boxes == track.boxes }
    }
    let lostOwn = soundWithMetadata.filter { track in
      !other.soundBoxes.isEmpty && !other.soundBoxes.contains { $0.boxes == track.boxes }
    }
    leftOut += lostOwn.map { Self.metadata(ofSound: $0.trackID) }
      .filter { !leftOut.contains($0) }
    let lostNames = lostSound.map { Self.metadata(ofSound: $0.trackID) }
    leftOut += (lost.compactMap(\.self) + lostNames + other.leftOut).map { "\($0) of \(name)" }
  }

  /// In messages.
  static func metadata(ofSound trackID: UInt32) -> String {
    "the metadata of the sound track \(trackID)"
  }

  /// Names more that the other movie does not get.
  public mutating func leaveOut(_ extras: [String]) { leftOut += extras }
}
