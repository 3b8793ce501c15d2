// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia
import FocalSample
import Foundation

extension SampleScene.Kind: ExpressibleByArgument {}

struct SampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Make a sample clip with its disparity, and the exact lens's picture of it.",
    discussion: """
      Writes clip.mp4, disparity/%04d.png (16 bit, 0 to 1), scene.json and script.json, the true \
      detections and a focus for focal render --script; with --ground-truth also sharp/%04d.exr and \
      truth/%04d.exr, what a lens of that f-number takes. The same seed gives the same pictures.
      """)

  @Option(name: .shortAndLong, help: ArgumentHelp("The folder to write to.", valueName: "dir"))
  var output: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Size of the pictures. (default: 1280x720)", valueName: "WxH"),
    transform: SizeArgument.init(parsing:))
  var size = SizeArgument(dimensions: Dimensions(width: 1280, height: 720))
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many frames, 30 a second; the scene goes on for ten seconds.", valueName: "n"))
  var frames: Int = 60
  @Option(
    help: ArgumentHelp(
      "The scene: a terrace at dusk, a street at night, spokes and wires, or edges that cut the discs of"
        + " lamps.", valueName: "scene"))
  var scene = SampleScene.Kind.terrace
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Decides the scene's details.", valueName: "n"))
  var seed: UInt64 = 1
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Rays a pixel.", valueName: "n"))
  var samples: Int = 6
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Size of the disparity maps: blurred and noisy as a phone's. Without it they are exact.",
      valueName: "WxH"),
    transform: SizeArgument.init(parsing:))
  var mapSize: SizeArgument?
  @Flag(help: "Also write sharp frames and lens-sampled ground truth as OpenEXR.")
  var groundTruth = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The ground truth's f-number.", valueName: "n"))
  var fNumber: Double = 2.8
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The ground truth's focus; by default the suggested subject's, frame by frame.",
      valueName: "d"))
  var focus: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Lens points a pixel of the ground truth. (default: \(defaultLensSamples))", valueName: "n"))
  var lensSamples: Int?
  private static let defaultLensSamples = 256
  @Flag(help: "Print the scene's description as JSON, too.")
  var json = false
  @Flag(
    help:
      "Replace existing files; numbered pictures of a longer sample are removed. Its ground truth stays, unless it is written anew."
  )
  var force = false

  func validate() throws {
    guard output != PipePath.standard else {
      throw ValidationError(
        "-o - is not possible: a folder is needed; write ./- for one of that name")
    }
    guard (1...3000).contains(frames) else { throw ValidationError("--frames takes 1 to 3000") }
    guard (1...1024).contains(samples) else { throw ValidationError("--samples takes 1 to 1024") }
    guard (1...65536).contains(lensSamples ?? Self.defaultLensSamples) else {
      throw ValidationError("--lens-samples takes 1 to 65536")
    }
    guard lensSamples == nil || groundTruth else {
      throw ValidationError("--lens-samples needs --ground-truth")
    }
    guard fNumber >= 0.1, Float(fNumber).isFinite else {
      throw ValidationError("--f-number takes a finite number of at least 0.1")
    }
    if let focus, !focus.isFinite { throw ValidationError("--focus takes a finite number") }
  }

  func run() throws {
    let description = try interruptible { try make() }
    if json {
      try printJSON(description)
      return
    }
    let clip = quoted(path("clip.mp4"))
    let maps = quoted(path("disparity/%04d.png"))
    printLine(
      "\(output): clip.mp4, disparity/%04d.png, script.json\(groundTruth ? ", sharp, truth" : "")")
    // a focus that was asked for is what the ground truth has, else it is the script's
    let lens =
      focus.map { "--focus \(Float($0)) --f-number \(Float(fNumber))" }
      ?? "--script \(quoted(path("script.json")))"
    printLine(
      "render it: focal render \(clip) --disparity \(maps) \(lens)"
        + " --blur-scale \(SampleScene.suggestedBlurScale) -o film.mp4")
  }

  /// Makes every file. Clip, pictures and script get their names together, when all are whole; the description follows.
  private func make() throws -> SampleDescription {
    let start = ContinuousClock.now
    let scene = SampleScene(scene, seed: seed)
    let dimensions = size.dimensions
    var description = SampleDescription(
      scene: scene, size: dimensions, times: (0..<frames).map(time), fNumber: fNumber,
      focus: focus)
    for folder in ["disparity"] + (groundTruth ? ["sharp", "truth"] : []) {
      try MadeFolders.shared.make(path(folder))
    }
    let script = try SampleScript.recording(
      of: scene, times: (0..<frames).map(time),
      aspect: Double(dimensions.width) / Double(dimensions.height), fNumber: Float(fNumber))
    var settings = WriterSettings(
      dimensions: dimensions, pixelFormat: .yuv420Video8, tags: .bt709)
    settings.overwrite = force
    settings.publishesTogether = true
    settings.timescale = time(1).timescale
    settings.nominalFrameDuration = time(1)
    settings.expectedFrameCount = frames
    let clip = try FrameWriter.create(path("clip.mp4"), settings: settings)
    let maps = try FrameWriter.create(path("disparity/%04d.png"), settings: settings)
    let sharp =
      groundTruth ? try FrameWriter.create(path("sharp/%04d.exr"), settings: settings) : nil
    let truth =
      groundTruth ? try FrameWriter.create(path("truth/%04d.exr"), settings: settings) : nil
    let writers = [clip, maps, sharp, truth].compactMap { $0 }
    let scenery = try DataWriter(path: path("scene.json"), overwrite: force)
    let focusScript = try DataWriter(path: path("script.json"), overwrite: force)
    // If anything fails from here on, nothing stays of this sample.
    defer {
      for writer in writers { writer.cancel() }
      for writer in [scenery, focusScript] { writer.cancel() }
    }
    for writer in writers { try checkNames(of: writer) }
    let earlier = force ? EarlierSample(path("scene.json")) : EarlierSample()
    description.groundTruthFrames = groundTruth ? frames : earlier.groundTruthFrames
    try scenery.write([UInt8](description.jsonRepresentation()))
    try focusScript.write([UInt8](script.jsonRepresentation()))
    var progress = Progress(
      total: frames, start: start,
      json ? .json(amongResults: false) : ProgressArgument.auto.style(json: false))
    defer { progress.finish() }
    for number in 0..<frames {
      let frame = try scene.frame(
        at: time(number), dimensions: dimensions, samplesPerPixel: samples)
      let picture = try PixelBuffer(
        dimensions: dimensions, format: settings.pixelFormat, tags: settings.tags)
      let light = try frame.image.linearRGBA()
      try picture.store(linearRGBA: light)
      func append(_ buffer: PixelBuffer, to writer: FrameWriter?) throws(CinematicError) {
        try writer?.append(buffer, time: time(number), duration: time(1))
      }
      try append(picture, to: clip)
      try append(codes(of: map(scene, number, exact: frame.disparity)), to: maps)
      try append(frame.image, to: sharp)
      if truth != nil {
        try append(
          scene.groundTruth(
            at: time(number), dimensions: dimensions,
            focusDisparity: description.frames[number].focusDisparity, fNumber: fNumber,
            lensSamples: lensSamples ?? Self.defaultLensSamples), to: truth)
      }
      progress.advance()
    }
    try FrameWriter.finish(writers, with: [focusScript])
    // The sample that was here before is known by its description, which comes last.
    try removeFrames(of: earlier)
    try scenery.finish()
    return description
  }

  /// Refuses numbered pictures that are there before those in their place are made.
  private func checkNames(of writer: FrameWriter) throws(CinematicError) {
    guard let pattern = try NumberedPattern(writer.path) else { return }
    for number in 0..<frames {
      try checkOutputName(pattern.path(number), overwrite: force)
    }
  }

  /// Removes the numbered pictures of earlier samples that this one has not replaced: they are of another clip. Ground
  /// truth takes its time: only such as is written anew replaces it, then whole, as several samples may have come since.
  /// Pictures that no sample has written, by its description, stay.
  private func removeFrames(of earlier: EarlierSample) throws(CinematicError) {
    let truths = ["sharp/%04d.exr", "truth/%04d.exr"]
    var counts = ["disparity/%04d.png": earlier.frames]
    if groundTruth { for name in truths { counts[name] = earlier.groundTruthFrames } }
    var (removed, foreign) = (0, 0)
    for (name, count) in counts {
      for (number, path) in try numbered(name) where number >= frames {
        if number < count {
          removed += unlink(path) == 0 ? 1 : 0
        } else {
          foreign += 1
        }
      }
    }
    if foreign > 0 {
      note(
        "\(counted(foreign, "picture")) in \(output) with higher numbers \(foreign == 1 ? "is" : "are") of no"
          + " sample that is known, and \(foreign == 1 ? "stays" : "stay")")
    }
    if removed > 0 {
      note(
        "\(counted(removed, "picture")) of the sample that was in \(output) before"
          + " \(removed == 1 ? "is" : "are") removed")
    }
    guard !groundTruth, earlier.frames > 0 else { return }
    var kept = 0
    for name in truths { kept += try numbered(name).count }
    if kept > 0 {
      note("the ground truth in \(output) stays as it was, of the sample that was there before")
    }
  }

  /// The numbers of frames of the sample that lies in a folder, by its description.
  private struct EarlierSample {
    var frames = 0
    var groundTruthFrames = 0

    init() {}

    /// - Parameter path: of the description; without one, there is no sample.
    init(_ path: String) {
      guard let data = FileManager.default.contents(atPath: path),
        let scene = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
      else { return }
      frames = (scene["frames"] as? [Any])?.count ?? 0
      // Descriptions of earlier versions do not say it.
      groundTruthFrames = scene["groundTruthFrames"] as? Int ?? frames
    }
  }

  /// The pictures of a folder, by their numbers; none where it is not there.
  private func numbered(_ name: String) throws(CinematicError) -> [(number: Int, path: String)] {
    guard let pattern = try NumberedPattern(path(name)) else { return [] }
    return ((try? pattern.existingNumbers()) ?? []).map { ($0, pattern.path($0)) }
  }

  /// The path of a file in the output folder.
  private func path(_ name: String) -> String {
    output.isEmpty ? name : output.hasSuffix("/") ? output + name : "\(output)/\(name)"
  }

  /// A path as a shell takes it.
  private func quoted(_ path: String) -> String {
    let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "/._-%+,@".contains($0) }
    return isPlain
      ? path
      : "'\(path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
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

  /// Disparities 0 to 1 as 16-bit gray codes.
  private func codes(of map: PixelBuffer) throws(CinematicError) -> PixelBuffer {
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
    return gray
  }
}
