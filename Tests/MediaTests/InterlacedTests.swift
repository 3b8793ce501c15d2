// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import FocalMedia
import Testing

/// Pictures whose rows are of two moments.
@Suite struct InterlacedTests {
  static let size = Dimensions(width: 96, height: 64)

  /// A bright bar that moves 4 pixels a field, before a still pattern.
  static func code(_ moment: Int, _ x: Int, _ y: Int) -> Int {
    let left = 10 + 4 * moment
    if y < 16 { return 40 + (x * 7 + y * 11) % 100 }
    return (left..<(left + 12)).contains(x) ? 200 : 60
  }

  static func clip(_ order: FieldOrder?) -> TestClip {
    var clip = TestClip(
      codec: "ffv1", format: AV_PIX_FMT_YUV420P, size: size, frameCount: 8,
      options: ["level": "3"]
    ) { frame, plane, x, y in
      guard plane == 0 else { return 128 }
      guard let order else { return code(2 * frame, x, y) }
      let isFirst = (y % 2 == 0) == (order == .topFirst)
      return code(2 * frame + (isFirst ? 0 : 1), x, y)
    }
    clip.fieldOrder = order
    return clip
  }

  static func options(_ interlacing: Interlacing) -> ReadOptions {
    var options = ReadOptions()
    options.interlacing = interlacing
    return options
  }

  static func luma(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> Int {
    buffer.withUnsafeBytes { Int($0[y * buffer.planes[0].bytesPerRow + x]) }
  }

  @Test(arguments: [FieldOrder.topFirst, .bottomFirst])
  func isSaidAndRefused(_ order: FieldOrder) async throws {
    let folder = ScratchFolder()
    try Self.clip(order).write(to: folder.file("a.mkv"))
    let kept = try await FrameReader.open(folder.file("a.mkv"))
    #expect(kept.properties.fieldOrder == order)
    let error = await BadInputTests.reading(folder.file("a.mkv"), Self.options(.refuse))
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("interlaced (\(order.title))") == true)
    #expect(error?.remedy?.contains("Interlacing.deinterlace") == true)
    let asset = try Asset.named(folder.file("a.mkv"), interlacing: .refuse)
    let refused = await failure { () async throws(CinematicError) in
      _ = try await FrameReader(asset)
    }
    #expect(refused?.code == .unsupported)
  }

  @Test(arguments: [FieldOrder.topFirst, .bottomFirst])
  func picturesOfTheFirstMoment(_ order: FieldOrder) async throws {
    let folder = ScratchFolder()
    try Self.clip(order).write(to: folder.file("a.mkv"))
    let all = try await frames(folder.file("a.mkv"), Self.options(.deinterlace))
    #expect(all.count == 8)
    let reader = try await FrameReader.open(
      folder.file("a.mkv"), options: Self.options(.deinterlace))
    #expect(reader.properties.fieldOrder == order)
    for frame in all {
      var wrong = 0
      for y in 4..<(Self.size.height - 4) {
        for x in 4..<(Self.size.width - 4) {
          let wanted = Self.code(2 * frame.index, x, y)
          let found = Self.luma(frame.pixelBuffer, x, y)
          // Rows of the first moment keep their codes; and so does all that stands still, between pictures.
          let isBetween = (1...6).contains(frame.index)
          if (y < 12 && isBetween) || (y % 2 == 0) == (order == .topFirst) {
            #expect(found == wanted)
          } else if abs(found - wanted) > 40 {
            wrong += 1
          }
        }
      }
      // A comb would be wrong in 8 pixels of every second row: 208 of them. Beside the edges of the bar a few are;
      // the first and the last picture have no neighbour to look at.
      guard (1...6).contains(frame.index) else { continue }
      #expect(wrong < 80, "frame \(frame.index): \(wrong)")
    }
  }

  @Test func everyWayToAFrameGivesTheSame() async throws {
    let folder = ScratchFolder()
    try Self.clip(.topFirst).write(to: folder.file("a.mkv"))
    let all = try await frames(folder.file("a.mkv"), Self.options(.deinterlace))
    let reader = try await FrameReader.open(
      folder.file("a.mkv"), options: Self.options(.deinterlace))
    for number in [5, 2, 7, 0, 1, 6, 3, 4] {
      let frame = try await reader.frame(number: number)
      for plane in 0...1 {
        #expect(
          frame.pixelBuffer.packedBytes(ofPlane: plane)
            == all[number].pixelBuffer.packedBytes(ofPlane: plane))
      }
    }
  }

  @Test(arguments: [Interlacing.refuse, .deinterlace])
  func progressivePicturesStay(_ interlacing: Interlacing) async throws {
    let folder = ScratchFolder()
    try Self.clip(nil).write(to: folder.file("a.mkv"))
    let plain = try await frames(folder.file("a.mkv"))
    let read = try await frames(folder.file("a.mkv"), Self.options(interlacing))
    #expect(try await FrameReader.open(folder.file("a.mkv")).properties.fieldOrder == nil)
    #expect(
      read.map { $0.pixelBuffer.packedBytes(ofPlane: 0) }
        == plain.map { $0.pixelBuffer.packedBytes(ofPlane: 0) })
  }
}
