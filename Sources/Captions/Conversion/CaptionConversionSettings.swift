// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The choices of a conversion to CEA-608.
public struct CaptionConversionSettings: Hashable, Sendable {
  /// How the file's time codes count: ``TimeCodeRate/ntsc`` or ``TimeCodeRate/ntscDrop``.
  public var timeCodeRate: TimeCodeRate
  /// The channel of field 1 that the captions are sent in.
  public var channel: CEA608.Channel
  /// Whether control codes are sent twice, as decoders of broadcasts need it.
  public var doublesControlCodes: Bool

  /// - Throws: `unsupported` for another rate than 29.97 frames a second.
  public init(
    timeCodeRate: TimeCodeRate = .ntsc, channel: CEA608.Channel = .one,
    doublesControlCodes: Bool = true
  ) throws(CinematicError) {
    guard timeCodeRate == .ntsc || timeCodeRate == .ntscDrop else {
      throw CinematicError(
        .unsupported,
        "line 21 has 29.97 frames a second, and the time codes would count"
          + " \((100_000 / timeCodeRate.frameDuration.seconds).rounded() / 100_000)",
        remedy: "use 29.97 frames a second, drop frame or not")
    }
    self.timeCodeRate = timeCodeRate
    self.channel = channel
    self.doublesControlCodes = doublesControlCodes
  }
}

/// How a caption's time range is to change so that it fits.
public struct CaptionConversionTimeRangeAdjustment: Hashable, Sendable {
  /// Added to the start; of any sign.
  public let startTimeOffset: Time
  /// Added to the duration; of any sign.
  public let durationOffset: Time
}

/// Captions of one time range that a conversion cannot show as they are.
public struct CaptionConversionWarning: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    /// More data than can be sent in the time.
    case excessMediaData
    /// More rows than a screen has: of one text, or of all that are on the screen together.
    case excessRows
  }

  public let kind: Kind
  /// The captions, as numbers in the list that was given, from 0.
  public let captions: [Int]
  public let timeRange: TimeRange
  /// The smallest change with which the captions can be shown, which the conversion makes; `nil` where
  /// none helps, and the conversion leaves them out.
  public let adjustment: CaptionConversionTimeRangeAdjustment?
  /// Why: a clause without a full stop.
  public let reason: String
}
