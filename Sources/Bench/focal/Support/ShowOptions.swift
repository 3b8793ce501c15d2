// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptions
import FocalCinematic
import FocalCore
import FocalRendering

/// The view that is shown instead of the rendered picture.
struct ShowOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Show how the blur was decided, with a legend: the map as given (disparity) or as the picture refined"
        + " it (refined), circles of confusion (coc), slices (layers), whose the pixels at edges are"
        + " (coverage), what is sharp (focus), or the picture with its sharp detail marked (peaking).",
      valueName: "view"))
  var show: RenderingSession.DebugView?

  var legend: ViewLegend? { show.map(ViewLegend.init) }
}

extension RenderingSession.DebugView: ExpressibleByArgument {}

/// The meaning of a view's colours, in the lower left corner of pictures.
struct ViewLegend: Sendable {
  let view: RenderingSession.DebugView
  private let drawing: CaptionDrawing

  init(_ view: RenderingSession.DebugView) {
    self.view = view
    var pieces: [(text: String, style: Caption.Style)] = []
    for (index, entry) in view.legend.enumerated() {
      var swatch = Caption.Style()
      func code(_ value: Float) -> UInt8 { UInt8((255 * value).rounded()) }
      swatch.textColor = Caption.Color(
        red: code(entry.red), green: code(entry.green), blue: code(entry.blue))
      pieces.append((index == 0 ? "\u{25A0}" : "\n\u{25A0}", swatch))
      pieces.append((" " + entry.meaning, Caption.Style()))
    }
    var caption = Caption(
      pieces: pieces, timeRange: TimeRange(start: .zero, duration: Time(value: 1, timescale: 1)))
    caption.region = CaptionRegion(
      origin: .percent(2, 2), size: .percent(96, 96), displayAlignment: .after,
      textAlignment: .left)
    var look = CaptionLookOptions.usual
    look.textScale = 0.6
    // Black, gray and white swatches stand out against it alike.
    look.box = CaptionColorArgument(argument: "#38386a")
    drawing = CaptionDrawing([CaptionDocument(captions: [caption], format: .webVTT)], look)
  }

  func draw(over picture: PixelBuffer) throws(CinematicError) {
    try drawing.draw(over: picture, at: .zero)
  }
}

/// A focus whose frames show a view.
struct ShownFocus: FocusSource {
  let focus: any FocusSource
  let legend: ViewLegend
  var drawsColors: Bool { true }

  func attributes(at time: Time) throws(CinematicError) -> RenderingSession.FrameAttributes {
    var attributes = try focus.attributes(at: time)
    attributes.view = legend.view
    return attributes
  }

  func draw(
    at time: Time, into picture: PixelBuffer, turn: QuarterTurn
  ) throws(CinematicError) {
    try focus.draw(at: time, into: picture, turn: turn)
    try legend.draw(over: picture)
  }
}
