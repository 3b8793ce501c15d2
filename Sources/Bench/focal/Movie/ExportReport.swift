// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalMedia
import Foundation

/// The report of an export or a thumbnail, for people and for programs.
struct ExportReport: Encodable {
  var event = "done"
  var output: String
  var width: Int
  var height: Int
  var frames: Int
  /// Of a thumbnail: when it appears in the movie.
  var time: Double?
  /// Whether high dynamic range became standard.
  var isToneMapped: Bool
  /// Where the focus of each movie comes from.
  var focus: [MovieFocus]
  var quality: String
  var device: String
  var seconds: Double
  /// Of all cores, decoding and encoding included.
  var cpuSeconds: Double
  var framesPerSecond: Double

  var summary: String {
    "\(PipePath.outputName(output)): \(counted(frames, "frame")) of \(width)x\(height), \(quality) on \(device), "
      + String(format: "%.2f s (%.2f fps, %.2f CPU s)", seconds, framesPerSecond, cpuSeconds)
  }
}
