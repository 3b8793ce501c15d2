// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

extension RenderingSession {
  /// A view that a frame shows instead of its picture: how its blur was decided.
  ///
  /// Views are made by the session's device from the buffers that the blur uses, at the quality that is
  /// rendered. They are opaque, of standard range, and the same on every device.
  public enum DebugView: String, Hashable, Sendable, CaseIterable {
    /// The map as it was given, cell by cell: black at the least disparity of the map, white at its
    /// greatest, so nearest; holes are magenta.
    case disparity
    /// The map as the picture refined it.
    case refined
    /// The circles of confusion: white in focus, yellow to red in front of it, cyan to blue behind it, in
    /// bands that begin at twice the diameter of the one before.
    case circles = "coc"
    /// The slices in which surfaces are blurred, in three shades by turns, warm in front of the focus and
    /// cold behind it; gray is drawn at the picture's own resolution.
    case layers
    /// Edges: green where a pixel belongs to the nearer surface, red where to the farther one, and
    /// shares between.
    case coverage
    /// The parts in focus in their own colours, the rest dark and gray.
    case focus
    /// The rendered picture, detail in focus marked yellow.
    case peaking

    /// The value that kernels take.
    var kernel: Int32 {
      switch self {
      case .disparity: Int32(FocalShowDisparity)
      case .refined: Int32(FocalShowRefined)
      case .circles: Int32(FocalShowCircles)
      case .layers: Int32(FocalShowLayers)
      case .coverage: Int32(FocalShowCoverage)
      case .focus: Int32(FocalShowFocus)
      case .peaking: Int32(FocalShowPeaking)
      }
    }

    /// A colour of a view and its meaning.
    public struct LegendEntry: Hashable, Sendable {
      /// Codes of sRGB, 0 to 1.
      public var red: Float
      public var green: Float
      public var blue: Float
      public var meaning: String

      fileprivate init(_ meaning: String, _ light: FocalLight) {
        red = focal_encode(light.red, FOCAL_TRANSFER_SRGB)
        green = focal_encode(light.green, FOCAL_TRANSFER_SRGB)
        blue = focal_encode(light.blue, FOCAL_TRANSFER_SRGB)
        self.meaning = meaning
      }
    }

    /// The colours of the view, in the order in which they are read.
    public var legend: [LegendEntry] {
      switch self {
      case .disparity:
        [
          LegendEntry("farthest", focal_disparityLight(0)),
          LegendEntry("nearest", focal_disparityLight(1)),
          LegendEntry("no disparity", focal_invalidLight()),
        ]
      case .refined:
        [
          LegendEntry("farthest", focal_disparityLight(0)),
          LegendEntry("nearest", focal_disparityLight(1)),
        ]
      case .circles:
        stride(from: Self.shownBands - 1, through: 0, by: -3).map { Self.band($0, isNear: true) }
          + [LegendEntry("in focus", focal_bandLight(-1, true))]
          + stride(from: 0, to: Self.shownBands, by: 3).map { Self.band($0, isNear: false) }
      case .layers:
        [
          LegendEntry("in front", focal_sliceLight(3)),
          LegendEntry("drawn at full resolution", focal_dimLight(1)),
          LegendEntry("behind", focal_sliceLight(-3)),
        ]
      case .coverage:
        [
          LegendEntry("nearer surface", focal_coverageLight(1)),
          LegendEntry("farther surface", focal_coverageLight(0)),
        ]
      case .focus: [LegendEntry("out of focus", focal_dimLight(1))]
      case .peaking: [LegendEntry("detail in focus", focal_peakingLight())]
      }
    }

    private static let shownBands = Int(FOCAL_SHOW_BANDS)

    private static func band(_ band: Int, isNear: Bool) -> LegendEntry {
      // Bands are of radii, the first one half a pixel.
      let diameter = Int(2 * FOCAL_SHOW_FIRST_BAND * Float(1 << band))
      return LegendEntry(
        "\(diameter) px wide \(isNear ? "in front" : "behind")",
        focal_bandLight(Int32(band), isNear))
    }
  }
}
