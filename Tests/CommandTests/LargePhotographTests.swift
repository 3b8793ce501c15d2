// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript
import MovieKit
import Testing

@testable import focal

/// Photographs that go from file to file give the files that they give when they are held whole.
@Suite struct LargePhotographTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var input: String
    var output: String
    var format = PixelFormat.rgba8
    var size: Dimensions?
    var largest: Dimensions?
    var curve: LogCurve?
    var usesTable = false
    var isTranslucent = false
    /// How a JPEG's pixels lie, 1 to 8 as in EXIF.
    var orientation = 1
    var isScripted = false
    /// The value of `--before-after`.
    var comparison: String?
    var testDescription: String {
      "\(input) to \(output) of \(format) \([size, largest].compactMap { $0.map { "\($0)" } })"
        + (curve?.rawValue ?? "") + (usesTable ? "table" : "") + (isTranslucent ? "alpha" : "")
        + (isScripted ? "script" : "") + (comparison ?? "") + "\(orientation)"
    }
  }

  static let cases = [
    Case(input: "in.png", output: "out.png"), Case(input: "in.png", output: "out.jpg"),
    Case(input: "in.png", output: "out.exr"), Case(input: "in.jpg", output: "out.heic"),
    Case(input: "in.jpg", output: "out.avif"), Case(input: "in.heic", output: "out.exr"),
    Case(input: "in.exr", output: "out.exr", format: .rgbaHalf),
    Case(input: "in.exr", output: "out.png", format: .rgbaFloat),
    Case(input: "in.png", output: "out.png", format: .gray16),
    Case(input: "in.png", output: "out.exr", format: .gray8),
    Case(input: "in.png", output: "out.png", size: Dimensions(width: 70, height: 200)),
    Case(
      input: "in.exr", output: "out.exr", format: .rgbaFloat,
      size: Dimensions(width: 210, height: 600)),
    Case(input: "in.png", output: "out.jpg", largest: Dimensions(width: 100, height: 100)),
    Case(input: "in.png", output: "out.png", format: .rgbaFloat, curve: .sLog3),
    Case(input: "in.png", output: "out.exr", format: .rgbaFloat, curve: .logC3),
    Case(input: "in.png", output: "out.jpg", usesTable: true),
    Case(input: "in.pfm", output: "out.pfm", format: .rgbaFloat),
    Case(input: "in.pfm", output: "out.exr", format: .rgbaFloat),
    Case(input: "in.png", output: "out.pfm", format: .gray16),
    Case(input: "in.dpx", output: "out.dpx", format: .rgbaFloat),
    Case(input: "in.dpx", output: "out.png"),
    Case(input: "in.png", output: "out.dpx"),
    Case(input: "in.png", output: "out.dpx", isTranslucent: true),
    Case(input: "in.dpx", output: "out.png", format: .rgbaFloat, isTranslucent: true),
    Case(input: "in.jpg", output: "out.dpx", orientation: 6),
    Case(input: "in.png", output: "out.png", isScripted: true),
    Case(input: "in.png", output: "out.png", comparison: "both.png"),
    Case(input: "in.png", output: "out.png", isTranslucent: true, comparison: "both.png"),
    Case(
      input: "in.exr", output: "out.exr", format: .rgbaFloat, isTranslucent: true,
      comparison: "both.tif"),
    Case(input: "in.jpg", output: "out.jpg", orientation: 8, comparison: "both.jpg"),
    Case(
      input: "in.jpg", output: "out.jpg", size: Dimensions(width: 200, height: 70), orientation: 5,
      comparison: "both.png"),
  ]

  @Test(arguments: cases) func sameFile(_ item: Case) async throws {
    let folder = Folder()
    let size = Dimensions(width: 140, height: 400)
    let isLight = item.input.hasSuffix("exr") || item.input.hasSuffix("pfm")
    let picture = try Material.picture(size, item.format, tags: isLight ? .linearBT709 : .sRGB)
    if item.isTranslucent { Self.makeTranslucent(picture) }
    try PictureWriter.write(picture, to: folder.file(item.input))
    if item.orientation > 1 {
      folder.write(turnedJPEG(folder.read(item.input), to: item.orientation), to: item.input)
    }
    try PictureWriter.write(
      Material.map(Dimensions(width: 35, height: 100)), to: folder.file("map.png"))
    var options = ReadOptions()
    options.workingSpace = item.curve.map { .log($0) }
    if item.usesTable {
      // Red and blue change places.
      let corners = ["0 0 0", "0 0 1", "0 1 0", "0 1 1", "1 0 0", "1 0 1", "1 1 0", "1 1 1"]
      folder.write(
        Array((["LUT_3D_SIZE 2"] + corners).joined(separator: "\n").utf8), to: "table.cube")
      options.workingSpace = .table(try ColorCube(path: folder.file("table.cube")))
    }
    var reports: [RenderReport] = []
    for (name, least) in [("strips", 1), ("whole", Int.max)] {
      var film = ExportSession.Settings()
      film.maximumSize = item.largest
      var job = RenderJob(
        input: folder.file(item.input), map: folder.file("map.png"),
        output: folder.file(name + item.output), inputOptions: options,
        mapOptions: ReadOptions(content: .disparity(.unit)), stretchesMap: false,
        size: item.size, focus: .disparity(0.4), fNumber: 2, attributes: .init(),
        quality: .export, devices: [.cpu()], overwrite: false, film: film, json: false)
      job.progress = .none
      job.largePixelCount = least
      job.beforeAfter = item.comparison.map { folder.file(name + $0) }
      if item.isScripted { job.script = try Self.script() }
      let report =
        least == 1
        ? try await job.renderStrips(since: .now, ProcessUsage.current) : try await job.run()
      reports.append(try #require(report))
    }
    let outcomes = reports.map(\.outcome)
    #expect(outcomes[0].width == outcomes[1].width && outcomes[0].height == outcomes[1].height)
    let shown = item.orientation > 4 ? size.width : size.height
    let height = item.size?.height ?? item.largest?.height ?? shown
    #expect(outcomes[0].height == height)
    let isSame = folder.read("strips" + item.output) == folder.read("whole" + item.output)
    #expect(isSame && !folder.read("whole" + item.output).isEmpty)
    if let comparison = item.comparison {
      let (strips, whole) = try await (
        Self.pixels(folder.file("strips" + comparison)),
        Self.pixels(folder.file("whole" + comparison))
      )
      let isSameComparison = strips == whole
      #expect(isSameComparison && Set(strips).count > 20)
    }
    if item.isScripted {
      #expect(reports.allSatisfy { $0.focus.script == "a.json" && $0.focus.focusDisparity == 0.7 })
    }
    #expect(folder.unfinished == [])
  }

  private static func makeTranslucent(_ picture: PixelBuffer) {
    picture.withUnsafeMutableBytes { bytes in
      for y in 0..<picture.height {
        for x in 0..<picture.width where (x / 20 + y / 30) % 3 == 0 {
          let place = y * picture.planes[0].bytesPerRow
          if picture.format == .rgba8 {
            bytes[place + 4 * x + 3] = 100
          } else {
            bytes.storeBytes(of: 0.4, toByteOffset: place + 16 * x + 12, as: Float.self)
          }
        }
      }
    }
  }

  /// The focus of a script of one frame, of another f-number than the command's.
  private static func script() throws -> ScriptedFocus {
    let range = TimeRange(start: .zero, duration: Time(value: 1, timescale: 30))
    let script = try Script(
      recording: Recording(
        timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: range.duration),
        fNumber: 1.4, detectionTracks: [], decisions: []))
    let id = try script.addDetectionTrack(FixedDetectionTrack(focusDisparity: 0.7))
    script.addUserDecision(Decision(time: .zero, detectionID: id, strong: true))
    return ScriptedFocus(script, name: "a.json")
  }

  private static func pixels(_ path: String) async throws -> [UInt8] {
    let picture = try #require(try await FrameReader.open(path).next()).pixelBuffer
    return picture.codes()
  }
}
