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
  /// | `disparityRange` | `[low, high]`, where racks are not measured by what the tracks span |
  /// | `cuts` | the rising times at which other shots begin; default none |
  /// | `look` | the lens: `blurScale`, `apertureBlades`, `apertureRotation` and the other names of ``Look/Name``, all optional; unknown values are kept |
  /// | `decisions` | `{"time", "detection" or "group", "strong", "user", "transition"}`; `strong` and `user` default to false; `transition` is optional: `{"duration", "curve"}`, with a curve of `minimumJerk`, `easeInOut`, `linear`, and `elapsed` and `remaining` where the script was cut within it, default 0 |
  ///
  /// A track is `{"id", "group", "type", "kind"}` and more by its kind; `group` is optional, `type`
  /// the name of a ``DetectionType``, `kind` one of `recorded` (the default), `custom`, `fixed`.
  /// Fixed tracks have a `disparity` and may have an `origin`, the detection it was taken from, with its
  /// `type`, and its `id` and `group` if it had them; the others have `detections`, each `{"time", "rect": [x, y, width,
  /// height], "disparity"}`, custom ones also `smooth`, default true. Numbers of a rectangle are at most a million, either
  /// way. Unknown keys are passed over.
  ///
  /// - Throws: `malformed` for text that is not such a script, with the line; `unsupported` for a
  ///   newer version.
  public init(jsonRepresentation data: Data) throws(CinematicError) {
    var unknownKeys: [String] = []
    try self.init(jsonRepresentation: data, unknownKeys: &unknownKeys)
  }

  /// A script from its JSON, as ``init(jsonRepresentation:)``, with the keys that are passed over.
  ///
  /// - Parameter unknownKeys: becomes the names of such keys in the order of the text, each once, 16 at most.
  /// - Throws: as ``init(jsonRepresentation:)``.
  public init(
    jsonRepresentation data: Data, unknownKeys: inout [String]
  ) throws(CinematicError) {
    var keys: [String] = []
    var result: Result<Recording, CinematicError>?
    data.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: UInt8.self) { bytes in
        result = Result { () throws(CinematicError) in
          var parser = ScriptParser()
          defer { keys = parser.unknownKeys }
          return try parser.parse(bytes)
        }
      }
    }
    guard let result else { throw CinematicError(.unknown, "the script could not be read") }
    unknownKeys = keys
    self = try result.get()
  }

  /// The recording as JSON, as ``init(jsonRepresentation:)`` describes it. It reads back equal, if no rectangle is larger
  /// than is read.
  ///
  /// - Throws: `unsupported` where its times have no common timescale of 32 bits, or no ticks of it of 64 bits,
  ///   `invalidParameter` for a look with a number that is not finite.
  public func jsonRepresentation() throws(CinematicError) -> Data {
    var writer = try ScriptWriter(self)
    return try writer.write()
  }
}

extension Script {
  /// The script as it is now, as a recording: added tracks and user decisions become part of it, base
  /// decisions stand where they were moved to, and those that were removed are not in it. It gives the same focus in
  /// every frame.
  ///
  /// - Throws: `invalidParameter` where a recording cannot hold an f-number or a track that the script was given.
  public func flattened() throws(CinematicError) -> Recording {
    let snapshot = current
    let added = snapshot.addedTracks.map(\.track)
    let ids = Set(added.compactMap(\.detectionID))
    // Those recorded on an id that was free had no effect, and get none from the track that took it.
    let base =
      snapshot.editedBaseDecisions
      ?? recording.baseDecisions.filter { $0.detectionID.map { !ids.contains($0) } ?? true }
    return try Recording(
      timeRange: recording.timeRange, frameTimes: recording.frameTimes, fNumber: snapshot.fNumber,
      detectionTracks: recording.detectionTracks + added,
      decisions: base + snapshot.userDecisions,
      transitions: snapshot.transitions,
      disparityRange: added.isEmpty && recording.codedDisparities == nil
        ? recording.disparityRange : snapshot.index.spannedDisparities ?? 0...0,
      cuts: recording.cuts,
      look: recording.look.overridden(by: snapshot.changedLook))
  }
}
