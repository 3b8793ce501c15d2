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
    /// Of line 21.
    var field: Int?
    var channel: Int?
    var doublesControlCodes: Bool?
    var captions: [CaptionReport.Item]
    var issues: [CaptionReport.Issue]
  }

  func run() throws {
    let document = try input.document()
    try input.checkChannel(document)
    let isLine21 = document.format == .scc
    if json {
      return try printJSON(
        Report(
          format: document.format.rawValue, language: document.language,
          timeCode: document.timeCodeRate.map(CaptionReport.Rate.init),
          field: isLine21 ? document.field.rawValue : nil,
          channel: isLine21 ? input.fieldChannel.rawValue : nil,
          doublesControlCodes: isLine21 ? document.doublesControlCodes : nil,
          captions: document.captions.map(CaptionReport.Item.init),
          issues: document.issues.map(CaptionReport.Issue.init)))
    }
    var head = ".\(document.format.rawValue), \(counted(document.captions.count, "caption"))"
    if let language = document.language { head += ", \(language)" }
    if let rate = document.timeCodeRate {
      let frames = (100_000 / rate.frameDuration.seconds).rounded() / 100_000
      head += ", \(frames) frames a second\(rate.dropMode == .nonDrop ? "" : ", drop frame")"
    }
    if document.field == .two { head += ", field 2" }
    printLine(head)
    for caption in document.captions {
      let lines = caption.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let start = CaptionReport.clock(caption.timeRange.start)
      let end = CaptionReport.clock(caption.timeRange.end)
      printLine("\(start) to \(end)  \(lines.joined(separator: " / "))")
    }
    input.tell(document.issues)
  }
}
