// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalSample
import Foundation
import Testing

/// `focal sample`, `focal compare` and `focal bench`.
@Suite struct OtherCommandTests {
  private static let tiny = ["--size", "48x28", "--frames", "3", "--samples", "1"]

  @Test func sampleIsRepeatable() async throws {
    let folder = Folder()
    try await works(["sample", "-o", "a"] + Self.tiny, in: folder)
    try await works(["sample", "-o", "b/"] + Self.tiny, in: folder)
    try await works(["sample", "-o", "other", "--seed", "2"] + Self.tiny, in: folder)
    let files = [
      "clip.mp4", "disparity", "disparity/0000.png", "disparity/0001.png", "disparity/0002.png",
      "scene.json", "script.json",
    ]
    #expect(folder.names.filter { $0.hasPrefix("a/") } == files.map { "a/\($0)" })
    for file in files { #expect(folder.read("a/\(file)") == folder.read("b/\(file)"), "\(file)") }
    #expect(folder.read("a/clip.mp4") != folder.read("other/clip.mp4"))
  }

  @Test func sampleWithGroundTruth() async throws {
    let folder = Folder()
    let outcome = try await works(
      [
        "sample", "-o", "s", "--ground-truth", "--lens-samples", "4", "--map-size", "16x9",
        "--json",
      ]
        + Self.tiny, in: folder)
    #expect(
      try await Material.frames(folder.file("s/disparity/%04d.png")).properties.dimensions.width
        == 16)
    for kind in ["sharp", "truth"] {
      let (properties, frames) = try await Material.frames(folder.file("s/\(kind)/%04d.exr"))
      #expect(properties.dimensions == Dimensions(width: 48, height: 28))
      #expect(frames.count == 3)
    }
    let printed = try #require(outcome.objects().first)
    let written = try JSONSerialization.jsonObject(with: Data(folder.read("s/scene.json")))
    #expect((printed as NSDictionary) == (written as? NSDictionary))
    #expect((printed["frames"] as? [Any])?.count == 3)
  }

  /// A shorter sample leaves no picture of the longer one whose place it takes; others stay, and so does ground truth that
  /// it has none of.
  @Test func sampleReplacesALongerOne() async throws {
    let folder = Folder()
    let sample = ["sample", "-o", "s", "--size", "48x28", "--samples", "1"]
    try await works(
      sample + ["--frames", "4", "--ground-truth", "--lens-samples", "1"], in: folder)
    folder.write([1], to: "s/disparity/0009.png")
    let shorter = try await works(sample + ["--frames", "2", "--force", "--json"], in: folder)
    #expect(folder.names(in: "s/disparity") == ["0000.png", "0001.png", "0009.png"])
    let exact = (0..<4).map { "000\($0).exr" }
    #expect(folder.names(in: "s/sharp") == exact && folder.names(in: "s/truth") == exact)
    // Standard error holds objects alone, too.
    let told = try shorter.errorObjects()
    #expect(told.contains { $0["event"] as? String == "progress" })
    let notes = told.compactMap { $0["message"] as? String }
    #expect(notes.contains { $0.hasPrefix("2 pictures") }, "\(notes)")
    #expect(notes.contains { $0.contains("ground truth in s stays") }, "\(notes)")
    #expect(shorter.outputLines.count == 1)
    let again = sample + ["--force", "--ground-truth", "--lens-samples", "1", "--frames"]
    // Ground truth of two samples ago goes, too.
    try await works(again + ["2"], in: folder)
    #expect(folder.names(in: "s/truth") == ["0000.exr", "0001.exr"])
    // Pictures that no sample has written stay.
    folder.write([1], to: "s/truth/0007.exr")
    let replaced = try await works(again + ["1"], in: folder)
    #expect(replaced.errors.contains("3 pictures") && !replaced.errors.contains("stays as it was"))
    #expect(replaced.errors.contains("2 pictures in s with higher numbers are of no sample"))
    #expect(folder.names(in: "s/sharp") == ["0000.exr"])
    #expect(folder.names(in: "s/truth") == ["0000.exr", "0007.exr"])
    #expect(folder.names(in: "s/disparity") == ["0000.png", "0009.png"])
    let other = ["sample", "-o", "t", "--size", "48x28", "--samples", "1", "--frames"]
    try await works(other + ["2"], in: folder)
    let one = try await works(other + ["1", "--force"], in: folder)
    #expect(one.errors.contains("1 picture of the sample that was in t before is removed"))
  }

  /// The command that it prints can be pasted, whatever the folder's name.
  @Test func sampleSaysHowToRenderIt() async throws {
    let folder = Folder()
    let outcome = try await works(["sample", "-o", "it's a film"] + Self.tiny, in: folder)
    let line = try #require(outcome.outputLines.last { $0.hasPrefix("render it: focal ") })
    let rendering = try await Program.run(
      ["/bin/bash", "-c", "focal() { '\(Program.path)' \"$@\"; }; \(line.dropFirst(11))"],
      in: folder)
    #expect(rendering.code == 0, "\(rendering.errors)")
    #expect(try await Material.frames(folder.file("film.mp4")).frames.count == 3)
  }

  @Test func sampleRefusals() async throws {
    let folder = Folder()
    try await works(["sample", "-o", "s"] + Self.tiny, in: folder)
    try await refuses(["sample", "-o", "s"] + Self.tiny, in: folder, naming: ["s/", "--force"])
    try await works(["sample", "-o", "s", "--force"] + Self.tiny, in: folder)
    folder.write([1], to: "file")
    try await refuses(["sample", "-o", "file"], in: folder, naming: ["file"])
    try await refuses(["sample", "-o", "/proc/no/such"], in: folder, naming: ["/proc/no/such"])
    for options in [
      ["--frames", "0"], ["--frames", "-1"], ["--samples", "0"], ["--size", "48"],
      ["--f-number", "nan"], ["--focus", "nan"], ["--lens-samples", "0"], ["--map-size", "0x0"],
    ] {
      try await refuses(
        ["sample", "-o", "t"] + options, in: folder, code: 64, naming: [options[0]])
    }
    try await refuses(
      ["sample", "-o", "t", "--lens-samples", "4"], in: folder, code: 64,
      naming: ["--lens-samples", "--ground-truth"])
    // Some of the files are there: nothing is made beside them.
    folder.make("u/disparity")
    folder.write([1], to: "u/disparity/0000.png")
    try await refuses(
      ["sample", "-o", "u"] + Self.tiny, in: folder, naming: ["u/disparity/0000.png"])
    // Also where it is a later one.
    folder.make("v/disparity")
    folder.write([1], to: "v/disparity/0002.png")
    try await refuses(
      ["sample", "-o", "v"] + Self.tiny, in: folder, naming: ["v/disparity/0002.png"])
  }

  @Test func compare() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try PictureWriter.write(Material.picture(phase: 0.2), to: folder.file("other.png"))
    let equal = try await works(["compare", "in.png", "in.png", "--json"], in: folder).objects()
    #expect(equal.count == 1)
    #expect(equal.first?["psnr"] as? String == "inf")
    #expect(equal.first?["ssim"] as? Double == 1)
    #expect(equal.first?["largestDifference"] as? Double == 0)
    let text = try await works(["compare", "in.png", "in.png"], in: folder)
    #expect(text.output.hasPrefix("frame 0: PSNR inf dB, SSIM 1.0000"))
    let near = try await works(
      ["compare", "in.png", "other.png", "--json", "-o", "difference.png", "--amplify", "4"],
      in: folder
    ).objects()
    let psnr = try #require(near.first?["psnr"] as? Double)
    #expect((10...40).contains(psnr))
    // The picture shows four times the difference.
    let difference = try await Material.frames(folder.file("difference.png")).frames[0].pixelBuffer
    var pictures: [PixelBuffer] = []
    for name in ["in.png", "other.png"] {
      let stored = try await Material.frames(folder.file(name)).frames[0].pixelBuffer
      pictures.append(try PictureComparison.displayPicture(ofLinear: stored.linearRGBA()))
    }
    let expected = try PictureComparison.differencePicture(
      pictures[0], reference: pictures[1], amplification: 4)
    #expect(difference.dimensions == expected.dimensions)
    #expect(near.first?["x"] as? Int != nil && near.first?["y"] as? Int != nil)
  }

  @Test func compareClips() async throws {
    let folder = Folder()
    try Material.clip("a.mp4", in: folder, times: Material.steady(3))
    let objects = try await works(["compare", "a.mp4", "a.mp4", "--json"], in: folder).objects()
    #expect(objects.compactMap { $0["frame"] as? Int } == [0, 1, 2])
    try Material.clip("b.mp4", in: folder, times: Material.steady(2))
    let before = folder.contents
    for pair in [["a.mp4", "b.mp4"], ["b.mp4", "a.mp4"]] {
      let outcome = try await Program.focal(
        ["compare"] + pair + ["-o", "difference.png"], in: folder)
      expectOneLine(outcome, naming: pair)
      #expect(folder.contents == before)
    }
  }

  /// Clips whose pixels have other shapes are compared pixel by pixel, and a line says so.
  @Test func compareShapes() async throws {
    let folder = Folder()
    for (name, shape) in [("square", "1:1"), ("again", "2:2"), ("wide", "4:3")] {
      let head = Array("YUV4MPEG2 W32 H32 F25:1 Ip A\(shape) C420jpeg\nFRAME\n".utf8)
      folder.write(head + [UInt8](repeating: 100, count: 32 * 32 * 3 / 2), to: "\(name).y4m")
    }
    let other = try await works(["compare", "wide.y4m", "square.y4m"], in: folder)
    #expect(other.output.hasPrefix("frame 0: PSNR inf dB"))
    for part in ["wide.y4m are shown 4:3", "square.y4m 1:1"] {
      #expect(other.errors.contains(part), "\(other.errors)")
    }
    let same = try await works(["compare", "again.y4m", "square.y4m"], in: folder)
    #expect(!same.errors.contains("are shown"), "\(same.errors)")
  }

  /// One frame without a difference leaves a figure for the clip.
  @Test func compareClipsWithAnEqualFrame() async throws {
    let folder = Folder()
    for name in ["a", "b"] { folder.make(name) }
    for number in 0..<2 {
      let picture = try Material.picture(phase: Double(number))
      try PictureWriter.write(picture, to: folder.file("a/\(number).png"))
      try PictureWriter.write(
        number == 0 ? picture : Material.picture(phase: 1.2), to: folder.file("b/\(number).png"))
    }
    let pair = ["compare", "b/%d.png", "a/%d.png"]
    let rows = try await works(pair + ["--json"], in: folder).objects()
    let errors = rows.compactMap { $0["meanSquaredError"] as? Double }
    #expect(errors.count == 2 && errors.first == 0)
    let error = try #require(errors.last)
    #expect(abs((rows.last?["psnr"] as? Double ?? 0) + 10 * log10(error)) < 1e-9)
    let mean = String(format: "mean of 2 frames: PSNR %.2f dB", -10 * log10(error / 2))
    #expect(try await works(pair, in: folder).outputLines.contains(mean))
  }

  @Test func compareMasks() async throws {
    let folder = Folder()
    // A mask as a gray picture, as an opaque one of four channels, and moved as the alpha of a picture.
    func isInside(_ x: Int, _ y: Int) -> Bool { (8..<24).contains(x) && (4..<20).contains(y) }
    let size = Dimensions(width: 32, height: 24)
    let places = (0..<size.count).map { ($0 % 32, $0 / 32) }
    try PictureWriter.write(
      PixelBuffer(
        dimensions: size, format: .gray8, values: places.map { isInside($0, $1) ? UInt8(255) : 0 }),
      to: folder.file("mask.png"))
    try PictureWriter.write(
      PixelBuffer(
        dimensions: size, format: .rgba8,
        values: places.flatMap { x, y in
          [UInt8](repeating: isInside(x, y) ? 255 : 0, count: 3) + [255]
        }), to: folder.file("opaque.png"))
    try PictureWriter.write(
      PixelBuffer(
        dimensions: size, format: .rgba8,
        values: places.flatMap { x, y in [UInt8(x), 9, 200, isInside(x + 4, y) ? 255 : 0] }),
      to: folder.file("subject.png"))
    let pair = ["compare", "subject.png", "mask.png", "--masks"]
    let text = try await works(pair, in: folder)
    // 12 of 20 columns.
    #expect(text.output.hasPrefix("frame 0: overlap 0.6000, alpha differs by 0.16667 in the mean"))
    let row = try await works(pair + ["--json", "-o", "difference.png"], in: folder).objects().first
    #expect(row?["overlap"] as? Double == 0.6)
    #expect(row?["sumOfAbsoluteErrors"] as? Double == 128)
    let difference = try await Material.frames(folder.file("difference.png")).frames[0].pixelBuffer
    #expect(difference.dimensions == size)
    // Rows of 32 pixels have no padding.
    let light = try difference.linearRGBA()
      .withUnsafeBytes { $0.bindMemory(to: SIMD4<Float>.self).map(\.x) }
    #expect(
      light == places.map { isInside($0.0, $0.1) == isInside($0.0 + 4, $0.1) ? 0 : 1 })
    let same = try await works(["compare", "opaque.png", "mask.png", "--masks"], in: folder)
    #expect(same.output.hasPrefix("frame 0: overlap 1.0000, alpha differs by 0.00000"))

    try Material.still(in: folder)
    try await refuses(
      ["compare", "in.png", "in.png", "--masks"], in: folder, naming: ["in.png", "coloured"])
    try await refuses(
      pair + ["--linear"], in: folder, code: 64, naming: ["--masks", "--linear"])
    try await refuses(pair + ["--border", "12"], in: folder, naming: ["border"])
  }

  /// Pictures are compared as they are shown: turned, and in their own colours. Alpha is told.
  @Test func compareAsShown() async throws {
    let folder = Folder()
    let size = Dimensions(width: 12, height: 8)
    let values = (0..<size.count).map { place -> SIMD4<Float> in
      let x = Float(place % size.width) / 12, y = Float(place / size.width) / 8
      return SIMD4(x, y, 0.5, 1)
    }
    let upright = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, values: values)
    func write(
      _ picture: PixelBuffer, _ name: String, turn: QuarterTurn = .identity
    ) throws {
      var settings = WriterSettings(
        dimensions: picture.dimensions, pixelFormat: picture.format, tags: picture.tags)
      settings.preferredTransform = turn
      settings.temporaryFiles = TemporaryFiles()
      let writer = try FrameWriter.create(folder.file(name), settings: settings)
      try writer.append(picture, time: .zero, duration: Time(value: 1, timescale: 30))
      try writer.finish()
    }
    func row(_ actual: String, _ reference: String) async throws -> [String: Any] {
      let said = try await works(["compare", actual, reference, "--json"], in: folder)
      return try #require(said.objects().first)
    }
    try write(upright, "a.exr")
    // A movie lies on its side, and says so.
    let film = Dimensions(width: 64, height: 48)
    let stored = try Material.picture(film, .yuv420Video8, tags: .bt709)
    try write(stored, "flat.mov")
    try write(stored, "turned.mov", turn: .clockwise90)
    try write(stored.linearRGBA().turnedPixels(by: .clockwise90), "turned.exr")
    try await refuses(
      ["compare", "flat.mov", "turned.mov"], in: folder, naming: ["64x48", "48x64"])
    #expect(try #require(try await row("turned.mov", "turned.exr")["psnr"] as? Double) > 30)
    // The same numbers are other colours in other primaries.
    var tags = ColorTags.linearBT709
    tags.primaries = .bt2020
    try write(upright.tagged(tags), "wide.exr")
    #expect(try #require(try await row("wide.exr", "a.exr")["psnr"] as? Double) < 40)
    let converted = try PrimariesConversion(from: .bt709, to: .bt2020).convert(upright, to: .bt2020)
    try write(converted, "same.exr")
    #expect(try #require(try await row("same.exr", "a.exr")["psnr"] as? Double) > 60)
    // Premultiplied: the colours stay.
    try write(
      PixelBuffer(
        dimensions: size, format: .rgbaFloat, tags: .linearBT709,
        values: values.map { SIMD4($0.x, $0.y, $0.z, 0.75) }), "clear.exr")
    let clear = try await row("clear.exr", "a.exr")
    #expect(clear["largestAlphaDifference"] as? Double == 0.25)
    #expect(try await row("a.exr", "a.exr")["largestAlphaDifference"] as? Double == 0)
    let text = try await works(["compare", "clear.exr", "a.exr"], in: folder)
    #expect(text.output.contains("alpha differs by up to 0.25000"), "\(text.output)")
  }

  /// What a rendering broke is counted, and hides in no figure, also not in those of all frames.
  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func compareWhatIsNotFinite(_ value: Float) async throws {
    let folder = Folder()
    let size = Dimensions(width: 16, height: 12)
    func write(_ name: String, _ format: PixelFormat, _ broken: [Int: Float] = [:]) throws {
      let values = (0..<size.count).map { place in
        SIMD4<Float>(broken[place] ?? Float(place % 16) / 16, Float(place / 16) / 12, 0.5, 1)
      }
      let picture = try PixelBuffer(
        dimensions: size, format: .rgbaFloat, tags: .linearBT709, values: values)
      let file = folder.file(name)
      guard format == .rgbaHalf else { return try PictureWriter.write(picture, to: file) }
      let halves = try PixelBuffer(dimensions: size, format: format, tags: .linearBT709)
      try halves.store(linearRGBA: picture)
      // The red of the broken pixels: an infinity or a not-a-number of 16 bits.
      halves.withUnsafeMutableBytes { bytes in
        for (place, value) in broken {
          let half: UInt16 = value.isNaN ? 0x7E00 : value > 0 ? 0x7C00 : 0xFC00
          bytes.storeBytes(
            of: half,
            toByteOffset: place / 16 * halves.planes[0].bytesPerRow + place % 16 * 8,
            as: UInt16.self)
        }
      }
      try PictureWriter.write(halves, to: file)
    }
    for name in ["a", "b"] { folder.make(name) }
    for (ending, format) in [("pfm", PixelFormat.rgbaFloat), ("exr", .rgbaHalf)] {
      for number in 0..<3 {
        try write("a/\(number).\(ending)", format)
        try write("b/\(number).\(ending)", format, number == 1 ? [5 * 16 + 3: value] : [:])
      }
      for options in [[], ["--linear"]] {
        let pair = ["compare", "b/%d.\(ending)", "a/%d.\(ending)"] + options
        let rows = try await works(pair + ["--json"], in: folder).objects()
        #expect(rows.map { $0["notFinite"] as? Int } == [0, 1, 0], "\(pair)")
        #expect(rows.map { $0["psnr"] as? String } == ["inf", "nan", "inf"], "\(pair)")
        let text = try await works(pair, in: folder).outputLines
        #expect(text.dropFirst().first?.hasSuffix(", 1 pixel is not finite") == true, "\(text)")
        #expect(text.contains { $0.hasPrefix("mean of 3 frames: PSNR nan dB") }, "\(text)")
        #expect(text.contains { $0.hasPrefix("worst, frame 1: ") }, "\(text)")
        // Beyond the border it does not count.
        let inner = try await works(pair + ["--json", "--border", "4"], in: folder).objects()
        #expect(inner.map { $0["notFinite"] as? Int } == [0, 0, 0])
      }
    }
  }

  @Test func compareRefusals() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try PictureWriter.write(
      Material.picture(Dimensions(width: 20, height: 20)), to: folder.file("small.png"))
    try await refuses(
      ["compare", "in.png", "small.png"], in: folder,
      naming: ["in.png", "small.png", "48x32", "20x20"])
    try await refuses(["compare", "in.png", "no.png"], in: folder, naming: ["no.png"])
    try await refuses(
      ["compare", "in.png", "in.png", "-o", "map.png"], in: folder, naming: ["map.png", "--force"])
    try await refuses(
      ["compare", "in.png", "in.png", "-o", "film.mp4"], in: folder, naming: ["film.mp4"])
    try await refuses(
      ["compare", "in.png", "in.png", "--border", "16"], in: folder, naming: ["48x32", "border"])
    for options in [["--amplify", "0"], ["--amplify", "nan"], ["--border", "-1"]] {
      try await refuses(
        ["compare", "in.png", "in.png"] + options, in: folder, code: 64, naming: [options[0]])
    }
    // They are of the picture of the difference, and none is asked for.
    for options in [["--amplify", "4"], ["--force"], ["--amplify", "4", "--force", "--masks"]] {
      let names = options.filter { $0.hasPrefix("--") && $0 != "--masks" }
      try await refuses(
        ["compare", "in.png", "in.png"] + options, in: folder, code: 64,
        naming: names + ["--output"])
    }
  }
  /// Options that do nothing, options that there are none of, and a name that is no text.
  @Test func refusalsNameTheReason() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try await refuses(
      ["render", "in.png", "--disparity", "map.png", "--no-steady-maps", "-o", "out.png"],
      in: folder, naming: ["--no-steady-maps", "one picture"])
    try await refuses(
      ["render", "--quality", "export", "--bogus"], in: folder, code: 64,
      naming: ["unknown option '--bogus'"])
    try await refuses(["render", "--force"], in: folder, code: 64, naming: ["<input>"])
    let name = try await Program.shell("focal info $'a\\xff.png'", in: folder)
    #expect(name.code == 1 && name.errors.contains("must be UTF-8"), "\(name.errors)")
  }

  /// An ordinary clip says how it is shown, too.
  @Test func infoTellsRotation() async throws {
    let folder = Folder()
    var settings = WriterSettings(
      dimensions: Material.size, pixelFormat: .yuv420Video8, tags: .bt709)
    settings.preferredTransform = .clockwise90
    settings.encoderPreset = "ultrafast"
    settings.temporaryFiles = TemporaryFiles()
    let writer = try FrameWriter.create(folder.file("clip.mov"), settings: settings)
    try writer.append(
      Material.picture(Material.size, .yuv420Video8, tags: .bt709), time: .zero,
      duration: Time(value: 1, timescale: 30))
    try writer.finish()
    let said = try await works(["info", "clip.mov"], in: folder).output
    #expect(said.contains("stored turned, shown by 90 degrees"), "\(said)")
  }
}
