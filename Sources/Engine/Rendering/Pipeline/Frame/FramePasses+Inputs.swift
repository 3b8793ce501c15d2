// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The facts of a frame that its passes depend on.
extension FramePasses {
  /// The inputs of a frame, blurred or not.
  struct Frame {
    var source: StoredPicture
    var destination: StoredPicture
    var turn: QuarterTurn
    /// How the picture's light becomes the destination's; `nil` if it is that already.
    var toneMapping: FocalToneMapping?
    /// `nil` for a picture that is rendered as if it were opaque.
    var alpha: Alpha?
    /// How clipped light is lifted; `nil` for light that stays.
    var highlights: FocalHighlights?
    /// The view that is shown; `nil` for the picture.
    var view: RenderingSession.DebugView?
    /// Bytes of the largest piece of memory that a kernel can be bound to.
    var largestBindingByteCount: Int

    init(
      source: StoredPicture, destination: StoredPicture, turn: QuarterTurn,
      _ frameAttributes: RenderingSession.FrameAttributes,
      _ sessionAttributes: RenderingSession.Attributes, alpha: Alpha?, largestBindingByteCount: Int
    ) {
      (self.source, self.destination, self.turn) = (source, destination, turn)
      size = destination.renderedSize(turn: turn)
      self.largestBindingByteCount = largestBindingByteCount
      view = frameAttributes.view
      // A view is opaque, and of standard range unless it is the rendered picture.
      if view == nil { self.alpha = alpha }
      if rendersPicture {
        toneMapping = frameAttributes.toneMapping?.kernel
        highlights = sessionAttributes.highlightCurve
      }
    }

    /// Whether the frame's picture is rendered, marked or not.
    var rendersPicture: Bool { view == nil || view == .peaking }

    /// The size that is rendered: the destination's, as the source is oriented.
    var fullSize: Dimensions { destination.renderedSize(turn: turn) }
    /// The size that the passes work at: ``fullSize``, or half of it.
    var size: Dimensions
    var isHalved: Bool { size != fullSize }
  }

  /// The further inputs of a blurred frame.
  struct Blur {
    /// ``Frame/size``.
    var size: Dimensions
    var disparity: StoredPicture
    var map: DisparityMapInfo
    var quality: RenderingQuality
    var circles: Circles
    var settings: BlurSettings
    var tables: BlurTables
    /// ``DeviceBackend/fusesTiles``.
    var fusesTiles: Bool

    /// Of the frame, in picture pixels, clamped.
    var largestRadius: Float { min(circles.largestRadius, settings.maximumRadius) }
    /// The same in front of the focus and behind it.
    var largestNear: Float { min(circles.largestNear, settings.maximumRadius) }
    var largestFar: Float { min(circles.largestFar, settings.maximumRadius) }
  }

  /// The circles of confusion of a frame.
  struct Circles {
    var focusDisparity: Float
    /// Pixels of radius a unit of disparity, in front of the focus and behind it.
    var nearScale: Float
    var farScale: Float
    /// The largest radius that a disparity of the map gives, in pixels.
    var largestRadius: Float { max(largestNear, largestFar) }
    /// In front of the focus.
    var largestNear: Float
    /// Behind it.
    var largestFar: Float

    init(
      width: Int, session: RenderingSession.Attributes, frame: RenderingSession.FrameAttributes,
      map: DisparityMapInfo
    ) {
      focusDisparity = frame.focusDisparity
      // Half a diameter of width * S / N * |d - focus|.
      let radiusScale = 0.5 * Float(width) * session.blurScale / frame.fNumber
      nearScale = radiusScale * session.nearStrength
      farScale = radiusScale * session.farStrength
      let focus = frame.focusDisparity
      func radius(_ scale: Float, _ step: Float?) -> Float { min(max(scale * (step ?? 0), 0), 1e9) }
      largestNear = radius(nearScale, map.range.map { $0.upperBound - focus })
      largestFar = radius(farScale, map.range.map { focus - $0.lowerBound })
    }

    var areVisible: Bool { largestRadius > BlurSettings.smallestRadius }

    /// As the kernels take them.
    ///
    /// - Parameter maximumRadius: the clamp, pixels.
    func parameters(maximumRadius: Float) -> FocalCircles {
      FocalCircles(
        focusDisparity: focusDisparity, nearScale: nearScale, farScale: farScale,
        maximumRadius: maximumRadius)
    }
  }
}
