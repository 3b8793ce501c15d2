// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// A size, a rate and a form of pictures that a device offers.
public struct CaptureFormat: Hashable, Sendable {
  /// As stored.
  public var dimensions: Dimensions
  /// The form in FFmpeg's or the kernel's short name: `mjpeg`, `YUYV`, `h264 (yuv420p)`.
  public var coding: String
  /// Pictures a second, above zero.
  public var frameRates: ClosedRange<Double>
  /// Bits of a component, 8 or more.
  public var bitDepth: Int
  /// Whether its pictures have colours.
  public var hasColor: Bool

  public init(
    dimensions: Dimensions, coding: String, frameRates: ClosedRange<Double>, bitDepth: Int = 8,
    hasColor: Bool = true
  ) {
    self.dimensions = dimensions
    self.coding = coding
    self.frameRates = frameRates
    self.bitDepth = bitDepth
    self.hasColor = hasColor
  }

  /// The format of a source's pictures.
  init(_ properties: SourceProperties) {
    let rate = 1 / max(properties.nominalFrameDuration.seconds, 1e-3)
    self.init(
      dimensions: properties.dimensions, coding: properties.codecDescription,
      frameRates: rate...rate, bitDepth: properties.bitDepth,
      hasColor: properties.pixelFormat != .gray8 && properties.pixelFormat != .gray16
        && !properties.pixelFormat.isDisparity)
  }

  // MARK: - Cinematic capture

  /// Below this a map cannot tell a person's outline.
  private static let smallest = 180
  /// The most that a maker's Cinematic mode records: 4K.
  private static let largest = 4096
  /// Slower pictures are no film; more a second are beyond every provider of disparity.
  private static let rates = 1.0...60.0

  /// Whether Cinematic movies can be recorded in this format: pictures of colour with shorter sides of at least 180
  /// and longer ones of at most 4096 pixels, some of whose rates are 1 to 60 a second.
  public var isCinematicVideoCaptureSupported: Bool {
    hasColor && min(dimensions.width, dimensions.height) >= Self.smallest
      && max(dimensions.width, dimensions.height) <= Self.largest
      && frameRates.overlaps(Self.rates)
  }

  /// The rates at which Cinematic movies can be recorded; `nil` where they cannot.
  public var videoFrameRateRangeForCinematicVideo: ClosedRange<Double>? {
    isCinematicVideoCaptureSupported ? frameRates.clamped(to: Self.rates) : nil
  }

  /// The f-number of the strongest blur; 0 where Cinematic movies cannot be recorded.
  public var minSimulatedAperture: Float { isCinematicVideoCaptureSupported ? 2 : 0 }
  /// The f-number of the weakest blur; 0 likewise.
  public var maxSimulatedAperture: Float { isCinematicVideoCaptureSupported ? 16 : 0 }
  /// The f-number that a session begins with; 0 likewise.
  public var defaultSimulatedAperture: Float { isCinematicVideoCaptureSupported ? 2.8 : 0 }
}
