// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension RenderingSession {
  /// The settings for all frames of a clip.
  public struct Attributes: Hashable, Sendable {
    /// The version of the rendering's look. Pictures of one version stay the same, apart from
    /// rounding, in later releases.
    public var renderingVersion: Int
    /// The blur scale S: a circle of confusion's diameter is
    /// `width * S / fNumber * |disparity - focusDisparity|` pixels. 0 to ``maximumBlurScale``.
    public var blurScale: Float
    public var apertureShape: ApertureShape
    /// Bytes of working memory that a session takes at most, if its frames can be cut so low; `nil` for
    /// as much as the device gives. Frames are rendered in strips then, bit-identical and a little
    /// slower.
    public var workingMemoryLimit: Int?

    /// The version that this release renders.
    public static let latestRenderingVersion = 1
    /// A full-frame portrait look for maps whose disparities span 0 to 1: at f/2.8 a light at the
    /// far end of the range, the focus being at the near end, becomes a disc of 4.5 % of the width.
    public static let defaultBlurScale: Float = 0.125
    /// Beyond this every picture is fog.
    public static let maximumBlurScale: Float = 16

    public init(
      renderingVersion: Int = latestRenderingVersion, blurScale: Float = defaultBlurScale,
      apertureShape: ApertureShape = .disc
    ) {
      self.renderingVersion = renderingVersion
      self.blurScale = blurScale
      self.apertureShape = apertureShape
    }

    /// Checks what a session would refuse.
    ///
    /// - Throws: `unsupported` for an unknown rendering version, `invalidParameter` for a blur scale
    ///   or an aperture outside its range.
    public func validate() throws(CinematicError) {
      guard renderingVersion == Self.latestRenderingVersion else {
        throw CinematicError(
          .unsupported, "rendering version \(renderingVersion) is not known",
          remedy: "use version \(Self.latestRenderingVersion), or a newer release")
      }
      guard blurScale >= 0, blurScale <= Self.maximumBlurScale else {
        throw CinematicError(
          .invalidParameter, "the blur scale is \(blurScale)",
          remedy: "use a number from 0 to \(Self.maximumBlurScale)")
      }
      guard apertureShape.bladeCount == 0 || (3...16).contains(apertureShape.bladeCount),
        apertureShape.rotation.isFinite
      else {
        throw CinematicError(
          .invalidParameter,
          "an aperture of \(apertureShape.bladeCount) blades turned by \(apertureShape.rotation)",
          remedy: "use 0 for a disc or 3 to 16 blades, and a finite rotation")
      }
    }
  }

  /// The settings of one frame.
  public struct FrameAttributes: Hashable, Sendable {
    /// The disparity that is sharp, in the map's own scale; larger is nearer.
    public var focusDisparity: Float
    /// The simulated f-number; smaller blurs more, infinity not at all.
    public var fNumber: Float
    /// How high dynamic range becomes the destination's standard range, after the blur, so that lights
    /// blur as bright as they were; `nil` for a destination that takes the source's light. The codes
    /// that are written are sRGB's, whichever curve of standard range the destination names.
    public var toneMapping: ToneMapping?

    public init(focusDisparity: Float, fNumber: Float, toneMapping: ToneMapping? = nil) {
      self.focusDisparity = focusDisparity
      self.fNumber = fNumber
      self.toneMapping = toneMapping
    }

    /// Checks what ``RenderingSession/encodeRender(to:frameAttributes:sourceImage:sourceDisparity:destinationImage:)``
    /// would refuse.
    ///
    /// - Throws: `invalidParameter` for an f-number below 0.1 or a focus that is not finite.
    public func validate() throws(CinematicError) {
      guard fNumber >= 0.1 else {
        throw CinematicError(
          .invalidParameter, "the f-number is \(fNumber)",
          remedy: "use a number of at least 0.1, such as 2.8; infinity turns the blur off")
      }
      guard focusDisparity.isFinite else {
        throw CinematicError(
          .invalidParameter, "the focus disparity is \(focusDisparity)",
          remedy: "use a finite number on the scale of the disparity map")
      }
    }
  }
}
