// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

/// What a job writes: size, format, tags, times and numbers.
struct RenderTarget: Sendable {
  var settings: WriterSettings
  /// How high dynamic range comes into a picture of standard range; `nil` where nothing is mapped.
  var toneMapping: ToneMapping?

  init(_ job: RenderJob, _ source: SourceProperties, firstTime: Time) throws(CinematicError) {
    let format = try OutputFormat(path: job.output)
    let (pixelFormat, tags) = format.pixelFormat(
      forSource: source.pixelFormat, tags: source.tags)
    // Pictures cannot say how they are turned, and not every player heeds a movie that does: what
    // is written stands upright.
    let shown = source.shownDimensions
    settings = WriterSettings(
      keeping: source, path: job.input, dimensions: job.size ?? shown,
      pixelFormat: pixelFormat, tags: tags,
      firstTime: job.inputOptions.frames == nil ? nil : firstTime)
    settings.preferredTransform = .identity
    toneMapping = ToneMapping(
      from: source.tags, to: tags,
      peakLuminance: source.hdrMetadata.peakLuminance)
    if shown != source.dimensions, shown == source.dimensions.transposed {
      settings.pixelAspectRatio = PixelAspectRatio(
        horizontal: source.pixelAspectRatio.vertical,
        vertical: source.pixelAspectRatio.horizontal)
    }
    settings.overwrite = job.overwrite
    // Numbered pictures keep their numbers, whichever they begin with.
    settings.firstNumber = job.inputOptions.frames?.lowerBound ?? 0
    if source.kind == .numbered,
      let numbers = try NumberedPattern(job.input)?.existingNumbers()
    {
      settings.firstNumber += numbers.lowerBound
    }
  }
}

extension RenderTarget {
  /// A picture to write.
  ///
  /// - Throws: `outOfMemory`.
  func makePicture() throws(CinematicError) -> PixelBuffer {
    try PixelBuffer(
      dimensions: settings.dimensions, format: settings.pixelFormat, tags: settings.tags)
  }
}

extension RenderJob {
  /// Checks before any file is opened.
  ///
  /// - Throws: `invalidParameter`.
  func checkValues() throws(CinematicError) {
    var given: Float = 0
    if case .disparity(let disparity) = focus { given = disparity }
    try RenderingSession.FrameAttributes(focusDisparity: given, fNumber: fNumber).validate()
    guard !output.isEmpty else {
      throw CinematicError(
        .invalidParameter, "the output's file name is empty", remedy: "name a file with -o")
    }
    _ = try OutputFormat(path: output)
    guard let beforeAfter else { return }
    guard case .still = try OutputFormat(path: beforeAfter) else {
      throw CinematicError(
        .invalidParameter, "\(beforeAfter) is not the name of one picture",
        remedy: "end it in .png, .tif, .pfm or .exr")
    }
    guard beforeAfter != output else {
      throw CinematicError(
        .invalidParameter, "\(output) cannot be both the output and the before-and-after picture",
        remedy: "give two names")
    }
  }

  /// What the input decides: the size, and how many frames there are.
  ///
  /// - Throws: `incompatible` for a size of another shape, `invalidParameter` for many frames to one
  ///   picture.
  func check(_ source: SourceProperties) throws(CinematicError) {
    let shown = source.shownDimensions
    if let size {
      let height = Double(size.width) * Double(shown.height) / Double(shown.width)
      let width = Double(size.height) * Double(shown.width) / Double(shown.height)
      guard abs(height - Double(size.height)) <= 2 || abs(width - Double(size.width)) <= 2 else {
        let fitting = Dimensions(width: size.width, height: max(1, Int(height.rounded())))
        throw CinematicError(
          .incompatible, "--size \(size) has another shape than \(input) (\(shown))",
          remedy: "use --size \(fitting)")
      }
    }
    let count = source.frameCount
    if case .still = try OutputFormat(path: output), count > 1 {
      throw CinematicError(
        .invalidParameter, "\(output) holds one picture, and \(input) has \(count) frames",
        remedy: "choose one with --frames, or name a movie or a pattern such as frames/%04d.png")
    }
  }
}

extension SourceProperties {
  /// The size as people see it.
  fileprivate var shownDimensions: Dimensions { preferredTransform.applied(to: dimensions) }
}
