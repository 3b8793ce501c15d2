// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptions
import FocalCommands
import FocalCore

struct CaptionsInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Print the captions of a file, and what of it was skipped.")

  @OptionGroup var input: CaptionInput
  @Flag(help: "Print JSON, times in seconds.")
  var json = false

  private struct Report: Encodable {
    var format: String
    var language: String?
    var timeCode: CaptionReport.Rate?
    var captions: [CaptionReport.Item]
    var issues: [CaptionReport.Issue]
    var cpuSeconds: Double
  }

  func run() throws {
    let before = ProcessUsage.current.cpuSeconds
    let document = try input.document()
    let seconds = ProcessUsage.current.cpuSeconds - before
    if json {
      return try printJSON(
        Report(
          format: document.format.rawValue, language: document.language,
          timeCode: document.timeCodeRate.map(CaptionReport.Rate.init),
          captions: document.captions.map(CaptionReport.Item.init),
          issues: document.issues.map(CaptionReport.Issue.init), cpuSeconds: seconds))
    }
    var head = ".\(document.format.rawValue), \(counted(document.captions.count, "caption"))"
    if let language = document.language { head += ", \(language)" }
    if let rate = document.timeCodeRate {
      let frames = (100_000 / rate.frameDuration.seconds).rounded() / 100_000
      head += ", \(frames) frames a second\(rate.dropMode == .nonDrop ? "" : ", drop frame")"
    }
    print(head)
    for caption in document.captions {
      let lines = caption.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let start = CaptionReport.clock(caption.timeRange.start)
      let end = CaptionReport.clock(caption.timeRange.end)
      print("\(start) to \(end)  \(lines.joined(separator: " / "))")
    }
    input.tell(document.issues)
  }
}
