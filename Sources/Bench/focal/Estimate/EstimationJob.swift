// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalEyes
import FocalMedia
import Foundation

/// Estimates the disparity of one input and writes it.
struct EstimationJob: Sendable {
  var input: String
  var source: EstimationSource
  var provider: any DisparityProvider
  var output: String
  var overwrite = false
  /// Maps of numbered files that are there already stay.
  var resumes = false
  /// Values as the provider gives them; else shares of the clip's range.
  var keepsValues = false
  /// Whether floats are stored as halves.
  var storesHalves = false
  var progress: Progress.Style

  /// How many pictures of a clip say what its range is.
  static let sampleCount = 5

  /// What was written.
  struct Outcome: Sendable {
    var dimensions: Dimensions
    var frames: Int
    var kind: DisparityEstimate.Kind
    /// What became 0 and 1; `nil` where values are the provider's.
    var range: EstimatedRange?
  }

  func run() async throws(CinematicError) -> Outcome {
    let start = ContinuousClock.now
    let format = try OutputFormat(path: output)
    let numbers = source.reader.frameNumbers
    if case .still = format, numbers.count > 1 {
      throw CinematicError(
        .invalidParameter, "\(output) holds one map, and \(input) has \(numbers.count) frames",
        remedy: "number them, as in maps/%04d.exr, or choose one with --frames")
    }
    var samples: [EstimationInput] = []
    let sampled = Self.sampledNumbers(numbers)
    for number in sampled { samples.append(try await source.input(number)) }
    for text in try await provider.prepare(for: samples) { note("\(provider.name): \(text)") }
    var known: [Int: DisparityEstimate] = [:]
    for (number, sample) in zip(sampled, samples) {
      known[number] = try await provider.estimate(sample)
    }
    samples = []
    guard let first = known[numbers.lowerBound] else {
      throw CinematicError(.malformed, "\(input) holds no picture")
    }
    let range = keepsValues ? nil : EstimatedRange(of: sampled.compactMap { known[$0]?.map })
    guard keepsValues || range != nil else {
      throw CinematicError(
        .incomplete, "\(provider.name) found no disparity in \(input)",
        remedy: "choose another way with --estimate, or give a map with --disparity")
    }

    let floats = [.pfm, .openEXR].contains(format.stillKind)
    var settings = WriterSettings(
      dimensions: first.map.dimensions,
      pixelFormat: storesHalves ? .disparityHalf : .disparityFloat, tags: .linearBT709)
    settings.overwrite = overwrite || resumes
    settings.expectedFrameCount = numbers.count
    if case .movie = format { Self.codeAsGray(&settings, source.reader.properties) }
    let writer = try FrameWriter.create(output, settings: settings)
    defer { writer.cancel() }
    var report = Progress(total: numbers.count, start: start, progress)
    var (cut, lost) = (0, 0)
    var latest: PixelBuffer?
    for number in numbers {
      defer { report.advance() }
      let fileNumber = source.reader.fileNumber(ofFrame: number)
      if resumes, case .numbered(let pattern, _) = format,
        FileManager.default.fileExists(atPath: pattern.path(fileNumber))
      {
        continue
      }
      let estimate: DisparityEstimate
      if let sample = known.removeValue(forKey: number) {
        estimate = sample
      } else {
        estimate = try await provider.estimate(try await source.input(number))
      }
      var map = estimate.map
      guard map.dimensions == first.map.dimensions else {
        throw CinematicError(
          .incompatible,
          "\(provider.name) made a map of \(map.dimensions) after one of \(first.map.dimensions)",
          remedy: "make every map of a clip of one size")
      }
      if let range { map = try range.shares(of: map) }
      let extent = map.validExtent
      if extent == nil {
        // A black picture shows nothing: what was there before goes on.
        lost += 1
        if let latest {
          map = latest
        } else {
          map = try .map([Float](repeating: 0, count: map.dimensions.count), map.dimensions)
        }
      }
      latest = map
      if !floats, let extent, extent.lowerBound < -0.005 || extent.upperBound > 1.005 { cut += 1 }
      let time = source.reader.timeRange(ofFrame: number)
      try writer.append(
        try map.stored(as: settings.pixelFormat), time: time.start, duration: time.duration,
        fileNumber: fileNumber)
    }
    report.finish()
    try writer.finish()
    if cut > 0 {
      note(
        "\(counted(cut, "map")) of \(output) \(cut == 1 ? "reaches" : "reach") beyond the range of the"
          + " clip's samples and \(cut == 1 ? "is" : "are") cut there; .pfm and .exr keep all")
    }
    if lost > 0 {
      note(
        "\(counted(lost, "frame")) of \(input) \(lost == 1 ? "shows" : "show") no disparity: the map"
          + " before, or the farthest, stands for it")
    }
    return Outcome(
      dimensions: first.map.dimensions, frames: numbers.count, kind: first.kind, range: range)
  }

  /// Evenly spread, the first one included.
  static func sampledNumbers(_ numbers: Range<Int>) -> [Int] {
    let count = min(sampleCount, numbers.count)
    return (0..<count).map { numbers.lowerBound + $0 * numbers.count / count }
  }

  /// A movie of maps: gray of 16 bits, every code as it is.
  private static func codeAsGray(_ settings: inout WriterSettings, _ source: SourceProperties) {
    settings.pixelFormat = .rgbaFloat
    settings.tags = .sRGB
    settings.codec = .ffv1
    settings.codedPixels = CodedPixels(.gray, bitDepth: 16, isFullRange: true)
    settings.timescale = source.timescale
    settings.nominalFrameDuration = source.nominalFrameDuration
    settings.timelineStart = source.startTime
  }
}

extension PixelBuffer {
  /// The least and the largest disparity of a map of floats; `nil` if there is none.
  fileprivate var validExtent: ClosedRange<Float>? {
    var (low, high) = (Float.infinity, -Float.infinity)
    for value in cells where abs(value) <= PixelBuffer.largestDisparity {
      (low, high) = (min(low, value), max(high, value))
    }
    return low <= high ? low...high : nil
  }

  /// A map of floats as another format holds it: halves, or codes of gray.
  fileprivate func stored(as format: PixelFormat) throws(CinematicError) -> PixelBuffer {
    switch format {
    case .disparityHalf: return try storedAsHalves()
    case .rgbaFloat:
      let values = cells.flatMap { value in
        let code = max(0, min(1, value.isNaN ? 0 : value))
        return [code, code, code, 1]
      }
      return try PixelBuffer(
        dimensions: dimensions, format: .rgbaFloat, tags: .sRGB, values: values)
    default: return self
    }
  }
}
