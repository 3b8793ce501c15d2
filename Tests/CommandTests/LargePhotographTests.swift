// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
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
    var testDescription: String {
      "\(input) to \(output) of \(format) \([size, largest].compactMap { $0.map { "\($0)" } })"
        + (curve?.rawValue ?? "") + (usesTable ? "table" : "")
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
  ]

  @Test(arguments: cases) func sameFile(_ item: Case) async throws {
    let folder = Folder()
    let size = Dimensions(width: 140, height: 400)
    let isLight = item.input.hasSuffix("exr")
    try PictureWriter.write(
      Material.picture(size, item.format, tags: isLight ? .linearBT709 : .sRGB),
      to: folder.file(item.input))
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
      let report =
        least == 1
        ? try await job.renderStrips(since: .now, ProcessUsage.current) : try await job.run()
      reports.append(try #require(report))
    }
    #expect(reports[0].width == reports[1].width && reports[0].height == reports[1].height)
    let height = item.size?.height ?? item.largest?.height ?? size.height
    #expect(reports[0].height == height)
    let isSame = folder.read("strips" + item.output) == folder.read("whole" + item.output)
    #expect(isSame && !folder.read("whole" + item.output).isEmpty)
    #expect(folder.unfinished == [])
  }
}
