// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalDevices
import FocalSample

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// FFmpeg's `varblur` filter on the frames of a test: a box blur of each pixel's own radius,
/// without occlusion, on 8-bit planes.
struct VarblurTest {
  private let ffmpeg: String
  /// Enough to stand out from the time that starting takes.
  private static let leastFrames = 12

  /// - Throws: `unsupported` where no `ffmpeg` is installed.
  init() throws(CinematicError) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard
      let path = folders.map({ "\($0)/ffmpeg" }).first(where: {
        FileManager.default.isExecutableFile(atPath: $0)
      })
    else {
      throw CinematicError(
        .unsupported, "there is no ffmpeg on PATH to compare with",
        remedy: "install FFmpeg, or leave out --vs")
    }
    ffmpeg = path
  }

  /// - Throws: `unsupported` for an FFmpeg that does not run the filter, `unwritable`.
  func measure(_ test: SpeedTest) throws -> SpeedResult {
    let frame = try Frames(source: test.source, disparity: test.disparity, radius: test.radius)
    // Starting up is taken off: it is the same for one frame and for many. Each frame is read from its file, which
    // counts. The first run only warms up.
    let count = max(Self.leastFrames, test.frames)
    _ = try run(frame, count: 1)
    let few = try run(frame, count: 1)
    let many = try run(frame, count: 1 + count)
    // On a busy machine the start may take longer than everything: then it is not taken off.
    let isOrdered = many.seconds > few.seconds && many.cpuSeconds > few.cpuSeconds
    let seconds =
      isOrdered
      ? (many.seconds - few.seconds) / Double(count) : many.seconds / Double(count + 1)
    let cpuSeconds =
      isOrdered
      ? (many.cpuSeconds - few.cpuSeconds) / Double(count) : many.cpuSeconds / Double(count + 1)
    return SpeedResult(
      device: "ffmpeg", quality: "varblur", width: test.dimensions.width,
      height: test.dimensions.height, radius: test.radius, milliseconds: seconds * 1e3,
      framesPerSecond: 1 / seconds,
      cpuSecondsPerFrame: cpuSeconds)
  }

  /// How near the filter's picture comes to the true one.
  func quality(_ test: QualityTest) throws -> QualityResult {
    let frame = try Frames(
      source: test.source, disparity: test.disparity, radius: QualityTest.radius)
    let output = frame.folder + "/output"
    _ = try run(frame, count: 1, output: output)
    let size = test.source.dimensions
    let planes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: output)))
    guard planes.count == 3 * size.count else { throw unrunnable }
    // from green, blue and red in planes to red, green and blue in pixels
    var values = [Float](repeating: 1, count: 4 * size.count)
    for (plane, channel) in [1, 2, 0].enumerated() {
      for pixel in 0..<size.count {
        values[4 * pixel + channel] = Float(planes[plane * size.count + pixel]) / 255
      }
    }
    let shown = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .sRGB, values: values)
    return try test.result(of: shown, device: "ffmpeg", quality: "varblur")
  }

  /// A frame as files in a folder of its own, which goes with it.
  private final class Frames {
    let folder = FileManager.default.temporaryDirectory.path + "/focal-varblur-\(UUID().uuidString)"
    let dimensions: Dimensions
    let radius: Float

    init(source: PixelBuffer, disparity: PixelBuffer, radius: Float) throws {
      dimensions = source.dimensions
      self.radius = radius
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try VarblurTest.planes(of: source).write(to: URL(fileURLWithPath: folder + "/picture"))
        try VarblurTest.radii(of: disparity, size: dimensions)
          .write(to: URL(fileURLWithPath: folder + "/radii"))
      } catch {
        throw CinematicError(
          .unwritable, "cannot write a frame for FFmpeg to \(folder)",
          remedy: "free some space there, or set TMPDIR")
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// Filters so many frames; the last one is written to `output`, where there is one.
  private func run(
    _ frame: Frames, count: Int, output: String? = nil
  ) throws -> (seconds: Double, cpuSeconds: Double) {
    func input(_ name: String, _ format: String) -> [String] {
      [
        "-stream_loop", "\(count - 1)", "-f", "rawvideo", "-pix_fmt", format, "-s",
        frame.dimensions.description, "-r", "30", "-i", "\(frame.folder)/\(name)",
      ]
    }
    let result = output.map { ["-f", "rawvideo", "-pix_fmt", "gbrp", $0] } ?? ["-f", "null", "-"]
    let arguments =
      ["-nostdin", "-hide_banner", "-loglevel", "error"] + input("picture", "gbrp")
      + input("radii", "gray") + [
        "-filter_complex", "[0:v][1:v]varblur=min_r=0:max_r=\(Int(frame.radius.rounded()))",
        "-frames:v", "\(count)",
      ] + result
    let before = ProcessUsage.children
    let start = ContinuousClock.now
    let ending = ChildProcess.run(ffmpeg, arguments, silence: .seconds(600)) { _ in }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    guard ending == .exited(0) else { throw unrunnable }
    return (seconds, ProcessUsage.children.cpuSeconds - before.cpuSeconds)
  }

  private var unrunnable: CinematicError {
    CinematicError(
      .unsupported, "\(ffmpeg) does not run its varblur filter",
      remedy: "install FFmpeg 5.0 or newer, or leave out --vs")
  }

  /// Green, blue and red as FFmpeg's `gbrp` has them, in display codes.
  private static func planes(of picture: PixelBuffer) throws(CinematicError) -> Data {
    let shown = try PictureComparison.displayPicture(ofLinear: picture.linearRGBA())
    var data = Data(capacity: 3 * picture.dimensions.count)
    shown.withUnsafeBytes { bytes in
      for channel in [1, 2, 0] {
        for y in 0..<shown.height {
          let row = y * shown.planes[0].bytesPerRow + 4 * channel
          for x in 0..<shown.width {
            let value = bytes.loadUnaligned(fromByteOffset: row + 16 * x, as: Float.self)
            data.append(UInt8(max(0, min(255, value * 255 + 0.5))))
          }
        }
      }
    }
    return data
  }

  /// The radius of each pixel as a share of the largest, in 8 bits.
  private static func radii(of map: PixelBuffer, size: Dimensions) -> Data {
    let focus = Float(LayeredScene.focusDisparity)
    let most = LayeredScene.disparities.map { abs(Float($0) - focus) }.max() ?? 1
    var data = Data(capacity: size.count)
    map.withUnsafeBytes { bytes in
      for y in 0..<size.height {
        let row = y * map.height / size.height * map.planes[0].bytesPerRow
        for x in 0..<size.width {
          let value = bytes.loadUnaligned(
            fromByteOffset: row + x * map.width / size.width * 4, as: Float.self)
          data.append(UInt8(max(0, min(255, 255 * abs(value - focus) / most))))
        }
      }
    }
    return data
  }
}
