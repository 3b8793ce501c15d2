// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation

/// Pictures, maps and clips to run the program on.
enum Material {
  static let size = Dimensions(width: 48, height: 32)

  /// Smooth colours, 0 to 1.
  static func picture(
    _ size: Dimensions = size, _ format: PixelFormat = .rgba8, tags: ColorTags = .sRGB,
    phase: Double = 0
  ) throws -> PixelBuffer {
    let light = try PixelBuffer(
      dimensions: size, format: .rgbaFloat,
      tags: ColorTags(primaries: tags.primaries, transfer: .linear, matrix: tags.matrix),
      bytesPerRowAlignment: 16)
    light.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let u = 6 * Double(x) / Double(size.width) + phase
          let v = 5 * Double(y) / Double(size.height)
          let color = [sin(u) * cos(v), sin(u + v), cos(u - v)].map { Float(0.4 + 0.35 * $0) }
          bytes.storeBytes(
            of: SIMD4(color[0], color[1], color[2], 1),
            toByteOffset: y * light.planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
        }
      }
    }
    guard format != .rgbaFloat || tags.transfer != .linear else { return light }
    let picture = try PixelBuffer(dimensions: size, format: format, tags: tags)
    try picture.store(linearRGBA: light)
    return picture
  }

  /// A ramp from far (left) to near (right), as 16-bit codes.
  static func map(_ size: Dimensions = size) throws -> PixelBuffer {
    let map = try PixelBuffer(dimensions: size, format: .gray16, tags: .linearBT709)
    map.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          bytes.storeBytes(
            of: UInt16(65535 * x / max(1, size.width - 1)),
            toByteOffset: y * map.planes[0].bytesPerRow + 2 * x, as: UInt16.self)
        }
      }
    }
    return map
  }

  /// `in.png` and `map.png`.
  static func still(in folder: Folder, _ size: Dimensions = size) throws {
    try PictureWriter.write(picture(size), to: folder.file("in.png"))
    try PictureWriter.write(map(size), to: folder.file("map.png"))
  }

  /// A movie with a frame at each of the times, in a format with its tags.
  static func clip(
    _ name: String, in folder: Folder, times: [Time], last: Time = Time(value: 1, timescale: 30),
    size: Dimensions = size, format: PixelFormat = .yuv420Video8, tags: ColorTags = .bt709,
    sound: AssetSound? = nil, companions: FilmCompanions = FilmCompanions()
  ) throws {
    var settings = WriterSettings(dimensions: size, pixelFormat: format, tags: tags)
    settings.timescale = times.map(\.timescale).max() ?? 30
    settings.encoderPreset = "ultrafast"
    settings.sound = sound.map { .asset($0) }
    settings.companions = companions
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file(name), settings: settings)
    for (index, time) in times.enumerated() {
      let end = index + 1 < times.count ? times[index + 1] : time + last
      try writer.append(
        picture(size, format, tags: tags, phase: Double(index) / 3), time: time,
        duration: end - time)
    }
    try writer.finish()
  }

  /// Frame times without gaps, 30 a second.
  static func steady(_ count: Int) -> [Time] {
    (0..<count).map { Time(value: Int64($0), timescale: 30) }
  }

  /// `clip.mp4` and `maps/0000.png`, ….
  static func numberedMaps(_ count: Int, in folder: Folder) throws {
    folder.make("maps")
    try PictureWriter.write(map(), to: folder.file("maps/0000.png"))
    for number in 1..<max(count, 2) where number < count {
      link("maps/0000.png", String(format: "maps/%04d.png", number), in: folder)
    }
  }

  /// A second name of a file.
  static func link(_ name: String, _ other: String, in folder: Folder) {
    try? FileManager.default.linkItem(atPath: folder.file(name), toPath: folder.file(other))
  }

  /// A WAV of noise: 16 bits, 8 kHz, one channel.
  static func wave(seconds: Double) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var state: UInt32 = 1
    let samples = (0..<Int(seconds * 16000)).map { _ -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    let format = little(1, 2) + little(1, 2) + little(8000, 4) + little(16000, 4) + little(2, 2)
    return Array("RIFF".utf8) + little(36 + samples.count, 4) + Array("WAVEfmt ".utf8)
      + little(16, 4) + format + little(16, 2) + Array("data".utf8) + little(samples.count, 4)
      + samples
  }

  /// Everything that a source delivers.
  static func frames(
    _ path: String, _ options: ReadOptions = ReadOptions()
  ) async throws -> (properties: SourceProperties, frames: [MediaFrame]) {
    let reader = try await FrameReader.open(path, options: options)
    var frames: [MediaFrame] = []
    while let frame = try await reader.next() { frames.append(frame) }
    return (reader.properties, frames)
  }
}

extension PixelBuffer {
  /// The codes of a plane, rows without their padding.
  func codes(ofPlane index: Int = 0) -> [UInt8] {
    let plane = planes[index]
    return withUnsafeBytes(ofPlane: index) { bytes in
      (0..<plane.dimensions.height).flatMap { y in
        bytes[(y * plane.bytesPerRow)...].prefix(plane.dimensions.width * plane.bytesPerElement)
      }
    }
  }
}
