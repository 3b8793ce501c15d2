// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes

/// How people, pets and balls are found.
///
/// Without any value, the first model of faces and the first one of objects are taken from `FOCAL_MODELS` or the user's
/// data folder; if there is none, nobody is looked for.
public struct DetectorChoice: Hashable, Sendable {
  /// Paths of models that find faces, or objects such as people, heads, pets and balls, .onnx, with their descriptions
  /// beside them if they are not well known.
  public var models: [String] = []
  /// The command line of a program that reads pictures and answers with boxes, as Documentation/models.md says.
  public var helper: String?
  /// Things are looked for in every so many pictures, 1 to 15, and in the first after a cut; tracks go on between. `nil`
  /// leaves that to the detectors' speed.
  public var interval: Int?

  public init() {}

  /// Values of ``interval``.
  package static let intervals = 1...TrackLinker.mostMissed

  /// What finds things in pictures.
  package struct Finder: Sendable {
    /// `nil` where there is none.
    package var detector: (any ObjectDetector)?
    /// All that decides about what is found beside the pictures: commands, and files as they are now.
    var signature: [String] = []
  }

  /// Whether it is said by what they are found.
  package var isGiven: Bool { !models.isEmpty || helper != nil }

  /// - Throws: `invalidParameter` for an interval outside its range.
  func validate() throws(CinematicError) {
    guard Self.intervals.contains(interval ?? 1) else {
      throw CinematicError(
        .invalidParameter, "detectors that see every \(interval ?? 0) pictures",
        remedy: "give \(Self.intervals.lowerBound) to \(Self.intervals.upperBound)")
    }
  }

  /// Finds out whether all is there by which things are found: models, given or found, and what runs them.
  ///
  /// - Throws: `incomplete`, naming models and runtime, whichever is missing, and where they were looked for; what
  ///   opening a model throws; `invalidParameter` for an interval outside its range.
  public func check() throws(CinematicError) {
    try validate()
    _ = try detector(timeLimit: HelperProvider.usualTimeLimit, to: Notes { _ in })
  }

  /// The detector.
  ///
  /// - Parameter timeLimit: of a helper for a picture, in seconds.
  /// - Throws: `incomplete`, naming models and runtime, whichever is missing, and where they were looked for; what
  ///   opening a model throws.
  package func detector(
    timeLimit: Double, to note: Notes
  ) throws(CinematicError) -> any ObjectDetector {
    try found(timeLimit: timeLimit, to: note).detector
  }

  /// The detector; none, which is said, where nothing is given and nothing is there.
  ///
  /// - Throws: as ``detector(timeLimit:to:)`` where one is given.
  func finder(timeLimit: Double, to note: Notes) throws(CinematicError) -> Finder {
    do throws(CinematicError) {
      let found = try found(timeLimit: timeLimit, to: note)
      return Finder(detector: found.detector, signature: found.signature)
    } catch {
      guard error.code == .incomplete, !isGiven else { throw error }
      note(
        worded: """
          nobody is looked for, and the largest and nearest part is in focus; \
          \(parameter: .detectionCheck) says what is missing
          """)
      return Finder()
    }
  }

  private func found(
    timeLimit: Double, to note: Notes
  ) throws(CinematicError) -> (detector: any ObjectDetector, signature: [String]) {
    var detectors: [any ObjectDetector] = []
    var signature: [String] = []
    if let helper {
      signature.append(helper)
      signature += EstimatedMaps.files(of: helper).map { $0 + " " + EstimatedMaps.stamp($0) }
      detectors.append(HelperDetector(command: helper, timeLimit: timeLimit))
    }
    var models = models
    if !isGiven {
      let search = ModelSearch()
      for outputs in [Set([ModelDescription.Output.faces]), [.objects]] {
        if let path = search.usableModel(giving: outputs, to: note) { models.append(path) }
      }
    }
    if models.isEmpty, detectors.isEmpty {
      _ = try FoundModel(nil, giving: ModelDescription.detections, to: note)
    }
    for model in models {
      for path in [model, ModelDescription.path(for: model)] {
        signature.append(path + " " + EstimatedMaps.stamp(path))
      }
      let found = try FoundModel(model, giving: ModelDescription.detections, to: note)
      let description = try ModelDescription(
        ofModel: model, wanted: ModelDescription.detections)
      if description.output == .faces {
        let faces = try FaceDetector(model, library: found.library)
        found.tell(faces.description, to: note)
        detectors.append(faces)
      } else {
        let objects = try ObjectModelDetector(model, library: found.library)
        found.tell(objects.description, to: note)
        detectors.append(objects)
      }
    }
    return (SeveralDetectors(detectors), signature)
  }
}
