// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalImport

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

  /// The same, as the library takes it.
  var value: DetectorChoice {
    var detection = DetectorChoice()
    (detection.models, detection.helper) = (detectModel, detectHelper)
    return detection
  }

  var isGiven: Bool { value.isGiven }
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
    guard DetectorChoice.intervals.contains(detectEvery ?? 1) else {
      throw ValidationError("--detect-every takes 1 to \(DetectorChoice.intervals.upperBound)")
    }
  }
}
