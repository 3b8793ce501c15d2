// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// PFM stores the bottom row first.
@Suite struct PortableFloatMapTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "focal-pfm-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Three rows of two: 0 and 1 at the bottom, 4 and 5 at the top.
  private var file: Data {
    var data = Data("Pf\n2 3\n-1.0\n".utf8)
    for value in 0..<6 {
      withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { data.append(contentsOf: $0) }
    }
    return data
  }

  @Test func theFirstRowOfTheFileIsTheBottomOfThePicture() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("map.pfm").path
    try file.write(to: URL(fileURLWithPath: path))
    let reader = try await FrameReader.open(path, options: ReadOptions(content: .disparity(.unit)))
    let map = try #require(try await reader.next()).pixelBuffer
    #expect(map.disparity(x: 0, y: 0) == 4)
    #expect(map.disparity(x: 1, y: 2) == 1)
    let copy = folder.appendingPathComponent("copy.pfm").path
    try PictureWriter.write(map, to: copy)
    let written = try Data(contentsOf: URL(fileURLWithPath: copy))
    #expect(written.suffix(24) == file.suffix(24))
  }

  /// Values are divided by the amount of the scale, which is told.
  @Test(arguments: [("-1.0", nil), ("-2.0", 2), ("-0.5", 0.5)] as [(String, Float?)])
  func scales(_ text: String, _ divisor: Float?) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("map.pfm").path
    let scaled = Data("Pf\n# A remark.\n2 3\n\(text)\n".utf8) + file.suffix(24)
    try scaled.write(to: URL(fileURLWithPath: path))
    let reader = try await FrameReader.open(path, options: ReadOptions(content: .disparity(.unit)))
    #expect(reader.properties.pictureMetadata.valueDivisor == divisor)
    let map = try #require(try await reader.next()).pixelBuffer
    #expect(map.disparity(x: 0, y: 0) == 4 / (divisor ?? 1))
  }
}
