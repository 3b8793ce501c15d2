// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import Foundation
import MovieKit
import Testing

/// Pictures rendered from file to file, strip by strip, beside the same pictures held whole.
@Suite struct StripRendererTests {
  private static let size = Dimensions(width: 230, height: 700)

  /// Smooth colours with a grain, some of them translucent.
  private static func picture(
    _ format: PixelFormat, translucent: Bool, isLight: Bool = false
  ) throws -> PixelBuffer {
    let light = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    light.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let grain = Float((x * 7 + y * 13) % 29) / 60
          let (u, v) = (Float(x) / Float(size.width), Float(y) / Float(size.height))
          let alpha: Float = translucent ? [1, 0.4, 0][(x / 40 + y / 90) % 3] : 1
          bytes.storeBytes(
            of: SIMD4(0.1 + 0.6 * u + grain, 0.7 - 0.5 * v + grain, 0.2 + 0.3 * u * v, alpha),
            toByteOffset: 16 * (y * size.width + x), as: SIMD4<Float>.self)
        }
      }
    }
    let picture = try PixelBuffer(
      dimensions: size, format: format, tags: isLight ? .linearBT709 : .sRGB)
    try picture.store(linearRGBA: light)
    return picture
  }

  private static func map() throws -> PixelBuffer {
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 46, height: 140), format: .disparityFloat,
      tags: .linearBT709, bytesPerRowAlignment: 4)
    map.withUnsafeMutableBytes { bytes in
      let values = bytes.assumingMemoryBound(to: Float.self)
      for y in 0..<140 {
        for x in 0..<46 { values[y * 46 + x] = (x / 9 + y / 21) % 2 == 0 ? 0.8 : 0.1 }
      }
    }
    return map
  }

  private static func pixels(_ path: String) async throws -> ([UInt8], SourceProperties) {
    let reader = try await FrameReader.open(path)
    let buffer = try #require(try await reader.next()).pixelBuffer
    let row = buffer.width * buffer.planes[0].bytesPerElement
    let bytes = buffer.withUnsafeBytes { bytes in
      (0..<buffer.height).flatMap {
        bytes[($0 * buffer.planes[0].bytesPerRow)...].prefix(row)
      }
    }
    return (bytes, reader.properties)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var input: String
    var output: String
    var format = PixelFormat.rgba8
    var translucent = false
    /// How a JPEG's pixels lie, 1 to 8 as in EXIF.
    var orientation = 1
    /// Of the output, as it is shown.
    var size: Dimensions?
    var testDescription: String {
      "\(input) to \(output) of \(format), orientation \(orientation), \(size.map { "\($0)" } ?? "its size")"
    }
  }

  static let cases = [
    Case(input: "png", output: "png"), Case(input: "png", output: "tif", format: .rgbaFloat),
    Case(input: "tif", output: "png", format: .rgbaFloat, translucent: true),
    Case(input: "png", output: "png", translucent: true), Case(input: "jpg", output: "jpg"),
    Case(input: "tif", output: "tif", translucent: true), Case(input: "jpg", output: "tif"),
    Case(input: "png", output: "jpg", format: .gray8),
    Case(input: "tif", output: "png", format: .gray16),
    Case(input: "exr", output: "exr", format: .rgbaHalf),
    Case(input: "exr", output: "exr", format: .rgbaFloat, translucent: true),
    Case(input: "exr", output: "png", format: .rgbaFloat),
    Case(input: "png", output: "exr", format: .gray16),
    Case(input: "jpg", output: "heic"), Case(input: "heic", output: "png"),
    Case(input: "png", output: "heic", format: .rgbaFloat, translucent: true),
    Case(input: "avif", output: "avif"),
    Case(input: "heic", output: "tif", format: .rgbaFloat),
    Case(input: "pfm", output: "pfm", format: .rgbaFloat),
    Case(input: "dpx", output: "dpx"), Case(input: "dpx", output: "dpx", format: .rgbaFloat),
    Case(input: "png", output: "dpx", translucent: true),
    Case(input: "dpx", output: "png", format: .rgbaFloat, translucent: true),
    Case(input: "png", output: "pfm", format: .gray8),
  ]

  static let turned = [
    Case(input: "jpg", output: "png", orientation: 6),
    Case(input: "jpg", output: "jpg", orientation: 3),
    Case(input: "jpg", output: "exr", orientation: 8),
    Case(input: "jpg", output: "tif", orientation: 5),
    Case(input: "jpg", output: "jpg", orientation: 2),
    Case(input: "jpg", output: "heic", orientation: 7),
  ]

  static let resized = [
    Case(input: "png", output: "png", size: Dimensions(width: 115, height: 350)),
    Case(
      input: "exr", output: "exr", format: .rgbaFloat, translucent: true,
      size: Dimensions(width: 99, height: 301)),
    Case(
      input: "tif", output: "tif", format: .rgbaFloat, size: Dimensions(width: 345, height: 1050)),
    Case(input: "jpg", output: "png", orientation: 6, size: Dimensions(width: 500, height: 164)),
    Case(input: "png", output: "jpg", size: Dimensions(width: 23, height: 70)),
  ]

  @Test(arguments: cases + turned + resized) func sameAsWhole(_ item: Case) async throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let input = folder + "/in.\(item.input)"
    var metadata = PictureMetadata()
    metadata.resolution = PictureMetadata.Resolution(horizontal: 11811, vertical: 11811)
    metadata.xmp = Array("<rdf:RDF><rdf:Description dc:title=\"kept\"/></rdf:RDF>".utf8)
    try PictureWriter.write(
      try Self.picture(
        item.format, translucent: item.translucent,
        isLight: item.input == "exr" || item.input == "pfm"),
      to: input, metadata: metadata)
    if item.orientation > 1 {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: input)))
      try Data(turnedJPEG(bytes, to: item.orientation)).write(to: URL(fileURLWithPath: input))
    }
    let frame = RenderingSession.FrameAttributes(focusDisparity: 0.8, fNumber: 1.4)
    let map = try Self.map()

    let whole = folder + "/whole.\(item.output)"
    let reader = try await FrameReader.open(input)
    let source = reader.properties
    let output = try OutputFormat(path: whole)
    let pixels = try output.pixelFormat(for: source)
    let (format, tags) = (pixels.format, pixels.tags)
    let shown = item.size ?? source.shownDimensions
    let destination = try PixelBuffer(dimensions: shown, format: format, tags: tags)
    let renderer = try FrameRenderer(devices: [.cpu()], quality: .export)
    var job = FrameRenderer.Frame(
      number: 0, sourceImage: try #require(try await reader.next()).pixelBuffer,
      sourceDisparity: map, attributes: frame, preferredTransform: source.preferredTransform,
      destination: destination)
    if source.pictureMetadata.hasPremultipliedAlpha { job.sourceAlpha = .premultiplied }
    if item.output == "exr" { job.destinationAlpha = .premultiplied }
    try renderer.finish(renderer.commit(job))
    try PictureWriter.write(destination, to: whole, metadata: source.pictureMetadata)

    let strips = folder + "/strips.\(item.output)"
    let opened = try #require(try PictureStripReader.open(input))
    #expect(opened.properties.tags == source.tags)
    #expect(opened.properties.pixelFormat == source.pixelFormat)
    #expect(opened.properties.pictureMetadata == source.pictureMetadata)
    #expect(opened.properties.preferredTransform == source.preferredTransform)
    let settings = WriterSettings(
      keeping: opened.properties,
      dimensions: source.preferredTransform.inverse.applied(to: shown), pixelFormat: format,
      tags: tags)
    var told: [Int] = []
    _ = try await StripRenderer(devices: [.cpu()], quality: .export).render(
      opened, disparity: map, frameAttributes: frame, to: strips, settings: settings,
      progress: { completed, total in told.append(100 * completed / total) })
    #expect(told == told.sorted() && told.last == 100)
    let (wanted, wantedProperties) = try await Self.pixels(whole)
    let (found, properties) = try await Self.pixels(strips)
    let isSame = found == wanted
    #expect(isSame && properties.dimensions == shown)
    // FFmpeg names itself in TIFF files.
    var (said, wantedWords) = (properties.pictureMetadata, wantedProperties.pictureMetadata)
    (said.exif, wantedWords.exif) = (nil, nil)
    // Without one it says 72 dots an inch, and libtiff nothing.
    if source.pictureMetadata.resolution == nil {
      (said.resolution, wantedWords.resolution) = (nil, nil)
    }
    #expect(said == wantedWords)
    #expect(properties.tags == wantedProperties.tags)
    let isLight = ["exr", "pfm", "dpx"].contains { $0 == item.input || $0 == item.output }
    #expect(isLight || properties.pictureMetadata.xmp != nil)
    // Nothing else is left in the folder.
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.count == 3, "\(names)")
  }

  /// Cancelled before the first strip, or while it is made: nothing bears the output's name.
  @Test(arguments: [true, false]) func cancellation(early: Bool) async throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let (input, output) = (folder + "/in.png", folder + "/out.png")
    try PictureWriter.write(try Self.picture(.rgba8, translucent: false), to: input)
    let map = try Self.map()
    let task = Task { () async -> (code: CinematicError.Code?, told: Int) in
      if early { withUnsafeCurrentTask { $0?.cancel() } }
      var told = 0
      do throws(CinematicError) {
        guard let reader = try PictureStripReader.open(input) else { return (nil, -1) }
        _ = try await StripRenderer(devices: [.cpu()], quality: .export).render(
          reader, disparity: map,
          frameAttributes: RenderingSession.FrameAttributes(focusDisparity: 0.8, fNumber: 1.4),
          to: output,
          settings: WriterSettings(dimensions: Self.size, pixelFormat: .rgba8, tags: .sRGB),
          progress: { _, _ in
            told += 1
            withUnsafeCurrentTask { $0?.cancel() }
          })
        return (nil, told)
      } catch {
        return (error.code, told)
      }
    }
    let (code, told) = await task.value
    #expect(code == .cancelled)
    #expect(told == (early ? 0 : 1))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names == ["in.png"])
  }

  /// Strips that overlap, and reading from the start again.
  @Test(arguments: ["png", "tif", "jpg", "heic", "pfm", "dpx"]) func reading(_ ending: String)
    async throws
  {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let path = folder + "/in.\(ending)"
    try PictureWriter.write(try Self.picture(.rgba8, translucent: false), to: path)
    let whole = try await Self.pixels(path).0
    let reader = try #require(try PictureStripReader.open(path))
    for rows in [0..<90, 40..<300, 299..<301, 500..<700, 0..<700, 10..<12] {
      let strip = try reader.strip(rows)
      let row = strip.planes[0].bytesPerElement * Self.size.width
      let bytes = strip.withUnsafeBytes { bytes in
        (0..<strip.height).flatMap { bytes[($0 * strip.planes[0].bytesPerRow)...].prefix(row) }
      }
      let isSame = bytes == Array(whole[(rows.lowerBound * row)..<(rows.upperBound * row)])
      #expect(isSame, "\(rows)")
    }
    #expect(try PictureStripReader.open(path, leastPixelCount: 1_000_000) == nil)
    reader.close()
    let error = #expect(throws: CinematicError.self) { try reader.strip(0..<1) }
    #expect(error?.code == .invalidState)
  }

  /// A source that is cut short is an error, and nothing bears the output's name.
  @Test(arguments: ["png", "tif"]) func damagedFiles(_ ending: String) throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let path = folder + "/in.\(ending)"
    try PictureWriter.write(try Self.picture(.rgba8, translucent: false), to: path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
    #expect(throws: CinematicError.self) {
      guard let reader = try PictureStripReader.open(path) else { return }
      _ = try reader.strip(0..<700)
    }
  }

  @Test func refusals() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let settings = WriterSettings(dimensions: Self.size, pixelFormat: .rgba8, tags: .sRGB)
    for name in ["a.mov", "a%03d.png"] {
      #expect(throws: CinematicError.self) {
        _ = try PictureStripWriter(folder + "/" + name, settings: settings, hasAlpha: false)
      }
    }
    #expect(throws: CinematicError.self) {
      _ = try PictureStripWriter(folder + "/a.jpg", settings: settings, hasAlpha: true)
    }
    let writer = try PictureStripWriter(folder + "/a.png", settings: settings, hasAlpha: false)
    try writer.append(Self.picture(.rgba8, translucent: false))
    #expect(throws: CinematicError.self) {
      try writer.append(Self.picture(.rgba8, translucent: false))
    }
    try writer.finish()
    #expect(throws: CinematicError.self) {
      let short = try PictureStripWriter(folder + "/b.png", settings: settings, hasAlpha: false)
      try short.finish()
    }
    #expect(try PictureStripReader.open(folder + "/b.png") == nil)
  }
}
