// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCPU
import FocalCore
import FocalRendering

extension RenderingQuality: @retroactive ExpressibleByArgument {
  public init?(argument: String) {
    guard let quality = RenderingQuality.allCases.first(where: { $0.description == argument })
    else { return nil }
    self = quality
  }

  public static var allValueStrings: [String] { allCases.map(\.description) }
  public var defaultValueDescription: String { description }
}

/// `WxH`.
struct SizeArgument: ExpressibleByArgument {
  var dimensions: Dimensions

  init?(argument: String) {
    let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
      width > 0, height > 0
    else { return nil }
    dimensions = Dimensions(width: width, height: height)
  }
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

/// The device that a `--device` argument names.
///
/// - Throws: `deviceLost` for one that this machine does not have.
func device(named name: String) throws(CinematicError) -> Device {
  switch name.lowercased() {
  case "auto", "cpu": return .cpu()
  default:
    throw CinematicError(
      .deviceLost, "there is no device '\(name)' on this machine", remedy: "use auto or cpu")
  }
}
