// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// Makes a Cinematic movie of an ordinary clip: one QuickTime file with the sharp pictures, their disparity, and a focus for
/// every frame.
///
/// ```swift
/// let movie = MovieImport(of: "clip.mp4", to: "movie.mov")
/// let result = try await movie.run { event in
///   if case .progress(let progress) = event { print(progress.stage, progress.completedFrames) }
/// }
/// print(result.notes)
/// ```
///
/// Nothing is asked for here: disparity is estimated by the model that is found, people, pets and balls are looked for, and
/// the director decides which are in focus when. H.264, HEVC, ProRes and DNxHR pictures of .mov and .mp4 and the sound are
/// copied bit for bit; what QuickTime does not hold is encoded. ``run(_:)`` says how an import ends early and goes on.
public struct MovieImport: Sendable {
  /// Where disparity comes from.
  public enum Map: Sendable {
    /// From a map that is there.
    case given(GivenMap)
    /// It is estimated, in one resumable step before the movie is written.
    case estimated(Estimation)
  }

  /// A map of the clip: a movie, numbered pictures, or one picture that is held for all frames.
  public struct GivenMap: Sendable {
    /// Its path, or the pattern of numbered pictures.
    public var path: String
    /// Whether larger is nearer or farther.
    public var kind = DisparityScale.Kind.disparity
    /// The disparities, or depths in metres, of the smallest and the largest code: 0 and 1 if nothing is said. Of maps of
    /// floats, which keep their values, also the range that the movie's codes span: it has to hold them.
    public var codes: (low: Float, high: Float)?
    /// The channel of OpenEXR files, such as `depth.Z`; by default the one whose name says depth or disparity.
    public var channel: String?
    /// Whether a map of another shape is stretched over the picture; it is refused otherwise.
    public var stretches = false

    public init(_ path: String) { self.path = path }

    /// What the codes stand for.
    var scale: DisparityScale {
      DisparityScale(low: codes?.low ?? 0, high: codes?.high ?? 1, kind: kind)
    }
  }

  /// What is in focus.
  public enum Focus: Sendable {
    /// People, pets and balls, as the director decides; the largest and nearest part of the maps where none are found. Only
    /// for estimated maps.
    case directed(DetectorChoice)
    /// A script, which the movie carries.
    case script(ScriptedFocus)
    /// One disparity for the whole clip.
    case choice(FocusChoice)
    /// A real lens, for a map in metres; it says the blur scale, too.
    case lens(ThinLens)
  }

  /// The sharp clip: the path of a movie, or the pattern of numbered pictures.
  public var clip: String
  /// The path of the movie, which ends in .mov, in a folder that is there.
  public var output: String
  /// Whether a file of that name is replaced.
  public var overwrites = false
  /// Where disparity comes from.
  public var map: Map
  /// `nil` is ``Focus/directed(_:)`` for estimated maps, and the largest and nearest part of a given one.
  public var focus: Focus?
  /// The f-number where no script says one: finite, at least 0.1.
  public var fNumber: Float = 2.8
  /// The lens apart from focus and f-number, for the movie to carry; `nil` takes the script's.
  public var look: Look?
  /// How the clip is read. By default interlaced pictures are refused. Frames cannot be chosen: the whole clip is imported.
  public var reading: ReadOptions
  /// How long each of numbered pictures is shown; `nil` is a thirtieth of a second. Refused for clips, which have times.
  public var frameDuration: Time?
  /// How the edges of the maps are moved.
  public var shaping = MapShaping()
  /// How pictures are compressed if they are; ``FocalMedia/WriterSettings/Codec/automatic`` is HEVC.
  public var coding = FilmCoding()
  /// How strongly: the encoder's constant rate factor.
  public var rateFactor: Double?
  /// Whether pictures are compressed even if they could be copied. They are, too, where a ``coding`` or a ``rateFactor`` is
  /// given, and where ``reading`` changes them.
  public var encodesPictures = false
  /// Whether the clip's sound becomes the movie's.
  public var copiesSound = true
  /// Captions beside those of the clip, as tracks; times count from its start.
  public var captions: [GivenCaptions] = []

  /// The option about interlaced pictures that was given.
  package var fieldOption: String?
  /// Whether the meaning of a map is described that is not given.
  package var describesMissingMap = false

  /// - Parameters:
  ///   - clip: the path of a movie, or the pattern of numbered pictures.
  ///   - output: the path of the movie, which ends in .mov.
  public init(of clip: String, to output: String, map: Map = .estimated(Estimation())) {
    (self.clip, self.output, self.map) = (clip, output, map)
    reading = ReadOptions()
    reading.interlacing = .refuse
  }

  /// What was made.
  public struct Result: Sendable {
    /// The movie's maps.
    public struct Disparity: Hashable, Sendable {
      /// The maps' size.
      public var dimensions: Dimensions
      /// The disparity of the smallest code.
      public var low: Float
      /// The disparity of the largest code.
      public var high: Float
      /// Whether pixels without a disparity are kept as such.
      public var hasHoles: Bool
    }

    /// The movie's path.
    public var output: String
    /// The pictures' size, as stored.
    public var dimensions: Dimensions
    /// How many pictures there are, each with a map.
    public var frameCount: Int
    /// Whether the pictures were copied bit for bit; encoded ones are others.
    public var copiesPictures: Bool
    /// Why pictures were encoded that nobody asked to encode, in words.
    public var encodedBecause: String?
    /// The movie's maps.
    public var disparity: Disparity
    /// Each track of the movie's sound, and behind them those that it does not get.
    public var sound: [WrittenSound]
    /// The name of the script that the movie carries; `nil` if it has one focus.
    public var script: String?
    /// How long the movie was being written, without what comes before, in seconds.
    public var seconds: Double
    /// All that was said on the way, as ``ImportEvent/note(_:)``: what is assumed, and what the movie does not keep.
    public var notes: [String]
  }

  /// Makes the movie, which appears under its name when it is whole.
  ///
  /// What would be refused at the end is refused before anything is estimated. Estimated maps, and what detectors saw, are
  /// kept in a folder beside the output, of its name and `.maps`, until the movie is whole: if the process is killed, the
  /// task is cancelled or anything fails, the same import goes on with them. One import at a time has the folder. Nothing
  /// else is left behind.
  ///
  /// - Parameter handler: is told what happens, one call after the other, on the thread that works: it should be short.
  /// - Throws: `cancelled` if the task was, between two frames; `incomplete` if neither a model nor another way to estimate
  ///   disparity is there, naming what was looked for and where; `invalidParameter` for values that do not go together, and
  ///   for an output that is read; `unwritable` for one that is there already; `invalidState` while another import makes
  ///   maps for the output; what reading, estimating, detecting and writing throw.
  @discardableResult
  public func run(
    _ handler: @escaping @Sendable (ImportEvent) -> Void = { _ in }
  ) async throws(CinematicError) -> Result {
    try validate()
    let events = ImportEvents(handler)
    let job = try job(events)
    var (estimation, detection) = (Estimation(), DetectorChoice?.none)
    if case .estimated(let given) = map { estimation = given }
    let isEstimated = givenMap == nil
    switch focus {
    case nil where isEstimated: detection = DetectorChoice()
    case .directed(let given): detection = given
    default: break
    }
    var finder: DetectorChoice.Finder?
    var result = try await estimation.withMap(
      of: clip, given: givenMap?.path, describesMap: describesMissingMap, for: output,
      options: job.inputOptions, overwrite: overwrites, events,
      check: { () async throws(CinematicError) in try await job.check() },
      prepare: { () async throws(CinematicError) in
        finder = try detection?.finder(timeLimit: estimation.helperTimeLimit, to: events.note)
      }
    ) { path async throws(CinematicError) -> Result in
      var job = job
      guard path != nil || !isEstimated || PipePath.isPipe(clip) else {
        throw CinematicError(
          .invalidParameter, "\(clip) holds a map of its own",
          remedy: """
            change its focus with \(parameter: .movieEditing), or make other maps, with \
            \(parameter: .estimationWay) or \(parameter: .givenMap)
            """)
      }
      if let path {
        (job.map, job.stretchesMap, job.scriptIsChecked) = (path, true, true)
        if let finder { try await job.direct(finder, every: detection?.interval) }
      }
      return try await job.run()
    }
    result.notes = events.note.sentences.map(\.description)
    return result
  }
}
