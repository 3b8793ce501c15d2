// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalImport
import FocalMedia
import Foundation

/// The report of an import, for people and for programs.
struct ImportReport: Encodable {
  enum Video: String, Encodable {
    case copied, encoded
  }

  struct Disparity: Encodable {
    var width: Int
    var height: Int
    /// The disparities of the smallest and the largest code.
    var low: Float
    var high: Float
    var hasHoles: Bool
  }

  var event = "done"
  var output: String
  var width: Int
  var height: Int
  var frames: Int
  var video: Video
  /// Why pictures were encoded that nobody asked to encode, in words.
  var encodedBecause: String?
  var disparity: Disparity
  var sound: [WrittenSound]
  var script: String?
  var seconds: Double
  var cpuSeconds: Double

  init(_ result: MovieImport.Result, cpuSeconds: Double) {
    (output, script, sound) = (result.output, result.script, result.sound)
    (width, height) = (result.dimensions.width, result.dimensions.height)
    frames = result.frameCount
    video = result.copiesPictures ? .copied : .encoded
    encodedBecause = result.encodedBecause
    let disparity = result.disparity
    self.disparity = Disparity(
      width: disparity.dimensions.width, height: disparity.dimensions.height, low: disparity.low,
      high: disparity.high, hasHoles: disparity.hasHoles)
    (seconds, self.cpuSeconds) = (result.seconds, cpuSeconds)
  }

  var summary: String {
    "\(output): \(counted(frames, "frame")) of \(width)x\(height), \(video.rawValue)"
      + "\(encodedBecause.map { " (\($0))" } ?? ""), disparity of "
      + "\(disparity.width)x\(disparity.height) from \(disparity.low) to \(disparity.high), "
      + String(format: "%.2f s (%.2f CPU s)", seconds, cpuSeconds)
  }
}
