// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// `--memory-limit`: what would take more is refused at once, in one line that says so.
@Suite struct MemoryLimitTests {
  private static func large(in folder: Folder) throws {
    let picture = try PixelBuffer(
      dimensions: Dimensions(width: 3000, height: 2000), format: .gray8, tags: .sRGB)
    try PictureWriter.write(picture, to: folder.file("a.png"))
  }

  @Test(arguments: [["info", "a.png"], ["compare", "a.png", "a.png"]])
  func picturesAreRefused(_ command: [String]) async throws {
    let folder = Folder()
    try Self.large(in: folder)
    // A byte of gray and four of RGBA: 30 MB, of which 64M allow 22.
    let refused = try await Program.focal(command + ["--memory-limit", "64M"], in: folder)
    #expect(refused.code == 1)
    let says = refused.errors.contains("a.png") && refused.errors.contains("--memory-limit")
    #expect(says, "\(refused.errors)")
    #expect(refused.errorLines.count <= 2)
    let allowed = try await Program.focal(command + ["--memory-limit", "128M"], in: folder)
    #expect(allowed.code == 0, "\(allowed.errors)")
  }

  @Test(arguments: ["12Q", "-5", "0", "1M", "99999999999999999999G", "G"])
  func limitsThatAreNone(_ limit: String) async throws {
    let folder = Folder()
    let result = try await Program.focal(["info", "a.png", "--memory-limit=\(limit)"], in: folder)
    #expect(result.code == 64)
    #expect(result.errors.contains("memory-limit"), "\(result.errors)")
  }
}
