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
      So is what the format cannot express, and what of the file had to be skipped or mended.

      A .scc file, and a movie's track of CEA-608, is judged as it is sent: captions that are shown late since the line \
      before them is still being sent, text over older text, behind column 32, in more than four rows or never shown, \
      codes that mean nothing or are sent once among others that are sent twice, wrong parity, impossible time codes. \
      With --json, every load with its line, its times and its frames.

      With --repair, captions are planned anew: the shifts are made and what nothing helps is left out. Exit code 1 where \
      there is something to name but notes, and it was not repaired.
      """)

  @OptionGroup var input: CaptionInput
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
  @OptionGroup var overwriting: OverwriteOptions
  @Flag(help: "Print JSON, times in seconds.")
  var json = false

  private struct Report: Encodable {
    var captions: Int
    var warnings: [CaptionReport.Warning]
    var losses: [CaptionReport.Issue]
    var issues: [CaptionReport.Issue]
    var transmission: CaptionReport.Transmission?
    /// What the repaired file does not have.
    var outputLosses: [CaptionReport.Issue]?
    var cpuSeconds: Double
  }

  func validate() throws {
    guard repair == (output != nil) else {
      throw ValidationError("--repair and --output go together")
    }
  }

  func run() throws {
    if output == PipePath.standard { Results.moveToStandardError() }
    try interruptible(writing: [output], onlyPrints: output == nil) { try check() }
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
    // Captions that line 21 sends already are judged as they are.
    let isAsSent = document.transmission != nil && !repair
    let validator = CaptionConversionValidator(
      captions: isAsSent ? [] : document.captions, settings: settings)
    try validator.validateCaptionConversion { _ in }
    let warnings = validator.warnings
    let losses = validator.losses
    let seconds = ProcessUsage.current.cpuSeconds - before
    var lost: [CaptionIssue] = []
    if let output, let format = written {
      var repaired = document
      repaired.captions = validator.adjustedCaptions
      var options = CaptionWritingOptions()
      options.timeCodeRate = try rate.rate(document)
      options.channel = input.fieldChannel
      let written = try repaired.written(as: format, options: options)
      try CaptionOutput.write(written.bytes, to: output, overwrite: overwriting.force)
      lost = written.losses
      if !json { note(lost, of: PipePath.outputName(output)) }
    }
    if json {
      try printJSON(
        Report(
          captions: document.captions.count, warnings: warnings.map(CaptionReport.Warning.init),
          losses: losses.map(CaptionReport.Issue.init),
          issues: document.issues.map(CaptionReport.Issue.init),
          transmission: document.transmission.map(CaptionReport.Transmission.init),
          outputLosses: output == nil ? nil : lost.map(CaptionReport.Issue.init),
          cpuSeconds: seconds))
    } else {
      input.tell(document.issues)
      for warning in warnings { printLine(Self.text(warning, document.captions)) }
      let told = losses + (isAsSent ? document.transmission?.issues ?? [] : [])
      for issue in told {
        let place = issue.line.map { "line \($0)" } ?? CaptionReport.clock(issue.time ?? .zero)
        printLine("\(place)  \(issue.severity.rawValue): \(issue.reason)")
      }
      printLine(summary(document, warnings, losses))
    }
    let found = losses + document.issues + (isAsSent ? document.transmission?.issues ?? [] : [])
    let isClean = warnings.isEmpty && !found.contains { $0.severity > .note }
    if !isClean, output == nil { throw ExitCode(1) }
    if input.strict, losses.contains(where: { $0.severity > .note }) { throw ExitCode(1) }
  }

  private func summary(
    _ document: CaptionDocument, _ warnings: [CaptionConversionWarning], _ losses: [CaptionIssue]
  ) -> String {
    func faults(_ issues: [CaptionIssue]) -> Int { issues.count { $0.severity > .note } }
    var text = "\(counted(document.captions.count, "caption"))"
    var notes = document.issues.count - faults(document.issues)
    if let transmission = document.transmission, !repair {
      let late = transmission.loads.count { $0.delay > .zero }
      text +=
        ", \(counted(transmission.loads.count, "load")), \(counted(transmission.pairCount, "pair")) of bytes:"
        + " \(late) shown late, \(counted(faults(transmission.issues), "fault")) of the transmission"
      notes += transmission.issues.count - faults(transmission.issues)
    } else {
      let late = warnings.count { $0.adjustment != nil }
      let lost = faults(losses)
      text +=
        ": \(counted(late, "set")) to be shifted,"
        + " \(counted(warnings.count - late, "set")) that cannot be shown,"
        + " \(lost == 1 ? "1 loss" : "\(lost) losses")"
      notes += losses.count - lost
    }
    text += ", \(counted(faults(document.issues), "fault")) of the file"
    return notes == 0 ? text : text + ", \(counted(notes, "note"))"
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
