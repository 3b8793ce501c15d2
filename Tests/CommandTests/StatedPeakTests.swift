// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Clips that say how bright they get: what they say is white in standard range, on every way there.
@Suite struct StatedPeakTests {
  private static let size = Dimensions(width: 320, height: 180)
  private static let count = 4

  /// Four frames of PQ at 300 cd/m², which say that nothing is brighter, and maps of a near right half.
  private static func material(in folder: Folder) throws {
    var settings = WriterSettings(dimensions: size, pixelFormat: .yuv420Video10, tags: .pq)
    settings.timescale = 30
    settings.encoderPreset = "ultrafast"
    settings.constantRateFactor = 0
    settings.hdrMetadata.contentLight = .init(maximum: 300, maximumFrameAverage: 100)
    settings.temporaryFiles = TemporaryFiles()
    let picture = try PixelBuffer(dimensions: size, format: .yuv420Video10, tags: .pq)
    for (index, plane) in picture.planes.enumerated() {
      // PQ's signal for 300 cd/m² is 0.6219, of codes from 64 to 940.
      let code: UInt16 = index == 0 ? 609 : 512
      picture.withUnsafeMutableBytes(ofPlane: index) { bytes in
        for place in stride(from: 0, to: plane.byteCount, by: 2) {
          bytes.storeBytes(of: code << 6, toByteOffset: place, as: UInt16.self)
        }
      }
    }
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    for time in Material.steady(count) {
      try writer.append(picture, time: time, duration: Time(value: 1, timescale: 30))
    }
    try writer.finish()
    folder.make("maps")
    let small = Dimensions(width: 32, height: 18)
    let codes = (0..<small.count).map { UInt8($0 % small.width < small.width / 2 ? 64 : 230) }
    let map = try PixelBuffer(dimensions: small, format: .gray8, values: codes)
    for number in 0..<count {
      try PictureWriter.write(map, to: folder.file("maps/000\(number).png"))
    }
  }

  /// The linear red of the last pixel of the first picture.
  private static func light(_ name: String, in folder: Folder) async throws -> Float {
    let frame = try #require(try await Material.frames(folder.file(name)).frames.first)
    let light = try frame.pixelBuffer.linearRGBA()
    let offset =
      (light.height - 1) * light.planes[0].bytesPerRow + 16 * (light.width - 1)
    return light.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Float.self) }
  }

  /// The light would be 0.86 by the peak that is assumed where none is stated.
  @Test func whatAClipSaysIsWhite() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    let maps = ["clip.mov", "--disparity", "maps/%04d.png", "--disparity-fit", "stretch"]
    let focus = ["--focus", "0.5", "--f-number", "8"]
    folder.write(Array("1\n00:00:00,066 --> 00:00:00,100\nA\n".utf8), to: "a.srt")
    for arguments in [
      ["render"] + maps + focus + ["-o", "render%02d.png"],
      ["render"] + maps + focus
        + ["--frames", "0", "-o", "one.png", "--before-after", "both.png"],
      ["import"] + maps + focus + ["-o", "movie.mov"],
      ["export", "movie.mov", "-o", "export%02d.png"],
      ["import"] + maps + focus + ["--codec", "h264", "-o", "import.mov"],
      ["captions", "burn", "a.srt", "clip.mov", "-o", "burn%02d.png"],
      ["lift"] + maps + ["--background", "#000000", "-o", "lift%02d.png"],
      ["capture", "record"] + maps
        + ["--no-detections", "--codec", "h264", "-o", "capture.mov", "--baked", "baked.mp4"],
      ["capture", "record"] + maps + ["--no-detections", "--frames", "live%02d.png"],
    ] {
      try await works(arguments, in: folder)
    }
    for name in [
      "render%02d.png", "both.png", "export%02d.png", "import.mov", "burn%02d.png",
      "lift%02d.png", "capture.mov", "baked.mp4", "live%02d.png",
    ] {
      let light = try await Self.light(name, in: folder)
      #expect(abs(light - 1) < 0.04, "\(name): \(light)")
    }
  }
}
