// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// How a movie file holds an encoder's pictures: the name and the boxes of their sample entry, and what
/// becomes of a packet.
struct CodedFormat {
  let entry: FourCC
  let name: String
  let extensions: [Box]
  /// Bits a pixel, as sample entries say it: 32 with alpha.
  let depth: UInt16
  private let repacked: @Sendable (ArraySlice<UInt8>) throws(CinematicError) -> [UInt8]

  /// - Parameters:
  ///   - codec: not automatic.
  ///   - extradata: of the opened encoder.
  ///   - rate: frames a second.
  /// - Throws: `malformed` for an encoder that does not say what decoders need.
  init(
    _ codec: WriterSettings.Codec, _ extradata: [UInt8], _ pixels: CodedPixels,
    color: SampleEntry.ColorDescription, dimensions: Dimensions, rate: Double
  ) throws(CinematicError) {
    name = codec.title
    depth = pixels.hasAlpha ? 32 : 24
    let columns = pixels.chroma == .yuv420 || pixels.chroma == .yuv422 ? 2 : 1
    let rows = pixels.chroma == .yuv420 ? 2 : 1
    switch codec {
    case .automatic, .h264, .hevc:
      let configuration = try DecoderConfiguration(codec == .h264 ? .h264 : .hevc, extradata)
      entry = configuration.format
      extensions = [configuration.box]
      repacked = { data throws(CinematicError) in try configuration.sample(fromStartCodes: data) }
      return
    case .av1:
      entry = "av01"
      extensions = [
        try CodecConfiguration.av1(
          extradata, bitDepth: pixels.bitDepth, isMonochrome: pixels.chroma == .gray,
          chromaColumns: columns, chromaRows: rows)
      ]
      repacked = { data in AV1Units.sample(data) }
      return
    case .vp9:
      entry = "vp09"
      extensions = [
        CodecConfiguration.vp9(
          bitDepth: pixels.bitDepth, chromaColumns: columns, chromaRows: rows, color: color,
          dimensions: dimensions, sampleRate: rate * Double(dimensions.count))
      ]
    case .ffv1:
      entry = "FFV1"
      extensions = [Box("glbl") { $0.append(extradata) }]
    case .proResProxy, .proResLT, .proRes422, .proRes422HQ, .proRes4444, .proRes4444XQ:
      entry =
        switch codec {
        case .proResProxy: "apco"
        case .proResLT: "apcs"
        case .proRes422: "apcn"
        case .proRes422HQ: "apch"
        case .proRes4444: "ap4h"
        default: "ap4x"
        }
      extensions = [CodecConfiguration.progressive]
    case .dnxHRLB, .dnxHRSQ, .dnxHRHQ, .dnxHRHQX, .dnxHR444:
      entry = "AVdh"
      // The numbers of SMPTE ST 2019-1.
      let number: UInt32 =
        switch codec {
        case .dnxHRLB: 1274
        case .dnxHRSQ: 1273
        case .dnxHRHQ: 1272
        case .dnxHRHQX: 1271
        default: 1270
        }
      extensions =
        CodecConfiguration.dnxHR(compressionID: number) + [CodecConfiguration.progressive]
      let matrix = color.matrix
      repacked = { data in CodecConfiguration.dnxHRPicture(data, matrix: matrix) }
      return
    }
    repacked = { data in Array(data) }
  }

  /// A picture as a movie file holds it.
  ///
  /// - Throws: `unsupported` for a picture that changes the coding.
  func sample(_ packet: ArraySlice<UInt8>) throws(CinematicError) -> [UInt8] {
    try repacked(packet)
  }
}
