// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import Foundation

/// Tells how far a long command has come: a bar on a terminal, plain lines in a pipe, objects for
/// programs. Everything goes to standard error, so that standard output holds results alone, except
/// for `--json`, where it is among the results.
struct Progress {
  enum Style: Hashable, Sendable {
    case bar
    case lines
    case json(amongResults: Bool)
    case none
  }

  private let style: Style
  /// The present task, where a command does several things one after the other.
  private let stage: String?
  private let total: Int?
  private let start: ContinuousClock.Instant
  private var lastReport: ContinuousClock.Instant?
  private(set) var done = 0

  /// - Parameters:
  ///   - total: frames to come, as far as is known.
  ///   - start: when the work on the first frame began.
  ///   - stage: what is done, in a word, where a command does several things.
  init(
    total: Int?, start: ContinuousClock.Instant, _ style: Style, stage: String? = nil
  ) {
    self.stage = stage
    self.total = total
    self.start = start
    self.style = style
  }

  private var elapsed: Double {
    let elapsed = ContinuousClock.now - start
    return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
  }

  mutating func advance() {
    done += 1
    let now = ContinuousClock.now
    let interval: Duration = style == .bar ? .milliseconds(100) : .seconds(2)
    if let lastReport, now - lastReport < interval, done != total { return }
    lastReport = now
    report()
  }

  /// Ends a bar's line.
  func finish() {
    if style == .bar, done > 0 { writeToStandardError("\n") }
  }

  private func report() {
    let rate = Double(done) / max(elapsed, 1e-6)
    let left = total.map { Double(max($0 - done, 0)) / rate }
    let head = stage.map { "\($0): " } ?? ""
    switch style {
    case .bar:
      var line = "\r\(head)"
      if let total, total > 0 {
        let filled = min(28, 28 * done / total)
        line += "[\(String(repeating: "=", count: filled))"
        line += "\(String(repeating: " ", count: 28 - filled))] \(done)/\(total)"
      } else {
        line += "\(done) frames"
      }
      line += String(format: "  %.1f fps", rate)
      if let left { line += "  \(Self.clock(left)) left" }
      writeToStandardError(line + "\u{1B}[K")
    case .lines:
      let of = total.map { "/\($0)" } ?? ""
      let time = left.map { ", \(Self.clock($0)) left" } ?? ""
      writeToStandardError(
        "\(head)frame \(done)\(of), \(String(format: "%.1f", rate)) fps\(time)\n")
    case .json(let isAmongResults):
      var fields = ["\"event\":\"progress\"", "\"frames\":\(done)"]
      if let total { fields.append("\"total\":\(total)") }
      if let stage { fields.append("\"stage\":\"\(stage)\"") }
      fields.append(String(format: "\"framesPerSecond\":%.3f", rate))
      if let left { fields.append(String(format: "\"secondsLeft\":%.1f", left)) }
      let line = "{\(fields.joined(separator: ","))}"
      if isAmongResults { printLine(line) } else { writeToStandardError(line + "\n") }
    case .none: break
    }
  }

  private static func clock(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 359_999).rounded())
    return whole >= 3600
      ? String(format: "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
      : String(format: "%d:%02d", whole / 60, whole % 60)
  }
}

/// Renders, and tells how far it has come.
///
/// - Parameters:
///   - frameCount: how many frames there will be, as far as is known.
///   - start: when the work on the first frame began.
func reporting(
  _ progress: AsyncStream<RenderProgress>, _ frameCount: Int?,
  since start: ContinuousClock.Instant, _ style: Progress.Style,
  _ render: () async throws(CinematicError) -> Void
) async throws(CinematicError) {
  let watcher = Task { await report(progress, frameCount, since: start, style) }
  do throws(CinematicError) {
    try await render()
  } catch {
    await watcher.value
    throw error
  }
  await watcher.value
}

/// Tells how far a rendering has come, until it ends.
private func report(
  _ progress: AsyncStream<RenderProgress>, _ frameCount: Int?,
  since start: ContinuousClock.Instant, _ style: Progress.Style
) async {
  var report = Progress(total: frameCount, start: start, style)
  for await state in progress {
    while report.done < state.completedFrames { report.advance() }
  }
  report.finish()
}
