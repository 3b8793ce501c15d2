// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia
import FocalSubjects

/// What becomes of the picture around its subjects.
struct EffectOptions: ParsableArguments {
  @Flag(help: "Write the subjects' mask, gray from 0 to white, and not their picture.")
  var mask = false
  @Flag(help: "Of one picture, write only what the subjects reach over.")
  var tight = false
  @Option(
    help: ArgumentHelp(
      "What is behind the subjects: transparent, kept, #rrggbb or a picture's file, which fills the frame."
        + " (default: transparent; with --look kept)", valueName: "background"))
  var background: String?
  @Option(
    help: ArgumentHelp(
      "How the background looks: highlight (two stops darker), mono, or posterize.",
      valueName: "look"))
  var look: LookArgument?
  @Option(
    help: ArgumentHelp(
      "What lies between subjects and background: shadow, or outline, as a sticker has it.",
      valueName: "accent"))
  var accent: AccentArgument?

  enum LookArgument: String, ExpressibleByArgument, CaseIterable {
    case highlight, mono, posterize
  }

  enum AccentArgument: String, ExpressibleByArgument, CaseIterable {
    case shadow, outline
  }

  var isGiven: Bool { background != nil || look != nil || accent != nil }

  /// The file of the background.
  var backgroundPath: String? {
    guard let background, !["transparent", "kept"].contains(background),
      !background.hasPrefix("#")
    else { return nil }
    return background
  }

  func validate() throws {
    if let background, background.hasPrefix("#"), Self.color(background) == nil {
      throw ValidationError("write a colour as #rrggbb, such as #00ff00")
    }
    if background == "transparent", look != nil {
      throw ValidationError("nothing is behind the subjects for --look to change")
    }
  }

  /// Codes of red, green and blue, 0 to 255.
  private static func color(_ text: String) -> (Int, Int, Int)? {
    guard text.count == 7, let code = Int(text.dropFirst(), radix: 16), code >= 0 else {
      return nil
    }
    return (code >> 16, code >> 8 & 255, code & 255)
  }

  /// - Throws: what reading the background throws.
  func effect() async throws(CinematicError) -> SubjectEffect {
    var effect = SubjectEffect(background: look == nil ? .transparent : .kept)
    switch look {
    case nil: break
    case .highlight: effect.look = SubjectEffect.usualHighlight
    case .mono: effect.look = .monochrome
    case .posterize: effect.look = .posterized(levels: 6)
    }
    switch accent {
    case nil: break
    case .shadow: effect.accent = SubjectEffect.usualShadow
    case .outline: effect.accent = SubjectEffect.usualOutline
    }
    guard let background else { return effect }
    if background == "transparent" {
      effect.background = .transparent
    } else if background == "kept" {
      effect.background = .kept
    } else if let (red, green, blue) = Self.color(background) {
      let pixel = try PixelBuffer(
        dimensions: Dimensions(width: 1, height: 1), format: .rgba8,
        values: [UInt8(red), UInt8(green), UInt8(blue), 255])
      let light = try pixel.linearRGBA().withUnsafeBytes { bytes in
        bytes.load(as: SIMD4<Float>.self)
      }
      effect.background = .plain(red: light.x, green: light.y, blue: light.z)
    } else {
      let reader = try await FrameReader.open(background)
      guard reader.properties.kind == .still else {
        throw CinematicError(
          .invalidParameter, "\(background) is not one picture", remedy: "give one picture")
      }
      let frame = try await reader.frame(number: 0)
      let turn = reader.properties.preferredTransform
      effect.background = .picture(try frame.pixelBuffer.upright(turn))
    }
    return effect
  }
}
