// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Results as a drawing, a line a device: how near pictures come to the truth against time, a point a
/// quality; then for each quality time against radius at the largest size, and time against pixels.
/// Times, radii and pixels are logarithmic: what grows in proportion rises by the diagonal of the grid.
/// Lines of one point alone are left out of the speed's panels.
struct BenchPlot {
  private struct Line {
    var device: String
    var points: [(x: Double, y: Double)]
    /// A name for each point, or none.
    var names: [String] = []
  }

  private struct Panel {
    var title: String
    var unit: String
    var lines: [Line]
    /// Decibels on a linear axis instead of milliseconds.
    var isQuality = false
  }

  private static let width = 560.0
  private static let height = 320.0
  private static let margin = (left: 64.0, right: 20.0, top: 40.0, bottom: 48.0)
  private static let colours = [
    "#0b62a4", "#c8452f", "#2e8540", "#8f4fa8", "#b8860b", "#3c3c3c", "#d1588f", "#00838f",
  ]

  private let rows: [[Panel]]
  private let devices: [String]

  init(_ results: [SpeedResult], quality: [QualityResult] = []) {
    var devices: [String] = []
    for result in results where !devices.contains(result.device) { devices.append(result.device) }
    self.devices = devices
    var qualities: [String] = []
    for result in results where result.device != "ffmpeg" && !qualities.contains(result.quality) {
      qualities.append(result.quality)
    }
    let panels = Self.qualityPanels(quality, results, devices)
    rows =
      (panels.isEmpty ? [] : [panels])
      + qualities.map { quality in
        // A rival has no qualities.
        let shown = results.filter { $0.quality == quality || $0.device == "ffmpeg" }
        let largest = shown.map { $0.width * $0.height }.max() ?? 0
        func lines(_ keep: (SpeedResult) -> Bool, _ x: (SpeedResult) -> Double) -> [Line] {
          devices.map { device in
            Line(
              device: device,
              points: shown.filter { $0.device == device && keep($0) }
                .map { (x($0), $0.milliseconds) }.sorted { $0.0 < $1.0 })
          }
        }
        let size = shown.first { $0.width * $0.height == largest }
        // At each size, the radius that is nearest to the same share of the width.
        let share = shown.map { Double($0.radius) / Double($0.width) }.sorted()
        let middle = share.isEmpty ? 0 : share[share.count / 2]
        func distance(_ result: SpeedResult) -> Double {
          abs(Double(result.radius) / Double(result.width) - middle)
        }
        let nearest = { (result: SpeedResult) in
          !shown.contains {
            $0.device == result.device && $0.width == result.width && $0.height == result.height
              && distance($0) < distance(result)
          }
        }
        return [
          Panel(
            title: "\(quality), \(size?.width ?? 0)x\(size?.height ?? 0)",
            unit: "largest radius, pixels",
            lines: lines({ $0.width * $0.height == largest && $0.radius > 0 }) { Double($0.radius) }
          ),
          Panel(
            title: quality + formatted(", radius about %.1f %% of the width", 100 * middle),
            unit: "megapixels",
            lines: lines(nearest) { Double($0.width * $0.height) / 1e6 }),
        ]
      }.map { $0.filter { $0.lines.contains { $0.points.count > 1 } } }.filter { !$0.isEmpty }
  }

  /// Exact and blurred map, at the size of the scene with a truth and the radius nearest to its own.
  /// Where everything ran on the processor, its time counts: other programs hardly change it.
  private static func qualityPanels(
    _ results: [QualityResult], _ times: [SpeedResult], _ devices: [String]
  ) -> [Panel] {
    let isOnProcessor = devices.allSatisfy { ["cpu", "ffmpeg"].contains($0) }
    return [QualityTest.exactMap, QualityTest.blurredMap].compactMap { test in
      func point(_ time: SpeedResult, _ result: QualityResult) -> (
        x: Double, y: Double, name: String
      ) {
        (
          isOnProcessor ? 1e3 * time.cpuSecondsPerFrame : time.milliseconds, result.psnr,
          result.quality
        )
      }
      let lines = devices.map { device in
        let points = results.filter { $0.device == device && $0.test == test }.compactMap {
          result in
          times.filter {
            $0.device == device && $0.quality == result.quality
              && Dimensions(width: $0.width, height: $0.height) == QualityTest.dimensions
          }.min { abs($0.radius - QualityTest.radius) < abs($1.radius - QualityTest.radius) }
            .map { point($0, result) }
        }
        return Line(
          device: device, points: points.map { ($0.x, $0.y) }, names: points.map(\.name))
      }
      guard lines.contains(where: { !$0.points.isEmpty }) else { return nil }
      return Panel(
        title: "picture quality, \(test), \(QualityTest.dimensions)",
        unit: isOnProcessor ? "CPU ms a frame" : "ms a frame", lines: lines, isQuality: true)
    }
  }

  /// A stand-alone SVG file.
  var svg: String {
    let total = (width: 2 * Self.width, height: Double(rows.count) * Self.height + 34)
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.text(total.width))"
        + " \(Self.text(total.height))\" font-family=\"sans-serif\" font-size=\"12\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
    ]
    for (row, panels) in rows.enumerated() {
      for (column, panel) in panels.enumerated() {
        let x = Double(column) * Self.width
        let y = Double(row) * Self.height
        lines.append("<g transform=\"translate(\(Self.text(x)) \(Self.text(y)))\">")
        lines += draw(panel)
        lines.append("</g>")
      }
    }
    for (index, device) in devices.enumerated() {
      let x = 64 + 150 * Double(index)
      let y = total.height - 14
      lines.append(
        "<rect x=\"\(Self.text(x))\" y=\"\(Self.text(y - 9))\" width=\"18\" height=\"4\""
          + " fill=\"\(Self.colour(index))\"/>")
      lines.append(Self.label(device, x + 24, y - 3))
    }
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }

  private func draw(_ panel: Panel) -> [String] {
    let points = panel.lines.flatMap(\.points)
    var lines = [
      "<text x=\"\(Self.text(Self.margin.left))\" y=\"24\" font-weight=\"bold\">"
        + "\(Self.escaped(panel.title))</text>"
    ]
    guard !points.isEmpty else { return lines }
    let x = Axis(points.map(\.x), from: Self.margin.left, to: Self.width - Self.margin.right)
    let y = Axis(
      points.map(\.y), from: Self.height - Self.margin.bottom, to: Self.margin.top,
      isLinear: panel.isQuality)
    for tick in x.ticks {
      let at = x.place(tick)
      lines.append(Self.line(at, y.from, at, y.to, "#e2e2e2", 1))
      lines.append(Self.label(Self.text(tick), at, y.from + 16, anchor: "middle"))
    }
    for tick in y.ticks {
      let at = y.place(tick)
      lines.append(Self.line(x.from, at, x.to, at, "#e2e2e2", 1))
      lines.append(Self.label(Self.text(tick), x.from - 6, at + 4, anchor: "end"))
    }
    lines.append(Self.label(panel.unit, (x.from + x.to) / 2, y.from + 34, anchor: "middle"))
    lines.append(
      Self.label(panel.isQuality ? "dB" : "ms", x.from - 6, y.to - 8, anchor: "end"))
    for (index, line) in panel.lines.enumerated() {
      let places = line.points.map { (x.place($0.x), y.place($0.y)) }
      for (a, b) in zip(places, places.dropFirst()) {
        lines.append(Self.line(a.0, a.1, b.0, b.1, Self.colour(index), 2))
      }
      for place in places {
        lines.append(
          "<circle cx=\"\(Self.text(place.0))\" cy=\"\(Self.text(place.1))\" r=\"3\""
            + " fill=\"\(Self.colour(index))\"/>")
      }
      for (index, name) in line.names.enumerated() {
        // names stay inside the panel, those of neighbours below and above
        let place = places[index]
        let isRight = place.0 > (x.from + x.to) / 2
        lines.append(
          Self.label(
            name, place.0 + (isRight ? 4 : -4), place.1 + (index % 2 == 0 ? 18 : -10),
            anchor: isRight ? "end" : "start"))
      }
    }
    return lines
  }

  /// An axis over whole steps of 1, 2, 5, logarithmic or linear.
  private struct Axis {
    let from: Double
    let to: Double
    let ticks: [Double]
    let isLinear: Bool

    init(_ values: [Double], from: Double, to: Double, isLinear: Bool = false) {
      self.from = from
      self.to = to
      self.isLinear = isLinear
      let smallest = max(values.min() ?? 1, 1e-6)
      let largest = max(values.max() ?? 1, smallest)
      let steps = (-7...9).flatMap { exponent in [1, 2, 5].map { $0 * pow(10, Double(exponent)) } }
      if isLinear {
        let step = steps.first { (largest - smallest) / $0 < 8 } ?? 1
        let first = (smallest / step).rounded(.down)
        let last = max((largest / step).rounded(.up), first + 1)
        ticks = stride(from: first, through: last, by: 1).map { $0 * step }
      } else {
        let first = steps.lastIndex { $0 <= smallest * 0.999 } ?? 0
        let last = steps.firstIndex { $0 >= largest * 1.001 } ?? steps.count - 1
        ticks = Array(steps[first...max(last, first + 1)])
      }
    }

    func place(_ value: Double) -> Double {
      func scaled(_ value: Double) -> Double { isLinear ? value : log(max(value, 1e-6)) }
      let (low, high) = (scaled(ticks[0]), scaled(ticks[ticks.count - 1]))
      return from + (to - from) * (scaled(value) - low) / (high - low)
    }
  }

  private static func colour(_ index: Int) -> String { colours[index % colours.count] }

  private static func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String, _ width: Int
  ) -> String {
    "<line x1=\"\(text(x1))\" y1=\"\(text(y1))\" x2=\"\(text(x2))\" y2=\"\(text(y2))\""
      + " stroke=\"\(colour)\" stroke-width=\"\(width)\"/>"
  }

  private static func label(
    _ words: String, _ x: Double, _ y: Double, anchor: String = "start"
  ) -> String {
    "<text x=\"\(text(x))\" y=\"\(text(y))\" text-anchor=\"\(anchor)\">\(escaped(words))</text>"
  }

  private static func escaped(_ words: String) -> String {
    words.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  private static func text(_ value: Double) -> String { formatted("%.4g", value) }
}
