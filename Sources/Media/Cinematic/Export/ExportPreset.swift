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
    public let coding: FilmCoding
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
      chroma: CodedPixels.Chroma? = nil, _ quality: RenderingQuality, rateFactor: Double?,
      encoder: String? = nil
    ) {
      self.name = name
      self.summary = summary
      coding = FilmCoding(codec, chroma: chroma)
      self.maximumSize = maximumSize
      self.quality = quality
      constantRateFactor = rateFactor
      encoderPreset = encoder
    }

    private static func size(_ long: Int, _ short: Int) -> Dimensions {
      Dimensions(width: long, height: short)
    }

    /// The source's size and chroma, H.264 for 4:2:0 of 8 bits, else HEVC.
    public static let highestQuality = Preset(
      "highest-quality", "the source's size and chroma, H.264 for 4:2:0 of 8 bits, else HEVC",
      .automatic, nil,
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
      "hevc-2160p", "HEVC of at most 3840x2160", .hevc, size(3840, 2160), chroma: .yuv420,
      .export, rateFactor: 20)
    /// HEVC of at most 1920×1080.
    public static let hevc1080p = Preset(
      "hevc-1080p", "HEVC of at most 1920x1080", .hevc, size(1920, 1080), chroma: .yuv420,
      .export, rateFactor: 20)
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
      "preview", "small and fast, at most 960x540", .automatic, size(960, 540),
      chroma: .yuv420, .thumbnail, rateFactor: 26, encoder: "veryfast")
    /// ProRes 422 HQ, for editing.
    public static let proRes422HQ = Preset(
      "prores-422-hq", "ProRes 422 HQ in a .mov, for editing", .proRes422HQ, nil, .exportHigh,
      rateFactor: nil)
    /// ProRes 4444, for editing, with the source's alpha.
    public static let proRes4444 = Preset(
      "prores-4444", "ProRes 4444 in a .mov, for editing, with alpha if there is some",
      .proRes4444, nil, .exportHigh, rateFactor: nil)
    /// DNxHR HQX, for editing.
    public static let dnxHRHQX = Preset(
      "dnxhr-hqx", "DNxHR HQX in a .mov, for editing", .dnxHRHQX, nil, .exportHigh, rateFactor: nil)
    /// FFV1 that changes no code, to keep.
    public static let ffv1 = Preset(
      "ffv1", "FFV1 in a .mov, without loss, to keep", .ffv1, nil, .exportHigh, rateFactor: nil)
    /// AV1 of at most 1920×1080, small.
    public static let av1_1080p = Preset(
      "av1-1080p", "AV1 of at most 1920x1080 in an .mp4, small", .av1, size(1920, 1080),
      chroma: .yuv420, .export, rateFactor: 26)

    public static let allCases: [Preset] = [
      highestQuality, hevcHighestQuality, hevcLossless, hevc2160p, hevc1080p, h264_1080p, h264_720p,
      preview, proRes422HQ, proRes4444, dnxHRHQX, ffv1, av1_1080p,
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
