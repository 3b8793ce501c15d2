// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore

/// `A,B`, two numbers.
struct PairArgument: Sendable {
  var first: Double
  var second: Double

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Double(parts[0]), let second = Double(parts[1]),
      first.isFinite, second.isFinite
    else { throw ValidationError("write two numbers, such as 0.25,0.75") }
    self.first = first
    self.second = second
  }
}

/// `X,Y`: a point as shares of the picture, from its top left corner.
struct PointArgument: Sendable {
  /// How points are counted, for help.
  static let corners = "0,0 is the top left corner of the picture as shown, 1,1 the bottom right"

  var point: NormalizedPoint

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    let pair = try PairArgument(parsing: text)
    guard (0...1).contains(pair.first), (0...1).contains(pair.second) else {
      throw ValidationError("write shares of the picture from 0 to 1, such as 0.5,0.4")
    }
    point = NormalizedPoint(x: pair.first, y: pair.second)
  }
}

/// A size at most: `1920x1080`, or `640` for both sides.
struct MaximumSizeArgument: Sendable {
  var dimensions: Dimensions

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    if let side = Int(text), side <= PixelBuffer.maximumDimension {
      dimensions = Dimensions(width: side, height: side)
    } else if text.contains("x") {
      dimensions = try SizeArgument(parsing: text).dimensions
    } else {
      throw ValidationError(
        "write a width and a height, such as 1280x720, or the longer side, up to"
          + " \(PixelBuffer.maximumDimension)")
    }
    guard min(dimensions.width, dimensions.height) >= 2 else {
      throw ValidationError("sides have at least 2 pixels, such as 1280x720")
    }
  }
}

/// `A-B` or `A`: frames by number, from 0, B included.
struct FramesArgument: Sendable {
  var range: ClosedRange<Int>

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let first = parts.first.flatMap({ Int($0) }), parts.count <= 2,
      let last = parts.count == 2 ? Int(parts[1]) : first
    else { throw ValidationError("write the first and the last frame, such as 0-23, or one") }
    guard first <= last else {
      throw ValidationError("the first frame comes before the last, as in \(last)-\(first)")
    }
    range = first...last
  }
}

/// The part of a clip that is read: `--frames`.
struct FramesOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only the frames A to B, B included: of numbered pictures by the numbers of their files, else from 0.",
      valueName: "a-b"),
    transform: FramesArgument.init(parsing:))
  var frames: FramesArgument?

  var range: ClosedRange<Int>? { frames?.range }
}

/// Frames a second: `30`, `29.97` or `30000/1001`.
struct FrameRateArgument: CustomStringConvertible, Sendable {
  /// How long one frame is shown.
  var duration: Time
  let description: String

  static let thirty = FrameRateArgument(
    duration: Time(value: 1, timescale: 30), description: "30")

  private init(duration: Time, description: String) {
    self.duration = duration
    self.description = description
  }

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    description = text
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, let frames = Int32(parts[0]), let seconds = Int32(parts[1]),
      frames > 0, seconds > 0
    {
      duration = Time(value: Int64(seconds), timescale: frames)
    } else if parts.count == 1, let rate = Double(text), rate >= 0.01, rate <= 10000 {
      // Rates such as 29.97 are thousandths of 1001.
      let fractional = (rate * 1001).rounded()
      let isFractional =
        rate != rate.rounded() && abs(fractional / 1001 - rate) < 0.005
        && fractional.truncatingRemainder(dividingBy: 1000) == 0
      duration =
        isFractional
        ? Time(value: 1001, timescale: Int32(fractional))
        : Time(value: 1000, timescale: Int32((rate * 1000).rounded()))
    } else {
      throw ValidationError("write frames a second, such as 25, 29.97 or 30000/1001")
    }
  }
}
