// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalDevices
import FocalScript
import Foundation

struct BenchScriptCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "bench-script",
    abstract: "Time how long scripts are read and written, beside common libraries.",
    discussion: """
      The script has 30 frames a second and four tracks with a detection in every frame: an object \
      that always moves, two that move half of the time and one that stands still. Its JSON is also \
      read by Foundation's JSONDecoder. Each track is also added to a script as an object tracker \
      makes it, and its changes are written; beside them stand the same numbers as columns of \
      differences, seven bits a byte, compressed by gzip. Peak memory is what is needed beyond what \
      was held before.
      """)

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Length of the script.", valueName: "minutes"))
  var minutes = 60
  @Flag(help: "Print the result as a line of JSON.")
  var json = false

  func validate() throws {
    guard (1...600).contains(minutes) else {
      throw ValidationError("--minutes takes a number from 1 to 600")
    }
  }

  struct Row: Encodable {
    var what: String
    var byteCount: Int
    var cpuSeconds: Double
    /// `nil` where it is not known.
    var peakMegabytes: Double?
  }

  func run() throws {
    let hour = SampleHour(frameCount: minutes * 1800)
    var rows: [Row] = []
    try interruptible {
      try measureScript(hour, &rows)
      for motion in SampleHour.Motion.allCases { try measureChanges(hour, motion, &rows) }
    }
    if json { return try printJSON(rows) }
    let table = TextTable(
      header: ["", "bytes", "CPU s", "peak MB"],
      rows: rows.map { row in
        [
          row.what, "\(row.byteCount)", String(format: "%.3f", row.cpuSeconds),
          row.peakMegabytes.map { String(format: "%.1f", $0) } ?? "",
        ]
      }, rightAligned: [1, 2, 3])
    for line in table.lines { printLine(line) }
  }

  private func measureScript(_ hour: SampleHour, _ rows: inout [Row]) throws {
    let recording = try hour.recording()
    var data = Data()
    rows.append(
      try measured("script, written") {
        data = try recording.jsonRepresentation()
        return data.count
      })
    rows.append(
      try measured("script, read") {
        let read = try Recording(jsonRepresentation: data)
        guard read == recording else { throw Self.difference }
        return data.count
      })
    rows.append(
      try measured("script, read by JSONDecoder") {
        let read = try JSONDecoder().decode(DecodedScript.self, from: data)
        guard read.tracks.count == recording.detectionTracks.count else { throw Self.difference }
        return data.count
      })
  }

  private func measureChanges(
    _ hour: SampleHour, _ motion: SampleHour.Motion, _ rows: inout [Row]
  ) throws {
    let detections = hour.tracked(motion)
    let script = try Script(recording: hour.recording(tracks: []))
    script.addDetectionTrack(try CustomDetectionTrack(detections: detections, smooth: false))
    let changes = script.changes()
    var data = Data()
    rows.append(
      measured("changes, \(motion), written") {
        data = changes.dataRepresentation
        return data.count
      })
    rows.append(
      try measured("changes, \(motion), read") {
        guard try Script.Changes(dataRepresentation: data) == changes else { throw Self.difference }
        return data.count
      })
    for level in [6, 9] {
      if let row = try compressed(detections, "columns, \(motion), gzip -\(level)", level) {
        rows.append(row)
      }
    }
  }

  /// Runs `body` and tells its time and its peak of memory.
  ///
  /// - Parameter body: returns how many bytes it read or wrote.
  private func measured(_ what: String, _ body: () throws -> Int) rethrows -> Row {
    let before = ResidentMemory.restartPeak()
    let start = ProcessUsage.current.cpuSeconds
    let count = try body()
    let seconds = ProcessUsage.current.cpuSeconds - start
    let peak = before.flatMap { before in
      ResidentMemory.peak.map { Double($0 - before) / 1e6 }
    }
    return Row(what: what, byteCount: count, cpuSeconds: seconds, peakMegabytes: peak)
  }

  /// The numbers as columns of differences in a file of its own, compressed; `nil` without gzip.
  private func compressed(_ detections: [Detection], _ what: String, _ level: Int) throws -> Row? {
    let path = FileManager.default.temporaryDirectory.path + "/focal-columns-\(UUID().uuidString)"
    defer { for end in ["", ".gz"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let start = ProcessUsage.current.cpuSeconds
    let columns = SampleHour.differences(of: detections)
    let seconds = ProcessUsage.current.cpuSeconds - start
    try columns.write(to: URL(fileURLWithPath: path))
    let childStart = ProcessUsage.children.cpuSeconds
    let arguments = ["gzip", "-\(level)", path]
    let ending = ChildProcess.run("/usr/bin/env", arguments, silence: .seconds(600), line: { _ in })
    guard ending == .exited(0) else { return nil }
    let size = try FileManager.default.attributesOfItem(atPath: path + ".gz")[.size] as? Int
    return Row(
      what: what, byteCount: size ?? 0,
      cpuSeconds: seconds + ProcessUsage.children.cpuSeconds - childStart, peakMegabytes: nil)
  }

  private static let difference = CinematicError(
    .unknown, "the script that was read is not the one that was written",
    remedy: "report this with the version of the program")
}

/// A script's JSON as a decoder of plain values sees it.
private struct DecodedScript: Decodable {
  struct Track: Decodable {
    var id: Int64
    var type: String
    var detections: [Sample]
  }

  struct Sample: Decodable {
    var time: Int64
    var rect: [Double]
    var disparity: Float
  }

  var timescale: Int32
  var fNumber: Float
  var tracks: [Track]
}
