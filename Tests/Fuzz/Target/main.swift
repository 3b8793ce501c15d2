// SPDX-License-Identifier: Apache-2.0

import CFuzzer
import FocalCaptions
import FocalCore
import FocalScript
import Foundation
import MovieKit

@testable import FocalMedia

/// The reader of libFuzzer's inputs: `FOCAL_FUZZ_KIND` is the name of a kind. Errors are expected; traps and endless
/// work are the failures.
private enum Kind: String {
  case boxes, script, changes, captions, stills

  static let chosen = ProcessInfo.processInfo.environment["FOCAL_FUZZ_KIND"].flatMap(Kind.init)

  func read(_ bytes: [UInt8]) {
    switch self {
    case .boxes: try? HostileFile.exercise(bytes)
    case .script: Self.readScript(bytes)
    case .changes: Self.readChanges(bytes)
    case .captions: Self.readCaptions(bytes)
    case .stills:
      var request = StillRequest("fuzz")
      request.damage = .warn { _ in }
      _ = try? StillDecoder.decode(bytes, request)
      request.content = .map
      _ = try? StillDecoder.decode(bytes, request)
    }
  }

  private static func readScript(_ bytes: [UInt8]) {
    guard let recording = try? Recording(jsonRepresentation: Data(bytes)) else { return }
    _ = try? recording.jsonRepresentation()
    if let script = try? Script(recording: recording) { look(at: script) }
  }

  /// A recording to which changes may belong, from the file that `FOCAL_FUZZ_SCRIPT` names.
  private static let recording = ProcessInfo.processInfo.environment["FOCAL_FUZZ_SCRIPT"].flatMap {
    FileManager.default.contents(atPath: $0)
  }.flatMap { try? Recording(jsonRepresentation: $0) }

  private static func readChanges(_ bytes: [UInt8]) {
    guard let changes = try? Script.Changes(dataRepresentation: Data(bytes)) else { return }
    _ = changes.dataRepresentation
    guard let recording, let script = try? Script(recording: recording, changes: changes) else {
      return
    }
    look(at: script)
  }

  private static func look(at script: Script) {
    for frame in script.frames(in: script.timeRange).prefix(20) {
      _ = frame.focusDisparity
      _ = frame.detection(at: NormalizedPoint(x: 0.5, y: 0.5))
      _ = script.primaryDecision(at: frame.time)
      _ = script.frame(atOrAfter: frame.time)
    }
    for decision in script.decisions(in: script.timeRange).prefix(20) {
      _ = script.timeRangeOfTransition(after: decision)
      _ = script.detectionTrack(for: decision)
    }
    _ = script.focusTransitions
    let range = script.timeRange
    _ = try? script.changes(trimmedBy: TimeRange(start: range.start, duration: range.duration))
    _ = script.changes().dataRepresentation
  }

  private static func readCaptions(_ bytes: [UInt8]) {
    guard let document = try? CaptionDocument(reading: bytes) else { return }
    _ = CaptionGrouper.groups(of: document.captions)
    let number = bytes.count
    let format = CaptionFormat.allCases[number % CaptionFormat.allCases.count]
    _ = try? document.written(as: format)
    let kind = CaptionTrack.Kind.allCases[number % CaptionTrack.Kind.allCases.count]
    if let track = try? CaptionTrack(document, kind: kind) {
      _ = try? CaptionTrack.captions(entry: track.entry, samples: track.samples)
    }
  }
}

guard Kind.chosen != nil else { fatalError("FOCAL_FUZZ_KIND names no kind of input") }

nonisolated(unsafe) var count = CommandLine.argc
// Read before any other thread runs.
nonisolated(unsafe) var arguments = CommandLine.unsafeArgv
exit(
  LLVMFuzzerRunDriver(&count, &arguments) { start, count in
    Kind.chosen?.read(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  })
