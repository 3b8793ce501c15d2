// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Maps without any valid disparity.
@Suite struct EmptyMapTests {
  private static func map(_ value: Float) throws -> PixelBuffer {
    let values = (0..<Material.size.count).map { $0 % 2 == 0 ? value : .nan }
    return try PixelBuffer(
      dimensions: Material.size, format: .disparityFloat, tags: .linearBT709, values: values)
  }

  /// A picture cannot be blurred by one, with a focus or without.
  @Test(arguments: [[], ["--focus", "0.5"], ["--focus-at", "0.5,0.5"]])
  func ofOnePicture(_ focus: [String]) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try PictureWriter.write(Self.map(.infinity), to: folder.file("empty.pfm"))
    let arguments = ["render", "in.png", "--disparity", "empty.pfm", "-o", "out.png"] + focus
    try await refuses(arguments, in: folder, naming: ["empty.pfm has no valid disparity"])
    // Where nothing is to be blurred none is needed.
    guard focus == ["--focus", "0.5"] else { return }
    try await works(arguments + ["--f-number", "inf"], in: folder)
  }

  /// Frames of a clip that have one are said to have no blur.
  @Test func ofOneFrame() async throws {
    let folder = Folder()
    for (number, value) in [Float(0.5), .nan, 0.25].enumerated() {
      try PictureWriter.write(Material.picture(), to: folder.file("in\(number).png"))
      try PictureWriter.write(Self.map(value), to: folder.file("map\(number).pfm"))
    }
    let outcome = try await works(
      ["render", "in%d.png", "--disparity", "map%d.pfm", "--focus", "0.5", "-o", "out%d.png"],
      in: folder)
    let line = "1 frame of in%d.png has a map without any valid disparity, and no blur"
    #expect(outcome.errors.contains(line), "\(outcome.errors)")
  }
}
