// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import Foundation

/// The report on its output of every command that renders, for people and for programs.
struct RenderOutcome: Encodable {
  var event = "done"
  /// As it was named; of one numbered picture the file.
  var output: String
  var width: Int
  var height: Int
  /// Those that were rendered.
  var frames: Int
  /// Those that were there before a rendering that went on.
  var framesKept: Int?
  /// Whether high dynamic range became standard.
  var isToneMapped: Bool
  var quality: String
  var device: String
  /// From the first frame's decoding to the output's publishing.
  var seconds: Double
  /// Of all cores, decoding and encoding included.
  var cpuSeconds: Double
  var framesPerSecond: Double

  /// - Parameters:
  ///   - frames: those that were rendered.
  ///   - kept: those that were there before a rendering that went on; `nil` for any other.
  ///   - start: when the work began, which ends now.
  ///   - usage: what the program had used by then.
  init(
    _ output: String, _ dimensions: Dimensions, frames: Int, kept: Int? = nil, isToneMapped: Bool,
    quality: RenderingQuality, device: String, since start: ContinuousClock.Instant,
    _ usage: ProcessUsage
  ) {
    self.output = output
    (width, height) = (dimensions.width, dimensions.height)
    self.frames = frames
    framesKept = kept
    self.isToneMapped = isToneMapped
    self.quality = quality.description
    self.device = device
    seconds = (ContinuousClock.now - start) / .seconds(1)
    cpuSeconds = ProcessUsage.current.cpuSeconds - usage.cpuSeconds
    framesPerSecond = Double(frames) / max(seconds, 1e-9)
  }

  private var frameText: String {
    let rendered = counted(frames, "frame")
    guard let framesKept, framesKept > 0 else { return rendered }
    return "\(rendered) rendered, \(framesKept) \(framesKept == 1 ? "was" : "were") there,"
  }

  /// - Parameter decided: how the focus was decided, ended by a comma; nothing where scripts decide.
  func summary(_ decided: String = "") -> String {
    "\(PipePath.outputName(output)): \(frameText) of \(width)x\(height), \(decided)"
      + "\(quality) on \(device), "
      + String(format: "%.2f s (%.2f fps, %.2f CPU s)", seconds, framesPerSecond, cpuSeconds)
  }
}
