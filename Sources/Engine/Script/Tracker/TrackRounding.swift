// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Rounds a tracker's numbers to what it is sure of: boxes do not tremble, and an hour of them takes
/// some tens of kilobytes.
///
/// A number keeps its value until it has moved by three quarters of a step, so that one between two
/// steps does not flicker.
package struct TrackRounding {
  /// A 64th of the object, as no tracker knows its sides better; a 256th of the spread of the map, half
  /// of what moves focus. Coarser shows, finer stores noise.
  private static let stepsAcross = 64.0
  private static let disparitySteps = 256.0

  private let step: Double
  private let disparityStep: Double
  private var held: [Double] = []

  /// - Parameters:
  ///   - first: the track's first detection, finite.
  ///   - spread: of the disparity map.
  package init(first: Detection, spread: Float) {
    let rect = first.normalizedRect
    step = Self.powerOfTwo(
      below: min(rect.width, rect.height) / Self.stepsAcross, from: -16, to: -9)
    let range = spread > 0 ? Double(spread) : Double(abs(first.focusDisparity))
    disparityStep = Self.powerOfTwo(below: range / Self.disparitySteps, from: -24, to: 8)
  }

  package mutating func round(_ detection: inout Detection) {
    let rect = detection.normalizedRect
    let steps = [step, step, step, step, disparityStep]
    let values = [rect.x, rect.y, rect.width, rect.height, Double(detection.focusDisparity)]
    if held.isEmpty { held = zip(values, steps).map { Self.rounded($0, to: $1) } }
    for (index, (value, step)) in zip(values, steps).enumerated()
    where abs(value - held[index]) >= 0.75 * step {
      held[index] = Self.rounded(value, to: step)
    }
    detection.normalizedRect = NormalizedRect(
      x: held[0], y: held[1], width: max(held[2], step), height: max(held[3], step))
    detection.focusDisparity = Float(held[4])
  }

  private static func rounded(_ value: Double, to step: Double) -> Double {
    (value / step).rounded() * step
  }

  private static func powerOfTwo(below value: Double, from least: Int, to most: Int) -> Double {
    let exponent = value > 0 && value.isFinite ? Int(value.exponent) : least
    return Double(sign: .plus, exponent: max(least, min(most, exponent)), significand: 1)
  }
}
