// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalBoxes
import FocalCore
import Synchronization

/// The content of a pipe.
public enum PipedSource: Sendable {
  /// One picture, or one PNG of several that move, whose bytes are all there: an asset like that of a file.
  case picture(Asset)
  /// Pictures one after another.
  case stream(PipedPictures)
}

/// Pictures that come through a pipe, one after another, and only once: Y4M, NUT, Matroska or another
/// container that can be read as it comes, or PNG files one behind the other.
///
/// How many there are is told by the end. One picture is read ahead, so that a frame's length is known.
// @unchecked Sendable: `source`, `pending`, `convert` and `count` are touched only by jobs on `queue`.
public final class PipedPictures: @unchecked Sendable {
  /// `standard input`, or the path.
  public let name: String
  /// The properties of the first picture; the number of frames and the length are 0.
  public let properties: SourceProperties
  /// Title, dates, timecode and chapters, as far as the stream begins with them.
  public let companions: FilmCompanions

  private let queue: DispatchQueue
  private let source: any PipedFrames
  private let convert: FrameFeed.Convert
  /// The picture after the one that was delivered last.
  private var pending: PipedFrame?
  private var count = 0
  private let latest = Mutex<MediaFrame?>(nil)
  private let turn = AsyncLock()

  /// Opens a pipe, and waits for its first picture.
  ///
  /// - Parameter path: as ``PipePath/isPipe(_:)`` tells.
  /// - Throws: `unreadable`, `malformed` for an empty or damaged stream, `unsupported` for a container that
  ///   can only be read as a file, `invalidParameter` for a terminal.
  public static func open(
    _ path: String, options: ReadOptions = ReadOptions()
  ) async throws(CinematicError) -> PipedSource {
    let queue = DispatchQueue(label: "focal.pipe")
    return try await job(queue) { _ throws(CinematicError) -> PipedSource in
      let pipe = try InputPipe(path)
      let magic = try pipe.peek(StillKind.magicByteCount)
      guard !magic.isEmpty else {
        throw CinematicError(
          .malformed, "\(pipe.name) is empty", remedy: "check the program that writes it")
      }
      guard let kind = StillKind(magic: magic) else {
        let stream = try CodedFrames(pipe, options)
        return .stream(try PipedPictures(pipe.name, queue, stream, options))
      }
      let first = try kind == .png ? PNGFrames.file(pipe) : pipe.takeAll()
      // Of PNG, others may follow; other kinds end with the pipe.
      guard kind == .png, try !pipe.peek(1).isEmpty else {
        try kind.checkIsOne(first, pipe.name)
        return .picture(
          Asset(
            source: HeldBytes(name: pipe.name, bytes: first), pictureDuration: options.stillDuration
          ))
      }
      let stream = PNGFrames(pipe, first: first, options)
      return .stream(try PipedPictures(pipe.name, queue, stream, options))
    }
  }

  private init(
    _ name: String, _ queue: DispatchQueue, _ source: any PipedFrames, _ options: ReadOptions
  ) throws(CinematicError) {
    self.name = name
    self.queue = queue
    var source = source
    if options.interlacing != .keep, case .picture = options.content, source.facts.kind == .clip {
      source = PipedFields(source, name: name, deinterlaces: options.interlacing == .deinterlace)
    }
    self.source = source
    guard let first = try source.next(Interruption()) else {
      throw CinematicError(
        .malformed, "\(name) holds no picture", remedy: "check the program that writes it")
    }
    pending = first
    let reading = PictureReading(name, source.facts, options)
    convert = try reading.makeConverter(first: first.picture, codecName: source.codecName)
    guard let found = reading.found else {
      throw CinematicError(.unknown, "\(name) gave a picture without a format")
    }
    properties = SourceProperties(found, source)
    var companions = source.companions
    companions.leaveOut(found.unkeptExtras)
    self.companions = companions
  }

  /// The next picture; `nil` after the last one.
  ///
  /// - Throws: `malformed`, `unreadable`, `incompatible` for a picture of another size, `cancelled`.
  public func next() async throws(CinematicError) -> MediaFrame? {
    try await turn.lock()
    defer { turn.unlock() }
    return try await readNext()
  }

  /// A picture by its number, from 0: the last one that was read, or a later one.
  ///
  /// - Returns: `nil` after the last one.
  /// - Throws: as ``next()``; `invalidParameter` for one that is gone.
  public func frame(number: Int) async throws(CinematicError) -> MediaFrame? {
    try await turn.lock()
    defer { turn.unlock() }
    if let known = latest.withLock({ $0 }) {
      if known.index == number { return known }
      guard known.index < number else {
        throw CinematicError(
          .invalidParameter, "picture \(number) of \(name) has gone by",
          remedy: "save the stream as a file")
      }
    }
    while let frame = try await readNext() {
      if frame.index == number { return frame }
    }
    return nil
  }

  private func readNext() async throws(CinematicError) -> MediaFrame? {
    let frame = try await Self.job(queue) {
      [self] interruption throws(CinematicError) -> MediaFrame? in
      guard let current = pending else { return nil }
      pending = try source.next(interruption)
      let duration = max(
        pending.map { $0.time - current.time } ?? current.duration, Time(value: 1, timescale: 90000)
      )
      let number = count
      count += 1
      return MediaFrame(
        pixelBuffer: try convert(current.picture, number), time: current.time, duration: duration,
        index: number)
    }
    if let frame { latest.withLock { $0 = frame } }
    return frame
  }

  /// Does something on a thread that may wait for the pipe.
  private static func job<Value: Sendable>(
    _ queue: DispatchQueue,
    _ body: @escaping @Sendable (Interruption) throws(CinematicError) -> Value
  ) async throws(CinematicError) -> Value {
    let interruption = Interruption()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<Value, CinematicError>, Never>) in
        queue.async {
          continuation.resume(
            returning: Result { () throws(CinematicError) in try body(interruption) })
        }
      }
    } onCancel: {
      interruption.interrupt()
    }
    return try result.get()
  }
}

/// A picture as it came, and when it is shown.
struct PipedFrame {
  var picture: PictureFrame
  var time: Time
  /// Where no picture follows it.
  var duration: Time
}

/// Decoded pictures in their order. Used by one thread at a time, one that may wait.
protocol PipedFrames: AnyObject {
  var facts: PictureFacts { get }
  var codecName: String { get }
  /// Ticks a second of the times.
  var timescale: Int32 { get }
  /// The typical time from picture to picture.
  var frameDuration: Time { get }
  var hasSound: Bool { get }
  /// Beside pictures and sound.
  var companions: FilmCompanions { get }

  /// The next picture; `nil` at the end.
  func next(_ interruption: Interruption) throws(CinematicError) -> PipedFrame?
}

extension SourceProperties {
  fileprivate init(_ found: PictureReading.Found, _ source: any PipedFrames) {
    self.init(
      kind: source.facts.kind, dimensions: found.dimensions, pixelFormat: found.pixelFormat,
      tags: found.tags, logCoding: found.logCoding, colorCodes: found.colorCodes,
      hdrMetadata: found.hdrMetadata, codedPixels: found.codedPixels,
      fieldOrder: found.fieldOrder, unkeptExtras: found.unkeptExtras,
      bitDepth: found.bitDepth, preferredTransform: found.rotation.turn,
      pixelAspectRatio: found.pixelAspectRatio, frameCount: 0, duration: .zero, startTime: .zero,
      timescale: source.timescale, nominalFrameDuration: source.frameDuration,
      hasAudio: source.hasSound, codecDescription: found.codecDescription,
      pictureMetadata: found.pictureMetadata.shared)
    isMirrored = found.rotation.isMirrored
  }
}

/// Bytes that came through a pipe.
private struct HeldBytes: ByteSource {
  let name: String
  let bytes: [UInt8]

  func byteCount() -> Int64 { Int64(bytes.count) }

  func read(_ range: Range<Int64>) -> [UInt8] {
    let whole = range.clamped(to: 0..<Int64(bytes.count))
    return Array(bytes[Int(whole.lowerBound)..<Int(whole.upperBound)])
  }
}
