// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalMedia

/// The words of photographs: XMP, IPTC, EXIF, long and short, from kind to kind.
@Suite struct PictureTextTests {
  private typealias Material = PhotographMaterial

  /// A JPEG with segments behind its first bytes.
  private func jpeg(_ segments: [[UInt8]], in folder: ScratchFolder) throws -> [UInt8] {
    let picture = try Scene.smooth(32, 24, .rgba8, tags: .sRGB)
    try PictureWriter.write(
      picture, to: folder.file("plain.jpg"), overwrite: true,
      temporaryFiles: folder.temporaryFiles)
    return Material.adding(segments, to: folder.read("plain.jpg"))
  }

  private func metadata(_ name: String, in folder: ScratchFolder) async throws -> PictureMetadata {
    try await FrameReader.open(folder.file(name)).properties.pictureMetadata
  }

  /// Copies a picture to another file with all that it says, and reads that.
  private func copied(
    _ name: String, to copy: String, in folder: ScratchFolder
  ) async throws -> PictureMetadata {
    let reader = try await FrameReader.open(folder.file(name))
    let picture = try #require(try await reader.next()).pixelBuffer
    try PictureWriter.write(
      picture, to: folder.file(copy), metadata: reader.properties.pictureMetadata,
      temporaryFiles: folder.temporaryFiles)
    return try await metadata(copy, in: folder)
  }

  private func text(_ bytes: [UInt8]?) -> String {
    bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Properties of depth and of a moving picture go with them; what somebody wrote stays.
  @Test(arguments: ["jpg", "png", "tif", "heic"])
  func ownWordsBesideDepth(_ ending: String) async throws {
    let folder = ScratchFolder()
    let xmp = Material.xmp(
      "xmlns:GDepth=\"http://ns.google.com/photos/1.0/depthmap/\" GDepth:Near='1 > 0'"
        + " xmlns:GCamera=\"http://ns.google.com/photos/1.0/camera/\" GCamera:MicroVideo=\"1\""
        + " GCamera:MicroVideoOffset=\"40\""
        + " xmlns:dc=\"http://purl.org/dc/elements/1.1/\" dc:rights=\"mine\"",
      "<GDepth:Notes><rdf:Seq><rdf:li>deep</rdf:li></rdf:Seq></GDepth:Notes>"
        + "<dc:subject><rdf:Bag><rdf:li>sea</rdf:li></rdf:Bag></dc:subject>")
    folder.write(
      try jpeg([Material.xmpSegment(xmp)], in: folder) + [UInt8](repeating: 7, count: 40),
      to: "in.jpg")
    #expect(try await metadata("in.jpg", in: folder).companions == [.video])
    let read = text(try await copied("in.jpg", to: "out.\(ending)", in: folder).xmp)
    #expect(read.contains("dc:rights=\"mine\"") && read.contains("<rdf:li>sea</rdf:li>"))
    for word in ["GDepth", "GCamera", "deep"] { #expect(!read.contains(word), "\(read)") }
  }

  /// Nothing but depth in it: nothing is left, and nothing is missed.
  @Test func depthAlone() async throws {
    let folder = ScratchFolder()
    let map = try Scene.noise(8, 6, .gray8)
    try PictureWriter.write(
      map, to: folder.file("map.png"), temporaryFiles: folder.temporaryFiles)
    folder.write(
      Material.depthInXMP(
        try jpeg([], in: folder), map: folder.read("map.png"), format: "RangeInverse", near: 1,
        far: 2), to: "in.jpg")
    let source = try await metadata("in.jpg", in: folder)
    #expect(source.companions == [.disparity] && !source.losses(in: .openEXR).contains("XMP"))
    #expect(try await copied("in.jpg", to: "out.jpg", in: folder).xmp == nil)
  }

  /// A packet longer than a segment is divided, and whole again when it is read.
  @Test(arguments: ["jpg", "png", "tif"]) func longXMP(_ ending: String) async throws {
    let folder = ScratchFolder()
    let items = (0..<9000).map { "<rdf:li>word \($0)</rdf:li>" }.joined()
    var source = PictureMetadata()
    source.xmp = Array(
      Material.xmp(
        "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" dc:rights=\"mine\"",
        "<dc:subject><rdf:Bag>\(items)</rdf:Bag></dc:subject>"
      ).utf8)
    try PictureWriter.write(
      Scene.smooth(32, 24, .rgba8, tags: .sRGB), to: folder.file("in.jpg"), metadata: source,
      temporaryFiles: folder.temporaryFiles)
    let read = text(try await copied("in.jpg", to: "out.\(ending)", in: folder).xmp)
    #expect(read.contains("dc:rights=\"mine\"") && read.contains(items))
    #expect(!source.losses(in: .jpeg).contains("XMP"))
  }

  /// IPTC of any length, in JPEG as in TIFF.
  @Test(arguments: [40, 150_001]) func iptc(_ length: Int) async throws {
    let folder = ScratchFolder()
    let record =
      [0x1C, 2, 120, 0x80, 4] + Material.big(length, 4)
      + (0..<length).map { UInt8(32 + $0 % 90) }
    var source = PictureMetadata()
    source.iptc =
      Array("8BIM".utf8) + Material.big(0x0404, 2) + [0, 0] + Material.big(record.count, 4)
      + record + (record.count % 2 == 0 ? [] : [0])
    try PictureWriter.write(
      Scene.smooth(32, 24, .rgba8, tags: .sRGB), to: folder.file("in.jpg"), metadata: source,
      temporaryFiles: folder.temporaryFiles)
    #expect(try await metadata("in.jpg", in: folder).iptc == source.iptc)
    #expect(try await copied("in.jpg", to: "a.tif", in: folder).iptc == source.iptc)
    #expect(try await copied("a.tif", to: "b.jpg", in: folder).iptc == source.iptc)
    #expect(source.losses(in: .png) == ["IPTC"] && source.losses(in: .jpeg) == [])
  }

  /// EXIF takes one segment of a JPEG; more of it is named, and stays where there is room.
  @Test func longEXIF() async throws {
    let folder = ScratchFolder()
    var source = PictureMetadata()
    // Bytes behind the directories belong to a maker.
    source.exif =
      Material.exif(orientation: 1, width: 32, height: 24) + [UInt8](repeating: 1, count: 70000)
    #expect(source.losses(in: .jpeg) == ["EXIF"])
    #expect(source.losses(in: .png) == [] && source.losses(in: nil) == ["EXIF"])
    // A structure without an entry says nothing.
    var empty = PictureMetadata()
    empty.exif = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(empty.losses(in: nil) == [])
    for ending in ["jpg", "png"] {
      try PictureWriter.write(
        Scene.smooth(32, 24, .rgba8, tags: .sRGB), to: folder.file("a.\(ending)"),
        metadata: source, temporaryFiles: folder.temporaryFiles)
      let read = try await metadata("a.\(ending)", in: folder)
      #expect(read.exif?.count == (ending == "png" ? source.exif?.count : nil))
    }
  }

  /// Words of a PNG stay in a PNG, compressed ones included, and are missed elsewhere.
  @Test func textOfPNG() async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(
      Scene.noise(16, 8, .rgba8), to: folder.file("plain.png"),
      temporaryFiles: folder.temporaryFiles)
    let plain = folder.read("plain.png")
    let chunks: [(String, [UInt8])] = [
      ("tEXt", Array("Author".utf8) + [0] + Array("Somebody".utf8)),
      ("zTXt", Array("Title".utf8) + [0, 0] + PNGFormat.stored(Array("A picture".utf8))),
      ("iTXt", Array("Comment".utf8) + [0, 0, 0, 0, 0] + Array("mine".utf8)),
      // What is none.
      ("tEXt", [0]),
    ]
    let texts = chunks.flatMap { PNGFormat.chunk($0.0, $0.1) }
    folder.write(Array(plain[..<33]) + texts + plain[33...], to: "in.png")
    let source = try await metadata("in.png", in: folder)
    #expect(source.losses(in: .png) == [])
    #expect(source.losses(in: .jpeg) == ["text (Author, Title, Comment)"])
    #expect(try await copied("in.png", to: "out.png", in: folder) == source)
    for (type, content) in chunks {
      let isKept = folder.read("out.png").contains(PNGFormat.chunk(type, content))
      #expect(isKept == (content.count > 1))
    }
    let strips = try #require(try PictureStripReader.open(folder.file("in.png")))
    #expect(strips.properties.pictureMetadata == source)
  }

  /// A PNG with chunks in front of its pixels.
  private func png(
    _ chunks: [(type: String, content: [UInt8])], in folder: ScratchFolder
  ) throws -> [UInt8] {
    try PictureWriter.write(
      Scene.noise(16, 8, .rgba8), to: folder.file("plain.png"), overwrite: true,
      temporaryFiles: folder.temporaryFiles)
    let plain = folder.read("plain.png")
    return Array(plain[..<33]) + chunks.flatMap { PNGFormat.chunk($0.type, $0.content) }
      + plain[33...]
  }

  /// A chunk of metadata in digits, 36 bytes a line, as ImageMagick writes it.
  private func raw(
    _ kind: String, _ bytes: [UInt8], count: Int? = nil, isCompressed: Bool = true
  ) -> (type: String, content: [UInt8]) {
    var text = "\n\(kind)\n    \(count ?? bytes.count)"
    for (place, byte) in bytes.enumerated() {
      if place % 36 == 0 { text += "\n" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    let content = Array((text + "\n").utf8)
    let head = Array("Raw profile type \(kind)".utf8) + [0]
    return isCompressed
      ? ("zTXt", head + [0] + PNGFormat.stored(content)) : ("tEXt", head + content)
  }

  /// EXIF, XMP and IPTC that a PNG has as digits, compressed or not, are kept as those in chunks of their own are.
  @Test(arguments: [true, false]) func digitsInPNG(_ isCompressed: Bool) async throws {
    let folder = ScratchFolder()
    let exif = Material.exif(orientation: 1, width: 16, height: 8)
    let xmp = Array(Material.xmp("xmlns:dc=\"d\" dc:rights=\"mine\"").utf8)
    let blocks = PhotoshopBlocks.holding(iptc: [0x1C, 2, 120, 0, 2, 72, 105])
    let jpegXMP = JPEGSegments.xmpHead + xmp
    for kinds in [
      [("exif", JPEGSegments.exifHead + exif), ("xmp", xmp), ("iptc", blocks)],
      [("APP1", JPEGSegments.exifHead + exif), ("APP1", jpegXMP), ("8bim", blocks)],
      [("exif", exif), ("APP1", jpegXMP), ("iptc", [0x1C, 2, 120, 0, 2, 72, 105])],
    ] as [[(String, [UInt8])]] {
      folder.write(
        try png(kinds.map { raw($0.0, $0.1, isCompressed: isCompressed) }, in: folder), to: "in.png"
      )
      let read = try await metadata("in.png", in: folder)
      #expect(read.exif == exif && read.xmp == xmp && read.iptc == blocks)
      #expect(read.losses(in: .png) == ["IPTC"] && read.losses(in: .tiff).isEmpty)
    }
    let copy = try await copied("in.png", to: "out.png", in: folder)
    #expect(text(copy.xmp).contains("dc:rights=\"mine\"") && copy.exif != nil)
    #expect(try await copied("in.png", to: "out.tif", in: folder).iptc == blocks)
  }

  /// XMP is read from compressed text, too. What newer programs write in chunks of their own comes first.
  @Test func compressedXMP() async throws {
    let folder = ScratchFolder()
    let xmp = Array(Material.xmp("xmlns:dc=\"d\" dc:rights=\"mine\"").utf8)
    let keyword = Array("XML:com.adobe.xmp".utf8)
    let chunk = ("iTXt", keyword + [0, 1, 0, 0, 0] + PNGFormat.stored(xmp))
    folder.write(try png([chunk], in: folder), to: "in.png")
    let read = try await metadata("in.png", in: folder)
    #expect(read.xmp == xmp && read.losses(in: .png).isEmpty)
    let exif = Material.exif(orientation: 1, width: 16, height: 8)
    let old = Material.exif(orientation: 6, width: 16, height: 8)
    folder.write(try png([raw("exif", old), ("eXIf", exif)], in: folder), to: "both.png")
    let both = try await metadata("both.png", in: folder)
    #expect(both.exif == exif && both.losses(in: .png).isEmpty)
  }

  /// Metadata in text that are damaged, too long or of a kind that is not read are named.
  @Test func unreadTextOfPNG() async throws {
    let folder = ScratchFolder()
    let exif = Material.exif(orientation: 1, width: 16, height: 8)
    let long = [UInt8](repeating: 65, count: PNGProfileText.mostByteCount + 1)
    let xmp = Array("XML:com.adobe.xmp".utf8)
    for (chunk, keyword) in [
      (raw("exif", exif, count: exif.count + 1), "Raw profile type exif"),
      (raw("exif", [1]), "Raw profile type exif"), (raw("icc", exif), "Raw profile type icc"),
      (raw("iptc", exif), "Raw profile type iptc"),
      (("zTXt", Array("Raw profile type xmp".utf8) + [0, 0, 9]), "Raw profile type xmp"),
      (
        ("zTXt", Array("Raw profile type xmp".utf8) + [0, 0] + PNGFormat.stored(long)),
        "Raw profile type xmp"
      ),
      (("iTXt", xmp + [0, 1, 0, 0, 0] + PNGFormat.stored(long)), "XML:com.adobe.xmp"),
      (("iTXt", xmp + [0, 1, 7, 0, 0, 1]), "XML:com.adobe.xmp"),
      (("iTXt", xmp + [0, 0]), "XML:com.adobe.xmp"),
    ] as [((type: String, content: [UInt8]), String)] {
      folder.write(try png([chunk, chunk], in: folder), to: "in.png")
      let read = try await metadata("in.png", in: folder)
      #expect(read.exif == nil && read.xmp == nil && read.iptc == nil)
      #expect(read.losses(in: .png) == ["metadata in text (\(keyword))"])
    }
  }

  /// Each is named once, in the order of the file.
  @Test func manyUnreadTexts() throws {
    let keywords = (0..<40_000).map { "Raw profile type k\($0)" }
    let texts = (keywords + keywords.prefix(100)).compactMap { keyword in
      PNGProfileText("tEXt", (Array(keyword.utf8) + [0, 49])[...])
    }
    try #require(texts.count == 40_100)
    var metadata = PictureMetadata()
    PNGProfileText.add(texts, to: &metadata)
    #expect(metadata.unreadTexts == keywords)
  }

  /// A TIFF's resolution is kept beside its words in HEIC; alone it is missed there.
  @Test(arguments: [true, false]) func resolution(_ hasWords: Bool) async throws {
    let folder = ScratchFolder()
    var source = PictureMetadata()
    source.resolution = PictureMetadata.Resolution(horizontal: 11811, vertical: 11811)
    if hasWords { source.exif = Material.exif(orientation: 1, width: 32, height: 24) }
    let light = try Scene.smooth(32, 24, .rgba8, tags: .sRGB)
    let picture = try StillEncoder.prepared(
      light, kind: .tiff, metadata: source, size: light.dimensions, quality: nil, path: "a.tif")
    // Without FFmpeg's name.
    let file = try OutputFile(
      path: folder.file("a.tif"), overwrite: false, registry: folder.temporaryFiles)
    let sink = try TIFFRowSink(picture, RowLayout(picture), file)
    try sink.write(picture.buffer)
    try sink.finish()
    try file.publish()
    let read = try await metadata("a.tif", in: folder)
    #expect(read.losses(in: .heic).contains("resolution") == !hasWords)
    let copy = try await copied("a.tif", to: "a.heic", in: folder)
    let kept = copy.exif.flatMap { EXIFBlock($0)?.resolution }
    #expect(abs((kept?.horizontal ?? 0) - (hasWords ? 11811 : 0)) < 1)
  }

  /// Numbered pictures each say their own; their colours are by one profile.
  @Test func numberedPictures() async throws {
    let folder = ScratchFolder()
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 24), pixelFormat: .rgba8, tags: .sRGB)
    settings.temporaryFiles = folder.temporaryFiles
    let writer = try FrameWriter.create(folder.file("p%02d.jpg"), settings: settings)
    for number in 0..<3 {
      var metadata = PictureMetadata()
      metadata.xmp = Array(Material.xmp("xmlns:dc=\"d\" dc:rights=\"number \(number)\"").utf8)
      try writer.append(
        Scene.smooth(32, 24, .rgba8, tags: .sRGB), time: .zero, duration: .zero,
        metadata: metadata)
    }
    try writer.finish()
    let reader = try await FrameReader.open(folder.file("p%02d.jpg"))
    for number in [2, 0, 1, 1] {
      let frame = try await reader.frame(number: number)
      #expect(text(frame.pictureMetadata.xmp).contains("number \(number)"))
    }
    folder.write(
      try jpeg([Material.profileSegment(Material.adobeRGB)], in: folder), to: "p03.jpg")
    let other = try await FrameReader.open(folder.file("p%02d.jpg"))
    let error = await failure { () async throws(CinematicError) in
      _ = try await other.frame(number: 3)
    }
    #expect(error?.code == .incompatible && error?.message.contains("p03.jpg") == true)
  }
}
