// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The options of the parameters that remedies point at, by the parameters' names in the API.
package let optionNames = [
  "CaptionReadingOptions.isStrict": "--strict",
  "CaptionWritingOptions.isStrict": "--strict",
  "DisparityMatcher": "--disparity",
  "EditJournal.init(path:)": "--changes",
  "Editor.Settings.changes": "--changes",
  "FilmCoding.bitDepth": "--bit-depth",
  "FilmCoding.chroma": "--chroma",
  "FilmCoding.codec": "--codec",
  "Interlacing.deinterlace": "--deinterlace",
  "Interlacing.keep": "--progressive",
  "ListeningSocket.port": "--port",
  "MemoryBudget.byteCount": "--memory-limit",
  "ReadOptions.channel": "--disparity-channel",
  "ReadOptions.frames": "--frames",
  // Commands that read numbered pictures have one of the two.
  "ReadOptions.frames or ReadOptions.missing":
    "--frames or --on-missing, whichever the command has",
  "ReadOptions.layer": "--layer",
  "ReadOptions.missing": "--on-missing",
  "ReadOptions.missing = .hold": "--on-missing if the command has it",
  "ReadOptions.transfer": "--transfer",
  "RenderingSession.Attributes.highlights": "--highlights",
  "SubjectEffect.background": "--background",
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

extension CinematicError {
  /// The remedy for people at the command line.
  package var toldRemedy: String? { remedy(naming: optionName(of:)) }
  /// The message and the remedy for people at the command line.
  package var told: String { description(naming: optionName(of:)) }
}
