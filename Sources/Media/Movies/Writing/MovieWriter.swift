// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Writes a Cinematic movie: one QuickTime file with sharp video, its disparity, and for every frame
/// what a renderer needs.
///
/// | track | contents |
/// |---|---|
/// | `vide`, `hvc1` or `avc1` | the pictures, copied or compressed |
/// | `auxv`, `dish` | disparity: HEVC of ten bits without loss, its range in the track's metadata |
/// | `soun` | sound, copied; what QuickTime does not hold becomes AAC, without loss coded ALAC |
/// | `meta`, `mebx` | focus disparity and f-number of every frame, and the focus script |
///
/// The movie appears under its name when ``finish(script:)`` returns. Until then it grows under a
/// temporary name in fragments, so that what a crash leaves there plays up to the last of them; the
/// next program that writes into the folder removes it. After ``cancel()`` or an error nothing is left.
public final class MovieWriter: Sendable {
  /// What a writer must know before the first frame.
  public struct Settings: Sendable {
    /// Where the pictures come from.
    public enum Video: Sendable {
      /// The coded pictures of a clip, bit for bit, with its sound.
      case copied(CodedClip)
      /// Pictures that are appended, compressed as HEVC, with the sound that these settings name.
      case encoded(WriterSettings)
    }

    public var video: Video
    /// Whether a copied clip's sound comes along.
    public var copiesSound = true
    /// The size of every map.
    public var disparityDimensions: Dimensions
    public var disparityCoding: DisparityCoding
    /// Whether an existing file of the name is replaced, at the moment when the new one is whole.
    public var overwrite = false
    /// Where unfinished files are registered.
    public var temporaryFiles = TemporaryFiles.shared
    /// How much of the movie a crash can cost, in seconds.
    public var fragmentSeconds = 1.0

    public init(video: Video, disparityDimensions: Dimensions, disparityCoding: DisparityCoding) {
      self.video = video
      self.disparityDimensions = disparityDimensions
      self.disparityCoding = disparityCoding
    }
  }

  /// What becomes of a sound track of the source.
  public struct SoundTrack: Hashable, Sendable, Encodable {
    /// The source's codec, as FFmpeg calls it.
    public var codec: String
    /// What it is encoded as, because QuickTime movies do not hold its codec; `nil` where it is copied.
    public var storedAs: String?
  }

  /// The path as given.
  public let path: String
  /// The sound tracks, in the order of the source.
  public let sound: [SoundTrack]

  private let work: WriterWork<MovieWork>

  /// Opens the encoders and the file.
  ///
  /// - Throws: `invalidParameter` for a name that does not end in `.mov` or settings that do not fit
  ///   together, `unwritable` for an existing file or a folder that cannot be written, `unsupported`
  ///   for pictures that such a movie cannot hold or sound that nothing here decodes.
  public init(_ path: String, settings: Settings) throws(CinematicError) {
    try Self.check(name: path)
    self.path = path
    let work = try MovieWork(path, settings)
    sound = work.sound
    self.work = WriterWork(work, path: path)
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
  public func append(
    video buffer: PixelBuffer, time: Time, duration: Time
  ) throws(CinematicError) {
    try work.use { work throws(CinematicError) in
      try work.append(video: buffer, time: time, duration: duration)
    }
  }

  /// Adds a disparity map, and what is copied of the source up to its time.
  public func append(
    disparity map: PixelBuffer, time: Time, duration: Time
  ) throws(CinematicError) {
    try work.use { work throws(CinematicError) in
      try work.append(disparity: map, time: time, duration: duration)
    }
  }

  /// Adds what a renderer needs of a frame.
  ///
  /// - Throws: `invalidParameter` for a focus that is not finite or an f-number that is not positive.
  public func append(
    focusDisparity: Float, fNumber: Float, time: Time, duration: Time
  ) throws(CinematicError) {
    try work.use { work throws(CinematicError) in
      try work.append(
        focusDisparity: focusDisparity, fNumber: fNumber, time: time, duration: duration)
    }
  }

  /// Completes the movie and gives it its name.
  ///
  /// - Parameter script: the focus script's JSON, UTF-8.
  /// - Throws: `incomplete` where no frame was appended, `unwritable`.
  public func finish(script: [UInt8]? = nil) throws(CinematicError) {
    try work.finish { work throws(CinematicError) in try work.finish(script: script) }
  }

  /// Gives up and removes what was written.
  public func cancel() {
    work.cancel()
  }
}
