// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalMedia

/// Files of 64-bit places say the same about their pixels as others.
@Suite struct BigTIFFTests {
  @Test(arguments: [Int.max, 0]) func metadata(_ largestClassic: Int) async throws {
    let folder = ScratchFolder()
    let exif = PhotographMaterial.exif(orientation: 1, width: 64, height: 48)
    var metadata = PictureMetadata()
    metadata.exif = exif
    metadata.xmp = Array(
      PhotographMaterial.xmp("xmlns:dc=\"http://purl.org/dc/elements/1.1/\" dc:rights=\"mine\"")
        .utf8)
    metadata.profile = ColorProfile(PhotographMaterial.adobeRGB)
    metadata.resolution = PictureMetadata.Resolution(dotsPerInch: 300, 300)
    metadata.storedDepth = 8
    let light = try Scene.smooth(64, 48, .rgbaFloat, tags: .linearBT709)
    let picture = try StillEncoder.prepared(
      light.tagged(ColorProfile(PhotographMaterial.adobeRGB).workingTags), kind: .tiff,
      metadata: metadata, size: light.dimensions, quality: nil, path: "a.tif")
    let file = try OutputFile(
      path: folder.file("a.tif"), overwrite: false, registry: folder.temporaryFiles)
    let sink = try TIFFRowSink(
      picture, RowLayout(picture), file, largestClassic: largestClassic)
    try sink.write(picture.buffer)
    try sink.finish()
    try file.publish()
    let isBig = StillKind.isBigTIFF(folder.read("a.tif"))
    #expect(isBig == (largestClassic == 0))
    let reader = try await FrameReader.open(folder.file("a.tif"))
    let read = reader.properties.pictureMetadata
    #expect(read.profile == metadata.profile && read.xmp != nil)
    #expect(abs(try #require(read.resolution).horizontal * 0.0254 - 300) < 0.01)
    let kept = try #require(read.exif)
    for text in ["2024:05:06 07:08:09", "Maker", "(c) Somebody"] {
      #expect(kept.contains(Array(text.utf8)), "\(text)")
    }
    // The place, two directories deep.
    #expect(
      kept.contains(
        PhotographMaterial.little(48, 4) + PhotographMaterial.little(1, 4)
          + PhotographMaterial.little(8, 4)))
    #expect(try await reader.next()?.pixelBuffer.dimensions == light.dimensions)
  }
}
