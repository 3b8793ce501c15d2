// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptions
import FocalCommands
import FocalCore

struct CaptionsConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Write captions in another format.",
    discussion: """
      Captions that line 21 cannot carry in time are shown later in a .scc file, or left out, as 'focal \
      captions validate' tells; each is named, and with --strict is an error.
      """)

  @OptionGroup var input: CaptionInput
  @OptionGroup var output: CaptionOutput
  @OptionGroup var rate: CaptionRateOptions
  @Flag(help: "Print what was lost as JSON.")
  var json = false

  private struct Report: Encodable {
    var output: String
    var captions: Int
    var issues: [CaptionReport.Issue]
    var losses: [CaptionReport.Issue]
    var cpuSeconds: Double
  }

  func run() throws {
    try interruptible(writing: [output.output]) {
      let format = try CaptionOutput.format(of: output.output, input: input.file)
      let before = ProcessUsage.current.cpuSeconds
      let document = try input.document()
      var options = CaptionWritingOptions()
      options.isStrict = input.strict
      options.timeCodeRate = try rate.rate(document)
      options.channel = CEA608.Channel(rawValue: input.channel) ?? .one
      let written = try document.written(as: format, options: options)
      let seconds = ProcessUsage.current.cpuSeconds - before
      try CaptionOutput.write(written.bytes, to: output.output, force: output.force)
      if json {
        try printJSON(
          Report(
            output: output.output, captions: document.captions.count,
            issues: document.issues.map(CaptionReport.Issue.init),
            losses: written.losses.map(CaptionReport.Issue.init), cpuSeconds: seconds))
      } else {
        input.tell(document.issues)
        for loss in written.losses { note("\(output.output), \(loss)") }
      }
    }
  }
}
