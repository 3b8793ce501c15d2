// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore
import Synchronization

/// Draws captions over pictures.
///
/// The counterpart of `AVCaptionRenderer`. Captions in cells are drawn as a decoder of CEA-608 shows them: fifteen
/// rows of 32 cells in the safe area, each cell with its box, roll-up windows in motion. Others are set in their
/// regions, with ruby, in columns, from right to left, as they say.
///
/// ```swift
/// let renderer = try CaptionRenderer(document.captions, dimensions: frame.dimensions)
/// try renderer.draw(at: time, over: frame)
/// ```
///
/// The same captions give the same pixels on one machine: fonts are pinned (``CaptionFonts``) and not hinted.
public final class CaptionRenderer: Sendable {
  /// Choices of drawing.
  public struct Settings: Sendable {
    public var fonts = CaptionFonts.standard
    /// As BCP 47 names it; chooses the shapes of ideographs.
    public var language: String?
    /// The box behind text that names none, in captions that are not in cells; `nil` for none. By default
    /// black that hides 82 %: white text on it over white keeps a contrast of 4.5 to 1 (WCAG 2, 1.4.3).
    public var textBox: Caption.Color? = Caption.Color.black.withAlpha(209)
    /// How wide a pixel is over its height: between 0.1 and 10.
    public var pixelAspectRatio = 1.0
    /// The size of text that is not in cells, over the usual: between 0.05 and 20.
    public var textScale = 1.0

    public init() {}
  }

  /// A stretch of time in which the drawing stays the same, or moves all the time.
  public struct Scene: Hashable, Sendable {
    public let timeRange: TimeRange
    /// Whether there is a caption. Without one there is nothing to draw, but perhaps something to erase.
    public let hasActiveCaptions: Bool
    /// Whether the drawing changes within the scene: text comes by and by, or a window rolls.
    public let needsPeriodicRefresh: Bool
  }

  public let captions: [Caption]
  public let dimensions: Dimensions
  public let settings: Settings
  private let timetable: CaptionTimetable
  private let state: Mutex<State>

  private struct State {
    let engine: TextEngine
    /// The overlay of the scene that was asked for last, if nothing moves in it.
    var last: (scene: Int, overlay: CaptionOverlay)?
  }

  /// - Parameter dimensions: of the pictures, each side 1 to ``FocalCore/PixelBuffer/maximumDimension``.
  /// - Throws: `incomplete` where the fonts are not installed, `invalidParameter` for another size, and for settings out of
  ///   their ranges.
  public init(
    _ captions: [Caption], dimensions: Dimensions, settings: Settings = Settings()
  ) throws(CinematicError) {
    try PixelBuffer.check(dimensions)
    guard settings.pixelAspectRatio > 0.1, settings.pixelAspectRatio < 10 else {
      throw CinematicError(
        .invalidParameter,
        "captions cannot be drawn in pixels that are \(settings.pixelAspectRatio) times as wide as high",
        remedy: "give a pixel's shape between 0.1 and 10")
    }
    guard settings.textScale > 0.05, settings.textScale < 20 else {
      throw CinematicError(
        .invalidParameter,
        "captions cannot be drawn at \(settings.textScale) times their usual size",
        remedy: "give a scale of the text between 0.05 and 20")
    }
    self.captions = captions
    self.dimensions = dimensions
    self.settings = settings
    timetable = CaptionTimetable(captions)
    let engine = try TextEngine(
      settings.fonts.suited(to: settings.language), language: settings.language)
    state = Mutex(State(engine: engine, last: nil))
  }

  /// The scenes of a time range, one behind the other, those without captions, too.
  public func sceneChanges(in range: TimeRange) -> [Scene] { timetable.scenes(in: range) }

  /// The overlay that is drawn at a time.
  public func overlay(at time: Time) -> CaptionOverlay {
    let scene = timetable.scene(at: time)
    return state.withLock { state in
      if let last = state.last, last.scene == scene.number { return last.overlay }
      var overlay = CaptionOverlay(dimensions: dimensions)
      let active = timetable.active(at: time).map { captions[$0] }
      if !active.isEmpty {
        var cells: [Caption] = []
        var free: [Caption] = []
        for caption in active {
          if caption.isInCells { cells.append(caption) } else { free.append(caption) }
        }
        if !cells.isEmpty {
          let rolledOut = timetable.rolledOut(at: time).map { captions[$0] }
          CellPainter(dimensions, state.engine).draw(
            cells, rolledOut: rolledOut, at: time, into: &overlay)
        }
        if !free.isEmpty {
          TextPainter(dimensions, settings, state.engine).draw(free, at: time, into: &overlay)
        }
      }
      state.last = scene.moves ? nil : (scene.number, overlay)
      return overlay
    }
  }

  /// Draws over a picture in linear light, at the picture's display white.
  ///
  /// - Returns: characters that no font has a shape for.
  /// - Throws: as ``CaptionOverlay/draw(over:isPremultiplied:)``.
  @discardableResult
  public func draw(
    at time: Time, over picture: PixelBuffer, isPremultiplied: Bool = false
  ) throws(CinematicError) -> Set<Unicode.Scalar> {
    let overlay = overlay(at: time)
    try overlay.draw(over: picture, isPremultiplied: isPremultiplied)
    return overlay.missingCharacters
  }
}

extension Caption {
  var isRolling: Bool { isInCells && region?.scroll == .rollUp }

  /// When all of the text is there.
  var revealEnd: Time {
    guard animation == .characterReveal else { return timeRange.start }
    if let last = revealTimes.last { return timeRange.start + last }
    return timeRange.start + TimeCodeRate.ntsc.time(ofFrame: (text.count + 1) / 2)
  }

  /// How many of a number of characters are there at a time.
  func revealedCount(of count: Int, at time: Time) -> Int {
    guard animation == .characterReveal else { return count }
    let elapsed = time - timeRange.start
    if revealTimes.count == count { return revealTimes.count { $0 <= elapsed } }
    // The pace of line 21.
    let frames = Int(
      max(0, min(elapsed.seconds, 1e9) / TimeCodeRate.ntsc.frameDuration.seconds + 1e-6))
    return min(count, 2 * (frames + 1))
  }
}
