// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A movie whose properties load on demand: from a file, from any ``FocalBoxes/ByteSource``, over HTTP.
/// QuickTime and MP4 files are read by their boxes, other movies, animated PNG among them, through FFmpeg; a picture
/// file, or numbered ones, are a movie of one track.
///
/// ```swift
/// let asset = Asset(path: "IMG_0001.MOV")
/// let (duration, tracks) = try await asset.load(.duration, .tracks)
/// let video = try await asset.loadTracks(withMediaType: .video)
/// ```
///
/// Nothing is read before the first load; then only the boxes that are needed, each once. Other
/// files have no list of their samples: samples and their times cost one walk through the file.
public final class Asset: AsyncPropertyLoading {
  public let source: any ByteSource
  /// The same for the samples of tracks. The system keeps the pages of a local file; what comes from
  /// elsewhere is kept in blocks that all tracks share.
  let sampleSource: any ByteSource
  public let loadedProperties = PropertyStore()
  private let pictureDuration: Time
  /// The treatment of interlaced pictures when they are read.
  public let interlacing: Interlacing
  let browser: BoxBrowser
  private let opened = SharedLoad<any AssetContainer>()

  /// How long a picture file is shown if nothing else is asked for.
  public static let defaultPictureDuration = Time(value: 1, timescale: 30)

  /// - Parameters:
  ///   - pictureDuration: how long a picture file, or each of numbered ones, is shown.
  ///   - interlacing: what becomes of interlaced pictures when they are read.
  public init(
    source: any ByteSource, pictureDuration: Time = Asset.defaultPictureDuration,
    interlacing: Interlacing = .keep
  ) {
    self.source = source
    self.interlacing = interlacing
    self.pictureDuration = pictureDuration
    let isLocal = source is FileByteSource || source is NumberedPictures
    sampleSource = isLocal ? source : BlockCache(source)
    browser = BoxBrowser(source)
  }

  public convenience init(path: String) { self.init(source: FileByteSource(path: path)) }

  /// An asset of a path, of an address that begins with `https://` or `http://`, or of a pattern such
  /// as `frames/%04d.png`. A file that has a percent sign in its name is that file.
  ///
  /// - Parameters:
  ///   - pictureDuration: how long a picture file, or each of numbered ones, is shown.
  ///   - missing: what becomes of gaps between numbered files.
  ///   - interlacing: what becomes of interlaced pictures when they are read.
  /// - Throws: `invalidParameter` for an address that is none, or a pattern that is not understood,
  ///   `unsupported` for standard input, which ``PipedPictures`` read.
  public static func named(
    _ name: String, pictureDuration: Time = Asset.defaultPictureDuration,
    missing: MissingFiles = .fail, interlacing: Interlacing = .keep
  ) throws(CinematicError) -> Asset {
    guard name != PipePath.standard || fileExists(name) else {
      throw CinematicError(
        .unsupported, "\(PipePath.inputName(name)) cannot be read here, where a file is",
        remedy: "save it as a file first")
    }
    let source: any ByteSource
    if HTTPByteSource.isAddress(name) {
      source = try HTTPByteSource(name)
    } else if !fileExists(name), let pattern = try NumberedPattern(name) {
      source = NumberedPictures(pattern, missing: missing)
    } else {
      source = FileByteSource(path: name)
    }
    return Asset(source: source, pictureDuration: pictureDuration, interlacing: interlacing)
  }

  /// The asset's name in messages: its path or address.
  public var name: String { source.name }

  /// How the file is read, decided by its first bytes.
  func container() async throws(CinematicError) -> any AssetContainer {
    try await opened.value {
      [browser, sampleSource, pictureDuration] () async throws(CinematicError)
        -> any AssetContainer in
      if let pictures = browser.source as? NumberedPictures {
        return PictureContainer(.numbered(pictures), pictureDuration: pictureDuration)
      }
      // The head of the first box comes with the first ones that follow it.
      let first: BoxHeader?
      do throws(CinematicError) {
        first = try await browser.firstHeader()
      } catch {
        // A file without a box at its start is of another kind; one that cannot be read is an error.
        guard error.code == .malformed else { throw error }
        first = nil
      }
      if let first, first.type != "ftyp", BoxContainer.firstBoxes.contains(first.type) {
        return BoxContainer(browser)
      }
      // The first box's head is there already, and with it what kind of file it says to be.
      let magic = Array(try await browser.bytes(0..<Int64(StillKind.magicByteCount)))
      if let kind = StillKind(magic: magic) {
        // Moving pictures are a clip, whatever kind of file holds them.
        if kind == .png, try await Self.isAnimatedPNG(browser) {
          return StreamContainer(sampleSource)
        }
        return PictureContainer(.one(sampleSource), pictureDuration: pictureDuration)
      }
      if first?.type == "ftyp" { return BoxContainer(browser) }
      // It is walked through in order, which blocks make few reads of.
      return StreamContainer(sampleSource)
    }
  }

  private static func isAnimatedPNG(_ browser: BoxBrowser) async throws(CinematicError) -> Bool {
    var search = PNGAnimation()
    while search.isFound == nil {
      let range = search.place..<(search.place + Int64(PNGAnimation.headSize))
      search.take(Array(try await browser.bytes(range)))
    }
    return search.isFound == true
  }

  // MARK: - Tracks

  /// The track of a number; `nil` where there is none.
  ///
  /// - Throws: what loading `tracks` throws.
  public func loadTrack(withTrackID trackID: UInt32) async throws(CinematicError) -> AssetTrack? {
    try await load(.tracks).first { $0.trackID == trackID }
  }

  /// The tracks of a media type; empty where there are none.
  ///
  /// - Throws: what loading `tracks` throws.
  public func loadTracks(
    withMediaType mediaType: MediaType
  ) async throws(CinematicError) -> [AssetTrack] {
    try await load(.tracks).filter { $0.mediaType == mediaType }
  }

  /// The tracks of which something is true; empty where there are none.
  ///
  /// - Throws: what loading `tracks` and their characteristics throws.
  public func loadTracks(
    withMediaCharacteristic characteristic: MediaCharacteristic
  ) async throws(CinematicError) -> [AssetTrack] {
    var tracks: [AssetTrack] = []
    let all = try await load(.tracks)
    for track in all where try await track.load(.mediaCharacteristics).contains(characteristic) {
      tracks.append(track)
    }
    return tracks
  }
}

extension AsyncProperty where Root == Asset, Value == Time {
  /// How long the movie is.
  public static var duration: Self {
    Self("duration") { asset throws(CinematicError) in
      try await asset.container().duration()
    }
  }
}

extension AsyncProperty where Root == Asset, Value == [AssetTrack] {
  /// The tracks, in the order of the file.
  public static var tracks: Self {
    Self("tracks") { asset throws(CinematicError) in
      try await asset.container().tracks().map {
        AssetTrack($0, samples: asset.sampleSource, interlacing: asset.interlacing)
      }
    }
  }
}

extension AsyncProperty where Root == Asset, Value == [MetadataItem] {
  /// The movie's metadata items.
  public static var metadata: Self {
    Self("metadata") { asset throws(CinematicError) in
      try await asset.container().metadata()
    }
  }
}

extension AsyncProperty where Root == Asset, Value == FileType? {
  /// The brands of the file; `nil` for old QuickTime files, which have none.
  public static var fileType: Self {
    Self("fileType") { asset throws(CinematicError) in
      try await asset.container().fileType()
    }
  }
}

extension AsyncProperty where Root == Asset, Value == Bool {
  /// Whether the movie consists of fragments.
  public static var containsFragments: Self {
    Self("containsFragments") { asset throws(CinematicError) in
      try await asset.container().containsFragments()
    }
  }
}
