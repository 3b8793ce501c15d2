// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalSample
import FocalScript
import Foundation
import Testing

/// Objects of movies that are followed.
@Suite struct FollowingCommandTests {
  private static let size = Dimensions(width: 320, height: 180)

  /// Where the object is, in pixels.
  private struct View {
    var x: Double
    var y = 90.0
    var radius = 16.0
    var isThere = true

    var rect: NormalizedRect {
      NormalizedRect(
        x: (x - radius) / 320, y: (y - radius) / 180, width: radius / 160, height: radius / 90)
    }
  }

  /// Smooth noise that does not repeat, 0 to 255.
  private struct Texture {
    private var values: [Double]
    private let grain: Double

    init(seed: UInt64, grain: Double) {
      var generator = SeededGenerator(seed: seed)
      values = (0..<4096).map { _ in Double.random(in: 0...255, using: &generator) }
      self.grain = grain
    }

    func value(_ x: Double, _ y: Double) -> Double {
      let (u, v) = (x / grain + 640, y / grain + 640)
      let (column, row) = (Int(u), Int(v))
      let (a, b) = (u - Double(column), v - Double(row))
      func at(_ row: Int, _ column: Int) -> Double { values[row % 64 * 64 + column % 64] }
      return (at(row, column) * (1 - a) + at(row, column + 1) * a) * (1 - b)
        + (at(row + 1, column) * (1 - a) + at(row + 1, column + 1) * a) * b
    }
  }

  private static func write(_ views: [View], in folder: Folder) throws {
    let (object, wall) = (Texture(seed: 5, grain: 6), Texture(seed: 1, grain: 9))
    for name in ["clip", "maps"] { folder.make(name) }
    for (number, view) in views.enumerated() {
      var (codes, near): ([UInt8], [UInt8]) = ([], [])
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (u, v) = (
            (Double(x) + 0.5 - view.x) / view.radius, (Double(y) + 0.5 - view.y) / view.radius
          )
          let isObject = view.isThere && u * u + v * v < 1
          let value =
            isObject ? object.value(16 * u, 16 * v) : wall.value(Double(x) + 0.5, Double(y) + 0.5)
          codes.append(UInt8(max(0, min(255, value))))
          near.append(isObject ? 153 : 51)
        }
      }
      try PictureWriter.write(
        PixelBuffer(dimensions: size, format: .gray8, values: codes),
        to: folder.file("clip/\(number).png"))
      try PictureWriter.write(
        PixelBuffer(dimensions: size, format: .gray8, values: near),
        to: folder.file("maps/\(number).png"))
    }
  }

  /// An object that comes back at nearly twice its size is found at once where the movie has a detection of it, whether
  /// that is part of the movie or of its changes; without one, the sizes that are tried in turn take longer.
  @Test func findsAgainWhatTheMovieHasDetected() async throws {
    let folder = Folder()
    let views =
      (0..<20).map { View(x: 60 + 2 * Double($0)) }
      + (0..<12).map { _ in View(x: 100, isThere: false) }
      + (0..<10).map { View(x: 220 + Double($0), y: 80, radius: 29) }
    try Self.write(views, in: folder)
    let track = try RecordedDetectionTrack(
      detectionID: DetectionID(7), detectionGroupID: nil, detectionType: .sportsBall,
      detections: views.indices.suffix(10).map { number in
        Detection(
          time: Time(value: Int64(number), timescale: 30), detectionType: .sportsBall,
          normalizedRect: views[number].rect, focusDisparity: 0.6)
      })
    let times = try FrameTimes(
      range: TimeRange(start: .zero, duration: Time(value: 42, timescale: 30)),
      frameDuration: Time(value: 1, timescale: 30))
    let recording = try Recording(
      timeRange: TimeRange(start: .zero, duration: Time(value: 42, timescale: 30)),
      frameTimes: times, fNumber: 2.8, detectionTracks: [track],
      decisions: [Decision(time: .zero, detectionID: DetectionID(7), strong: false)])
    folder.write([UInt8](try recording.jsonRepresentation()), to: "script.json")
    for (name, focus) in [("with", ["--script", "script.json"]), ("without", ["--focus", "0.6"])] {
      try await works(
        ["import", "clip/%d.png", "--disparity", "maps/%d.png", "--codec", "ffv1"] + focus
          + ["-o", "\(name).mov"], in: folder)
      let box = views[0].rect
      try await works(
        [
          "edit", "\(name).mov", "track", "--rect",
          "\(box.x),\(box.y),\(box.width),\(box.height)", "--boxes", "\(name).csv", "-o",
          "\(name).focus",
        ], in: folder)
      let lines = String(decoding: folder.read("\(name).csv"), as: UTF8.self)
        .split(separator: "\n").dropFirst()
      let found = lines.compactMap { line -> Int? in
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        return fields[2].isEmpty ? nil : Int(fields[0])
      }
      #expect(Set(0..<20).isSubset(of: found))
      #expect(Set(found).isDisjoint(with: 24..<32))
      #expect(found.contains(33) == (name == "with"), "\(name): \(found)")
    }
  }

  /// A table is an output like any other: what is read is never written over, by whatever name, and no two outputs
  /// are one file.
  @Test func tablesReplaceNothingThatIsRead() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "movie.mov",
      ], in: folder)
    try await works(["edit", "movie.mov", "set", "--f-number", "4", "-o", "old.focus"], in: folder)
    folder.write(Array("frame,x,y,width,height\n".utf8), to: "truth.csv")
    let point = ["--point", "0.35,0.32", "--truth", "truth.csv"]
    let edit = ["edit", "movie.mov", "track", "--changes", "old.focus"] + point
    let track =
      [
        "script", "track", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script",
        "s/script.json",
      ] + point
    for (line, read) in [
      (edit, ["movie.mov", "truth.csv"]),
      (track, ["s/clip.mp4", "s/disparity/0002.png", "s/script.json", "truth.csv"]),
    ] {
      for name in read {
        for outputs in [["-o", "new", "--boxes", "./\(name)"], ["-o", name]] {
          try await refuses(
            line + outputs + ["--force"], in: folder, naming: [name, "never written over"])
        }
      }
      for (output, boxes) in [("new", "./new"), ("made/new", "made/../made/new"), ("-", "-")] {
        try await refuses(
          line + ["-o", output, "--boxes", boxes, "--force"], in: folder,
          naming: ["--boxes", "another name"])
      }
      // The other output does not stay where the table has no name.
      folder.write(Array("precious".utf8), to: "taken.csv")
      try await refuses(
        line + ["-o", "new", "--boxes", "taken.csv"], in: folder, naming: ["taken.csv", "--force"])
    }
    // Changes are gone on from in their own place, and no table takes it.
    try await refuses(
      edit + ["-o", "new", "--boxes", "old.focus", "--force"], in: folder,
      naming: ["old.focus", "never written over"])
    try await works(edit + ["-o", "old.focus", "--boxes", "boxes.csv"], in: folder)
  }
}
