// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Options that are wrong: 64 for what the command line's grammar tells, 1 for the rest.
@Suite struct BadValueTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var options: [String]
    var code: Int32 = 1
    var names: [String]
    var testDescription: String { options.joined(separator: " ") }
  }

  static let cases = [
    Case(options: ["--f-number", "0"], names: ["f-number"]),
    Case(options: ["--f-number", "-2.8"], names: ["f-number", "-2.8"]),
    Case(options: ["--f-number", "nan"], names: ["f-number", "nan"]),
    Case(options: ["--f-number", "wide"], code: 64, names: ["--f-number", "wide"]),
    Case(options: ["--focus", "nan"], code: 64, names: ["--focus", "finite"]),
    Case(options: ["--focus", "-inf"], code: 64, names: ["--focus", "finite"]),
    Case(options: ["--blur-scale", "nan"], names: ["blur scale", "nan"]),
    Case(options: ["--blur-scale", "-1"], names: ["blur scale", "-1"]),
    Case(options: ["--blur-scale", "1e9"], names: ["blur scale", "1e+09"]),
    Case(options: ["--blades", "2"], code: 64, names: ["--blades"]),
    Case(
      options: ["--blades", "6", "--blade-roundness", "2"], code: 64, names: ["--blade-roundness"]),
    Case(options: ["--blade-roundness", "0.5"], names: ["--blade-roundness", "--blades"]),
    Case(options: ["--blade-rotation", "20"], names: ["--blade-rotation", "--blades"]),
    Case(options: ["--squeeze", "3"], code: 64, names: ["--squeeze", "2"]),
    Case(options: ["--profile", "-2"], code: 64, names: ["--profile"]),
    Case(options: ["--fringes", "nan"], code: 64, names: ["--fringes"]),
    Case(options: ["--cat-eye", "1.5"], code: 64, names: ["--cat-eye"]),
    Case(options: ["--barn-doors", "-0.1"], code: 64, names: ["--barn-doors"]),
    Case(options: ["--swirl", "2"], code: 64, names: ["--swirl"]),
    Case(options: ["--near-strength", "-1"], code: 64, names: ["--near-strength"]),
    Case(options: ["--far-strength", "inf"], code: 64, names: ["--far-strength"]),
    Case(options: ["--highlight-threshold", "1"], code: 64, names: ["--highlight-threshold"]),
    Case(
      options: ["--highlight-threshold", "0.5"], names: ["--highlight-threshold", "--highlights"]),
    Case(options: ["--aperture-image", "missing.png"], names: ["missing.png"]),
    Case(options: ["--aperture-image", "in.png", "--blades", "5"], code: 64, names: ["--blades"]),
    Case(options: ["--device", "gpu9"], names: ["gpu9", "cpu"]),
    Case(options: ["--quality", "best"], code: 64, names: ["best", "export-high"]),
    Case(options: ["--transfer", "gamma"], code: 64, names: ["gamma", "hlg"]),
    Case(options: ["--threads", "0"], code: 64, names: ["--threads"]),
    Case(options: ["--focus-at", "1.5,0.5"], code: 64, names: ["--focus-at"]),
    Case(options: ["--focus-at", "-0.1,0.5"], code: 64, names: ["--focus-at"]),
    Case(options: ["--focus-at", "0.5"], code: 64, names: ["--focus-at", "0.5"]),
    Case(options: ["--focus-at", "nan,0"], code: 64, names: ["--focus-at", "nan,0"]),
    Case(
      options: ["--focus", "0.5", "--focus-at", "0.5,0.5"], code: 64,
      names: ["--focus", "--focus-at"]),
    Case(options: ["--disparity-range", "1,1"], code: 64, names: ["--disparity-range"]),
    Case(options: ["--disparity-range", "0"], code: 64, names: ["--disparity-range"]),
    Case(options: ["--frames", "1"], names: ["in.png", "frame 1"]),
    Case(options: ["--frames", "5-2"], code: 64, names: ["--frames", "5-2"]),
    Case(options: ["--frames", "-3"], code: 64, names: ["--frames", "-3"]),
    Case(options: ["--frames", "all"], code: 64, names: ["--frames", "all"]),
    Case(options: ["--size", "48x48"], names: ["48x48", "in.png", "48x32"]),
    Case(options: ["--size", "0x32"], code: 64, names: ["--size", "0x32"]),
    Case(options: ["--size", "48"], code: 64, names: ["--size", "48"]),
    Case(options: ["--size", "96000x64000"], code: 64, names: ["96000x64000"]),
    Case(options: ["--frame-rate", "0"], code: 64, names: ["--frame-rate", "0"]),
    Case(options: ["--before-after", "out.png"], names: ["out.png"]),
    Case(options: ["--before-after", "in.png"], names: ["in.png", "never written over"]),
    Case(options: ["--before-after", "film.mp4"], names: ["film.mp4"]),
    Case(options: ["--picture-quality", "0"], code: 64, names: ["--picture-quality"]),
    Case(options: ["--picture-quality", "101"], code: 64, names: ["--picture-quality"]),
    Case(options: ["--sharp"], code: 64, names: ["--sharp", "focal render --help"]),
    Case(options: ["another.png"], code: 64, names: ["another.png"]),
    Case(options: ["--f-number"], code: 64, names: ["--f-number"]),
  ]

  @Test(arguments: cases) func render(_ one: Case) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try await refuses(
      ["render", "in.png", "--disparity", "map.png", "-o", "out.png"] + one.options, in: folder,
      code: one.code, naming: one.names)
  }

  @Test(arguments: [
    (["render"], ["input"]),
    (["render", "in.png", "--disparity", "map.png"], ["--output"]), (["rendre"], ["rendre"]),
  ])
  func incompleteCommands(_ arguments: [String], _ names: [String]) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try await refuses(arguments, in: folder, code: 64, naming: names)
  }

  @Test(arguments: [
    ("out", "out"), ("out.xyz", ".xyz"), ("out.bmp", ".bmp"), ("out%04d.mp4", "out%04d.mp4"),
    ("out%04x.png", "out%04x.png"), ("%d/%d.png", "no"), ("folder.png", "folder.png"),
    ("in.png/out.png", "in.png/out.png"), ("/proc/out.png", "/proc/out.png"), ("", "file name"),
  ])
  func outputs(_ output: String, _ name: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    folder.make("folder.png")
    try await refuses(
      ["render", "in.png", "--disparity", "map.png", "-o", output], in: folder,
      naming: name == "no" ? [] : [name])
  }

  struct Unusual: CustomTestStringConvertible, Sendable {
    var options: [String]
    var size = Material.size
    /// Whether the picture stays as it is; `nil` where a little of it may be blurred.
    var isSharp: Bool?
    var testDescription: String { options.joined(separator: " ") }
  }

  static let unusual = [
    Unusual(options: ["--f-number", "inf"], isSharp: true),
    Unusual(options: ["--f-number", "0.1"], isSharp: false),
    Unusual(options: ["--focus", "-0.5"]),
    Unusual(options: ["--focus", "1e30"], isSharp: false),
    Unusual(options: ["--blur-scale", "0"], isSharp: true),
    Unusual(options: ["--blur-scale", "16"], isSharp: false),
    Unusual(options: ["--disparity-range", "-1,1"]),
    Unusual(options: ["--disparity-range", "1,0"]),
    Unusual(options: ["--disparity-range", "0.5,4", "--disparity-kind", "depth"]),
    Unusual(options: ["--focus-at", "0,0"]),
    Unusual(options: ["--focus-at", "1,1"]),
    Unusual(options: ["--blades", "6"]),
    Unusual(options: ["--threads", "3"]),
    Unusual(options: ["--profile", "-1"]),
    Unusual(options: ["--squeeze", "2"]),
    Unusual(options: ["--aperture-image", "in.png"]),
    Unusual(options: ["--far-strength", "0"]),
    Unusual(options: ["--size", "24x16"], size: Dimensions(width: 24, height: 16)),
    Unusual(options: ["--size", "25x17"], size: Dimensions(width: 25, height: 17)),
    Unusual(options: ["--size", "97x65"], size: Dimensions(width: 97, height: 65)),
    Unusual(options: ["--frames", "0"]),
    Unusual(options: ["--frames", "0-9"]),
    Unusual(options: ["--transfer", "linear"]),
    Unusual(options: ["--quality", "thumbnail"]),
    Unusual(options: ["--quality", "export-high"]),
    Unusual(options: ["--device", "CPU"]),
  ]

  /// Numbers that look like options, and the ends of the ranges.
  @Test(arguments: unusual) func unusualValues(_ one: Unusual) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try await works(
      ["render", "in.png", "--disparity", "map.png", "-o", "out.png"] + one.options, in: folder)
    #expect(folder.names == ["in.png", "map.png", "out.png"])
    let (properties, frames) = try await Material.frames(folder.file("out.png"))
    #expect(properties.dimensions == one.size && frames.count == 1)
    #expect(properties.bitDepth == 8)
    guard let isSharp = one.isSharp else { return }
    let source = try await Material.frames(folder.file("in.png")).frames
    let codes = try [source, frames].map { try $0[0].pixelBuffer.linearRGBA().codes() }
    let isSame = codes[0] == codes[1]
    #expect(isSame == isSharp)
  }

  @Test func framesBeyondTheEnd() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(6))
    try Material.numberedMaps(6, in: folder)
    let render = ["render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.mp4"]
    try await refuses(
      render + ["--frames", "6-9"], in: folder, naming: ["clip.mp4", "frame 6", "has 6"])
    try await works(render + ["--frames", "4-99"], in: folder)
    #expect(try await Material.frames(folder.file("out.mp4")).frames.count == 2)
  }

  @Test func manyFramesToOnePicture() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(6))
    try Material.numberedMaps(6, in: folder)
    let render = ["render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.png"]
    try await refuses(render, in: folder, naming: ["out.png", "clip.mp4", "6 frames", "--frames"])
    try await works(render + ["--frames", "2"], in: folder)
  }
}
