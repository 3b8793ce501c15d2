// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCore
import FocalMedia
import FocalSubjects

/// The treatment of the picture around its subjects.
struct EffectOptions: ParsableArguments {
  @Flag(help: "Write the subjects' mask, gray from 0 to white, and not their picture.")
  var mask = false
  @Flag(help: "Of one picture, write only what the subjects reach over.")
  var tight = false
  @Option(
    help: ArgumentHelp(
      "What is behind the subjects: transparent, kept, #rrggbb (a colour of sRGB), or the file of a picture or a clip, which"
        + " fills the frame; a shorter clip begins again at its end."
        + " (default: transparent; with --look and --bokeh kept)", valueName: "background"))
  var background: String?
  @Option(
    help: ArgumentHelp(
      "How the background looks: highlight (two stops darker), mono, or posterize.",
      valueName: "look"))
  var look: LookArgument?
  @Flag(
    help:
      "Render the background out of focus, as far as the map says, the subjects cut out so that they do not bleed."
  )
  var bokeh = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The diameter of the discs of what is farthest, as a share of the longer side, 0 to 0.2; with --bokeh, which it"
        + " implies. (default: 0.03)",
      valueName: "share"))
  var bokehSize: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How much of a white cut-out of the subjects is blurred with the background, 0 to 1: a glow around them; with"
        + " --bokeh, which it implies. (default: 0)",
      valueName: "share"))
  var halo: Float?
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

  /// ``FocalSubjects/SubjectEffect/isDrawn`` of what the options say, before files of the background are read.
  var isDrawn: Bool {
    look != nil || accent != nil || lensBlur != nil
      || background != nil && background != "transparent"
  }

  /// Whether nothing is behind the subjects.
  var isTransparent: Bool {
    background.map { $0 == "transparent" } ?? (look == nil && lensBlur == nil)
  }

  var isGiven: Bool { background != nil || look != nil || accent != nil || lensBlur != nil }

  /// `nil` for a background that stays sharp.
  var lensBlur: SubjectEffect.LensBlur? {
    guard bokeh || bokehSize != nil || halo != nil else { return nil }
    var blur = SubjectEffect.LensBlur()
    if let bokehSize { blur.diameter = bokehSize }
    if let halo { blur.halo = halo }
    return blur
  }

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
    if background == "transparent", look != nil || lensBlur != nil {
      throw ValidationError("nothing is behind the subjects for --look and --bokeh to change")
    }
    if let background, background.hasPrefix("#"), let lensBlur, lensBlur.halo == 0 {
      throw ValidationError(
        "one colour is the same out of focus: leave --bokeh out, or add a glow with --halo")
    }
    if let bokehSize, !(0...0.2).contains(bokehSize) {
      throw ValidationError("--bokeh-size takes 0 to 0.2")
    }
    if let halo, !(0...1).contains(halo) { throw ValidationError("--halo takes 0 to 1") }
  }

  /// Codes of red, green and blue, 0 to 255.
  private static func color(_ text: String) -> (Int, Int, Int)? {
    let digits = text.dropFirst()
    // A number may have a sign, a colour has none.
    guard text.hasPrefix("#"), digits.count == 6, digits.allSatisfy(\.isHexDigit),
      let code = Int(digits, radix: 16)
    else { return nil }
    return (code >> 16, code >> 8 & 255, code & 255)
  }

  /// - Throws: what opening a file throws; where a colour may be meant, with how that is given.
  private static func opened(
    _ background: String, _ given: ReadOptions
  ) async throws(CinematicError) -> FrameReader {
    var options = ReadOptions(stillDuration: given.stillDuration)
    options.interlacing = given.interlacing
    do throws(CinematicError) {
      return try await FrameReader.open(background, options: options)
    } catch {
      guard error.code == .unreadable, !background.contains(where: { "./%".contains($0) }) else {
        throw error
      }
      throw CinematicError(
        .unreadable, error.message,
        remedy: "give a colour as #rrggbb, such as #ff0000, or the file of a picture or a clip")
    }
  }

  /// The effect, and the file that is behind the subjects, if one is.
  ///
  /// - Parameters:
  ///   - primaries: of the picture.
  ///   - options: how the picture is read; how long numbered pictures are shown and what becomes of interlaced ones counts
  ///     for the background as well.
  /// - Throws: what reading the background throws.
  func effect(
    before primaries: ColorTags.Primaries, _ options: ReadOptions
  ) async throws(CinematicError) -> (SubjectEffect, background: FrameReader?) {
    var effect = SubjectEffect(
      background: look == nil && lensBlur == nil ? .transparent : .kept, lensBlur: lensBlur)
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
    guard let background else { return (effect, nil) }
    if background == "transparent" {
      effect.background = .transparent
    } else if background == "kept" {
      effect.background = .kept
    } else if let (red, green, blue) = Self.color(background) {
      let pixel = try PixelBuffer(
        dimensions: Dimensions(width: 1, height: 1), format: .rgba8, tags: .sRGB,
        values: [UInt8(red), UInt8(green), UInt8(blue), 255])
      // Of the same colour, whatever the picture's red, green and blue are.
      var converted = try pixel.linearRGBA()
      if pixel.tags.primaries != primaries {
        let conversion = PrimariesConversion(from: pixel.tags.primaries, to: primaries)
        converted = try conversion.convert(converted, to: primaries)
      }
      let light = converted.withUnsafeBytes { bytes in
        bytes.load(as: SIMD4<Float>.self)
      }
      effect.background = .plain(red: light.x, green: light.y, blue: light.z)
    } else {
      let reader = try await Self.opened(background, options)
      let picture = try await reader.straightPicture(number: reader.frameNumbers.lowerBound)
      let turn = reader.properties.preferredTransform
      effect.background = .picture(try picture.upright(turn))
      return (effect, reader)
    }
    return (effect, nil)
  }
}
