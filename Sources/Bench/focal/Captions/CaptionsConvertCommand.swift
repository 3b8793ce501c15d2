// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptions
import FocalCommands
import FocalCore
import FocalMedia

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
  @Option(
    help: ArgumentHelp(
      "Captions for the other channel of a .scc file, sent in the frames that the first one leaves.",
      valueName: "file"))
  var otherChannel: String?
  @Flag(help: "Print what was lost as JSON.")
  var json = false

  private struct Report: Encodable {
    var output: String
    var captions: Int
    var otherCaptions: Int?
    var issues: [CaptionReport.Issue]
    var losses: [CaptionReport.Issue]
    var cpuSeconds: Double
  }

  func run() throws {
    if output.output == PipePath.standard { Results.moveToStandardError() }
    try interruptible(writing: [output.output]) {
      let format = try CaptionOutput.format(
        of: output.output, input: input.file, named: output.format)
      try rate.check(format)
      try KeptInputs.check(output.output, inputs: [otherChannel])
      guard otherChannel == nil || format == .scc else {
        throw CinematicError(
          .invalidParameter,
          "--other-channel is for .scc files, and \(PipePath.outputName(output.output)) is none",
          remedy: "leave it out, or end the output in .scc")
      }
      let before = ProcessUsage.current.cpuSeconds
      let document = try input.document()
      if format != .scc { try input.checkChannel(document) }
      var options = CaptionWritingOptions()
      options.isStrict = input.strict
      options.timeCodeRate = try rate.rate(document)
      options.channel = input.fieldChannel
      let other = try otherChannel.map { path throws(CinematicError) in
        try Self.other(path, than: options.channel)
      }
      options.otherChannelCaptions = other?.captions ?? []
      let written = try document.written(as: format, options: options)
      let seconds = ProcessUsage.current.cpuSeconds - before
      try CaptionOutput.write(written.bytes, to: output.output, overwrite: output.overwriting.force)
      if json {
        try printJSON(
          Report(
            output: output.output, captions: document.captions.count,
            otherCaptions: other?.captions.count,
            issues: (document.issues + (other?.issues ?? [])).map(CaptionReport.Issue.init),
            losses: written.losses.map(CaptionReport.Issue.init), cpuSeconds: seconds))
      } else {
        input.tell(document.issues)
        if let otherChannel, let other {
          note(other.issues, of: "\(otherChannel)")
        }
        note(written.losses, of: PipePath.outputName(output.output))
      }
    }
  }

  /// The captions for a channel: of a .scc file those of that channel, and else those of its first.
  private static func other(
    _ path: String, than channel: CEA608.Channel
  ) throws(CinematicError) -> CaptionDocument {
    var options = CaptionReadingOptions()
    options.channel = channel == .one ? .two : .one
    let document = try CaptionInput.document(path, options)
    guard document.format == .scc, document.captions.isEmpty, options.channel == .two else {
      return document
    }
    options.channel = .one
    return try CaptionInput.document(path, options)
  }
}
