// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// PNG files that come through a pipe one behind the other.
final class PNGFrames: PipedFrames {
  private let pipe: InputPipe
  private let options: ReadOptions
  private var first: [UInt8]?
  private var count: Int64 = 0

  let facts: PictureFacts
  let codecName = StillKind.png.rawValue
  let hasSound = false
  let companions = FilmCompanions()
  var timescale: Int32 { options.stillDuration.timescale }
  var frameDuration: Time { options.stillDuration }

  /// - Parameter first: the first file, which was read already.
  init(_ pipe: InputPipe, first: [UInt8], _ options: ReadOptions) {
    self.pipe = pipe
    self.first = first
    self.options = options
    facts = PictureFacts(
      kind: .numbered, pixelAspectRatio: .square, frameDuration: options.stillDuration)
  }

  func next(_ interruption: Interruption) throws(CinematicError) -> PipedFrame? {
    let name = "picture \(count) of \(pipe.name)"
    var bytes = first ?? []
    first = nil
    if bytes.isEmpty {
      guard try !pipe.peek(1).isEmpty else { return nil }
      bytes = try Self.file(pipe)
    }
    var request = StillRequest(name)
    request.content = StillRequest.Content(options.content)
    let frame = try StillDecoder.decode(bytes, request)
    frame.pointer.pointee.pts = count
    let time = options.stillDuration * Int(count)
    count += 1
    return PipedFrame(picture: frame, time: time, duration: options.stillDuration)
  }

  /// One file, up to its end chunk (PNG §5.3).
  ///
  /// - Throws: `malformed` for bytes that are none, or if the pipe ends in it.
  static func file(_ pipe: InputPipe) throws(CinematicError) -> [UInt8] {
    var bytes = try pipe.take(8)
    guard StillKind(magic: bytes) == .png else {
      throw CinematicError(
        .malformed, "\(pipe.name) goes on with something else than a PNG picture",
        remedy: "send PNG pictures one behind the other, Y4M or NUT")
    }
    while true {
      let head = try pipe.take(8)
      guard head.count == 8 else { throw cutShort(pipe) }
      let length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
      guard length < 1 << 31 else {
        throw CinematicError(
          .malformed, "\(pipe.name) holds a PNG picture with a part of \(length) bytes",
          remedy: "check the program that writes it")
      }
      let rest = try pipe.take(length + 4)
      guard rest.count == length + 4 else { throw cutShort(pipe) }
      bytes += head + rest
      if head[4...].elementsEqual("IEND".utf8) { return bytes }
    }
  }

  private static func cutShort(_ pipe: InputPipe) -> CinematicError {
    CinematicError(
      .malformed, "\(pipe.name) ends in the middle of a picture",
      remedy: "check the program that writes it")
  }
}
