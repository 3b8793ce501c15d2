// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalMedia
import Foundation

/// The report of a rendering, for people and for programs.
struct RenderReport: Encodable {
  var event = "done"
  var output: String
  var width: Int
  var height: Int
  var frames: Int
  /// The first frame's.
  var focusDisparity: Float
  /// Where the focus comes from when it was not given.
  var focusOrigin: String?
  /// The focus script's path where one decided.
  var script: String?
  /// The first frame's.
  var fNumber: Float
  var blurScale: Float
  /// Whether high dynamic range became standard.
  var isToneMapped: Bool
  var quality: String
  var device: String
  /// From the first frame's decoding to the output's publishing.
  var seconds: Double
  /// Of all cores, decoding and encoding included.
  var cpuSeconds: Double
  var framesPerSecond: Double

  var summary: String {
    // A script may change both.
    let begins = script.map { "by \($0)\(frames > 1 ? ", at first" : ":") focus " } ?? "focus "
    return
      "\(PipePath.outputName(output)): \(counted(frames, "frame")) of \(width)x\(height), \(begins)\(focusDisparity), f/\(fNumber), "
      + "\(quality) on \(device), "
      + String(format: "%.2f s (%.2f fps, %.2f CPU s)", seconds, framesPerSecond, cpuSeconds)
  }
}
