// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The options, or commands, of the parameters that texts of the libraries point at, by the parameters' names in the API.
package let optionNames = [
  "CaptionReadingOptions.isStrict": "--strict",
  "CaptionWritingOptions.isStrict": "--strict",
  "CaptureDevice.devices()": "focal capture devices",
  "CinematicReader": "focal extract --disparity",
  "DetectorChoice.check()": "focal script detect",
  "DetectorChoice.interval": "--detect-every",
  "DetectorChoice.models": "--detect-model",
  "Director": "focal script direct",
  "Director with MovieReviser": "focal edit <movie> direct",
  "DisparityMatcher": "--disparity",
  "DisparityScale.init(low:high:kind:)": "--disparity-range",
  "DisparityScale.kind": "--disparity-kind",
  "EditJournal.init(path:)": "--changes",
  "Editor.Settings.changes": "--changes",
  "Editor.Settings.folders": "--folder",
  "Estimation.helper": "--helper",
  "Estimation.interval": "--every",
  "Estimation.layout": "--layout",
  "Estimation.model": "--model",
  "Estimation.otherEye": "--stereo",
  "Estimation.swapsEyes": "--swap-eyes",
  "Estimation.way": "--estimate",
  "FilmCoding.bitDepth": "--bit-depth",
  "FilmCoding.chroma": "--chroma",
  "FilmCoding.codec": "--codec",
  "FocusChoice.disparity(_:)": "--focus",
  "FocusChoice.point(_:)": "--focus-at",
  "Interlacing.deinterlace": "--deinterlace",
  "Interlacing.keep": "--progressive",
  "InterruptedRecording.recover": "focal capture recover",
  "ListeningSocket.port": "--port",
  "MapEstimation.keepsValues": "--keep-values",
  "MemoryBudget.byteCount": "--memory-limit",
  "MovieImport": "focal import",
  "MovieImport.GivenMap": "--disparity-range, -kind, -channel and -fit",
  "MovieImport.GivenMap.codes": "--disparity-range",
  "MovieImport.Map.given(_:)": "--disparity",
  "MovieReviser": "focal edit",
  "NeuralTracker.init(_:library:)": "--tracker",
  "ReadOptions.channel": "--disparity-channel",
  "ReadOptions.frames": "--frames",
  // Commands that read numbered pictures have one of the two.
  "ReadOptions.frames or ReadOptions.missing":
    "--frames or --on-missing, whichever the command has",
  "ReadOptions.layer": "--layer",
  "ReadOptions.missing": "--on-missing",
  "ReadOptions.missing = .hold": "--on-missing if the command has it",
  "ReadOptions.stillDuration": "--frame-rate",
  "ReadOptions.transfer": "--transfer",
  "RenderingSession.Attributes.highlights": "--highlights",
  "Script.fNumber": "--f-number",
  "StripRenderer": "focal render",
  "SubjectEffect.background": "--background",
  "ThinLens": "--lens",
  "WriterSettings.stream": "--format",
  "copiesSound: false": "--no-sound",
  "holdsOneMap: true": "--on-missing hold",
  "overwrite: true": "--force",
  "resumes: true": "--resume",
  "stretches: true": "--disparity-fit stretch",
  "the initialiser's timeLimit": "--helper-timeout",
  "the setting video_size": "--size",
]

/// What the programs call a parameter: an option, or its name in the API where no option sets it.
package func optionName(of parameter: CinematicError.Parameter) -> String {
  optionNames[parameter.rawValue] ?? parameter.rawValue
}

/// The same for a command: of a parameter that several options set, those that the command has.
private func optionName(
  of parameter: CinematicError.Parameter, among options: Set<String>
) -> String {
  guard let names = severalOptions[parameter.rawValue] else { return optionName(of: parameter) }
  let there = names.filter(options.contains)
  return there.isEmpty ? optionName(of: parameter) : there.joined(separator: " or ")
}

/// The options of parameters that commands set by one or the other.
private let severalOptions = [
  "ReadOptions.frames or ReadOptions.missing": ["--frames", "--on-missing"]
]

extension CinematicError.Wording {
  /// The text for people at the command line.
  package var told: String { description(naming: optionName(of:)) }
}

extension CinematicError {
  /// The message for people at the command line.
  package var toldMessage: String { message(naming: optionName(of:)) }
  /// The remedy for people at the command line.
  package var toldRemedy: String? { remedy(naming: optionName(of:)) }
  /// The message and the remedy for people at the command line.
  package var told: String { description(naming: optionName(of:)) }

  /// The message and the remedy for people at the command line.
  ///
  /// - Parameter options: all that the command has, such as `--frames`.
  package func words(among options: Set<String>) -> (message: String, remedy: String?) {
    let name = { (parameter: Parameter) in optionName(of: parameter, among: options) }
    return (message(naming: name), remedy(naming: name))
  }
}
