// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

extension ExportSession {
  /// A named choice of codec, size, rendering quality and compression.
  public struct Preset: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// As it is written on the command line.
    public let name: String
    /// Its purpose, in a clause.
    public let summary: String
    public let codec: WriterSettings.Codec
    /// The long and the short side that pictures have at most, in pixels; they never grow. `nil` keeps
    /// the source's size.
    public let maximumSize: Dimensions?
    public let quality: RenderingQuality
    /// The encoder's constant rate factor; `nil` for its own default.
    public let constantRateFactor: Double?
    /// The encoder's speed; `nil` for the usual one.
    public let encoderPreset: String?

    public var description: String { name }

    private init(
      _ name: String, _ summary: String, _ codec: WriterSettings.Codec, _ maximumSize: Dimensions?,
      _ quality: RenderingQuality, rateFactor: Double?, encoder: String? = nil
    ) {
      self.name = name
      self.summary = summary
      self.codec = codec
      self.maximumSize = maximumSize
      self.quality = quality
      constantRateFactor = rateFactor
      encoderPreset = encoder
    }

    private static func size(_ long: Int, _ short: Int) -> Dimensions {
      Dimensions(width: long, height: short)
    }

    /// The source's size, H.264 for 8 bits and HEVC for 10.
    public static let highestQuality = Preset(
      "highest-quality", "the source's size, H.264 for 8 bits and HEVC for 10", .automatic, nil,
      .export, rateFactor: nil)
    /// The source's size in HEVC.
    public static let hevcHighestQuality = Preset(
      "hevc-highest-quality", "the source's size in HEVC, rendered as exactly as possible", .hevc,
      nil, .exportHigh, rateFactor: nil)
    /// The source's size in HEVC that changes no code: for work that goes on elsewhere.
    public static let hevcLossless = Preset(
      "hevc-lossless", "hevc-highest-quality compressed without loss, for further work", .hevc, nil,
      .exportHigh, rateFactor: 0)
    /// HEVC of at most 3840×2160.
    public static let hevc2160p = Preset(
      "hevc-2160p", "HEVC of at most 3840x2160", .hevc, size(3840, 2160), .export, rateFactor: 20)
    /// HEVC of at most 1920×1080.
    public static let hevc1080p = Preset(
      "hevc-1080p", "HEVC of at most 1920x1080", .hevc, size(1920, 1080), .export, rateFactor: 20)
    /// H.264 of at most 1920×1080, for every player.
    public static let h264_1080p = Preset(
      "h264-1080p", "H.264 of at most 1920x1080, for every player", .h264, size(1920, 1080),
      .export, rateFactor: 18)
    /// H.264 of at most 1280×720, for every player.
    public static let h264_720p = Preset(
      "h264-720p", "H.264 of at most 1280x720, for every player", .h264, size(1280, 720), .export,
      rateFactor: 20)
    /// Small and fast, to look at.
    public static let preview = Preset(
      "preview", "small and fast, at most 960x540", .automatic, size(960, 540), .thumbnail,
      rateFactor: 26, encoder: "veryfast")

    public static let allCases: [Preset] = [
      highestQuality, hevcHighestQuality, hevcLossless, hevc2160p, hevc1080p, h264_1080p, h264_720p,
      preview,
    ]

    /// The preset of a name; `nil` where there is none.
    public init?(named name: String) {
      guard let found = Self.allCases.first(where: { $0.name == name.lowercased() }) else {
        return nil
      }
      self = found
    }
  }
}
