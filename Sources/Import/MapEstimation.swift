// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia

/// Makes the disparity map of a picture or a clip, and writes it: one picture, numbered ones, or a movie of gray.
///
/// ```swift
/// var maps = MapEstimation(of: "left.mov", to: "maps/%04d.exr", by: .stereo("right.mov"))
/// maps.resumes = true
/// let result = try await maps.run()
/// print(result.frameCount, result.way, result.notes)
/// ```
///
/// Maps lie as the input is shown, and numbered ones have the numbers of their pictures. Larger is nearer: 0 and 1 are the
/// farthest and the nearest of a photograph, or of some frames of a clip.
public struct MapEstimation: Sendable {
  /// A picture, a clip, or the pattern of numbered pictures; of a pair, what the left eye sees.
  public var input: String
  /// What is written, in a folder that is there: .png and .tif (16 bits), .exr and .pfm (floats), numbered ones of these such
  /// as `maps/%04d.exr`, or .mov (FFV1 of 16 bits).
  public var output: String
  /// The way to estimate disparity.
  public var estimation: Estimation
  /// Whether files of these names are replaced; not beside ``resumes``.
  public var overwrites = false
  /// Whether numbered maps that are there stay, and only the others are made. Refused are maps of another estimation, and
  /// maps that no record tells the estimation of, as those of one that is whole.
  public var resumes = false
  /// Whether the values of the way of estimation are written, not shares of their range: only .exr and .pfm hold them.
  public var keepsValues = false
  /// How the input is read, and which frames of it. By default interlaced pictures are refused.
  public var reading: ReadOptions
  /// How long each of numbered pictures is shown; `nil` is a thirtieth of a second. Refused for clips, which have times.
  public var frameDuration: Time?

  /// The option about interlaced pictures that was given.
  package var fieldOption: String?

  /// - Parameters:
  ///   - input: the path of a picture or a clip, or the pattern of numbered pictures.
  ///   - output: what is written, as ``output`` says.
  public init(
    of input: String, to output: String, by estimation: Estimation = Estimation()
  ) {
    (self.input, self.output, self.estimation) = (input, output, estimation)
    reading = ReadOptions()
    reading.interlacing = .refuse
  }

  /// What was made.
  public struct Result: Sendable {
    /// As it was named; of one numbered map the file.
    public var output: String
    /// The maps' size.
    public var dimensions: Dimensions
    /// How many maps there are, with those that were there already.
    public var frameCount: Int
    /// How many of them were there already.
    public var keptCount: Int
    /// The way that was gone: `stereo`, `model`, ….
    public var way: String
    /// The meaning of the way's own numbers.
    public var kind: DisparityEstimate.Kind
    /// How many pictures further the way was asked; maps between are carried.
    public var interval: Int
    /// The way's numbers that became 0 and 1; `nil` if they were kept.
    public var range: EstimatedRange?
    /// All that was said on the way, as ``ImportEvent/note(_:)``: what is assumed, and what the maps do not keep.
    public var notes: [String]
  }

  /// Makes the maps. Each numbered one appears when it is whole, and one file at the end.
  ///
  /// Beside numbered maps lie a record of what they are of and the map that the next ones go on from, until every frame of
  /// the clip has its map. If the process is killed, the task is cancelled or anything fails, the same estimation goes on
  /// if it ``resumes``, with the maps of one run to the bit.
  ///
  /// - Parameter handler: is told what happens, one call after the other, on the thread that works: it should be short.
  /// - Throws: `cancelled` if the task was, between two frames; `incomplete` if neither a model nor another way to estimate
  ///   disparity is there, naming what was looked for and where; `invalidParameter` for values that do not go together, and
  ///   for an output that is read; `unwritable` for one that is there already; `incompatible` for numbered maps of another
  ///   estimation; what reading, estimating and writing throw.
  @discardableResult
  public func run(
    _ handler: @escaping @Sendable (ImportEvent) -> Void = { _ in }
  ) async throws(CinematicError) -> Result {
    try validate()
    let events = ImportEvents(handler)
    let note = events.note
    var options = reading
    if let frameDuration { options.stillDuration = frameDuration }
    let choice = try await estimation.choice(for: input, takesOwnMap: false, to: note)
    var record = EstimationRecord(
      try OutputFormat(path: output),
      key: EstimatedMaps.key(of: input, choice, options) + [keepsValues ? "values" : "shares"])
    try record?.check(overwrite: overwrites, resumes: resumes)
    let source = try await EstimationSource(
      input, eyes: choice.eyes, exchanged: choice.exchanged, options: options)
    try checkFields(fieldOption, source.reader.properties, of: input, to: note)
    try checkPictureRate(
      isGiven: frameDuration != nil, hasSequence: source.reader.isNumbered, input)
    for unseen in try await source.reader.unseenPictures() {
      note("\(output) has no map of \(unseen)")
    }
    let job = EstimationJob(
      input: input, source: source, provider: choice.provider, output: output,
      overwrite: overwrites, resumes: resumes, keepsValues: keepsValues, record: record,
      anchor: record?.anchor, interval: choice.interval, events: events)
    let done = try await job.run()
    SourceNotes(input: input, output: output, options: options, to: note)
      .tellOfMissingFrames(source.reader)
    return Result(
      output: done.output, dimensions: done.dimensions, frameCount: done.frames,
      keptCount: done.kept, way: choice.provider.name, kind: done.kind, interval: done.interval,
      range: done.range,
      notes: note.sentences.map(\.description))
  }

  /// What can be found out without reading the input.
  ///
  /// - Throws: `invalidParameter` for values that do not go together, `unwritable` for an output that is there.
  package func validate() throws(CinematicError) {
    try estimation.validate()
    try KeptInputs.check(output, inputs: [input] + estimation.inputs)
    for path in [input, output] + estimation.inputs.compactMap({ $0 }) {
      guard PipePath.isPipe(path) else { continue }
      throw CinematicError(
        .invalidParameter, "\(path) is a pipe, and a clip is looked at several times here",
        remedy: "give a file")
    }
    let format = try OutputFormat(path: output)
    guard format.stillKind.map({ ![.jpeg, .heic, .avif, .dpx].contains($0) }) ?? true else {
      throw CinematicError(
        .invalidParameter, "\(output) would lose what a map is exact in",
        remedy: "write .png, .tif, .exr, .pfm or .mov")
    }
    if case .still = format { try checkOutputName(output, overwrite: overwrites) }
    if case .movie = format { try checkOutputName(output, overwrite: overwrites) }
    if case .numbered = format {
    } else if resumes {
      throw CinematicError(
        .invalidParameter,
        worded: "\(parameter: .resumption) is for numbered maps, and \(output) is one file",
        remedy: "leave it out, or number the maps, as in maps/%04d.exr")
    }
    guard !resumes || !overwrites else {
      throw CinematicError(
        .invalidParameter, "maps of \(output) are to stay, and to be replaced",
        remedy: "resume or overwrite")
    }
    if keepsValues, ![.pfm, .openEXR].contains(format.stillKind) {
      throw CinematicError(
        .invalidParameter, "\(output) holds shares only, not a way's own values",
        remedy: "write .exr or .pfm, or leave out \(parameter: .keptValues)")
    }
  }
}
