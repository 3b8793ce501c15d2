// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptionRendering
import FocalCaptions
import FocalCommands
import FocalCore
import Foundation

struct BenchCaptionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-captions",
    abstract: "Time how captions are read, converted and drawn, or try damaged files.",
    discussion: """
      The captions are those of a film, \(CaptionSample.filmCount) of one or two lines. Each step is done until half \
      a second is over; the median is printed. With --mutations, so many damaged files are read, grouped, converted, \
      written and, one in a hundred, drawn. Printed are how many could be read, the longest time that one took, and how much \
      memory was needed. The files are the same in every run with the same --seed. A file that takes longer than a second is an error.
      """)

  @Option(
    parsing: .unconditional, help: ArgumentHelp("How many damaged files to try.", valueName: "n"))
  var mutations: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Another one gives other files. (default: 1)", valueName: "n"))
  var seed: UInt64?
  @Flag(help: "Print the result as a line of JSON.")
  var json = false

  func validate() throws {
    if let mutations, mutations < 1 {
      throw ValidationError("--mutations takes a number from 1 on")
    }
    guard seed == nil || mutations != nil else { throw ValidationError("--seed needs --mutations") }
  }

  func run() throws {
    try interruptible(onlyPrints: true) {
      if let mutations { try damage(mutations) } else { try time() }
    }
  }

  // MARK: Time

  private struct Row: Encodable {
    var what: String
    var milliseconds: Double
  }

  /// The median processor time of a step, in milliseconds.
  private func measured(_ what: String, _ body: () throws -> Void) rethrows -> Row {
    var times: [Double] = []
    let start = ContinuousClock.now
    while times.count < 5 || ContinuousClock.now - start < .milliseconds(500) {
      let before = ProcessUsage.current.cpuSeconds
      try body()
      times.append(ProcessUsage.current.cpuSeconds - before)
    }
    return Row(what: what, milliseconds: (times.median ?? 0) * 1000)
  }

  private func time() throws {
    let captions = CaptionSample(count: CaptionSample.filmCount).captions
    var rows: [Row] = []
    for format in CaptionFormat.allCases {
      let bytes = try CaptionDocument(captions: captions, format: format)
        .written(as: format).bytes
      rows.append(
        try measured("read .\(format.rawValue), \(bytes.count) bytes") {
          _ = try CaptionDocument(reading: bytes, format: format)
        })
    }
    let bytes = try CaptionDocument(captions: captions, format: .itt).written(as: .itt).bytes
    rows.append(
      try measured("read .itt, validate, write .scc") {
        let document = try CaptionDocument(reading: bytes)
        let settings = try CaptionConversionSettings()
        try CaptionConversionValidator(captions: document.captions, settings: settings)
          .validateCaptionConversion { _ in }
        _ = try document.written(as: .scc)
      })
    try drawing(&rows)
    if json { return try printJSON(rows) }
    let table = TextTable(
      header: ["", "CPU ms"],
      rows: rows.map { [$0.what, String(format: "%.3f", $0.milliseconds)] }, rightAligned: [1])
    for line in table.lines { printLine(line) }
  }

  /// Two lines at 1920x1080: set and drawn into coverage, then mixed into a frame.
  private func drawing(_ rows: inout [Row]) throws {
    let size = Dimensions(width: 1920, height: 1080)
    let range = TimeRange(start: .zero, end: Time(value: 10, timescale: 1))
    let lines = ["Nothing that we know about you", "was ever written in a café."]
    var free = Caption(lines.joined(separator: "\n"), timeRange: range)
    free.region = .appleITTBottom
    let cells = lines.enumerated().map { number, line in
      var caption = Caption(line, timeRange: range)
      caption.region = CaptionRegion(
        origin: .cell(column: 0, row: 13 + number), size: .cells(line.count, 1))
      return caption
    }
    for (name, captions) in [("two lines of text", [free]), ("two rows of cells", cells)] {
      let renderer = try CaptionRenderer(captions, dimensions: size)
      // Two scenes in turn, so that none is held.
      let empty = Time(value: 20, timescale: 1)
      rows.append(
        measured("draw \(name) at 1080p, 100 times") {
          for _ in 0..<100 {
            _ = renderer.overlay(at: empty)
            _ = renderer.overlay(at: .zero)
          }
        })
      rows[rows.count - 1].what = "draw \(name) at 1080p"
      rows[rows.count - 1].milliseconds /= 100
      let overlay = renderer.overlay(at: .zero)
      for (kind, format, tags) in [
        ("SDR, 8 bits", PixelFormat.yuv420Video8, ColorTags.bt709),
        ("HLG, 10 bits", .yuv420Video10, .hlg), ("PQ, 10 bits", .yuv420Video10, .pq),
      ] {
        let frame = try PixelBuffer(dimensions: size, format: format, tags: tags)
        rows.append(
          try measured("mix them into a frame, \(kind)") { try overlay.draw(over: frame) })
      }
    }
  }

  // MARK: Damage

  private struct Damage: Encodable {
    var files: Int
    var read: Int
    var written: Int
    var drawn: Int
    var captions: Int
    var slowestMilliseconds: Double
    var seconds: Double
    /// Beyond what was held before.
    var peakMegabytes: Double?
  }

  private func damage(_ count: Int) throws {
    let seed = seed ?? 1
    var files = try CaptionMutations(seed: seed)
    var result = Damage(
      files: count, read: 0, written: 0, drawn: 0, captions: 0, slowestMilliseconds: 0, seconds: 0)
    let held = ResidentMemory.restartPeak()
    let start = ContinuousClock.now
    for number in 0..<count {
      let bytes = files.next()
      let begin = ContinuousClock.now
      if let document = try? CaptionDocument(reading: bytes) {
        result.read += 1
        result.captions += document.captions.count
        _ = CaptionGrouper.groups(of: document.captions)
        let format = CaptionFormat.allCases[number % CaptionFormat.allCases.count]
        if (try? document.written(as: format)) != nil { result.written += 1 }
        let kind = CaptionTrack.Kind.allCases[number % CaptionTrack.Kind.allCases.count]
        if number % 7 == 0, let track = try? CaptionTrack(document, kind: kind) {
          _ = try CaptionTrack.captions(entry: track.entry, samples: track.samples)
        }
        if number % 100 == 0, try draw(document) { result.drawn += 1 }
      }
      let milliseconds = (ContinuousClock.now - begin) / .milliseconds(1)
      result.slowestMilliseconds = max(result.slowestMilliseconds, milliseconds)
      guard milliseconds < 1000 else {
        throw CinematicError(
          .unknown, "file \(number) of --seed \(seed) took \(milliseconds / 1000) s to be read")
      }
    }
    result.seconds = (ContinuousClock.now - start) / .seconds(1)
    if let held, let peak = ResidentMemory.peak {
      result.peakMegabytes = Double(peak - held) / 1e6
    }
    if json { return try printJSON(result) }
    printLine(
      "\(count) files: \(result.read) read, \(result.written) written, \(result.drawn) drawn,"
        + " \(result.captions) captions; "
        + String(
          format: "the slowest took %.1f ms, all %.0f s", result.slowestMilliseconds, result.seconds
        )
        + (result.peakMegabytes.map { String(format: ", %.1f MB of memory", $0) } ?? ""))
  }

  private func draw(_ document: CaptionDocument) throws -> Bool {
    guard let caption = document.captions.first else { return false }
    let renderer = try CaptionRenderer(
      document.captions, dimensions: Dimensions(width: 320, height: 180))
    let picture = try PixelBuffer(
      dimensions: renderer.dimensions, format: .yuv420Video8, tags: .bt709)
    for time in [caption.timeRange.start, document.captions.last?.timeRange.start ?? .zero] {
      try renderer.draw(at: time, over: picture)
    }
    return true
  }
}
