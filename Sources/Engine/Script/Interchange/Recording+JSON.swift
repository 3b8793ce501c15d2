// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

extension Recording {
  /// A script from its JSON. The format, all times in ticks of `timescale`:
  ///
  /// | key | value |
  /// |---|---|
  /// | `format`, `version` | `"focal-script"`, 1 |
  /// | `timescale` | ticks a second, 1 to 2³¹ - 1 |
  /// | `timeRange` | `{"start", "duration"}` |
  /// | `frameDuration` or `frameTimes` | a constant step from the start, or the rising times |
  /// | `fNumber` | default 2.8 |
  /// | `tracks` | see below; default none |
  /// | `decisions` | `{"time", "detection" or "group", "strong", "user", "transition"}`; `strong` and `user` default to false; `transition` is optional: `{"duration", "curve"}`, with a curve of `minimumJerk`, `easeInOut`, `linear` |
  ///
  /// A track is `{"id", "group", "type", "kind"}` and more by its kind; `group` is optional, `type`
  /// the name of a ``DetectionType``, `kind` one of `recorded` (the default), `custom`, `fixed`.
  /// Fixed tracks have a `disparity`; the others `detections`, each `{"time", "rect": [x, y, width,
  /// height], "disparity"}`, custom ones also `smooth`, default true. Unknown keys are passed over.
  ///
  /// - Throws: `malformed` for text that is not such a script, with the line; `unsupported` for a
  ///   newer version.
  public init(jsonRepresentation data: Data) throws(CinematicError) {
    var result: Result<Recording, CinematicError>?
    data.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: UInt8.self) { bytes in
        result = Result { () throws(CinematicError) in
          var parser = ScriptParser()
          return try parser.parse(bytes)
        }
      }
    }
    guard let result else { throw CinematicError(.unknown, "the script could not be read") }
    self = try result.get()
  }

  /// The recording as JSON, as ``init(jsonRepresentation:)`` describes it. It reads back equal.
  ///
  /// - Throws: `unsupported` where its times have no common timescale of 32 bits.
  public func jsonRepresentation() throws(CinematicError) -> Data {
    var writer = try ScriptWriter(self)
    return writer.write()
  }
}

extension Script {
  /// The script as it is now, as a recording: added tracks and user decisions become part of it.
  public func flattened() throws(CinematicError) -> Recording {
    let snapshot = current
    return try Recording(
      timeRange: recording.timeRange, frameTimes: recording.frameTimes, fNumber: snapshot.fNumber,
      detectionTracks: recording.detectionTracks + snapshot.addedTracks.map(\.track),
      decisions: recording.baseDecisions + snapshot.userDecisions,
      transitions: snapshot.transitions)
  }
}
