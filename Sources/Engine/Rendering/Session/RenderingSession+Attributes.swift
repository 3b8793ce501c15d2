// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

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
    /// The faults of the lens.
    public var lensCharacter = LensCharacter()
    /// How strong the blur in front of the focus is, against what the f-number says: 0 to ``maximumStrength``.
    public var nearStrength: Float = 1
    /// The same behind the focus.
    public var farStrength: Float = 1
    /// Bytes of working memory that a session takes at most, if its frames can be cut so low; `nil` for
    /// as much as the device gives. Frames are rendered in strips then, bit-identical and a little
    /// slower.
    public var workingMemoryLimit: Int?
    /// By how many stops light that was clipped at white is taken to have been brighter, 0 to
    /// ``maximumHighlights``: out of focus it makes brighter discs. Sharp pixels stay as they are. For
    /// sources of standard range. With alpha, colours are lifted as those of the surface, however they are
    /// stored; where alpha is 0 there is no light then.
    public var highlights: Float = 0
    /// The linear light from which on it is lifted, the more the nearer it is to white: one of
    /// ``highlightThresholds``.
    public var highlightThreshold = defaultHighlightThreshold
    /// The assumption about the edges of maps.
    public var mapEdges = MapEdges.measured
    /// Whether the blur of thumbnails is worked out at half their size even where they are small: for pictures that are
    /// seen for a moment. What is in focus keeps its detail. Large thumbnails always are.
    public var halvesThumbnails = false

    /// The edges of maps.
    public enum MapEdges: String, Hashable, Sendable, CaseIterable {
      /// Each map is looked at.
      case measured = "auto"
      /// They are steps from one cell to the next, as in a computed map: a map of the picture's size is
      /// taken as it is.
      case sharp
      /// They are blurred over several cells, as in a measured map: the picture decides where they are.
      case soft
    }

    /// More than a lamp is brighter than white paper.
    public static let maximumHighlights: Float = 8
    /// A code of 244 of 255. A value half a stop below white is rarely clipped.
    public static let defaultHighlightThreshold: Float = 0.9
    /// Lower, all of a picture would be taken for clipped; higher, the last code of 8 bits alone.
    public static let highlightThresholds: ClosedRange<Float> = 0.1...0.99
    /// Beyond this a side is fog before the other one is blurred.
    public static let maximumStrength: Float = 4
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
    /// - Throws: `unsupported` for an unknown rendering version, `invalidParameter` for a value
    ///   outside its range.
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
      guard highlights >= 0, highlights <= Self.maximumHighlights else {
        throw CinematicError(
          .invalidParameter, "highlights are to be lifted by \(highlights) stops",
          remedy: "use a number from 0 to \(Self.maximumHighlights)")
      }
      guard Self.highlightThresholds.contains(highlightThreshold) else {
        throw CinematicError(
          .invalidParameter, "highlights are to be lifted from a light of \(highlightThreshold) on",
          remedy: "use a number from \(Self.highlightThresholds.lowerBound) to"
            + " \(Self.highlightThresholds.upperBound); white is 1")
      }
      for (side, strength) in [("in front of", nearStrength), ("behind", farStrength)]
      where !(0...Self.maximumStrength).contains(strength) {
        throw CinematicError(
          .invalidParameter, "the strength of the blur \(side) the focus is \(strength)",
          remedy: "use a number from 0 to \(Self.maximumStrength); 1 is the f-number's own")
      }
      try apertureShape.validate()
      try lensCharacter.validate()
    }

    /// The diameter of the largest circle of confusion of a frame, in pixels of the picture as it is rendered; 0 for a map
    /// without a disparity. None is drawn larger than ``RenderingSession/largestCircleDiameter``.
    ///
    /// - Parameter width: of the rendered picture before its turn.
    package func largestCircle(
      of frame: FrameAttributes, _ map: DisparityMapInfo, width: Int
    ) -> Float {
      2 * FramePasses.Circles(width: width, session: self, frame: frame, map: map).largestRadius
    }

    /// The curve of ``highlights``, as the kernels take it; `nil` where light stays.
    var highlightCurve: FocalHighlights? {
      guard highlights > 0 else { return nil }
      let (knee, peak) = (highlightThreshold, focal_exp2(highlights))
      let slope = (1 - (1 - knee) / (peak - knee)) / (1 - knee)
      return FocalHighlights(knee: knee, slope: slope, peak: peak)
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
    /// The view of the frame that is shown; `nil` for its picture.
    public var view: DebugView?

    public init(focusDisparity: Float, fNumber: Float, toneMapping: ToneMapping? = nil) {
      self.focusDisparity = focusDisparity
      self.fNumber = fNumber
      self.toneMapping = toneMapping
    }

    /// Checks what
    /// ``RenderingSession/encodeRender(to:frameAttributes:sourceImage:sourceDisparity:destinationImage:)``
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
