// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalRendering

extension RenderingQuality: ExpressibleByArgument {
  public init?(argument: String) {
    guard let quality = RenderingQuality.allCases.first(where: { $0.description == argument })
    else { return nil }
    self = quality
  }

  public static var allValueStrings: [String] { allCases.map(\.description) }
  public var defaultValueDescription: String { description }
}

/// `WxH`.
struct SizeArgument: ExpressibleByArgument, CustomStringConvertible {
  var dimensions: Dimensions

  init(dimensions: Dimensions) { self.dimensions = dimensions }

  init?(argument: String) {
    let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
      width > 0, height > 0
    else { return nil }
    dimensions = Dimensions(width: width, height: height)
  }

  var description: String { dimensions.description }
}

/// `A,B`, two numbers.
struct PairArgument: ExpressibleByArgument {
  var first: Double
  var second: Double

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Double(parts[0]), let second = Double(parts[1]),
      first.isFinite, second.isFinite
    else { return nil }
    self.first = first
    self.second = second
  }
}

/// `A-B` or `A`: frames by number, from 0.
struct FramesArgument: ExpressibleByArgument {
  var range: ClosedRange<Int>

  init?(argument: String) {
    let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard let first = parts.first.flatMap({ Int($0) }), parts.count <= 2,
      let last = parts.count == 2 ? Int(parts[1]) : first, first >= 0, first <= last
    else { return nil }
    range = first...last
  }
}

/// Frames a second: `30`, `29.97` or `30000/1001`.
struct FrameRateArgument: ExpressibleByArgument, CustomStringConvertible {
  /// How long one frame is shown.
  var duration: Time

  static let thirty = FrameRateArgument(duration: Time(value: 1, timescale: 30))

  init(duration: Time) { self.duration = duration }

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, let frames = Int32(parts[0]), let seconds = Int32(parts[1]),
      frames > 0, seconds > 0
    {
      duration = Time(value: Int64(seconds), timescale: frames)
    } else if parts.count == 1, let rate = Double(argument), rate >= 0.01, rate <= 10000 {
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
      return nil
    }
  }

  var description: String { "30" }
}
