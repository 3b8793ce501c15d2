// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Makes captions of what a decoder shows: one for every stretch of neighbouring cells of a row, from
/// when it comes to when it changes or goes; in roll-up one for every line, from when the window is
/// rolled for it to when it has rolled out.
struct ScreenTracker {
  /// A stretch that is being shown.
  private struct Segment {
    var column: Int
    var cells: [CEA608.Cell]
    var start: Int
    /// The frame that each cell came in.
    var frames: [Int]
    /// Whether it was written on the screen, and not loaded out of sight.
    var isPainted: Bool
  }

  /// A line of the roll-up window.
  private struct Line {
    var start: Int
    var frames: [Int] = []
    var column = 0
    var cells: [CEA608.Cell?] = []
    var base: Int
    var depth: Int
    var isCorrected = false
  }

  private struct Order: Comparable {
    var start: Int
    var row: Int
    /// Of lines that roll, their place in the window.
    var column: Int
    static func < (a: Order, b: Order) -> Bool {
      (a.start, a.row, a.column) < (b.start, b.row, b.column)
    }
  }

  private var decoder: CEA608.Decoder
  private var segments: [[Segment]] = Array(repeating: [], count: CEA608.rowCount)
  private var lines: [Line] = []
  private var captions: [(order: Order, caption: Caption)] = []
  private(set) var log = IssueLog()
  private(set) var observer = TransmissionObserver()
  private var hasFlash = false
  private var toldChange = false

  init(channel: CEA608.Channel) { decoder = CEA608.Decoder(channel: channel) }

  mutating func receive(_ sent: SCCScanner.Sent) {
    decoder.receive(sent.pair, frame: sent.frame)
    let effects = decoder.effects
    observer.observe(sent, decoder)
    if effects.contains(.flashed), !hasFlash {
      hasFlash = true
      log.add(line: sent.line, "flashing characters stand still")
    }
    guard !effects.isDisjoint(with: [.swapped, .rolled, .erased, .moved, .wrote]) else { return }
    if effects.contains(.swapped) || effects.contains(.erased) {
      closeAll(at: sent.frame)
    } else if !isRollUp, !lines.isEmpty {
      // Rolled-up rows stay where they are, as if it were painted.
      closeLines(at: sent.frame)
      updateSegments(sent, isNew: true)
    }
    if isRollUp {
      updateLines(sent, effects)
    } else {
      updateSegments(sent, isNew: effects.contains(.swapped))
    }
  }

  /// All captions in the order of their starts, rows and columns.
  ///
  /// - Parameters:
  ///   - end: the frame after the last pair's.
  ///   - silence: how long after it what is still on the screen ends.
  mutating func finish(at end: Int, silence: Int = 0) -> [Caption] {
    if !decoder.screen.isEmpty {
      log.add(
        time: time(end),
        silence > 0
          ? "what is on the screen is never erased, and ends 16 s after the last code"
          : "what is on the screen is never erased, and ends with the track")
    }
    closeAll(at: end + silence)
    observer.finish(decoder)
    defer { captions = [] }
    return captions.sorted { $0.order < $1.order }.map(\.caption)
  }

  private var isRollUp: Bool { if case .rollUp = decoder.mode { true } else { false } }

  private func time(_ frame: Int) -> Time { TimeCodeRate.ntsc.time(ofFrame: frame) }

  private mutating func closeAll(at frame: Int) {
    for row in segments.indices where !segments[row].isEmpty {
      for segment in segments[row] { close(segment, row, at: frame) }
      segments[row] = []
    }
    closeLines(at: frame)
  }

  // MARK: Pop-on and paint-on

  private mutating func updateSegments(_ sent: SCCScanner.Sent, isNew: Bool) {
    for row in 0..<CEA608.rowCount {
      let shown = decoder.screen.segments(row: row)
      guard !shown.isEmpty || !segments[row].isEmpty else { continue }
      let old = segments[row]
      var kept: [Segment] = []
      var left = Array(repeating: true, count: old.count)
      for (column, cells) in shown {
        if !isNew, let index = old.firstIndex(where: { $0.column == column }), left[index],
          let grown = Self.grown(old[index], to: cells, sent.frame, decoder.effects)
        {
          left[index] = false
          kept.append(grown)
        } else {
          kept.append(
            Segment(
              column: column, cells: cells, start: sent.frame,
              frames: Array(repeating: sent.frame, count: cells.count), isPainted: !isNew))
        }
      }
      for (segment, isLeft) in zip(old, left) where isLeft {
        if !isNew, !shown.isEmpty, !toldChange {
          toldChange = true
          log.add(
            line: sent.line, "text that is changed on the screen, here and later, comes anew whole")
        }
        close(segment, row, at: sent.frame)
      }
      segments[row] = kept
    }
  }

  /// A stretch with characters added at its end; `nil` where something else changed.
  private static func grown(
    _ segment: Segment, to cells: [CEA608.Cell], _ frame: Int, _ effects: CEA608.Decoder.Effects
  ) -> Segment? {
    var same = segment.cells.count
    if segment.cells == cells { return segment }
    if effects.contains(.replaced) { same -= 1 }
    guard cells.count >= segment.cells.count,
      cells.prefix(same).elementsEqual(segment.cells.prefix(same))
    else { return nil }
    var grown = segment
    grown.cells = cells
    grown.frames += Array(repeating: frame, count: cells.count - segment.cells.count)
    return grown
  }

  private mutating func close(_ segment: Segment, _ row: Int, at frame: Int) {
    guard frame > segment.start else { return }
    var caption = Caption(
      pieces: CellText.pieces(segment.cells),
      timeRange: TimeRange(start: time(segment.start), end: time(frame)))
    caption.region = CaptionRegion(
      origin: .cell(column: segment.column, row: row), size: .cells(segment.cells.count, 1))
    if segment.isPainted { reveal(&caption, segment.start, segment.frames) }
    captions.append((Order(start: segment.start, row: row, column: segment.column), caption))
  }

  private func reveal(_ caption: inout Caption, _ start: Int, _ frames: [Int]) {
    guard !frames.isEmpty else { return }
    caption.animation = .characterReveal
    caption.revealTimes = frames.map { time(max(0, $0 - start)) }
  }

  // MARK: Roll-up

  private mutating func updateLines(_ sent: SCCScanner.Sent, _ effects: CEA608.Decoder.Effects) {
    guard case .rollUp(let depth) = decoder.mode else { return }
    if effects.contains(.moved) { moveLines(sent, depth) }
    if effects.contains(.rolled) {
      let hadText = lines.contains { !$0.cells.isEmpty }
      for (place, line) in lines.enumerated() where place + depth <= lines.count {
        close(line, place, at: sent.frame)
      }
      if lines.count >= depth { lines.removeFirst(lines.count - depth + 1) }
      // Of lines that are not there none rolls.
      if lines.allSatisfy({ $0.cells.isEmpty }) {
        if hadText {
          for (place, line) in lines.enumerated() { append(line, place, at: sent.frame) }
        }
        lines = []
      }
      lines.append(Line(start: sent.frame, base: decoder.baseRow, depth: depth))
    }
    guard effects.contains(.wrote) else { return }
    if lines.isEmpty {
      lines.append(Line(start: sent.frame, base: decoder.baseRow, depth: depth))
    }
    updateLastLine(sent)
  }

  private mutating func updateLastLine(_ sent: SCCScanner.Sent) {
    let shown = decoder.screen.segments(row: decoder.baseRow)
    var line = lines[lines.count - 1]
    var cells: [CEA608.Cell?] = []
    let column = shown.first?.column ?? 0
    for segment in shown {
      cells += Array(repeating: nil, count: segment.column - column - cells.count)
      cells += segment.cells.map { $0 }
    }
    if line.cells.isEmpty { line.column = column }
    var same = line.cells.count
    if decoder.effects.contains(.replaced) { same = max(0, same - 1) }
    if column != line.column || cells.count < line.cells.count
      || !cells.prefix(same).elementsEqual(line.cells.prefix(same))
    {
      if !line.isCorrected {
        log.add(
          line: sent.line,
          "a line was corrected while it was on the screen; its last text is kept")
      }
      line.isCorrected = true
      line.column = column
      line.frames = Array(line.frames.prefix(cells.count))
    }
    line.frames += Array(repeating: sent.frame, count: max(0, cells.count - line.frames.count))
    line.cells = cells
    lines[lines.count - 1] = line
  }

  private mutating func moveLines(_ sent: SCCScanner.Sent, _ depth: Int) {
    guard let first = lines.first, first.base != decoder.baseRow || lines.count > depth else {
      return
    }
    let isEmpty = lines.allSatisfy { $0.cells.isEmpty }
    let moved = lines.suffix(depth)
    // The lines begin anew there, the one that is about to be written, too.
    if !isEmpty { closeLines(at: sent.frame) }
    lines = moved.map { line in
      var line = line
      (line.base, line.depth) = (decoder.baseRow, depth)
      if !isEmpty {
        line.start = sent.frame
        line.frames = Array(repeating: sent.frame, count: line.cells.count)
      }
      return line
    }
  }

  private mutating func closeLines(at frame: Int) {
    for (place, line) in lines.enumerated() { close(line, place, at: frame) }
    lines = []
  }

  private mutating func close(_ line: Line, _ place: Int, at frame: Int) {
    // A line without text counts only beside lines with some, which it pushes up.
    guard lines.contains(where: { !$0.cells.isEmpty }) else { return }
    append(line, place, at: frame)
  }

  private mutating func append(_ line: Line, _ place: Int, at frame: Int) {
    guard frame > line.start else { return }
    var caption = Caption(
      pieces: CellText.pieces(line.cells),
      timeRange: TimeRange(start: time(line.start), end: time(frame)))
    let top = line.base - line.depth + 1
    caption.region = CaptionRegion(
      origin: .cell(column: line.column, row: top),
      size: .cells(max(1, line.cells.count), line.depth), scroll: .rollUp,
      displayAlignment: .after)
    reveal(&caption, line.start, line.frames)
    captions.append((Order(start: line.start, row: line.base, column: place), caption))
  }
}
