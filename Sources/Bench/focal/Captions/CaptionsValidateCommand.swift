// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptions
import FocalCommands
import FocalCore
import FocalMedia

struct CaptionsValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Say which captions a .scc file could not show as they are, and what would help.",
    discussion: """
      Line 21 carries one pair of bytes a frame. Each set of captions of one time range that it cannot \
      carry in time is named, with the smallest shift that makes it fit, or as one that nothing helps. \
      So is what the format cannot express, and what of the file had to be skipped or mended. With --repair, the \
      shifts are made and what nothing helps is left out. Exit code 1 where there is something to name and it was \
      not repaired.
      """)

  enum Target: String, ExpressibleByArgument, CaseIterable { case scc }

  @OptionGroup var input: CaptionInput
  @Option(name: .customLong("for"), help: ArgumentHelp("The format to come.", valueName: "format"))
  var target: Target = .scc
  @OptionGroup var rate: CaptionRateOptions
  @Flag(help: "Write the captions with the shifts made to --output.")
  var repair = false
  @Option(
    name: .shortAndLong, help: ArgumentHelp("The repaired file, of any format.", valueName: "file"))
  var output: String?
  @Option(
    help: ArgumentHelp(
      "The format of the repaired file: by default what the ending says.", valueName: "format"))
  var format: CaptionFormat?
  @Flag(help: "Replace an existing output.")
  var force = false
  @Flag(help: "Print JSON, times in seconds.")
  var json = false

  private struct Report: Encodable {
    var captions: Int
    var warnings: [CaptionReport.Warning]
    var losses: [CaptionReport.Issue]
    var issues: [CaptionReport.Issue]
    var cpuSeconds: Double
  }

  func validate() throws {
    guard repair == (output != nil) else {
      throw ValidationError("--repair and --output go together")
    }
  }

  func run() throws {
    if output == PipePath.standard { Results.moveToStandardError() }
    try interruptible(writing: [output]) { try check() }
  }

  private func check() throws {
    var written: CaptionFormat?
    if let output {
      written = try CaptionOutput.format(of: output, input: input.file, named: format)
    }
    let before = ProcessUsage.current.cpuSeconds
    let document = try input.document()
    try input.checkChannel(document)
    var counts = try rate.rate(document)
    if counts == nil { counts = document.timeCodeRate == .ntscDrop ? .ntscDrop : .ntsc }
    let settings = try CaptionConversionSettings(
      timeCodeRate: counts ?? .ntsc, doublesControlCodes: document.doublesControlCodes)
    let validator = CaptionConversionValidator(captions: document.captions, settings: settings)
    try validator.validateCaptionConversion { _ in }
    let warnings = validator.warnings
    let losses = validator.losses
    let seconds = ProcessUsage.current.cpuSeconds - before
    if let output, let format = written {
      var repaired = document
      repaired.captions = validator.adjustedCaptions
      var options = CaptionWritingOptions()
      options.timeCodeRate = try rate.rate(document)
      let written = try repaired.written(as: format, options: options)
      try CaptionOutput.write(written.bytes, to: output, force: force)
      if !json { for loss in written.losses { note("\(PipePath.outputName(output)), \(loss)") } }
    }
    if json {
      try printJSON(
        Report(
          captions: document.captions.count, warnings: warnings.map(CaptionReport.Warning.init),
          losses: losses.map(CaptionReport.Issue.init),
          issues: document.issues.map(CaptionReport.Issue.init), cpuSeconds: seconds))
    } else {
      input.tell(document.issues)
      for warning in warnings { print(Self.text(warning, document.captions)) }
      for loss in losses { print("\(CaptionReport.clock(loss.time ?? .zero))  \(loss.reason)") }
      let late = warnings.count { $0.adjustment != nil }
      print(
        "\(counted(document.captions.count, "caption")): \(counted(late, "set")) to be shifted,"
          + " \(counted(warnings.count - late, "set")) that cannot be shown,"
          + " \(losses.count == 1 ? "1 loss" : "\(losses.count) losses"),"
          + " \(counted(document.issues.count, "fault")) of the file")
    }
    let isClean = warnings.isEmpty && losses.isEmpty && document.issues.isEmpty
    if !isClean, output == nil { throw ExitCode(1) }
    if input.strict, !losses.isEmpty { throw ExitCode(1) }
  }

  private static func text(_ warning: CaptionConversionWarning, _ captions: [Caption]) -> String {
    let start = CaptionReport.clock(warning.timeRange.start)
    let end = CaptionReport.clock(warning.timeRange.end)
    let words = warning.captions.map { captions[$0].text.split(whereSeparator: \.isNewline) }
      .flatMap { $0 }.joined(separator: " / ").prefix(60)
    var line = "\(start) to \(end)  \(words): \(warning.reason)"
    if let adjustment = warning.adjustment {
      line += "; start \(signed(adjustment.startTimeOffset)) s,"
      line += " duration \(signed(adjustment.durationOffset)) s"
    } else {
      line += "; it would be left out"
    }
    return line
  }

  private static func signed(_ time: Time) -> String {
    let milliseconds = time.converted(to: 1000).value
    return (milliseconds < 0 ? "-" : "+")
      + "\(Double(milliseconds.magnitude) / 1000)"
  }
}
