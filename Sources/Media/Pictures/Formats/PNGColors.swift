// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// What a PNG says of its colours in code points of ITU-T H.273 (PNG, third edition, 11.3.2.6). They go before a
/// profile and all else. FFmpeg reads them from version 6.1 on.
struct PNGColors {
  static let chunk = "cICP"

  private var primaries: UInt8
  private var transfer: UInt8
  /// PNG has red, green and blue alone, which is 0.
  private var matrix: UInt8 = 0
  private var isFullRange = true

  private static let unspecified: UInt8 = 2
  /// Those that pixels are read by (``FrameColor``).
  private static let knownPrimaries: Set<UInt8> = [1, 4, 5, 6, 7, 9, 11, 12]
  /// Likewise; codes of television's curves are a picture's, as they are.
  private static let knownTransfers: Set<UInt8> = [1, 4, 6, 7, 8, 11, 13, 14, 15, 16, 18]

  /// The content of a file's chunk; `nil` for one of another length.
  init?(_ content: ArraySlice<UInt8>) {
    guard content.count == 4 else { return nil }
    let points = Array(content)
    (primaries, transfer, matrix) = (points[0], points[1], points[2])
    isFullRange = points[3] != 0
  }

  init(_ tags: ColorTags) {
    let codes = ColorCodes(tags)
    (primaries, transfer) = (UInt8(codes.primaries), UInt8(codes.transfer))
  }

  /// The content of the chunk.
  var bytes: [UInt8] { [primaries, transfer, matrix, isFullRange ? 1 : 0] }

  /// Gives a picture the colours; what is not read is said to be taken for something else.
  ///
  /// - Throws: `unsupported` for codes of video range, which would be too pale.
  func describe(
    _ frame: PictureFrame, _ metadata: inout PictureMetadata, _ request: StillRequest
  ) throws(CinematicError) {
    // A map's codes are no colours.
    guard request.content == .picture else { return }
    guard isFullRange else {
      throw CinematicError(
        .unsupported,
        "\(request.path) has codes of video range (\(Self.chunk)), which are not read from PNG",
        remedy: "convert them to full range")
    }
    guard primaries != Self.unspecified || transfer != Self.unspecified else { return }
    metadata.profile = nil
    var unread: [String] = []
    func known(_ point: UInt8, _ name: String, among points: Set<UInt8>) -> UInt32 {
      if points.contains(point) { return UInt32(point) }
      unread.append("\(name) \(point)")
      return UInt32(Self.unspecified)
    }
    frame.pointer.pointee.color_primaries = AVColorPrimaries(
      known(primaries, "primaries", among: Self.knownPrimaries))
    let curve = known(transfer, "transfer", among: Self.knownTransfers)
    frame.pointer.pointee.color_trc = AVColorTransferCharacteristic(curve)
    // The caller knows better than the file.
    if request.statesTransfer { unread.removeAll { $0.hasPrefix("transfer") } }
    if matrix != 0 { unread.append("matrix \(matrix)") }
    guard !unread.isEmpty else { return }
    let tags = FrameColor(frame, isStill: true, isFloatingPoint: false, isRGB: true).tags
    metadata.assumption =
      "says \(unread.joined(separator: " and ")) in its \(Self.chunk), which is not read: its codes are"
      + " taken for \(tags.primaries)\(request.statesTransfer ? "" : " with \(tags.transfer)")"
  }
}
