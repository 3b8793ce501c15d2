// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia
import FocalSample
import Foundation

struct SampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Make a sample clip with its disparity, and the exact lens's picture of it.",
    discussion: """
      Writes clip.mp4, disparity/%04d.png (16 bit, 0 to 1), scene.json and script.json, its true \
      detections and a focus for focal render --script; with --ground-truth also \
      sharp/%04d.exr and truth/%04d.exr, what a lens of that f-number takes. The same seed gives the \
      same pictures.
      """)

  @Option(name: .shortAndLong, help: ArgumentHelp("The folder to write to.", valueName: "dir"))
  var output: String
  @Option(help: ArgumentHelp("Size of the pictures.", valueName: "wxh"))
  var size = SizeArgument(dimensions: Dimensions(width: 1280, height: 720))
  @Option(
    help: ArgumentHelp(
      "How many frames, 30 a second; the scene goes on for ten seconds.", valueName: "n"))
  var frames: Int = 60
  @Option(help: ArgumentHelp("Decides the scene's details.", valueName: "n"))
  var seed: UInt64 = 1
  @Option(help: ArgumentHelp("Rays a pixel.", valueName: "n"))
  var samples: Int = 6
  @Option(
    help: ArgumentHelp(
      "Size of the disparity maps: blurred and noisy as a phone's. Without it they are exact.",
      valueName: "wxh"))
  var mapSize: SizeArgument?
  @Flag(help: "Also write sharp frames and lens-sampled ground truth as OpenEXR.")
  var groundTruth = false
  @Option(help: ArgumentHelp("The ground truth's f-number.", valueName: "n"))
  var fNumber: Double = 2.8
  @Option(
    help: ArgumentHelp(
      "The ground truth's focus; by default the suggested subject's, frame by frame.",
      valueName: "d"))
  var focus: Double?
  @Option(help: ArgumentHelp("Lens points a pixel of the ground truth.", valueName: "n"))
  var lensSamples: Int = 256
  @Flag(help: "Print the scene's description as JSON, too.")
  var json = false
  @Flag(help: "Replace existing files.")
  var force = false

  func validate() throws {
    guard (1...3000).contains(frames) else { throw ValidationError("--frames takes 1 to 3000") }
    guard (1...1024).contains(samples) else { throw ValidationError("--samples takes 1 to 1024") }
    guard (1...65536).contains(lensSamples) else {
      throw ValidationError("--lens-samples takes 1 to 65536")
    }
    guard fNumber >= 0.1 else { throw ValidationError("--f-number takes a number of at least 0.1") }
  }

  func run() throws {
    let scene = SampleScene(seed: seed)
    let dimensions = size.dimensions
    try interruptible {
      try make(["disparity"] + (groundTruth ? ["sharp", "truth"] : []))
      let description = SampleDescription(
        scene: scene, size: dimensions, times: (0..<frames).map(time), fNumber: fNumber,
        focus: focus)
      var settings = WriterSettings(
        dimensions: dimensions, pixelFormat: .yuv420Video8, tags: .bt709)
      settings.overwrite = force
      settings.timescale = time(1).timescale
      settings.nominalFrameDuration = time(1)
      let clip = try FrameWriter.create("\(output)/clip.mp4", settings: settings)
      defer { clip.cancel() }
      var progress = Progress(total: frames, json: false)
      defer { progress.finish() }
      for number in 0..<frames {
        let frame = try scene.frame(
          at: time(number), dimensions: dimensions, samplesPerPixel: samples)
        let picture = try PixelBuffer(
          dimensions: dimensions, format: settings.pixelFormat, tags: settings.tags)
        let light = try frame.image.linearRGBA()
        try picture.store(linearRGBA: light)
        try clip.append(picture, time: time(number), duration: time(1))
        try writeMap(try map(scene, number, exact: frame.disparity), number)
        if groundTruth {
          try write(frame.image, "sharp", number)
          try write(
            scene.groundTruth(
              at: time(number), dimensions: dimensions,
              focusDisparity: description.frames[number].focusDisparity, fNumber: fNumber,
              lensSamples: lensSamples), "truth", number)
        }
        progress.advance()
      }
      try clip.finish()
      try description.write(to: "\(output)/scene.json", overwrite: force)
      let script = try SampleScript.recording(
        of: scene, times: (0..<frames).map(time),
        aspect: Double(dimensions.width) / Double(dimensions.height), fNumber: Float(fNumber))
      try ScriptFile.write(
        script.jsonRepresentation(), to: "\(output)/script.json", replace: force)
      if json {
        try printJSON(description)
      } else {
        print("\(output): clip.mp4, disparity/%04d.png\(groundTruth ? ", sharp, truth" : "")")
        print(
          "render it: focal render \(output)/clip.mp4 --disparity \(output)/disparity/%04d.png"
            + " --focus \(description.frames[0].focusDisparity)"
            + " --blur-scale \(SampleScene.suggestedBlurScale) -o film.mp4")
      }
    }
  }

  /// When a frame is taken: 30 a second.
  private func time(_ number: Int) -> Time { Time(value: Int64(number), timescale: 30) }

  private func map(
    _ scene: SampleScene, _ number: Int, exact: PixelBuffer
  ) throws(CinematicError) -> PixelBuffer {
    guard let mapSize else { return exact }
    var options = PhoneDisparityOptions()
    options.dimensions = mapSize.dimensions
    return try scene.phoneDisparity(at: time(number), options: options)
  }

  private func make(_ folders: [String]) throws {
    for folder in folders {
      do {
        try FileManager.default.createDirectory(
          atPath: "\(output)/\(folder)", withIntermediateDirectories: true)
      } catch {
        throw CinematicError(
          .unwritable, "cannot make the folder \(output)/\(folder)",
          remedy: "choose a folder that you may write to")
      }
    }
  }

  private func write(_ picture: PixelBuffer, _ folder: String, _ number: Int) throws(CinematicError)
  {
    let name = String(format: "%04d", number)
    try PictureWriter.write(picture, to: "\(output)/\(folder)/\(name).exr", overwrite: force)
  }

  /// Disparities 0 to 1 as 16-bit gray codes.
  private func writeMap(_ map: PixelBuffer, _ number: Int) throws(CinematicError) {
    let gray = try PixelBuffer(dimensions: map.dimensions, format: .gray16, tags: .linearBT709)
    gray.withUnsafeMutableBytes { bytes in
      for y in 0..<map.height {
        for x in 0..<map.width {
          let value = map.disparity(x: x, y: y) ?? 0
          let code = UInt16((min(max(value, 0), 1) * 65535).rounded())
          bytes.storeBytes(
            of: code, toByteOffset: y * gray.planes[0].bytesPerRow + x * 2, as: UInt16.self)
        }
      }
    }
    let name = String(format: "%04d", number)
    try PictureWriter.write(gray, to: "\(output)/disparity/\(name).png", overwrite: force)
  }
}

/// What is true of a sample clip: where its subjects are, and which of them is in focus.
struct SampleDescription: Encodable {
  struct Subject: Encodable {
    var id: Int
    var group: Int
    var kind: String
    var rect: [Double]
    var disparity: Double
  }

  struct Frame: Encodable {
    var time: Double
    var focusDisparity: Double
    var subjects: [Subject]
  }

  var seed: UInt64
  var width: Int
  var height: Int
  var blurScale: Double
  var fNumber: Double
  var frames: [Frame]

  init(scene: SampleScene, size: Dimensions, times: [Time], fNumber: Double, focus: Double?) {
    seed = scene.seed
    width = size.width
    height = size.height
    blurScale = SampleScene.suggestedBlurScale
    self.fNumber = fNumber
    frames = times.map { time in
      let subjects = scene.subjects(at: time, aspect: Double(size.width) / Double(size.height))
      let cue = SampleScene.focusScript.last { $0.time <= time }
      let subject = subjects.first { $0.groupID == cue?.groupID } ?? subjects.first
      return Frame(
        time: time.seconds, focusDisparity: focus ?? subject?.focusDisparity ?? 0.5,
        subjects: subjects.map {
          Subject(
            id: $0.id, group: $0.groupID, kind: $0.kind.rawValue,
            rect: [$0.rect.x, $0.rect.y, $0.rect.width, $0.rect.height],
            disparity: $0.focusDisparity)
        })
    }
  }

  func write(to path: String, overwrite: Bool) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let data = try encoder.encode(self)
    do {
      try data.write(
        to: URL(fileURLWithPath: path), options: overwrite ? .atomic : .withoutOverwriting)
    } catch {
      throw CinematicError(
        .unwritable, "cannot write \(path)", remedy: "choose another folder, or use --force")
    }
  }
}
