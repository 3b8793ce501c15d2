// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// The kind of a track's media, by its handler.
public struct MediaType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: FourCC

  public init(rawValue: FourCC) { self.rawValue = rawValue }

  public static let video = MediaType(rawValue: "vide")
  public static let audio = MediaType(rawValue: "soun")
  /// Pictures that are not shown: a disparity map to each frame of a video.
  public static let auxiliaryPicture = MediaType(rawValue: "auxv")
  public static let metadata = MediaType(rawValue: "meta")
  public static let text = MediaType(rawValue: "text")
  public static let subtitle = MediaType(rawValue: "sbtl")
  public static let closedCaption = MediaType(rawValue: "clcp")
  public static let timecode = MediaType(rawValue: "tmcd")

  public var description: String {
    switch self {
    case .video: "video"
    case .audio: "audio"
    case .auxiliaryPicture: "auxiliary picture"
    case .metadata: "metadata"
    default: "\(rawValue)"
    }
  }
}

/// Something that is true of a track.
public enum MediaCharacteristic: String, Hashable, Sendable, CaseIterable {
  /// It is to be seen.
  case visual
  /// It is to be heard.
  case audible
  /// It is to be read.
  case legible
  /// Its samples are pictures with times of their own.
  case frameBased
  /// Its pictures use HLG or PQ.
  case containsHDRVideo
  /// Its pictures use primaries wider than BT.709's.
  case usesWideGamutColor
  /// Its pictures hold two views, of which players without a second eye show the base view (MV-HEVC).
  case containsStereoMultiviewVideo
}
