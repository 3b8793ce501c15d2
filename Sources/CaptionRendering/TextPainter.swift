// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore

/// Sets captions that are not in cells, in their regions.
struct TextPainter {
  private let dimensions: Dimensions
  private let settings: CaptionRenderer.Settings
  private let engine: TextEngine
  /// The picture's size with square pixels.
  private let size: (width: Double, height: Double)
  private let em: Double

  /// Text keeps clear of what screens may hide: SMPTE ST 2046-1's safe title area is the middle 90 %.
  private static let margin = 0.05
  /// A line is as high as a row of CEA-608's grid; in narrow pictures as in one of 4:3.
  private static let lineHeight = 0.8 / 15
  /// DejaVu Sans' line over its em.
  private static let linesPerEm = 1.164

  init(_ dimensions: Dimensions, _ settings: CaptionRenderer.Settings, _ engine: TextEngine) {
    self.dimensions = dimensions
    self.settings = settings
    self.engine = engine
    size = (Double(dimensions.width) * settings.pixelAspectRatio, Double(dimensions.height))
    em =
      settings.textScale * Self.lineHeight * min(size.height, size.width * 0.75) / Self.linesPerEm
  }

  /// A region in pixels.
  struct Frame {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
    var isVertical: Bool
    var display: CaptionRegion.DisplayAlignment
    var length: Double { isVertical ? height : width }
    var depth: Double { isVertical ? width : height }

    /// Whether lines of both can meet.
    func isBeside(_ other: Frame) -> Bool {
      guard isVertical == other.isVertical else { return false }
      return isVertical
        ? y < other.y + other.height && other.y < y + height
        : x < other.x + other.width && other.x < x + width
    }
  }

  func draw(_ captions: [Caption], at time: Time, into overlay: inout CaptionOverlay) {
    // Smaller letters show nothing.
    guard em >= 2 else { return }
    // Captions of one region stand one after another; equal regions may stand in several places.
    var groups: [(region: CaptionRegion?, captions: [Caption])] = []
    for caption in captions {
      let place = groups.firstIndex {
        CaptionRegion.areIdentical($0.region, caption.region)
      }
      if let place {
        groups[place].captions.append(caption)
      } else {
        groups.append((caption.region, [caption]))
      }
    }
    var taken: [(frame: Frame, lines: Range<Double>)] = []
    for (region, captions) in groups {
      let frame = frame(of: region)
      let texts = captions.map { caption in
        let revealed = caption.text.prefix(caption.revealedCount(of: caption.text.count, at: time))
        return SetText(
          caption, revealed: revealed.utf8.count,
          isVertical: frame.isVertical, em: em, length: frame.length, engine)
      }
      let total = texts.reduce(0) { $0 + $1.height }
      var position = start(of: total, in: frame, besides: taken)
      let edge = before(frame)
      taken.append((frame, (edge + position)..<(edge + position + max(0, total))))
      for (caption, text) in zip(captions, texts) {
        overlay.missingCharacters.formUnion(text.layout.missingCharacters)
        if text.isCut { overlay.isTextCut = true }
        let piece = TextDrawing(
          text, frame: frame, start: position, alignment: caption.shownAlignment,
          box: settings.textBox, pixelAspectRatio: settings.pixelAspectRatio,
          dimensions: dimensions, engine
        ).piece
        if !piece.layers.isEmpty { overlay.pieces.append(piece) }
        position += text.height
      }
    }
  }

  /// How far a frame is from the edge that lines count from.
  private func before(_ frame: Frame) -> Double {
    frame.isVertical ? size.width - frame.x - frame.width : frame.y
  }

  /// Where lines begin, across them, so that they are in the picture as far as they can be, and beside what stands there
  /// already: away from the side that they grow from, as long as there is room.
  private func start(
    of total: Double, in frame: Frame, besides taken: [(frame: Frame, lines: Range<Double>)]
  ) -> Double {
    var start: Double
    switch frame.display {
    case .before: start = 0
    case .center: start = (frame.depth - total) / 2
    case .after: start = frame.depth - total
    }
    let whole = frame.isVertical ? size.width : size.height
    let before = before(frame)
    let low = whole * Self.margin - before
    let high = whole * (1 - Self.margin) - before - total
    start = max(low, min(start, high))
    let usual = start
    let others = taken.filter { $0.frame.isBeside(frame) }.map(\.lines)
    for _ in others {
      let own = (before + start + 0.5)..<max(before + start + 0.5, before + start + total - 0.5)
      guard let other = others.first(where: { $0.overlaps(own) }) else { break }
      start =
        (frame.display == .after ? other.lowerBound - total : other.upperBound) - before
      // Without room it stands where it would.
      guard start >= low - 0.5, start <= high + 0.5 else { return usual }
    }
    return start
  }

  private func frame(of region: CaptionRegion?) -> Frame {
    let isVertical = region?.writingMode == .topToBottomAndRightToLeft
    func percent(_ dimension: CaptionDimension?) -> Double? {
      guard let dimension, dimension.units == .percent, dimension.value.isFinite else { return nil }
      return max(-100, min(200, dimension.value)) / 100
    }
    func span(_ origin: Double?, _ extent: Double?) -> (start: Double, end: Double) {
      let start = origin ?? 0
      let end = extent.map { start + max(0, $0) } ?? max(1, start)
      let inner = (max(Self.margin, start), min(1 - Self.margin, end))
      // A region that lies beyond what is safe, or has no size: its place alone counts.
      guard inner.1 - inner.0 > 0.01 else {
        let place = max(Self.margin, min(0.99 - Self.margin, start))
        return (place, 1 - Self.margin)
      }
      return inner
    }
    let x = span(percent(region?.origin?.x), percent(region?.size?.width))
    let y = span(percent(region?.origin?.y), percent(region?.size?.height))
    let isPlaced = percent(region?.origin?.y) != nil || percent(region?.origin?.x) != nil
    return Frame(
      x: x.start * size.width, y: y.start * size.height, width: (x.end - x.start) * size.width,
      height: (y.end - y.start) * size.height, isVertical: isVertical,
      display: isPlaced ? region?.displayAlignment ?? .before : isVertical ? .before : .after)
  }
}
