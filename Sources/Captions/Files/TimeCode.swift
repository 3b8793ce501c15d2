// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How a SMPTE time code counts frames.
public struct TimeCodeRate: Hashable, Sendable {
  /// Which labels are left out so that 29.97 frames a second keep up with the clock.
  public enum DropMode: String, Hashable, Sendable {
    case nonDrop
    /// Frames 0 and 1 of every minute but each tenth.
    case dropNTSC
    /// Frames 0 to 3 of every second minute but each twentieth (TTML).
    case dropPAL
  }

  /// Frames that a second of the labels has, 1 to 1000.
  public let framesPerSecond: Int
  /// How long a frame is shown.
  public let frameDuration: Time
  public let dropMode: DropMode

  /// - Throws: `invalidParameter` for labels outside 1 to 1000 a second, a duration of which a second
  ///   holds no frame or more than 1000, or labels left out at a rate without so many.
  public init(
    framesPerSecond: Int, frameDuration: Time, dropMode: DropMode = .nonDrop
  ) throws(CinematicError) {
    guard (1...1000).contains(framesPerSecond) else {
      throw CinematicError(
        .invalidParameter,
        "a time code cannot count \(framesPerSecond) frames a second of \(frameDuration) s each",
        remedy: "give 1 to 1000 frames a second")
    }
    _ = try Self.frameCount(of: frameDuration)
    guard dropMode == .nonDrop || framesPerSecond % 30 == 0 else {
      throw Self.withoutDropFrame(frameDuration)
    }
    self.framesPerSecond = framesPerSecond
    self.frameDuration = frameDuration
    self.dropMode = dropMode
  }

  private init(_ framesPerSecond: Int, _ frameDuration: Time, _ dropMode: DropMode) {
    self.framesPerSecond = framesPerSecond
    self.frameDuration = frameDuration
    self.dropMode = dropMode
  }

  /// 29.97 frames a second, 30 labels a second.
  public static let ntsc = TimeCodeRate(30, Time(value: 1001, timescale: 30000), .nonDrop)
  /// 29.97 frames a second, labels that follow the clock.
  public static let ntscDrop = TimeCodeRate(30, Time(value: 1001, timescale: 30000), .dropNTSC)
  public static let film = TimeCodeRate(24, Time(value: 1, timescale: 24), .nonDrop)
  public static let pal = TimeCodeRate(25, Time(value: 1, timescale: 25), .nonDrop)

  /// The rate of a frame duration: its labels are the whole number next to the frames of a second.
  ///
  /// - Throws: `invalidParameter` for a duration of which 1 to 1000 do not make a second, and for labels that are left out at
  ///   another rate than 29.97 frames a second and its multiples.
  public init(frameDuration: Time, dropFrame: Bool = false) throws(CinematicError) {
    let count = try Self.frameCount(of: frameDuration)
    // Labels that are left out make up for 1000/1001: at 29.97 frames a second and multiples of it.
    if dropFrame {
      let ratio = frameDuration.seconds * Double(count) / 1.001
      guard count % 30 == 0, abs(ratio - 1) < 1e-5 else {
        throw Self.withoutDropFrame(frameDuration)
      }
    }
    try self.init(
      framesPerSecond: count, frameDuration: frameDuration,
      dropMode: dropFrame ? .dropNTSC : .nonDrop)
  }

  /// The whole number next to the frames of a second.
  ///
  /// - Throws: `invalidParameter` if it is not 1 to 1000.
  private static func frameCount(of frameDuration: Time) throws(CinematicError) -> Int {
    guard frameDuration > .zero else {
      throw CinematicError(.invalidParameter, "a frame of \(frameDuration) s is none")
    }
    let count = (1 / frameDuration.seconds).rounded()
    guard count >= 1, count <= 1000 else {
      throw CinematicError(
        .invalidParameter, "a time code cannot count frames of \(frameDuration) s",
        remedy: "give 1 to 1000 frames a second")
    }
    return Int(count)
  }

  private static func withoutDropFrame(_ frameDuration: Time) -> CinematicError {
    CinematicError(
      .invalidParameter,
      "time codes of \((1000 / frameDuration.seconds).rounded() / 1000) frames a second have no drop frame",
      remedy: "use drop frame with 29.97 or 59.94 frames a second")
  }

  /// The number of a frame from its label; labels that are left out count as if they were there.
  func frame(hours: Int, minutes: Int, seconds: Int, frames: Int) -> Int {
    let counted = ((hours * 60 + minutes) * 60 + seconds) * framesPerSecond + frames
    switch dropMode {
    case .nonDrop: return counted
    case .dropNTSC: return counted - (hours * 54 + minutes - minutes / 10) * 2 * multiple
    case .dropPAL: return counted - (hours * 27 + minutes / 2 - minutes / 20) * 4 * multiple
    }
  }

  /// Twice as many labels are left out at 59.94 frames a second.
  private var multiple: Int {
    switch dropMode {
    case .dropPAL: max(1, framesPerSecond / 25)
    default: max(1, framesPerSecond / 30)
    }
  }

  /// The label of a frame from 0 on.
  func label(of frame: Int) -> String {
    var number = max(0, frame)
    switch dropMode {
    case .nonDrop: break
    case .dropNTSC:
      let dropped = 2 * multiple
      let minute = 60 * framesPerSecond - dropped
      let tenMinutes = 10 * minute + dropped
      let (tens, rest) = number.quotientAndRemainder(dividingBy: tenMinutes)
      number += tens * 9 * dropped
      if rest >= minute + dropped { number += dropped * (1 + (rest - minute - dropped) / minute) }
    case .dropPAL:
      // Labels go at the start of minutes 2, 4, ... 18 of twenty.
      let dropped = 4 * multiple
      let pair = 120 * framesPerSecond - dropped
      let twentyMinutes = 10 * pair + dropped
      let (twenties, rest) = number.quotientAndRemainder(dividingBy: twentyMinutes)
      number += twenties * 9 * dropped
      if rest >= pair + dropped { number += dropped * (1 + (rest - pair - dropped) / pair) }
    }
    let (seconds, frames) = number.quotientAndRemainder(dividingBy: framesPerSecond)
    let separator = dropMode == .nonDrop ? ":" : ";"
    return "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
      + "\(separator)\(two(frames))"
  }

  /// When a frame begins.
  public func time(ofFrame frame: Int) -> Time { frameDuration * frame }

  /// The frame that begins nearest to a time; a time between two belongs to the later one.
  public func frame(nearest time: Time) -> Int {
    let numerator = Int128(time.value) * Int128(frameDuration.timescale)
    let denominator = Int128(time.timescale) * Int128(frameDuration.value)
    let doubled = 2 * numerator + denominator
    let quotient = doubled / (2 * denominator)
    let rounded = doubled < 0 && doubled % (2 * denominator) != 0 ? quotient - 1 : quotient
    return Int(max(-1 << 52, min(1 << 52, rounded)))
  }
}

/// A number in two digits at least.
func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
