// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// A file that is played at its rate, as if it were a camera: pictures, numbered ones or a movie, with its sound.
public actor FileSource: CaptureSource {
  public nonisolated let name: String
  public nonisolated let properties: SourceProperties
  public nonisolated let soundFormat: SoundFormat?
  public nonisolated let disparityRange: ClosedRange<Float>?

  private let reader: FrameReader
  private let clock: any CaptureClock
  /// How often the file is played.
  private var timesLeft: Int
  private let assetSound: AssetSound?
  private var sound: SoundFeed?
  /// Where the file began the last time it was played.
  private var origin = Time.zero
  /// Where the last picture ended, in the file.
  private var end = Time.zero
  private var frame: MediaFrame?
  private var buffer: SoundBuffer?

  /// - Parameters:
  ///   - times: how often the file is played, at least once.
  ///   - withSound: whether its sound is heard.
  /// - Throws: as `FrameReader.open`; `invalidParameter` also for one picture, `unsupported` for sound that cannot be decoded.
  public init(
    _ path: String, options: ReadOptions = ReadOptions(), times: Int = 1, withSound: Bool = true,
    clock: any CaptureClock
  ) async throws(CinematicError) {
    name = path
    self.clock = clock
    timesLeft = max(1, times)
    reader = try await FrameReader.open(path, options: options)
    try Self.check(reader.properties, of: path)
    properties = reader.properties
    var range: ClosedRange<Float>?
    var isPicture = true
    if case .disparity(let scale) = options.content {
      isPicture = false
      if scale.kind == .disparity, !reader.properties.holdsFloats {
        range = min(scale.low, scale.high)...max(scale.low, scale.high)
      }
    }
    disparityRange = range
    assetSound =
      withSound && isPicture && reader.properties.kind == .clip
      ? try await AssetSound(reader.asset) : nil
    let feed = try assetSound.flatMap { sound throws(CinematicError) in try SoundFeed(sound) }
    soundFormat = feed?.format
    sound = feed
  }

  /// Whether a file can be played as a camera.
  ///
  /// - Throws: `invalidParameter` for one picture.
  static func check(_ properties: SourceProperties, of path: String) throws(CinematicError) {
    guard properties.kind == .still else { return }
    throw CinematicError(
      .invalidParameter, "\(path) is one picture, and a camera gives many",
      remedy: "give a movie or numbered pictures")
  }

  public func next() async throws(CinematicError) -> CaptureSample? {
    clock.start()
    while true {
      if buffer == nil {
        buffer = try sound?.next()
        if buffer == nil { sound = nil }
      }
      if frame == nil {
        frame = try await reader.next()
        if let frame { end = frame.time + frame.duration }
      }
      if let heard = buffer, heard.time < frame?.time ?? end {
        buffer = nil
        guard heard.time + heard.duration > .zero else { continue }
        try await wait(until: origin + heard.time)
        return .sound(
          SoundBuffer(format: heard.format, samples: heard.samples, time: origin + heard.time))
      }
      if let seen = frame {
        frame = nil
        try await wait(until: origin + seen.time)
        return .picture(
          CapturedPicture(
            pixelBuffer: seen.pixelBuffer, time: origin + seen.time, duration: seen.duration))
      }
      guard timesLeft > 1 else {
        // The last picture is shown for its time.
        try await wait(until: origin + end)
        return nil
      }
      timesLeft -= 1
      try await rewind()
    }
  }

  /// Plays the file again, behind its end.
  private func rewind() async throws(CinematicError) {
    origin += end - reader.timeRange(ofFrame: reader.frameNumbers.lowerBound).start
    frame = try await reader.frame(number: reader.frameNumbers.lowerBound)
    sound = try assetSound.flatMap { sound throws(CinematicError) in try SoundFeed(sound) }
    buffer = nil
  }

  private func wait(until time: Time) async throws(CinematicError) {
    await clock.sleep(until: time)
    if Task.isCancelled {
      throw CinematicError(.cancelled, "playing \(name) was cancelled")
    }
  }
}
