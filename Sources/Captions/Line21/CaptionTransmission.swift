// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How a `.scc` file or a track of CEA-608 sends its captions: as it is, and not as it would be written.
public struct CaptionTransmission: Hashable, Sendable {
  /// The codes of a pop-on caption, from the first one to the one that shows it.
  public struct Load: Hashable, Sendable {
    /// The file's line that begins it, from 1; of a track, the sample.
    public var line: Int
    /// When its first code is sent.
    public var start: Time
    /// When it is shown.
    public var shown: Time
    /// Pairs of bytes, each in a frame of its own.
    public var pairCount: Int
    /// How much later it is shown than its time code says, since other data were still being sent.
    public var delay: Time
  }

  public internal(set) var loads: [Load] = []
  /// Pairs of the channel, but fillers.
  public internal(set) var pairCount = 0
  /// Faults of the transmission: captions that come late, over old text or in too many rows; codes that are sent
  /// once among others that are sent twice.
  public internal(set) var issues: [CaptionIssue] = []
}

/// Watches a receiver, and names the faults of what it is sent.
struct TransmissionObserver {
  private(set) var transmission = CaptionTransmission()
  /// Codes and characters that are not shown.
  private(set) var faults = IssueLog()
  private var log = IssueLog()
  private var load: (line: Int, start: Int, pairCount: Int)?
  private var isCrowded = false
  private var told: Set<String> = []
  private var overflowLine: Int?

  // MARK: Codes that are sent once

  private struct Code {
    var pair: UInt16
    var frame: Int
    var line: Int
  }
  /// A code whose repetition may come.
  private var pending: Code?
  /// Codes that came once, with nothing but codes behind them: they may be repeated behind those.
  private var suspects: [Code] = []
  private var doubledCount = 0
  private var singleCount = 0
  private var firstSingle: Code?

  private static func time(_ frame: Int) -> Time { TimeCodeRate.ntsc.time(ofFrame: frame) }

  mutating func observe(_ sent: SCCScanner.Sent, _ decoder: CEA608.Decoder) {
    let effects = decoder.effects
    if effects.contains(.unknown) { tellCode(sent) }
    if effects.contains(.homeless) {
      tellOnce(
        sent.line, .error, "characters before the first command, here and later, are not shown")
    }
    if effects.contains(.text) {
      tellOnce(sent.line, .warning, "characters of the Text service, here and later, were skipped")
    }
    if effects.contains(.overflowed), overflowLine != sent.line {
      overflowLine = sent.line
      faults.add(
        line: sent.line, as: .error, "characters behind column 32 are written over each other in it"
      )
    }
    if effects.contains(.unseen) {
      faults.add(line: sent.line, as: .error, "text was loaded, and erased before it was shown")
    }
    guard decoder.isSelected == true else { return }
    transmission.pairCount += 1
    count(sent)
    watchLoad(sent, decoder)
    let rows = decoder.screen.filledRows.nonzeroBitCount
    if rows > CEA608.maximumRowsShown, !isCrowded {
      log.add(
        time: Self.time(sent.frame), "the screen has \(rows) rows, and receivers show four")
    }
    isCrowded = rows > CEA608.maximumRowsShown
  }

  private mutating func watchLoad(_ sent: SCCScanner.Sent, _ decoder: CEA608.Decoder) {
    let shown = Self.time(sent.frame)
    if decoder.effects.contains(.swapped) {
      let load = load ?? (sent.line, sent.frame, 0)
      self.load = nil
      transmission.loads.append(
        CaptionTransmission.Load(
          line: load.line, start: Self.time(load.start), shown: shown,
          pairCount: load.pairCount + 1, delay: Self.time(sent.delay)))
      if sent.delay > 0 {
        log.add(
          time: shown,
          "the caption is shown \(sent.delay) frame\(sent.delay == 1 ? "" : "s") later than its time code says:"
            + " other data are still being sent")
      }
      if decoder.effects.contains(.leftover) {
        log.add(
          time: shown,
          "an older caption's text is shown with it: it was not erased before loading (ENM)")
      }
      return
    }
    // The second of two codes that show a caption belongs to it, and erasing to the one before.
    let code = sent.pair & 0x76FF
    guard decoder.mode == .popOn, code != CEA608.Command.endOfCaption.code,
      load != nil || code != CEA608.Command.eraseDisplayedMemory.code
    else { return }
    load = load ?? (sent.line, sent.frame, 0)
    load?.pairCount += 1
  }

  private mutating func count(_ sent: SCCScanner.Sent) {
    guard SharedField.isControl(sent.pair) else {
      if let pending { suspect(pending) }
      pending = nil
      settle()
      return
    }
    if let before = pending, before.pair == sent.pair, before.frame == sent.frame - 1 {
      doubledCount += 1
      pending = nil
      return
    }
    if let before = pending { suspect(before) }
    pending = Code(pair: sent.pair, frame: sent.frame, line: sent.line)
  }

  private mutating func suspect(_ code: Code) {
    // Once before another code and once behind it is twice.
    if let index = suspects.firstIndex(where: {
      $0.pair == code.pair && code.frame - $0.frame <= 4
    }) {
      suspects.remove(at: index)
      doubledCount += 1
    } else {
      suspects.append(code)
    }
    if suspects.count > 64 { settle() }
  }

  private mutating func settle() {
    singleCount += suspects.count
    firstSingle = firstSingle ?? suspects.first
    suspects = []
  }

  mutating func finish(_ decoder: CEA608.Decoder) {
    if let pending { suspect(pending) }
    pending = nil
    settle()
    if decoder.hasLoaded, decoder.hasUnseenText {
      faults.add(as: .error, "the text that is loaded last is never shown")
    }
    if let code = firstSingle {
      if doubledCount > singleCount {
        log.add(
          line: code.line,
          "\(singleCount) control code\(singleCount == 1 ? " is" : "s, this one first, are") sent once among"
            + " \(doubledCount) that are sent twice: a receiver that misses one loses it")
      } else {
        log.add(
          line: code.line, as: .note,
          "control codes are sent once; broadcasts send them twice (47 CFR 79.101(i)(4))")
      }
    }
    transmission.issues = log.all
  }

  private mutating func tellCode(_ sent: SCCScanner.Sent) {
    let code = String(CEA608.withParity(sent.pair), radix: 16)
    if (0x24...0x2A).contains(sent.pair & 0xFF), sent.pair & 0x7700 == 0x1700 {
      tellOnce(sent.line, .warning, "the choice of a character set (\(code)) was skipped")
    } else {
      tellOnce(sent.line, .warning, "the code \(code), here and later, means nothing to receivers")
    }
  }

  private mutating func tellOnce(
    _ line: Int, _ severity: CaptionIssue.Severity, _ reason: String
  ) {
    if told.insert(reason).inserted { faults.add(line: line, as: severity, reason) }
  }
}
