// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where the object may be.
extension CorrelationTracker {
  /// Answers in shares of usual ones (``quality(_:)``). Below the first nothing is learnt; below the
  /// second, or for more frames than `patience` below the first, the object is lost. An object that a
  /// person passes behind a pole for comes down to 0.4, one that turns around to 0.6.
  private static let sureQuality: Float = 0.55
  private static let lostQuality: Float = 0.35
  private static let patience = 6
  /// In the first frames nothing is usual yet.
  private static let firstFrames = 6
  private static let firstQuality: Float = 0.3
  /// A box with so much of the usual colours and disparities holds an object that turns or is half out
  /// of the picture, although its edges are others: a rolling ball. Below the quality it is not taken for it.
  private static let supportedShare: Float = 0.9
  private static let supportedQuality: Float = 0.2
  /// An object whose answer stands out from all others in the window by this factor, and whose colours are as usual by
  /// this share, is held however long it is in doubt: it has turned or bends.
  private static let distinctFactor: Float = 1.5
  private static let heldColor: Float = 0.8
  private static let heldPeak: Float = 0.12
  /// Frames after which an object that was lost may come back at another disparity, and is no more
  /// expected where it was.
  static let forgetfulness = 30
  /// The share of the histograms' answer beside the filter's. None: people who bend and turn are lost.
  static let colorShare: Float = 0.3
  /// A filter's answer at a place.
  struct Answer {
    /// In pixels of the picture.
    var x: Double
    var y: Double
    /// The filter's answer, 1 for what it was trained with.
    var peak: Float
    /// The mean likelihood of the box's colours, and that of its disparities.
    var color: Float
    var share: Float
    /// The filter's answer at the best place away from this one.
    var second: Float = 0

    /// Brings the numbers, not the place, nearer to another answer's.
    mutating func approach(_ other: Answer, share part: Float) {
      peak += (other.peak - peak) * part
      color += (other.color - color) * part
      share += (other.share - share) * part
    }
  }

  /// The object near where it is expected, or else elsewhere; `nil` when it is lost.
  mutating func search(
    _ picture: PicturePlanes, _ map: PixelBuffer?, _ detected: [NormalizedRect]
  ) -> (Answer, Double)? {
    var here: Answer?
    if framesLost <= Self.forgetfulness {
      let window = window(
        picture, map, x: centerX + velocityX, y: centerY + velocityY, side: searchSide)
      here = places(in: window, filter: 0, factor: 1, count: 1, tapers: true).first
    }
    if let here, framesLost == 0 ? isSure(here) : isClear(here) {
      framesInDoubt = 0
      return (here, 1)
    }
    if framesLost > 0, let given = look(at: detected, picture, map) {
      framesInDoubt = 0
      return given
    }
    if let other = seek(picture, map),
      framesLost > 0 || quality(other.answer) > here.map(quality) ?? 0
    {
      framesInDoubt = 0
      return (other.answer, other.factor)
    }
    guard let here, framesLost == 0 else { return nil }
    if isHeld(here) {
      framesInDoubt = max(1, framesInDoubt - 1)
      return (here, 1)
    }
    guard quality(here) >= Self.lostQuality, framesInDoubt < Self.patience else { return nil }
    framesInDoubt += 1
    return (here, 1)
  }

  /// Whether an answer where the object is expected is the object.
  private func isSure(_ answer: Answer) -> Bool {
    let quality = quality(answer)
    if quality >= (framesLearnt < Self.firstFrames ? Self.firstQuality : Self.sureQuality) {
      return true
    }
    // in the first frames no colours are usual
    return quality >= Self.supportedQuality && objectDisparity != nil && usual.share > 0.3
      && answer.share > Self.supportedShare * usual.share
      && answer.color > Self.supportedShare * usual.color
  }

  /// Whether an answer where the object is expected is the object, although it looks otherwise.
  private func isHeld(_ answer: Answer) -> Bool {
    answer.peak >= Self.heldPeak && answer.peak >= Self.distinctFactor * answer.second
      && answer.color >= Self.heldColor * usual.color
  }

  /// How an answer compares with usual ones: about 1 while the object is in clear view.
  func quality(_ answer: Answer) -> Float {
    let quality = answer.peak / max(usual.peak, 1e-3)
    // what is covered, or left behind, has not the object's disparity
    guard objectDisparity != nil, usual.share > 0.1 else { return quality }
    return quality * min(1, 1.6 * answer.share / usual.share)
  }

  /// The places in a window where a filter sees the object, the best one first.
  ///
  /// - Parameters:
  ///   - factor: the object's size, in shares of what it was.
  ///   - tapers: whether the middle of the window counts most; otherwise its border is left out.
  mutating func places(
    in window: ObjectWindow, filter: Int, factor: Double, count: Int, tapers: Bool
  ) -> [Answer] {
    let cells = ObjectWindow.cells
    let taper = tapers ? ObjectWindow.hann : ObjectWindow.even
    let spectra = filters[filter].spectra(of: window.weighted(weights, window: taper))
    let answer = filters[filter].response(to: spectra)
    let (columns, rows) = (width * factor / window.cell, height * factor / window.cell)
    let colors = ColorModel.boxMeans(
      of: colors.likelihood(bins: window.bins, cells: cells), cells: cells, width: columns,
      height: rows)
    let shares = window.likelihood.map {
      ColorModel.boxMeans(of: $0, cells: cells, width: columns, height: rows)
    }
    var merged = [Float](repeating: -.infinity, count: cells * cells)
    let edge = tapers ? 0 : cells / 10
    for y in edge..<(cells - edge) {
      for x in edge..<(cells - edge) {
        let at = y * cells + x
        // the window's middle is shift zero
        let shift = (y ^ (cells / 2)) * cells + (x ^ (cells / 2))
        merged[shift] =
          (1 - Self.colorShare) * answer[shift] + Self.colorShare * colors[at] * taper[at]
      }
    }
    var found: [Answer] = []
    let reach = max(2, Int(min(columns, rows) / 3))
    while true {
      let peak = ResponsePeak(of: merged, side: cells)
      guard peak.value.isFinite else { break }
      let at = (peak.row ^ (cells / 2)) * cells + (peak.column ^ (cells / 2))
      found.append(
        Answer(
          x: window.centerX + peak.x * window.cell, y: window.centerY + peak.y * window.cell,
          peak: answer[peak.row * cells + peak.column], color: colors[at], share: shares?[at] ?? 1))
      if count == 1 { found[0].second = Self.best(of: answer, away: reach, from: peak) }
      guard found.count < count else { break }
      for dy in -reach...reach {
        for dx in -reach...reach {
          let (row, column) = (peak.row + dy + cells, peak.column + dx + cells)
          merged[row % cells * cells + column % cells] = -.infinity
        }
      }
    }
    return found
  }

  /// The highest answer farther than so many cells from a peak.
  private static func best(of answer: [Float], away reach: Int, from peak: ResponsePeak) -> Float {
    let cells = ObjectWindow.cells
    func distance(_ a: Int, _ b: Int) -> Int { min(abs(a - b), cells - abs(a - b)) }
    var best = -Float.infinity
    for row in 0..<cells {
      let isFar = distance(row, peak.row) > reach
      for column in 0..<cells where isFar || distance(column, peak.column) > reach {
        best = max(best, answer[row * cells + column])
      }
    }
    return max(0, best)
  }
}
