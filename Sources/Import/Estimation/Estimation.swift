// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia

/// How disparity is estimated of pictures that have no map.
///
/// Without any value, a model is looked for in `FOCAL_MODELS` and in the user's data folder, one of depth before one of
/// people.
public struct Estimation: Hashable, Sendable {
  /// A way to estimate disparity.
  public enum Way: String, Hashable, Sendable, CaseIterable {
    /// The first of the others for which all is there.
    case auto
    /// Both eyes' pictures are compared.
    case stereo
    /// A model of one eye's disparity or depth.
    case model
    /// A stand-in by a model of people: people before a rising floor.
    case people
    /// A program.
    case command
  }

  /// The way; `nil` is ``Way/auto``, and leaves an input alone that holds a map of its own.
  public var way: Way?
  /// The path of what the right eye sees: a picture, a clip or the pattern of numbered pictures, of the same frames.
  public var otherEye: String?
  /// How both eyes lie in the input; not beside ``otherEye``. The left eye's half is the picture.
  public var layout: StereoLayout?
  /// Whether the input is what the right eye sees, or begins with it.
  public var swapsEyes = false
  /// The path of a model, .onnx, with its description beside it if it is not well known.
  public var model: String?
  /// The command line of a program that reads pictures and answers with floats, as Documentation/models.md says.
  public var helper: String?
  /// How long the program may take for a picture, in seconds: above 0, at most 86,400.
  public var helperTimeLimit = HelperProvider.usualTimeLimit
  /// How many pictures of a clip further a model or a program is asked, 1 to 50; maps are carried to those between.
  /// `nil` leaves that to its speed, and asks for every picture if disparity is metric.
  public var interval: Int?

  public init(_ way: Way? = nil) { self.way = way }

  /// Both eyes' pictures in two files.
  public static func stereo(_ otherEye: String) -> Estimation {
    var estimation = Estimation()
    estimation.otherEye = otherEye
    return estimation
  }

  /// A model in a file.
  public static func model(_ path: String) -> Estimation {
    var estimation = Estimation()
    estimation.model = path
    return estimation
  }

  /// A program of the caller's.
  public static func helper(_ command: String) -> Estimation {
    var estimation = Estimation()
    estimation.helper = command
    return estimation
  }

  /// The half of the input that is the picture; `nil` for all of it.
  public var half: PictureHalf? { layout?.half(ofRightEye: false, exchanged: swapsEyes) }

  /// Values of ``interval``.
  package static let intervals = 1...50
  /// The longest ``helperTimeLimit``, in seconds.
  package static let longestTimeLimit = 86_400.0

  /// Files that are read.
  package var inputs: [String?] { [otherEye, model] }
  /// Whether anything is asked for.
  package var isGiven: Bool { given != nil }

  /// - Throws: `invalidParameter` for numbers outside their ranges, and for eyes in one picture and in two.
  func validate() throws(CinematicError) {
    guard Self.intervals.contains(interval ?? 1) else {
      throw CinematicError(
        .invalidParameter, "a way of estimation that is asked every \(interval ?? 0) pictures",
        remedy: "ask it every \(Self.intervals.lowerBound) to \(Self.intervals.upperBound)")
    }
    guard helperTimeLimit > 0, helperTimeLimit <= Self.longestTimeLimit else {
      throw CinematicError(
        .invalidParameter, "a helper that may take \(helperTimeLimit) s for a picture",
        remedy: "give it a time above 0, at most a day")
    }
    guard layout == nil || otherEye == nil else {
      throw CinematicError(
        .invalidParameter, "both eyes lie in one picture, and in two",
        remedy: "give a layout or the other eye's pictures")
    }
  }

  /// The way that is gone.
  ///
  /// - Parameters:
  ///   - isFile: whether the input can be looked at before it is worked on; devices cannot.
  ///   - takesOwnMap: whether a map in the input would do as well.
  /// - Throws: `incomplete`, naming all that is missing for the way that is asked for, or for any;
  ///   `invalidParameter` for one file as both eyes' pictures.
  package func choice(
    for input: String, isFile: Bool = true, takesOwnMap: Bool = true, to note: Notes
  ) async throws(CinematicError) -> EstimationChoice {
    if let otherEye, isFile, KeptInputs.areSame(input, otherEye) {
      throw CinematicError(
        .invalidParameter,
        "\(input) and \(otherEye) are one file, and two eyes do not see the same picture",
        remedy:
          "give the other eye's pictures; or \(parameter: .stereoLayout), if both lie in one picture"
      )
    }
    let eyes: EstimationSource.Eyes =
      if let layout { .layout(layout) } else { otherEye.map { .file($0) } ?? .one }
    if case .one = eyes, isFile {
      try await SecondView.tell(input, isWanted: way == .stereo, to: note)
    }
    return try await EstimationChoice(
      way: way ?? .auto, eyes: eyes, exchanged: swapsEyes, model: model, helper: helper,
      timeLimit: helperTimeLimit, interval: interval, input: input, to: note
    ) {
      guard takesOwnMap else { return nil }
      return isFile ? await Self.holdsMap(input) : false
    }
  }

  /// Whether a photograph or a movie has a map of its own; pipes come once, and are not looked at.
  private static func holdsMap(_ input: String) async -> Bool {
    guard !PipePath.isPipe(input), let reader = try? await FrameReader.open(input) else {
      return false
    }
    if reader.properties.pictureMetadata.companions.contains(.disparity) { return true }
    return (try? await reader.asset.holdsDisparity) == true
  }

  /// - Parameter map: as given.
  /// - Throws: `invalidParameter` for a map beside options to estimate one.
  package func checkAlone(beside map: String?) throws(CinematicError) {
    guard map != nil, let given else { return }
    throw CinematicError(
      .invalidParameter, "a map is given, and another is to be estimated",
      remedy: "leave out \(parameter: .givenMap), or \(parameter: given)")
  }

  /// Does work with the map that is given, with the one in the input, or with maps estimated for it, which
  /// go when the work has succeeded.
  ///
  /// - Parameters:
  ///   - map: as given.
  ///   - describesMap: whether options about a given map are given: the meaning of its codes, and its shape.
  ///   - surroundings: the maps that are needed beside those of the chosen frames.
  ///   - check: finds what cannot be done with estimated maps; called before any is.
  ///   - prepare: finds what the work needs beside them; called once the way to estimate them is known to be there.
  ///   - run: takes the estimated maps' path; `nil` where the work finds its map itself.
  /// - Throws: `invalidParameter` for a map beside options to estimate one, what estimating throws, what `run` throws.
  package func withMap<Value: Sendable>(
    of input: String, given map: String?, describesMap: Bool, for output: String,
    options: ReadOptions, overwrite: Bool,
    surroundings: EstimationSurroundings = EstimationSurroundings(), _ events: ImportEvents,
    check: () async throws(CinematicError) -> Void = {},
    prepare: () async throws(CinematicError) -> Void = {},
    _ run: (String?) async throws(CinematicError) -> Value
  ) async throws(CinematicError) -> Value {
    try checkAlone(beside: map)
    guard map == nil else { return try await run(nil) }
    if PipePath.isPipe(input) {
      guard let given else { return try await run(nil) }
      let name = PipePath.inputName(input)
      throw CinematicError(
        .invalidParameter,
        worded: "\(parameter: given) looks at a clip several times, and \(name) comes once",
        remedy: "give it as a file")
    }
    if !isGiven {
      let reader = try await FrameReader.open(input, options: options)
      let isBeside = reader.properties.pictureMetadata.companions.contains(.disparity)
      let isInMovie = try await reader.asset.holdsDisparity
      guard !isBeside, !isInMovie else { return try await run(nil) }
    }
    guard !describesMap else {
      throw CinematicError(
        .invalidParameter,
        worded: "\(parameter: .mapDescription) describe a map, and none is given",
        remedy: "give the map with \(parameter: .givenMap), or leave them out")
    }
    try await check()
    let choice = try await choice(for: input, to: events.note)
    try await prepare()
    let maps = try await EstimatedMaps.make(
      of: input, choice, for: output, options: options, overwrite: overwrite,
      surroundings: surroundings, events)
    do throws(CinematicError) {
      let result = try await run(maps.path)
      maps.end(isDone: true)
      return result
    } catch {
      maps.end(isDone: false, after: error)
      throw error
    }
  }

  /// The first parameter that is given.
  private var given: CinematicError.Parameter? {
    let parameters: [(parameter: CinematicError.Parameter, isGiven: Bool)] = [
      (.otherEye, otherEye != nil), (.stereoLayout, layout != nil), (.swappedEyes, swapsEyes),
      (.estimationModel, model != nil), (.estimationHelper, helper != nil),
      (.estimationWay, way != nil), (.estimationInterval, interval != nil),
    ]
    return parameters.first { $0.isGiven }?.parameter
  }
}
