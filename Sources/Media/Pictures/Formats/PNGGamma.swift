// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// What a PNG says of its colours by a gamma and chromaticities (PNG, third edition, 11.3.2.1 and 11.3.2.2). They count
/// where neither code points nor a profile nor sRGB say more.
struct PNGGamma {
  static let chunk = "gAMA"
  static let chromaticitiesChunk = "cHRM"

  /// What files state numbers in: hundred-thousandths.
  static let one: UInt32 = 100_000

  /// From light to codes.
  private var exponent: Double?
  /// x and y of red, green, blue and white.
  private var chromaticities: [Float]?

  /// Makers round, and a curve of sRGB is no power: as libpng does, a twentieth is no difference.
  private static let tolerance = 0.05

  /// Takes what a chunk says; other chunks and those of another length say nothing.
  mutating func read(_ type: String, _ content: ArraySlice<UInt8>) {
    guard content.count <= 32 else { return }
    let bytes = Array(content)
    let numbers = stride(from: 0, to: bytes.count - 3, by: 4).map {
      Double(PNGFormat.bigEndian(bytes, $0)) / Double(Self.one)
    }
    switch (type, bytes.count) {
    // A power of 0 is none.
    case (Self.chunk, 4) where numbers[0] > 0: exponent = numbers[0]
    // White is first.
    case (Self.chromaticitiesChunk, 32):
      chromaticities = (numbers[2...] + numbers[..<2]).map { Float($0) }
    default: break
    }
  }

  /// Gives a picture the colours; what is not read is said to be taken for something else.
  func describe(
    _ frame: PictureFrame, _ metadata: inout PictureMetadata, _ request: StillRequest
  ) {
    // A map's codes are no colours.
    guard request.content == .picture else { return }
    var unread: [String] = []
    if let exponent {
      if Self.isNear(exponent, 1) {
        frame.pointer.pointee.color_trc = AVCOL_TRC_LINEAR
      } else if !Self.isNear(exponent, 1 / 2.2), !request.statesTransfer {
        // The caller knows better than the file.
        unread.append("a gamma of \(exponent) (\(Self.chunk))")
      }
    }
    // Gray has no colours.
    if let chromaticities, PixelLayout(frame.pixelFormat)?.isGray != true {
      if let primaries = ColorTags.Primaries(chromaticities: chromaticities) {
        let tags = ColorTags(primaries: primaries, transfer: .srgb, matrix: .bt709)
        frame.pointer.pointee.color_primaries = AVColorPrimaries(ColorCodes(tags).primaries)
      } else {
        unread.append("primaries of its own (\(Self.chromaticitiesChunk))")
      }
    }
    guard !unread.isEmpty else { return }
    let tags = FrameColor(frame, isStill: true, isFloatingPoint: false, isRGB: true).tags
    metadata.assumption =
      "says \(unread.joined(separator: " and ")), which is not read: its codes are taken for"
      + " \(tags.primaries)\(request.statesTransfer ? "" : " with \(tags.transfer)")"
  }

  private static func isNear(_ exponent: Double, _ wanted: Double) -> Bool {
    abs(exponent / wanted - 1) <= tolerance
  }
}
