// SPDX-License-Identifier: Apache-2.0

/// The result of one timing.
struct SpeedResult: Encodable {
  var device: String
  var quality: String
  var width: Int
  var height: Int
  var radius: Float
  /// Median wall-clock time of a frame that is waited for.
  var milliseconds: Double
  /// With several frames in flight.
  var framesPerSecond: Double?
  /// Copying to the device, the kernels, and copying from it, by the device's own clock.
  var uploadMilliseconds: Double?
  var computeMilliseconds: Double?
  var downloadMilliseconds: Double?
  /// Reading source and map once and writing the frame once at the device's own copy rate.
  var floorMilliseconds: Double?
  /// Mean of all cores.
  var cpuSecondsPerFrame: Double
  /// Working memory of the session on its device.
  var workingMegabytes: Double?
  /// The process's largest resident size so far, pictures included.
  var peakMegabytes: Double?
  /// Allocations of working memory in the timed frames.
  var allocationsOnceWarm: Int?
  /// Seconds of each kernel in one frame.
  var kernels: [String: Double]?

  /// The kernels' time as a multiple of the floor.
  var timesFloor: Double? {
    guard let computeMilliseconds, let floorMilliseconds, floorMilliseconds > 0 else { return nil }
    return computeMilliseconds / floorMilliseconds
  }

  static let header =
    "device        quality      size       radius        ms     fps   upload  compute download"
    + "  x floor  CPU s/frame  working MB  peak MB  allocations"

  var row: String {
    func column(_ value: Double?, _ width: Int, _ digits: Int) -> String {
      guard let value else { return String(repeating: " ", count: width - 1) + "-" }
      return formatted("%\(width).\(digits)f", value)
    }
    var text = [
      padded(device, 13), padded(quality, 12), padded("\(width)x\(height)", 10),
      column(Double(radius), 6, 1), column(milliseconds, 9, 2), column(framesPerSecond, 7, 1),
      column(uploadMilliseconds, 8, 2), column(computeMilliseconds, 8, 2),
      column(downloadMilliseconds, 8, 2), column(timesFloor, 8, 1),
      column(cpuSecondsPerFrame, 12, 3), column(workingMegabytes, 11, 0),
      column(peakMegabytes, 8, 0), column(allocationsOnceWarm.map { Double($0) }, 12, 0),
    ].joined(separator: " ")
    for (kernel, seconds) in (kernels ?? [:]).sorted(by: { $0.value > $1.value }) {
      text += "\n  \(padded(kernel, 26)) \(column(seconds * 1e3, 8, 2)) ms"
    }
    return text
  }
}
