// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalMedia

/// The movies that a session records side by side.
public struct CaptureRecording: Sendable {
  /// A Cinematic movie whose focus can be decided later: sharp pictures, disparity, a focus for every frame and the
  /// focus script. Ends in `.mov`.
  public var editableMovie: String?
  /// A film with the blur in it, in `.mov` or `.mp4`.
  public var bakedMovie: String?
  /// How both are compressed; by default as H.264 of 8 bits, and as HEVC where the pictures have more, or are HLG or PQ,
  /// which get 10 bits.
  public var coding = FilmCoding()
  /// By default 18.
  public var constantRateFactor: Double?
  /// The preset of the encoders of H.264 and HEVC; by default `superfast`, since others fall behind.
  public var encoderPreset: String?
  public var recordsSound = true
  /// Whether existing files of the names are replaced, at the moment when the new ones are whole.
  public var overwrite = false
  /// Where unfinished files are registered.
  public var temporaryFiles = TemporaryFiles.shared

  public init(editableMovie: String? = nil, bakedMovie: String? = nil) {
    (self.editableMovie, self.bakedMovie) = (editableMovie, bakedMovie)
  }
}

extension CaptureRecording {
  /// How a movie of the recording stores a source's pictures. HLG and PQ stay what they are but in H.264 of 8 bits, which
  /// has standard range, as its tags here say.
  ///
  /// - Parameter path: the movie's.
  /// - Throws: `invalidParameter` for chroma or depth that the codec does not have, or another name.
  public func pixels(
    for source: SourceProperties, in path: String
  ) throws(CinematicError) -> OutputPixels {
    try OutputFormat(path: path).pixelFormat(for: source, coding: settledCoding(for: source))
  }

  /// Those that have ten bits in every player. Editors' codecs have the bits of their names.
  private static let deepCodecs: Set<WriterSettings.Codec> = [.automatic, .hevc, .av1, .vp9]

  /// The coding of a source's pictures, nothing of it automatic.
  func settledCoding(for source: SourceProperties) -> FilmCoding {
    var coding = coding
    // In eight bits of these curves the blur's slopes show steps, and H.264 of eight bits has none of them.
    if source.tags.transfer == .hlg || source.tags.transfer == .pq, source.bitDepth < 10,
      coding.bitDepth == nil, Self.deepCodecs.contains(coding.codec)
    {
      coding.bitDepth = 10
    }
    if coding.codec == .automatic {
      coding.codec = (coding.bitDepth ?? source.bitDepth) > 8 ? .hevc : .h264
    }
    return coding
  }
}

/// The outcome of a recording.
public struct CaptureRecordingReport: Sendable {
  /// A movie that was written, or that failed.
  public struct Movie: Sendable, Hashable {
    public var path: String
    /// Those that were written; of a movie that failed, those in the part that is kept.
    public var frameCount = 0
    /// `nil` for a whole movie.
    public var error: CinematicError?
  }

  public var movies: [Movie] = []
  /// Of the longest movie.
  public var frameCount = 0
  /// Of the longest movie.
  public var duration = Time.zero
  /// Pictures that came too fast while it was recorded, and were left out.
  public var droppedFrameCount = 0
  /// Pieces of sound likewise.
  public var droppedSoundCount = 0
  /// Frames some of whose disparities lie beyond what the movie's codes stand for, and became the nearest end.
  public var clampedMapCount = 0
  public var fNumber: Float = 0
  /// The disparities that the editable movie's codes stand for.
  public var disparityRange: ClosedRange<Float>?
  /// The provider's disparities that are 0 and 1 in the last frame's map; `nil` for maps that the source brought, and
  /// where no picture showed any distance.
  public var estimatedRange: EstimatedRange?
  /// Why it ended if nobody ended it: the device has gone, or a file has been played (`nil`).
  public var endedBy: CinematicError?

  public init() {}
}
