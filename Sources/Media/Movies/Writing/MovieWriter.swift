// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Writes a movie: pictures, compressed or copied, with their exact times, colour tags and rotation, sound,
/// copied where it can be, and if the settings say so what makes it Cinematic.
///
/// | track | contents |
/// |---|---|
/// | `vide`, `hvc1` or `avc1` | the pictures |
/// | `soun` | sound; what the movie does not hold becomes AAC, in QuickTime movies without loss coded ALAC |
/// | `auxv`, `dish` | disparity: HEVC of ten bits without loss, its range in the track's metadata |
/// | `meta`, `mebx` | focus disparity and f-number of every frame, and the focus script |
///
/// The movie appears under its name when ``finish(script:)`` returns; after ``cancel()``, after an error,
/// or when the writer goes away, nothing of it is left. The index of a plain movie stands first, so that
/// players begin before they have the whole file. A Cinematic movie grows under a temporary name in
/// fragments, so that what a crash leaves there plays up to the last of them; the next program that writes
/// into the folder removes it.
///
/// Pictures in `yuv420…` are taken without a change of any code, those in `rgba8` and `gray8` through the
/// tags' matrix into video range; alpha is not stored. Odd sizes grow by one row or column; only a
/// Cinematic movie says which part is shown.
public final class MovieWriter: Sendable {
  /// The facts that a writer needs before the first frame.
  public struct Settings: Sendable {
    /// Where the pictures come from.
    public enum Video: Sendable {
      /// The coded pictures of a clip, bit for bit; QuickTime movies only.
      case copied(CodedClip)
      /// Pictures that are appended; in Cinematic movies `automatic` is HEVC.
      case encoded(WriterSettings)
    }

    /// The maps that are appended, one for each picture.
    public struct Disparity: Sendable {
      /// The size of every map.
      public var dimensions: Dimensions
      public var coding: DisparityCoding

      public init(dimensions: Dimensions, coding: DisparityCoding) {
        self.dimensions = dimensions
        self.coding = coding
      }
    }

    public var video: Video
    /// Makes the movie Cinematic: with disparity and what a renderer needs of each frame.
    public var disparity: Disparity?
    /// `nil` for a silent movie. At first that of the settings of encoded pictures.
    public var sound: Sound?
    /// Title, dates, timecode, chapters and captions. At first those of the settings of encoded pictures,
    /// or the descriptions of the movie that copied ones come from.
    public var companions = FilmCompanions()
    /// Whether an existing file of the name is replaced, at the moment when the new one is whole.
    public var overwrite = false
    /// Where unfinished files are registered.
    public var temporaryFiles = TemporaryFiles.shared
    /// How much of the movie a crash can cost, in seconds: finite and above 0.
    public var fragmentSeconds = 1.0
    /// Whether the movie is being recorded, so that it cannot be made a second time. It then grows beside its name
    /// (`clip.recording.mov` for `clip.mov`) in fragments, and whatever ends the program, an error of the disk or a
    /// crash, what is there stays and plays. ``InterruptedRecording/recover(_:)`` finishes it.
    public var isRecording = false

    /// Settings of a Cinematic movie.
    public init(video: Video, disparityDimensions: Dimensions, disparityCoding: DisparityCoding) {
      self.video = video
      if case .encoded(let settings) = video {
        sound = settings.sound
        companions = settings.companions
      } else if case .copied(let clip) = video, let movie = clip.movie {
        companions = FilmCompanions(movie)
      }
      disparity = Disparity(dimensions: disparityDimensions, coding: disparityCoding)
    }

    /// Settings of a movie of pictures and sound.
    public init(_ video: WriterSettings) {
      self.video = .encoded(video)
      sound = video.sound
      companions = video.companions
      overwrite = video.overwrite
      temporaryFiles = video.temporaryFiles
    }
  }

  /// The path as given.
  public let path: String
  /// The sound tracks, in the order of the source, and behind them those that are left out (``WrittenSound/leftOut``).
  public let sound: [WrittenSound]

  private let work: WriterWork<MovieAssembly>

  /// Opens the encoders and the file.
  ///
  /// - Throws: `invalidParameter` for a name that does not end in `.mov`, or for a movie that is not
  ///   Cinematic in `.mp4`, or for settings that do not fit together, `unwritable` for an existing file
  ///   or a folder that cannot be written, `unsupported` for pictures that such a movie cannot hold or
  ///   sound that can be neither copied nor decoded.
  public init(_ path: String, settings: Settings) throws(CinematicError) {
    let format = try Self.format(of: path, isCinematic: settings.disparity != nil)
    if case .copied = settings.video, format == .mp4 {
      throw CinematicError(
        .unsupported, "\(path) cannot take coded pictures as they are", remedy: "end it in .mov")
    }
    self.path = path
    let work = try MovieAssembly(path, format, settings)
    sound = work.writtenSound
    self.work = WriterWork(work, path: path)
  }

  /// Opens the encoder and the file of a movie of pictures and sound.
  ///
  /// - Throws: as the initializer that takes ``Settings``.
  public convenience init(_ path: String, settings: WriterSettings) throws(CinematicError) {
    try self.init(path, settings: Settings(settings))
  }

  private static func format(
    of path: String, isCinematic: Bool
  ) throws(CinematicError) -> MovieFormat {
    if isCinematic {
      try check(name: path)
      return .quickTime
    }
    guard case .movie(let container) = try OutputFormat(path: path), container != .webM else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of a movie", remedy: "end it in .mp4 or .mov")
    }
    return container == .mp4 ? .mp4 : .quickTime
  }

  /// - Throws: `invalidParameter` for a name that players take for another kind of file.
  static func check(name path: String) throws(CinematicError) {
    guard path.lowercased().hasSuffix(".mov") else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of a Cinematic movie",
        remedy: "end it in .mov: disparity and metadata tracks are QuickTime's")
    }
  }

  /// Adds a picture to be compressed.
  ///
  /// - Parameters:
  ///   - time: when it appears; times increase. ``WriterSettings/timelineStart`` is subtracted.
  ///   - duration: how long it is shown; counts for the last frame.
  /// - Throws: `invalidState` for a movie that copies its pictures, or is finished, `incompatible` for a picture of another
  ///   size or format, `invalidParameter` for a time before the movie's start or not behind the last one, `unwritable`,
  ///   `cancelled`, and what encoding throws. Nothing is taken after an error.
  public func append(
    video buffer: PixelBuffer, time: Time, duration: Time
  ) throws(CinematicError) {
    try work.use { work throws(CinematicError) in
      try work.append(video: buffer, time: time, duration: duration)
    }
  }

  /// Adds a disparity map, and what is copied of the source up to its time.
  ///
  /// - Throws: `invalidState` for a movie without disparity, `incompatible` for a map of another size or a picture, and as
  ///   ``append(video:time:duration:)``; what reading a copied source throws.
  public func append(
    disparity map: PixelBuffer, time: Time, duration: Time
  ) throws(CinematicError) {
    try work.use { work throws(CinematicError) in
      try work.append(disparity: map, time: time, duration: duration)
    }
  }

  /// Adds what a renderer needs of a frame.
  ///
  /// - Throws: `invalidParameter` for a focus that is not finite or an f-number that is not positive, `invalidState` for a
  ///   movie without disparity, and as ``append(video:time:duration:)``.
  public func append(
    focusDisparity: Float, fNumber: Float, time: Time, duration: Time
  ) throws(CinematicError) {
    try work.use { work throws(CinematicError) in
      try work.append(
        focusDisparity: focusDisparity, fNumber: fNumber, time: time, duration: duration)
    }
  }

  /// Adds sound of ``Sound/live(_:)``. Samples before the movie's start are left out, gaps become silence, and
  /// samples that are there already are not written again.
  ///
  /// - Throws: `invalidState` for a movie without such sound, `incompatible` for sound of another form, or that lacks samples of
  ///   some channels.
  public func append(sound buffer: SoundBuffer) throws(CinematicError) {
    try work.use { work throws(CinematicError) in try work.append(sound: buffer) }
  }

  /// Completes the movie and gives it its name.
  ///
  /// - Parameter script: the focus script's JSON, UTF-8.
  /// - Throws: `incomplete` where no frame was appended, `unwritable`.
  public func finish(script: [UInt8]? = nil) throws(CinematicError) {
    try work.finish { work throws(CinematicError) in
      try work.complete(script: script).publish()
    }
  }

  /// Completes the movie without giving it its name.
  ///
  /// - Throws: as ``finish(script:)``.
  func completed() throws(CinematicError) -> OutputFile {
    try work.finish { work throws(CinematicError) in try work.complete() }
  }

  /// Gives up and removes what was written.
  public func cancel() {
    work.cancel { $0.discard() }
  }
}
