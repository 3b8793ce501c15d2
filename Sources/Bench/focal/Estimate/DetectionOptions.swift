// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalEyes

/// By what detections are made.
struct DetectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A model that finds faces, or objects such as people, heads, pets and balls, with its description beside it if"
        + " it is not well known; may be given several times. By default the first one of faces and the first one"
        + " of objects in FOCAL_MODELS or the user's data folder.", valueName: "file.onnx"))
  var detectModel: [String] = []
  @Option(
    help: ArgumentHelp(
      "A program that finds them: it reads pictures and answers with boxes, as Documentation/models.md says.",
      valueName: "command"))
  var detectHelper: String?

  /// What finds things in pictures.
  struct Finder: Sendable {
    /// `nil` where there is none.
    var detector: (any ObjectDetector)?
    /// All that decides about what is found beside the pictures: commands, and files as they are now.
    var signature: [String] = []
  }

  var isGiven: Bool { !detectModel.isEmpty || detectHelper != nil }

  /// The detector.
  ///
  /// - Parameter timeLimit: of a helper for a picture, in seconds.
  /// - Throws: `incomplete`, naming models and runtime, whichever is missing, and where they were looked for; what
  ///   opening a model throws.
  func detector(timeLimit: Double) throws(CinematicError) -> any ObjectDetector {
    try found(timeLimit: timeLimit).detector
  }

  /// The detector; none, which is said, where nothing is given and nothing is there.
  ///
  /// - Throws: as ``detector(timeLimit:)`` where one is given.
  func finder(timeLimit: Double) throws(CinematicError) -> Finder {
    do throws(CinematicError) {
      let found = try found(timeLimit: timeLimit)
      return Finder(detector: found.detector, signature: found.signature)
    } catch {
      guard error.code == .incomplete, !isGiven else { throw error }
      note("nobody is looked for, and the largest and nearest part is in focus: \(error.told)")
      return Finder()
    }
  }

  private func found(
    timeLimit: Double
  ) throws(CinematicError) -> (detector: any ObjectDetector, signature: [String]) {
    var detectors: [any ObjectDetector] = []
    var signature: [String] = []
    if let detectHelper {
      signature.append(detectHelper)
      signature += EstimatedMaps.files(of: detectHelper).map { $0 + " " + EstimatedMaps.stamp($0) }
      detectors.append(HelperDetector(command: detectHelper, timeLimit: timeLimit))
    }
    var models = detectModel
    if !isGiven {
      let search = ModelSearch()
      for outputs in [Set([ModelDescription.Output.faces]), [.objects]] {
        if let path = search.usableModel(giving: outputs) { models.append(path) }
      }
    }
    if models.isEmpty, detectors.isEmpty {
      _ = try FoundModel(nil, giving: ModelDescription.detections)
    }
    for model in models {
      for path in [model, ModelDescription.path(for: model)] {
        signature.append(path + " " + EstimatedMaps.stamp(path))
      }
      let found = try FoundModel(model, giving: ModelDescription.detections)
      let description = try ModelDescription(
        ofModel: model, wanted: ModelDescription.detections)
      if description.output == .faces {
        let faces = try FaceDetector(model, library: found.library)
        found.tell(faces.description)
        detectors.append(faces)
      } else {
        let objects = try ObjectModelDetector(model, library: found.library)
        found.tell(objects.description)
        detectors.append(objects)
      }
    }
    return (SeveralDetectors(detectors), signature)
  }
}

/// How often a detector is asked.
struct DetectionRateOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Things are looked for in every so many pictures, and in the first after a cut; tracks go on between. (default: by"
        + " the detectors' speed, 1 to \(DetectionJob.mostInterval))", valueName: "n"))
  var detectEvery: Int?

  func validate() throws {
    guard (1...TrackLinker.mostMissed).contains(detectEvery ?? 1) else {
      throw ValidationError("--detect-every takes 1 to \(TrackLinker.mostMissed)")
    }
  }
}
