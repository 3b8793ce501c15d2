// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// HEVC pictures with reordering and several places where decoding can begin, taken out of a file that
/// FFmpeg wrote.
public struct EncodedClip {
  /// `hvc1` with its configuration.
  public let entry: Box
  public let samples: [MovieLayout.Sample]
  /// The time of the first picture on the screen, in ticks: what the edit takes away.
  public let delay: Int

  /// Whether this FFmpeg can encode HEVC.
  public static var isPossible: Bool { avcodec_find_encoder_by_name("libx265") != nil }

  /// - Parameters:
  ///   - frameDuration: ticks of the timescale.
  ///   - value: the 10-bit code of a frame's plane at a column and row.
  public init(
    width: Int, height: Int, frames: Int, timescale: Int32 = 600, frameDuration: Int = 20,
    parameters: String = "keyint=8:min-keyint=8:bframes=3:open-gop=1:scenecut=0:log-level=none",
    value: (_ frame: Int, _ plane: Int, _ x: Int, _ y: Int) -> Int
  ) throws {
    var file = ClipFile(
      format: "mp4", codec: "libx265", width: width, height: height,
      pixelFormat: AV_PIX_FMT_YUV420P10LE, timeBase: AVRational(num: 1, den: timescale),
      options: [("preset", "ultrafast"), ("x265-params", parameters)])
    file.prepare = { encoder, _ in
      encoder.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
      encoder.pointee.codec_tag = focal_tag_hvc1()
    }
    file.describe = { stream, _, _ in
      stream.pointee.codecpar.pointee.codec_tag = focal_tag_hvc1()
    }
    let bytes = try file.bytes(frames: frames) { picture, number in
      ClipFile.forEachElement(of: picture, width: width, height: height, size: 2) {
        plane, place, x, y in
        place.storeBytes(of: UInt16(value(number, plane, x, y)).littleEndian, as: UInt16.self)
      }
      return Int64(number * frameDuration)
    }
    let boxes = try Box.parse(bytes[...])
    guard let moov = boxes.first(where: { $0.type == "moov" }),
      let track = moov["trak"], let table = track.at("mdia", "minf", "stbl"),
      let entry = table["stsd"]?.boxes.first, let header = track.at("mdia", "mdhd")
    else { throw ClipFile.Failure("FFmpeg's file has no track") }
    var tables: [FourCC: ArraySlice<UInt8>] = [:]
    for box in table.boxes { tables[box.type] = box.data }
    let index = try SampleIndex(tables: tables, fileSize: Int64(bytes.count))
    // FFmpeg chooses its own timescale; ours divides it.
    let scale = Int64(try MediaHeader(header.data).timescale)
    func ticks(_ value: Int64) -> Int { Int(value * Int64(timescale) / scale) }
    self.entry = entry
    samples = (0..<index.count).map { number in
      let sample = index[number]
      let start = Int(sample.offset)
      return MovieLayout.Sample(
        Array(bytes[start..<(start + sample.size)]), duration: frameDuration,
        compositionOffset: ticks(sample.compositionTime - sample.decodeTime),
        isSync: sample.isSync)
    }
    delay = (0..<index.count).map { ticks(index.compositionTime($0)) }.min() ?? 0
  }
}
