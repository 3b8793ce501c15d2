// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalEyes
import FocalImport

extension StereoLayout: ExpressibleByArgument {}
extension Estimation.Way: ExpressibleByArgument {}

/// Where disparity comes from if no map is given.
struct EstimateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The way to estimate disparity where no map is given: auto takes the first of the others for which all"
        + " is there, and says which.", valueName: "way"))
  var estimate: Estimation.Way?
  @Option(
    help: ArgumentHelp(
      "What the right eye sees, of the same frames: disparity by comparing both.",
      valueName: "other"))
  var stereo: String?
  @Option(
    help: ArgumentHelp(
      "How both eyes lie in the input: disparity by comparing them. The left eye's half is the picture.",
      valueName: "layout"))
  var layout: StereoLayout?
  @Flag(help: "The input is what the right eye sees, or begins with it.")
  var swapEyes = false

  @Option(
    help: ArgumentHelp(
      "A model of one eye's disparity or depth, or of people, with its description beside it if it is not well"
        + " known; by default the first one in FOCAL_MODELS or the user's data folder. It runs by ONNX Runtime.",
      valueName: "file.onnx"))
  var model: String?

  @Option(
    help: ArgumentHelp(
      "A program that makes the maps: it reads pictures and answers with floats, as Documentation/models.md says.",
      valueName: "command"))
  var helper: String?
  @OptionGroup var patience: HelperOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Of clips, a model or a helper sees every so many pictures, and maps are carried to those between. (default: by its"
        + " speed, 1 to 5; of metric depth 1)", valueName: "n"))
  var every: Int?

  /// The same, as the library takes it.
  var value: Estimation {
    var estimation = Estimation(estimate)
    (estimation.otherEye, estimation.layout, estimation.swapsEyes) = (stereo, layout, swapEyes)
    (estimation.model, estimation.helper, estimation.interval) = (model, helper, every)
    estimation.helperTimeLimit = patience.timeLimit
    return estimation
  }

  var isGiven: Bool { value.isGiven }

  /// Files that are read.
  var inputs: [String?] { value.inputs }

  func validate() throws {
    guard Estimation.intervals.contains(every ?? 1) else {
      throw ValidationError("--every takes 1 to 50")
    }
    if layout != nil, stereo != nil {
      throw ValidationError("give --stereo or --layout, not both")
    }
    if estimate == .command, helper == nil {
      throw ValidationError(
        "--estimate command needs --helper <command>, the program that makes the maps")
    }
  }

  /// The half of the input that is the picture; `nil` for all of it.
  var half: PictureHalf? { value.half }
}

/// How long programs of the caller's may take.
struct HelperOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long a helper may take for a picture; one that takes longer is ended, with an error. (default:"
        + " \(Int(HelperProvider.usualTimeLimit)))", valueName: "seconds"))
  var helperTimeout: Double?

  /// In seconds.
  var timeLimit: Double { helperTimeout ?? HelperProvider.usualTimeLimit }

  func validate() throws {
    guard let helperTimeout else { return }
    guard helperTimeout > 0, helperTimeout <= Estimation.longestTimeLimit else {
      throw ValidationError("--helper-timeout takes seconds above 0, at most a day")
    }
  }

  /// - Parameter helpers: the commands that may be given.
  func check(_ helpers: String?...) throws {
    guard helperTimeout == nil || helpers.contains(where: { $0 != nil }) else {
      throw ValidationError("--helper-timeout is for a helper, and none is given")
    }
  }
}
