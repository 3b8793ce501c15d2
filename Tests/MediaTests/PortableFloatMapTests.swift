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
}
