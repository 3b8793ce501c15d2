// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// How a long command tells what it does.
struct ReportOptions: ParsableArguments {
  @Flag(
    help: """
      Print progress and result as lines of JSON; notes and errors become objects, too, on standard error.
      """)
  var json = false
  @Option(
    help: ArgumentHelp(
      "How progress is told on standard error: bar, lines, json or none; auto is a bar on a terminal and"
        + " lines elsewhere, and with --json lines of JSON among the results.", valueName: "style"))
  var progress: ProgressArgument = .auto

  var style: Progress.Style { progress.style(json: json) }
}

/// `--progress`.
enum ProgressArgument: String, ExpressibleByArgument, CaseIterable {
  case auto, bar, lines, json, none

  /// - Parameter json: whether results are lines of JSON, of which progress is one.
  func style(json: Bool) -> Progress.Style {
    switch self {
    case .auto:
      json ? .json(amongResults: true) : isatty(STDERR_FILENO) != 0 ? .bar : .lines
    case .bar: .bar
    case .lines: .lines
    case .json: .json(amongResults: json)
    case .none: .none
    }
  }
}
