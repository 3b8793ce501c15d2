// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptions
import FocalCommands
import FocalCore
import FocalMedia

struct CaptionsShiftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shift",
    abstract: "Move captions in time.",
    discussion: """
      Times become (time + OFFSET) · SCALE. Captions that would begin before zero are an error. To take \
      an hour off time codes: --by -3600, or -3603.6 where 29.97 frames a second do not count drop frame.
      """)

  @OptionGroup var input: CaptionInput
  @OptionGroup var output: CaptionOutput
  @OptionGroup var rate: CaptionRateOptions
  @Flag(help: "Print what was skipped and lost as JSON.")
  var json = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seconds to add: 1.5, -3600, 1001/30.", valueName: "offset"))
  var by: TimeArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What to multiply by: 1.001, 24/25.", valueName: "scale"))
  var scale: TimeArgument?

  func validate() throws {
    guard by != nil || scale != nil else {
      throw ValidationError("give --by or --scale: --by 1.5 shows everything 1.5 s later")
    }
    if let by, by.exactTime == nil {
      throw ValidationError("--by takes seconds, such as 1.5, -3600 or 1001/30")
    }
    if let scale {
      guard let factor = scale.exactTime, factor > .zero, factor.seconds < 1000 else {
        throw ValidationError("--scale takes a number above 0 and below 1000")
      }
    }
  }

  func run() throws {
    if output.output == PipePath.standard { Results.moveToStandardError() }
    try interruptible(writing: [output.output]) {
      let format = try CaptionOutput.format(
        of: output.output, input: input.file, named: output.format)
      try rate.check(format)
      var document = try input.document()
      if format != .scc { try input.checkChannel(document) }
      let offset = by?.exactTime ?? .zero
      for index in document.captions.indices {
        let range = document.captions[index].timeRange
        document.captions[index].timeRange = TimeRange(
          start: scaled(range.start + offset), end: scaled(range.end + offset))
        document.captions[index].revealTimes = document.captions[index].revealTimes.map(scaled)
      }
      var options = CaptionWritingOptions()
      options.isStrict = input.strict
      options.timeCodeRate = try rate.rate(document)
      options.channel = input.fieldChannel
      let written = try document.written(as: format, options: options)
      try CaptionOutput.write(written.bytes, to: output.output, overwrite: output.overwriting.force)
      if json {
        try printJSON(CaptionReport.Written(output.output, document, written.losses))
      } else {
        input.tell(document.issues)
        note(written.losses, of: PipePath.outputName(output.output))
      }
    }
  }

  /// A time times the scale: exact where 32 bits hold its timescale, else to the microsecond.
  private func scaled(_ time: Time) -> Time {
    guard let factor = scale?.exactTime else { return time }
    let timescale = Int64(time.timescale) * Int64(factor.timescale)
    let (value, overflow) = time.value.multipliedReportingOverflow(by: factor.value)
    if !overflow, let timescale = Int32(exactly: timescale) {
      return Time(value: value, timescale: timescale)
    }
    return Time(seconds: time.seconds * factor.seconds, preferredTimescale: 1_000_000)
  }
}
