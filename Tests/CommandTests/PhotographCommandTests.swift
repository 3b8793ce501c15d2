// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Photographs through the program.
@Suite struct PhotographCommandTests {
  static let exiftool = ["/usr/bin/exiftool", "/usr/local/bin/exiftool"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// A JPEG with what a camera says, by exiftool.
  private func photograph(in folder: Folder, _ tool: String) async throws {
    let picture = try Material.picture(Dimensions(width: 64, height: 48))
    try PictureWriter.write(picture, to: folder.file("in.jpg"))
    try PictureWriter.write(
      Material.map(Dimensions(width: 64, height: 48)), to: folder.file("map.png"))
    let outcome = try await Program.run(
      [
        tool, "-q", "-overwrite_original", "-n", "-Make=Maker", "-Model=Model 7",
        "-DateTimeOriginal=2024:05:06 07:08:09", "-Copyright=(c) Somebody", "-Artist=Somebody",
        "-GPSLatitude=48.2", "-GPSLatitudeRef=N", "-GPSLongitude=11.6", "-GPSLongitudeRef=E",
        "-EXIF:XResolution=300", "-EXIF:YResolution=300", "-EXIF:ResolutionUnit=2",
        "-Orientation=6",
        "-XMP-dc:Title=A title", "-IPTC:City=Munich", "in.jpg",
      ], in: folder)
    try #require(outcome.code == 0, "\(outcome.errors)")
  }

  @Test(
    .enabled(if: exiftool != nil, "exiftool is not installed"),
    arguments: ["jpg", "heic", "avif", "png", "tif"])
  func metadata(_ ending: String) async throws {
    let tool = try #require(Self.exiftool)
    let folder = Folder()
    try await photograph(in: folder, tool)
    try await works(
      [
        "render", "in.jpg", "--disparity", "map.png", "--disparity-fit", "stretch", "-o",
        "out.\(ending)",
      ], in: folder)
    let outcome = try await Program.run(
      [tool, "-json", "-n", "-a", "out.\(ending)"], in: folder)
    let list =
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
    let tags = try #require(list?.first)
    func text(_ name: String) -> String { tags[name].map { "\($0)" } ?? "missing" }
    #expect(text("Make") == "Maker")
    #expect(text("Model") == "Model 7")
    #expect(text("DateTimeOriginal") == "2024:05:06 07:08:09")
    #expect(text("Copyright") == "(c) Somebody")
    #expect(abs((tags["GPSLatitude"] as? Double ?? 0) - 48.2) < 1e-4)
    #expect(abs((tags["GPSLongitude"] as? Double ?? 0) - 11.6) < 1e-4)
    #expect(text("Title") == "A title")
    #expect(["1", "missing"].contains(text("Orientation")))
    #expect(text("ImageWidth") == "48" && text("ImageHeight") == "64")
    #expect(text("Warning") == "missing" && text("Error") == "missing")
    if ending == "jpg" { #expect(text("City") == "Munich") }
    if ending == "png" {
      #expect(text("PixelsPerUnitX") == "11811")
    } else {
      #expect(text("XResolution") == "300")
    }
  }

  /// A picture without a map in it needs one.
  @Test func needsAMap() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try await refuses(
      ["render", "in.png", "-o", "out.png"], in: folder, naming: ["in.png", "--disparity"])
  }
}
