// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

/// An effect around the subjects of a picture: which background they have, how that looks, and what lies between.
///
/// All of it is done in linear light and keeps high dynamic range. Looks and what lies between go with every background.
public struct SubjectEffect: Sendable {
  /// Behind the subjects.
  public enum Background: Sendable {
    /// The picture's own.
    case kept
    case transparent
    /// Linear light, white at 1, in the picture's own primaries: another colour before pictures of others.
    case plain(red: Float, green: Float, blue: Float)
    /// Another picture, in any format but those of disparity, scaled so that it fills the frame, and cut around its middle.
    /// It stands upright.
    case picture(PixelBuffer)

    /// Whether nothing is behind the subjects.
    public var isTransparent: Bool { if case .transparent = self { true } else { false } }
    /// Whether the picture's own is.
    package var isKept: Bool { if case .kept = self { true } else { false } }
  }

  /// How the background looks.
  public enum Look: Hashable, Sendable {
    case natural
    /// Darker by so many stops, 0 to 126, so that the subjects stand out.
    case highlight(stops: Float)
    case monochrome
    /// So many levels of each component up to white, at least 2.
    case posterized(levels: Int)
  }

  /// The accent between subjects and background. Lengths are parts of the picture's longer side.
  public enum Accent: Hashable, Sendable {
    case none
    /// A soft shadow, moved to the right and down.
    case shadow(x: Float, y: Float, softness: Float, strength: Float)
    /// A line around the subjects, in white.
    case outline(width: Float)
  }

  /// The background, out of focus, as a lens would show it. The subjects are cut out before, so that none of their
  /// light bleeds into it.
  public struct LensBlur: Hashable, Sendable {
    /// The diameter of the circles of confusion of what is farthest, in parts of the picture's longer side, 0 to 0.2.
    /// Things as far as the subjects stay sharp, where a map of disparity gives distances; else all of it is far.
    public var diameter: Float
    /// How white the cut-out is that is blurred with the rest, 0 to 1: a glow around the subjects.
    public var halo: Float

    public init(diameter: Float = 0.03, halo: Float = 0) {
      (self.diameter, self.halo) = (diameter, halo)
    }
  }

  public var background = Background.kept
  public var look = Look.natural
  public var accent = Accent.none
  /// `nil` for a background that stays as sharp as it is.
  public var lensBlur: LensBlur?

  /// A shadow as it falls on a wall close behind.
  public static let usualShadow = Accent.shadow(x: 0.012, y: 0.018, softness: 0.012, strength: 0.6)
  /// As on a sticker.
  public static let usualOutline = Accent.outline(width: 0.01)
  /// Two stops, a quarter of the light.
  public static let usualHighlight = Look.highlight(stops: 2)

  public init(
    background: Background = .kept, look: Look = .natural, accent: Accent = .none,
    lensBlur: LensBlur? = nil
  ) {
    (self.background, self.look, self.accent) = (background, look, accent)
    self.lensBlur = lensBlur
  }

  /// - Throws: `invalidParameter` for numbers that are not finite or out of range and for a lens blur of nothing, `unsupported` for a map as background.
  package func validate() throws(CinematicError) {
    var numbers: [Float] = []
    switch background {
    case .kept, .transparent: break
    case .plain(let red, let green, let blue): numbers += [red, green, blue]
    case .picture(let picture):
      guard !picture.format.isDisparity else {
        throw CinematicError(
          .unsupported, "a disparity map (\(picture.format)) is no background",
          remedy: "give a picture")
      }
    }
    if let lensBlur {
      guard (0...0.2).contains(lensBlur.diameter), (0...1).contains(lensBlur.halo) else {
        throw CinematicError(
          .invalidParameter,
          "there is no lens blur of diameter \(lensBlur.diameter) and halo \(lensBlur.halo)",
          remedy: "the diameter must be 0 to 0.2, the halo 0 to 1")
      }
      if background.isTransparent {
        throw CinematicError(
          .invalidParameter, "nothing is behind the subjects for a lens to blur",
          remedy: "give a background, or keep the picture's own")
      }
    }
    // 126 stops below white is the least light that a float holds as precisely as others.
    if case .highlight(let stops) = look, !(0...126).contains(stops) {
      throw CinematicError(
        .invalidParameter, "a background cannot be darker by \(stops) stops",
        remedy: "the stops must be 0 to 126")
    }
    if case .posterized(let levels) = look, !(2...256).contains(levels) {
      throw CinematicError(
        .invalidParameter, "a background cannot have \(levels) levels",
        remedy: "the levels must be 2 to 256")
    }
    switch accent {
    case .none: break
    case .shadow(let x, let y, let softness, let strength):
      guard abs(x) <= 1, abs(y) <= 1, (0...0.2).contains(softness), (0...1).contains(strength)
      else {
        throw CinematicError(
          .invalidParameter, "there is no shadow of softness \(softness) and strength \(strength)",
          remedy: "move it by -1 to 1; its softness must be 0 to 0.2, its strength 0 to 1")
      }
    case .outline(let width):
      guard (0...0.1).contains(width) else {
        throw CinematicError(
          .invalidParameter, "there is no outline of width \(width)",
          remedy: "the width must be 0 to 0.1")
      }
    }
    guard numbers.allSatisfy(\.isFinite) else {
      throw CinematicError(
        .invalidParameter, "an effect's light is not finite", remedy: "give finite numbers")
    }
  }
}

extension SubjectEffect.Accent {
  /// What is drawn in pixels of a mask of a size.
  func cover(in size: Dimensions) -> SubjectLayers.Cover {
    let longer = Float(max(size.width, size.height))
    func pixels(_ share: Float) -> Int { Int((share * longer).rounded()) }
    switch self {
    case .none: return .none
    case .shadow(let x, let y, let softness, let strength):
      return .shadow(
        right: pixels(x), down: pixels(y), reach: pixels(softness), strength: strength)
    case .outline(let width): return width > 0 ? .outline(width: width * longer) : .none
    }
  }
}
