// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// A camera, a microphone or another device that FFmpeg's libavdevice reads.
public actor DeviceSource: CaptureSource {
  /// The wish for a size and a rate.
  public struct Wish: Hashable, Sendable {
    public var dimensions: Dimensions?
    /// Pictures a second.
    public var frameRate: Double?
    /// The form of pictures by FFmpeg's name, such as `mjpeg` or `yuyv422`.
    public var coding: String?

    public init(dimensions: Dimensions? = nil, frameRate: Double? = nil, coding: String? = nil) {
      (self.dimensions, self.frameRate, self.coding) = (dimensions, frameRate, coding)
    }
  }

  public nonisolated let name: String
  public nonisolated let properties: SourceProperties
  public nonisolated let soundFormat: SoundFormat?
  public nonisolated let disparityRange: ClosedRange<Float>?

  private let input: DeviceInput
  private let clock: any CaptureClock
  /// Devices count from 1970, or from their own start.
  private var zero: Time?
  private var last: Time?

  /// A device that says nothing for so long has gone.
  private static let patience = 5.0
  /// Stamps later than this, in seconds, are those of a clock on the wall.
  private static let wall = 1e9

  /// Whether an id names a device and no file: a kind of letters and digits, a colon, a name; or a camera's file.
  public static func isDevice(_ id: String) -> Bool {
    if id.hasPrefix("/dev/") { return true }
    guard let colon = id.firstIndex(of: ":"), colon != id.startIndex else { return false }
    let kind = id[..<colon]
    return kind.count > 1
      && kind.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" }
      && !id[colon...].hasPrefix("://")
  }

  /// - Parameter content: pictures, or the maps of a depth camera.
  /// - Throws: `invalidParameter` for a scale of maps without extent, `incomplete` where libavdevice is not installed, `unreadable` for a device that is not there or does
  ///   not take the wish, `unsupported` for pixels that cannot be read.
  public init(
    _ id: String, wish: Wish = Wish(), content: ReadOptions.Content = .picture,
    clock: any CaptureClock
  ) throws(CinematicError) {
    let id = id.hasPrefix("/dev/") ? "v4l2:\(id)" : id
    var settings: [String: String] = [:]
    if let size = wish.dimensions { settings["video_size"] = "\(size.width)x\(size.height)" }
    if let rate = wish.frameRate { settings["framerate"] = "\(rate)" }
    if let coding = wish.coding { settings["input_format"] = coding }
    name = id
    self.clock = clock
    let input = try DeviceInput(id, settings: settings, content: content)
    self.input = input
    properties =
      input.properties
      ?? SourceProperties(
        dimensions: Dimensions(width: 1, height: 1), pixelFormat: .gray8, tags: .sRGB)
    soundFormat = input.soundFormat
    if case .disparity(let scale) = content, scale.kind == .disparity {
      disparityRange = min(scale.low, scale.high)...max(scale.low, scale.high)
    } else {
      disparityRange = nil
    }
  }

  /// Whether it gives pictures, and not sound alone.
  public nonisolated var hasPictures: Bool { properties.dimensions.width > 1 }

  public func next() async throws(CinematicError) -> CaptureSample? {
    let wall = clock.start()
    let begin = ContinuousClock.now
    while true {
      if Task.isCancelled { throw CinematicError(.cancelled, "reading \(name) was cancelled") }
      switch try input.next() {
      case .picture(let buffer, let stamp):
        let time = settled(stamp, wall: wall)
        // A picture from before the session's beginning, or a second one at the same time, is left out.
        if time < .zero || last.map({ time <= $0 }) ?? false { continue }
        last = time
        return .picture(
          CapturedPicture(
            pixelBuffer: buffer, time: time, duration: properties.nominalFrameDuration))
      case .sound(var buffer):
        buffer.time = settled(buffer.time, wall: wall)
        return .sound(buffer)
      case nil:
        guard (ContinuousClock.now - begin) / .seconds(1) < Self.patience else {
          throw CinematicError(
            .deviceLost, "\(name) delivers nothing any more", remedy: "check its cable")
        }
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  /// A device's stamp on the session's clock.
  private func settled(_ stamp: Time, wall: Double) -> Time {
    if zero == nil {
      zero =
        stamp.seconds > Self.wall
        ? Time(seconds: wall, preferredTimescale: 1_000_000) : stamp - clock.now
    }
    return stamp - (zero ?? .zero)
  }
}
