// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import Testing

@testable import FocalMedia

/// Chroma is read and written where it lies: half a sample beside it, colours come off their edges.
@Suite struct ChromaPlaceTests {
  private static let side = 32
  /// Codes of Cb from luma sample to luma sample: half a sample is two of them.
  private static let slope = 4.0

  private static func cb(at place: Double) -> Double { 66 + slope * place }
  /// BT.601.
  private static func blue(at place: Double) -> Double { 128 + 1.772 * (cb(at: place) - 128) }

  /// JPEG has chroma in the middle of its luma samples.
  @Test(
    arguments: [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P], [true, false])
  func photographs(_ format: AVPixelFormat, _ isHorizontal: Bool) async throws {
    let folder = ScratchFolder()
    let layout = try #require(PixelLayout(format))
    let size = Dimensions(width: Self.side, height: Self.side)
    let bytes = try JPEGTests().jpeg(folder, format, size) { _, plane, x, y in
      guard plane == 1 else { return 128 }
      let (index, count) = isHorizontal ? (x, layout.chromaColumns) : (y, layout.chromaRows)
      let place = (Double(index) + 0.5) * Double(count) - 0.5
      return Int(Self.cb(at: place).rounded())
    }
    folder.write(bytes, to: "a.jpg")
    let reader = try await FrameReader.open(folder.file("a.jpg"))
    let codes = try #require(try await reader.next()).pixelBuffer.packedBytes()
    var most = 0.0
    // Filters end at the border.
    for y in 4..<(Self.side - 4) {
      for x in 4..<(Self.side - 4) {
        let found = Double(codes[4 * (y * Self.side + x) + 2])
        most = max(most, abs(found - Self.blue(at: Double(isHorizontal ? x : y))))
      }
    }
    // A code of Cb, which the compression costs, is 1.8 of blue, and rounding 0.5; half a sample is 3.5.
    #expect(most < 2.5, "\(most)")
  }

  /// Films have chroma on the left luma column, half way between two rows.
  @Test func films() throws {
    let side = Self.side
    let size = Dimensions(width: side, height: side)
    for isHorizontal in [true, false] {
      let scaler = try #require(
        Scaler(
          from: .init(
            format: AV_PIX_FMT_RGBA, matrix: .bt601, isFullRange: true, siting: .left),
          to: .init(
            format: AV_PIX_FMT_YUV420P, matrix: .bt601, isFullRange: true, siting: .left),
          dimensions: size))
      let frame = try #require(PictureFrame(AV_PIX_FMT_YUV420P, size))
      var pixels = [UInt8](repeating: 128, count: 4 * side * side)
      for y in 0..<side {
        for x in 0..<side {
          let place = Double(isHorizontal ? x : y)
          pixels[4 * (y * side + x) + 2] = UInt8(Self.blue(at: place).rounded())
        }
      }
      let strides = frame.pointer.pointee.linesize
      let done = pixels.withUnsafeBufferPointer { pixels in
        scaler.convert(
          [pixels.baseAddress, nil, nil, nil], [Int32(4 * side), 0, 0, 0],
          to: [strides.0, strides.1, strides.2].enumerated().map {
            (base: frame.row(0, ofPlane: $0.offset), bytesPerRow: Int($0.element))
          })
      }
      #expect(done)
      var most = 0.0
      for y in 2..<(side / 2 - 2) {
        let row = frame.row(y, ofPlane: 1).assumingMemoryBound(to: UInt8.self)
        for x in 2..<(side / 2 - 2) {
          let place = isHorizontal ? Double(2 * x) : Double(2 * y) + 0.5
          // Blue alone differs from gray: Cb has half of what it has above 1.772.
          let wanted = 128 + 0.5 * (Self.blue(at: place) - 128)
          most = max(most, abs(Double(row[x]) - wanted))
        }
      }
      #expect(most < 1.2, "\(most)")
    }
  }
}
