// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptionRendering
import FocalCaptions
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import Synchronization

/// The look of captions that are not in cells.
struct CaptionLookOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The box behind text that names none: a colour (black, #00000080) or none, which outlines the text."
        + " (default: black that hides 82 %)", valueName: "color"))
  var box: CaptionColorArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The size of text over the usual, of which 15 lines are four fifths of the picture's height.",
      valueName: "factor"))
  var textScale = 1.0

  func validate() throws {
    guard textScale.isFinite, textScale >= 0.1, textScale <= 10 else {
      throw ValidationError("--text-scale takes a number from 0.1 to 10")
    }
  }

  /// The usual look.
  static var usual: CaptionLookOptions {
    var look = CaptionLookOptions()
    (look.box, look.textScale) = (nil, 1)
    return look
  }

  func settings(language: String?) -> CaptionRenderer.Settings {
    var settings = CaptionRenderer.Settings()
    settings.language = language
    settings.textScale = textScale
    if let box { settings.textBox = box.color }
    return settings
  }
}

/// A colour as it is typed, or none.
struct CaptionColorArgument: ExpressibleByArgument {
  let color: Caption.Color?

  init?(argument: String) {
    if argument.lowercased() == "none" {
      color = nil
    } else if let color = ColorText.color(argument) {
      self.color = color
    } else {
      return nil
    }
  }
}

/// Captions on their way over the frames of a film.
final class CaptionDrawing: Sendable {
  private struct State {
    var renderers: [CaptionRenderer] = []
    /// How wide a pixel is over its height.
    var shape = 1.0
    var missing: Set<Unicode.Scalar> = []
    var isTextCut = false
  }

  private let documents: [CaptionDocument]
  private let look: CaptionLookOptions
  /// Whether the frames' colours are multiplied by their alpha.
  private let isPremultiplied: Bool
  private let state = Mutex(State())

  init(
    _ documents: [CaptionDocument], _ look: CaptionLookOptions, isPremultiplied: Bool = false
  ) {
    self.documents = documents
    self.look = look
    self.isPremultiplied = isPremultiplied
  }

  /// Gets ready for pictures of a size and shape.
  ///
  /// - Throws: as ``CaptionRenderer``.
  func prepare(
    _ dimensions: Dimensions, _ pixelAspectRatio: PixelAspectRatio
  ) throws(CinematicError) {
    state.withLock { state in
      state.shape =
        Double(pixelAspectRatio.horizontal) / Double(max(1, pixelAspectRatio.vertical))
    }
    _ = try renderers(dimensions)
  }

  private func renderers(
    _ dimensions: Dimensions
  ) throws(CinematicError) -> [CaptionRenderer] {
    try state.withLock { state throws(CinematicError) in
      if state.renderers.first?.dimensions == dimensions { return state.renderers }
      var renderers: [CaptionRenderer] = []
      for document in documents {
        var settings = look.settings(language: document.language)
        settings.pixelAspectRatio = state.shape
        renderers.append(
          try CaptionRenderer(document.captions, dimensions: dimensions, settings: settings))
      }
      state.renderers = renderers
      return renderers
    }
  }

  func draw(over picture: PixelBuffer, at time: Time) throws(CinematicError) {
    for renderer in try renderers(picture.dimensions) {
      let overlay = renderer.overlay(at: time)
      try overlay.draw(over: picture, isPremultiplied: isPremultiplied)
      guard overlay.isTextCut || !overlay.missingCharacters.isEmpty else { continue }
      state.withLock { state in
        state.missing.formUnion(overlay.missingCharacters)
        if overlay.isTextCut { state.isTextCut = true }
      }
    }
  }

  /// Characters that no font has a shape for, in order.
  var missingCharacters: [Unicode.Scalar] { state.withLock { $0.missing.sorted() } }

  /// Whether a text was too long to be drawn whole.
  var isTextCut: Bool { state.withLock { $0.isTextCut } }

  /// Says which characters were not drawn.
  func tell() {
    if isTextCut {
      note(
        "a text was drawn in part: captions of more than 4096 code points, characters of more than 32 and ruby of more than 200"
          + " are cut")
    }
    let missing = missingCharacters
    guard !missing.isEmpty else { return }
    let names = missing.prefix(8).map {
      "'\($0)' (U+\(String($0.value, radix: 16, uppercase: true)))"
    }.joined(separator: ", ")
    note(
      "no font that captions are drawn in has \(names)\(missing.count > 8 ? " and others" : ""): "
        + CaptionFonts.remedies(for: missing).joined(separator: "; "))
  }
}
