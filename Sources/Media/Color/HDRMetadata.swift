// SPDX-License-Identifier: Apache-2.0

/// A movie's description of the screen that its high dynamic range was made on, of its light, and
/// about the room around the screen. It changes no code of a picture; players use it to show light
/// that their own screen cannot.
public struct HDRMetadata: Hashable, Sendable {
  /// A chromaticity of CIE 1931.
  public struct Chromaticity: Hashable, Sendable {
    /// In steps of 0.00002: 0 to 50 000, which is 1.
    public var x: UInt16
    /// The same.
    public var y: UInt16

    public init(x: UInt16, y: UInt16) {
      self.x = x
      self.y = y
    }
  }

  /// The screen (SMPTE ST 2086).
  public struct MasteringDisplay: Hashable, Sendable {
    public var red: Chromaticity
    public var green: Chromaticity
    public var blue: Chromaticity
    public var white: Chromaticity
    /// In steps of 0.0001 cd/m².
    public var maximumLuminance: UInt32
    /// In steps of 0.0001 cd/m².
    public var minimumLuminance: UInt32

    public init(
      red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity,
      maximumLuminance: UInt32, minimumLuminance: UInt32
    ) {
      self.red = red
      self.green = green
      self.blue = blue
      self.white = white
      self.maximumLuminance = maximumLuminance
      self.minimumLuminance = minimumLuminance
    }
  }

  /// The movie's light (CTA-861.3), in cd/m²; zero if unknown.
  public struct ContentLight: Hashable, Sendable {
    /// Of the brightest pixel (MaxCLL).
    public var maximum: UInt16
    /// Of the brightest frame's mean (MaxFALL).
    public var maximumFrameAverage: UInt16

    public init(maximum: UInt16, maximumFrameAverage: UInt16) {
      self.maximum = maximum
      self.maximumFrameAverage = maximumFrameAverage
    }
  }

  /// The room (ITU-T H.274).
  public struct AmbientViewing: Hashable, Sendable {
    /// In steps of 0.0001 lux.
    public var illuminance: UInt32
    public var light: Chromaticity

    public init(illuminance: UInt32, light: Chromaticity) {
      self.illuminance = illuminance
      self.light = light
    }
  }

  public var masteringDisplay: MasteringDisplay?
  public var contentLight: ContentLight?
  public var ambientViewing: AmbientViewing?

  public init(
    masteringDisplay: MasteringDisplay? = nil, contentLight: ContentLight? = nil,
    ambientViewing: AmbientViewing? = nil
  ) {
    self.masteringDisplay = masteringDisplay
    self.contentLight = contentLight
    self.ambientViewing = ambientViewing
  }

  /// Whether nothing is said.
  public var isEmpty: Bool {
    masteringDisplay == nil && contentLight == nil && ambientViewing == nil
  }

  /// The brightest light of the movie in cd/m²: that of its brightest pixel if known, else
  /// that of the screen; `nil` where nothing is said.
  public var peakLuminance: Float? {
    if let light = contentLight, light.maximum > 0 { return Float(light.maximum) }
    guard let display = masteringDisplay, display.maximumLuminance > 0 else { return nil }
    return Float(display.maximumLuminance) / 10000
  }

  /// This description, completed by another one.
  func filled(from other: HDRMetadata) -> HDRMetadata {
    HDRMetadata(
      masteringDisplay: masteringDisplay ?? other.masteringDisplay,
      contentLight: contentLight ?? other.contentLight,
      ambientViewing: ambientViewing ?? other.ambientViewing)
  }
}
