// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCapture
import FocalCinematic
import FocalCommands
import FocalCore
import FocalEyes
import FocalImport
import FocalMedia
import FocalRendering
import FocalScript

/// Where pictures, disparity, detections and sound come from.
struct CaptureSourceOptions: ParsableArguments {
  @Argument(help: "The camera (v4l2:/dev/video0), or a file that is played as one.")
  var device: String
  @Option(
    help: ArgumentHelp(
      "A depth camera beside it, or maps that are played with it: a file, or numbered ones, one a picture. Maps lie as"
        + " the pictures are shown, as for focal import.",
      valueName: "device"))
  var disparity: String?
  @OptionGroup(title: "Map options") var map: MapOptions
  @OptionGroup(title: "Estimation options") var estimation: EstimateOptions
  @Option(
    help: ArgumentHelp(
      "A microphone (alsa:default), or none; by default the sound of a file.", valueName: "device"))
  var sound: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The size that a camera is asked for.", valueName: "WxH"),
    transform: SizeArgument.init(parsing:))
  var size: SizeArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Frames a second that a camera is asked for.", valueName: "rate"),
    transform: FrameRateArgument.init(parsing:))
  var frameRate: FrameRateArgument?
  @Option(
    help: ArgumentHelp(
      "The form of pictures that a camera is asked for, by FFmpeg's name, such as mjpeg.",
      valueName: "form"))
  var inputFormat: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Play a file so often.", valueName: "n"))
  var times: Int = 1
  @OptionGroup var fields: FieldOptions
  @OptionGroup(title: "Detection options") var detection: DetectionOptions
  @Flag(help: "Detect nothing: focus is on what is largest and nearest, or where you put it.")
  var noDetections = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The simulated aperture; by default the format's.", valueName: "n"))
  var fNumber: Float?
  @OptionGroup(title: "Look options") var look: LookOptions
  @OptionGroup(title: "Device options") var devices: DeviceOptions

  func validate() throws {
    guard (1...100_000).contains(times) else {
      throw ValidationError("--times takes 1 to 100000")
    }
    guard disparity == nil || !estimation.isGiven else {
      throw ValidationError("give --disparity, or a way to estimate it, not both")
    }
    guard !noDetections || !detection.isGiven else {
      throw ValidationError("give --no-detections, or what detects, not both")
    }
    try estimation.patience.check(estimation.helper, detection.detectHelper)
    guard estimation.every == nil else {
      throw ValidationError(
        "--every is for clips: a session sees every picture that it has time for")
    }
    guard
      disparity != nil
        || map.disparityKind == .disparity && map.disparityChannel == nil
          && map.disparityFit == .exact
    else {
      throw ValidationError(
        "--disparity-kind, -channel and -fit describe a map: give --disparity")
    }
    if disparity == nil, let range = map.disparityRange, range.first > range.second {
      throw ValidationError(
        "--disparity-range takes the disparity of what is far, then that of what is near")
    }
  }

  /// What is read, and never written over.
  var inputs: [String] {
    ([device, disparity] + estimation.inputs + look.inputs).compactMap(\.self)
  }

  /// A session of these, ready to be started.
  ///
  /// - Throws: what opening devices, models and files throws.
  func session() async throws(CinematicError) -> CaptureSession {
    let clock = HostClock()
    let isDevice = DeviceSource.isDevice(device)
    if let given = isDevice ? fileOption : cameraOption {
      throw CinematicError(
        .invalidParameter,
        "\(given) is for \(isDevice ? "files" : "cameras"), and \(device) is none",
        remedy: "leave it out")
    }
    var source: any CaptureSource = try await open(device, .picture, clock, hasSound: sound == nil)
    try checkFields(fields.given, source.properties, of: device)
    var provider: (any DisparityProvider)?
    if let disparity {
      let maps = try await companion(disparity, of: source, .disparity(map.scale), clock)
      source = try PairedSource(
        source, maps.source, as: .disparity, stretches: map.disparityFit == .stretch,
        inOrder: maps.isInOrder)
    } else {
      let choice = try await estimation.value.choice(
        for: device, isFile: !isDevice, to: .program)
      provider = choice.provider
      if let layout = estimation.layout {
        source = try StereoSource(source, layout: layout, exchanged: estimation.swapEyes)
      }
      if let stereo = estimation.stereo {
        let other = try await companion(stereo, of: source, .picture, clock)
        source = try PairedSource(
          source, other.source, as: .otherEye(isLeft: estimation.swapEyes),
          inOrder: other.isInOrder)
      }
    }
    var microphone: (any CaptureSource)?
    if let sound, sound != "none" {
      let opened = try DeviceSource(sound, clock: clock)
      guard opened.soundFormat != nil else {
        throw CinematicError(
          .unsupported, "\(sound) gives no sound", remedy: "give a microphone, such as alsa:default"
        )
      }
      microphone = opened
    }
    var configuration = CaptureSession.Configuration(
      devices: try devices.devices(), provider: provider, detector: try detector())
    if disparity != nil {
      configuration.disparityRange = map.codedRange
    } else if let range = map.disparityRange {
      configuration.estimatedRange = EstimatedRange(
        low: Float(range.first), high: Float(range.second))
    }
    configuration.look = try look.look()
    let session = try CaptureSession(
      source, microphone: microphone, configuration: configuration, clock: clock)
    if let fNumber { try await session.setSimulatedAperture(fNumber) }
    return session
  }

  /// How long a numbered file is shown that goes with a picture by its order: it comes with that, and waits for no time
  /// of its own.
  private static let momentary = Time(value: 1, timescale: 1_000_000)

  /// What is played or taken beside a file or a camera.
  ///
  /// - Returns: it, and whether it goes with the pictures by order: numbered files have no times of their own.
  /// - Throws: `incompatible` for another number of files than there are pictures, what opening throws.
  private func companion(
    _ name: String, of main: any CaptureSource, _ content: ReadOptions.Content, _ clock: HostClock
  ) async throws(CinematicError) -> (source: any CaptureSource, isInOrder: Bool) {
    var options = ReadOptions(content: content)
    let pattern = try DeviceSource.isDevice(name) ? nil : NumberedPattern(name)
    let isInOrder = pattern != nil && main is FileSource
    let count = main.properties.frameCount
    if isInOrder {
      options.stillDuration = Self.momentary
      // A clip that is played again begins with its first map again, however many there are.
      if let first = try pattern?.existingNumbers().first, count > 0 {
        options.frames = first...(first + count - 1)
      }
    } else if pattern != nil, main.properties.nominalFrameDuration > .zero {
      options.stillDuration = main.properties.nominalFrameDuration
    }
    let source = try await open(name, content, clock, hasSound: false, options)
    guard !isInOrder || source.properties.frameCount >= count else {
      throw CinematicError(
        .incompatible,
        "\(name) has \(counted(source.properties.frameCount, "file")) for"
          + " \(counted(count, "frame")) of \(device)", remedy: "give one for each frame")
    }
    return (source, isInOrder)
  }

  private var fileOption: String? { times > 1 ? "--times" : fields.given }

  private var cameraOption: String? {
    size != nil
      ? "--size" : frameRate != nil ? "--frame-rate" : inputFormat != nil ? "--input-format" : nil
  }

  /// - Parameter options: for files.
  private func open(
    _ name: String, _ content: ReadOptions.Content, _ clock: HostClock, hasSound: Bool,
    _ options: ReadOptions = ReadOptions()
  ) async throws(CinematicError) -> any CaptureSource {
    if DeviceSource.isDevice(name) {
      let wish = DeviceSource.Wish(
        dimensions: content == .picture ? size?.dimensions : nil,
        frameRate: frameRate.map { 1 / $0.duration.seconds },
        coding: content == .picture ? inputFormat : nil)
      let source = try DeviceSource(name, wish: wish, content: content, clock: clock)
      guard source.hasPictures else {
        throw CinematicError(
          .unsupported, "\(name) gives no pictures",
          remedy: "give a camera, such as v4l2:/dev/video0")
      }
      return source
    }
    if PipePath.isPipe(name) {
      throw CinematicError(
        .invalidParameter, "\(name) is a pipe, which is no device",
        remedy: "give a camera or a file")
    }
    var options = options
    options.content = content
    options.interlacing = fields.interlacing
    if content != .picture { options.channel = map.disparityChannel }
    if content != .picture {
      let maps = try await FrameReader.open(name, options: options)
      try await maps.checkIsMap()
      OutputNotes.tellDoubts(of: maps.properties.pictureMetadata, options, map: name)
    }
    return try await FileSource(
      name, options: options, times: times, withSound: hasSound, clock: clock)
  }

  private func detector() throws(CinematicError) -> (any ObjectDetector)? {
    guard !noDetections else { return nil }
    do throws(CinematicError) {
      return try detection.value.detector(timeLimit: estimation.patience.timeLimit, to: .program)
    } catch {
      guard error.code == .incomplete, !detection.isGiven else { throw error }
      note("nothing is detected: \(error.told)")
      return nil
    }
  }
}
