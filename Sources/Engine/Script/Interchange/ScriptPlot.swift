// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A script as a drawing: disparity over time, a line a track, the way of focus over them, racks as
/// bands, decisions as marks.
public struct ScriptPlot: Sendable {
  private static let width = 1200.0
  private static let height = 520.0
  private static let left = 70.0
  private static let right = 1180.0
  private static let top = 46.0
  private static let bottom = 470.0
  /// Points of a line at most: more than a screen has columns shows nothing more.
  private static let largestCount = 2400

  private let script: Script
  private let times: FrameTimes
  private let low: Double
  private let high: Double

  /// A drawing of the script as it is now.
  public init(_ script: Script) {
    self.script = script
    times = script.recording.frameTimes
    var (low, high) = (Double.infinity, -Double.infinity)
    for track in script.detectionTracks {
      var disparities = track.samples.disparities
      if let fixed = track as? FixedDetectionTrack { disparities = [fixed.focusDisparity] }
      for disparity in disparities {
        low = min(low, Double(disparity))
        high = max(high, Double(disparity))
      }
    }
    if low > high { (low, high) = (0, 1) }
    let margin = high > low ? (high - low) * 0.08 : max(0.05, abs(high) * 0.1)
    (self.low, self.high) = (low - margin, high + margin)
  }

  private func x(_ time: Time) -> Double {
    let range = script.timeRange
    let share = range.isEmpty ? 0 : (time - range.start).seconds / range.duration.seconds
    return Self.left + (Self.right - Self.left) * max(0, min(1, share))
  }

  private func y(_ disparity: Double) -> Double {
    Self.bottom - (Self.bottom - Self.top) * (disparity - low) / (high - low)
  }

  /// The drawing as a stand-alone SVG file.
  public var svg: String {
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.text(Self.width))"
        + " \(Self.text(Self.height))\" font-family=\"sans-serif\" font-size=\"13\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
    ]
    lines += racks + axes + tracks + [focus] + decisions + legend
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }

  private var racks: [String] {
    var drawn = Set<[Double]>()
    return script.focusTransitions.compactMap { transition in
      let (from, to) = (x(transition.timeRange.start), x(transition.timeRange.end))
      guard drawn.insert([from.rounded(), to.rounded()]).inserted else { return nil }
      return "<rect x=\"\(Self.text(from))\" y=\"\(Self.text(Self.top))\""
        + " width=\"\(Self.text(to - from))\" height=\"\(Self.text(Self.bottom - Self.top))\""
        + " fill=\"#f2e9c8\"/>"
    }
  }

  private var axes: [String] {
    var lines: [String] = []
    for step in 0...5 {
      let value = low + (high - low) * Double(step) / 5
      lines += grid(0, y(value), Self.label(value), vertical: false)
    }
    let range = script.timeRange
    let stride = Self.roundStep(range.duration.seconds / 8)
    var second = (range.start.seconds / stride).rounded(.up) * stride
    while stride > 0, second <= range.end.seconds + 1e-9, lines.count < 80 {
      let time = Time(seconds: second, preferredTimescale: 90000)
      lines += grid(x(time), 0, "\(Self.label(second)) s", vertical: true)
      second += stride
    }
    lines.append(
      "<text x=\"\(Self.text(Self.left))\" y=\"30\" font-weight=\"bold\">focus disparity,"
        + " larger is nearer; f/\(Self.label(Double(script.fNumber)))</text>")
    return lines
  }

  private func grid(_ x: Double, _ y: Double, _ label: String, vertical: Bool) -> [String] {
    let (x1, x2) = vertical ? (x, x) : (Self.left, Self.right)
    let (y1, y2) = vertical ? (Self.top, Self.bottom) : (y, y)
    let place =
      vertical
      ? "x=\"\(Self.text(x))\" y=\"\(Self.text(Self.bottom + 20))\" text-anchor=\"middle\""
      : "x=\"\(Self.text(Self.left - 8))\" y=\"\(Self.text(y + 4))\" text-anchor=\"end\""
    return [
      "<line x1=\"\(Self.text(x1))\" y1=\"\(Self.text(y1))\" x2=\"\(Self.text(x2))\""
        + " y2=\"\(Self.text(y2))\" stroke=\"#dddddd\"/>",
      "<text \(place) fill=\"#555555\">\(label)</text>",
    ]
  }

  private static let colors = [
    "#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#7f7f7f", "#bcbd22",
  ]

  private func color(_ index: Int) -> String { Self.colors[index % Self.colors.count] }

  private var tracks: [String] {
    script.detectionTracks.enumerated().map { index, track in
      var points: [(Double, Double)] = []
      if let fixed = track as? FixedDetectionTrack {
        let value = y(Double(fixed.focusDisparity))
        points = [(Self.left, value), (Self.right, value)]
      } else {
        let inside = track.samples.indices(in: script.timeRange)
        let most = max(2, Self.largestCount / max(1, script.detectionTracks.count / 64))
        let step = max(1, inside.count / most)
        points = stride(from: inside.lowerBound, to: inside.upperBound, by: step).map {
          (x(track.samples.times[$0]), y(Double(track.samples.disparities[$0])))
        }
      }
      return polyline(points, "stroke=\"\(color(index))\" stroke-width=\"1.5\" opacity=\"0.75\"")
    }
  }

  private var focus: String {
    // Frame by frame: a script has millions.
    let range = script.timeRange
    let shown = times.index(atOrAfter: range.start)..<times.index(atOrAfter: range.end)
    let step = max(1, shown.count / Self.largestCount)
    let points = stride(from: shown.lowerBound, to: shown.upperBound, by: step).compactMap {
      script.frame(at: times[$0]).map { (x($0.time), y(Double($0.focusDisparity))) }
    }
    return polyline(points, "stroke=\"#d62728\" stroke-width=\"3\"")
  }

  private func polyline(_ points: [(Double, Double)], _ style: String) -> String {
    let list = points.map { "\(Self.text($0.0)),\(Self.text($0.1))" }.joined(separator: " ")
    return "<polyline points=\"\(list)\" fill=\"none\" \(style)/>"
  }

  /// Marks at the same place, to a unit of the drawing, hide each other: one is drawn.
  private struct Place: Hashable {
    var x: Double
    var y: Double
    var isUsers: Bool
    var isStrong: Bool
  }

  /// A square for a base decision, a disc for a user's, hollow where it is weak.
  private var decisions: [String] {
    var drawn = Set<Place>()
    return script.decisions(in: script.timeRange).compactMap { decision in
      let frame = times.index(atOrAfter: decision.time)
      guard !times.isEmpty,
        let focus = script.frame(
          at: times[min(frame, times.count - 1)])?.focusDisparity
      else { return nil }
      let (x, y) = (x(decision.time), y(Double(focus)))
      let place = Place(
        x: x.rounded(), y: y.rounded(), isUsers: decision.isUserDecision,
        isStrong: decision.isStrongDecision)
      guard drawn.insert(place).inserted else { return nil }
      let fill = decision.isStrongDecision ? "#000000" : "#ffffff"
      let style = "fill=\"\(fill)\" stroke=\"#000000\" stroke-width=\"2\""
      let target =
        decision.detectionID.map { "detection \($0)" }
        ?? "group \(decision.detectionGroupID?.description ?? "")"
      let name =
        "<title>\(decision.isUserDecision ? "user" : "base"), \(target),"
        + " \(Self.label(decision.time.seconds)) s</title>"
      return decision.isUserDecision
        ? "<circle cx=\"\(Self.text(x))\" cy=\"\(Self.text(y))\" r=\"6\" \(style)>\(name)</circle>"
        : "<rect x=\"\(Self.text(x - 5))\" y=\"\(Self.text(y - 5))\" width=\"10\" height=\"10\""
          + " \(style)>\(name)</rect>"
    }
  }

  private var legend: [String] {
    let shown = script.detectionTracks.prefix(8)
    return shown.enumerated().map { index, track in
      let x = 430 + Double(index % 4) * 190
      let y = 18 + Double(index / 4) * 18
      return "<text x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" fill=\"\(color(index))\">"
        + "\(track.detectionID?.description ?? "") \(track.detectionType)</text>"
    }
  }

  /// 1, 2 or 5 times a power of ten, at least the given.
  private static func roundStep(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 1 }
    var power = 1.0
    while power > value { power /= 10 }
    while power * 10 <= value { power *= 10 }
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= value } ?? power * 10
  }

  /// To a tenth of a unit of the drawing.
  private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  private static func label(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}
