// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia
import Foundation

/// The maps that an estimation writes, one after the other.
final class MapOutput {
  let dimensions: Dimensions
  private let job: EstimationJob
  private let range: EstimatedRange?
  private let pattern: NumberedPattern?
  private let holdsFloats: Bool
  private let pixelFormat: PixelFormat
  private let writer: FrameWriter
  private var progress: StageCounter
  private var note: Notes { job.events.note }
  private var latest: PixelBuffer?
  private var hasWritten = false
  /// How many maps were there already, and stay.
  private(set) var keptCount = 0
  /// Maps that reach beyond what a file holds, maps with holes that it does not hold, and pictures without any disparity.
  private var (cutCount, filledCount, lostCount) = (0, 0, 0)

  init(
    _ job: EstimationJob, _ format: OutputFormat, _ dimensions: Dimensions, range: EstimatedRange?,
    count: Int, _ progress: StageCounter
  ) throws(CinematicError) {
    (self.job, self.range, self.dimensions) = (job, range, dimensions)
    if case .numbered(let numbered, _) = format { pattern = numbered } else { pattern = nil }
    holdsFloats = [.pfm, .openEXR].contains(format.stillKind)
    var settings = WriterSettings(
      dimensions: dimensions,
      pixelFormat: job.storesHalves ? .disparityHalf : .disparityFloat, tags: .linearBT709)
    settings.overwrite = job.overwrite || job.resumes
    settings.expectedFrameCount = count
    if case .movie = format { Self.codeAsGray(&settings, job.source.reader.properties) }
    pixelFormat = settings.pixelFormat
    writer = try FrameWriter.create(job.output, settings: settings)
    self.progress = progress
    self.progress.expect(count)
  }

  /// The output by its name; the file where one numbered map is all that there is.
  var writtenPath: String { keptCount > 0 ? job.output : writer.writtenPath }

  func cancel() { writer.cancel() }

  /// Begins with other frames than those that follow the last one.
  func beginPart() { latest = nil }

  /// Whether there is a map that goes on where a picture shows no disparity.
  var goesOn: Bool { latest != nil }

  /// Says which map goes on where the first picture shows no disparity.
  ///
  /// - Parameter map: in the provider's own numbers, with a disparity.
  func goOn(after map: PixelBuffer) throws(CinematicError) {
    var shown = map
    if let range { shown = try range.shares(of: map) }
    if let whole = try filled(shown) { shown = whole }
    latest = shown
  }

  /// A map without its holes, as a rendering fills them; `nil` if it has none, or the output holds them.
  private func filled(_ map: PixelBuffer) throws(CinematicError) -> PixelBuffer? {
    if holdsFloats { return nil }
    return try map.filledDisparity()
  }

  /// Whether a map holds no disparity.
  func isEmpty(_ map: PixelBuffer) -> Bool { map.validExtent == nil }

  /// Whether the map of a frame is there and stays.
  func isThere(_ number: Int) -> Bool {
    job.resumes && path(number).map(FileManager.default.fileExists(atPath:)) == true
  }

  /// The same, counted as done.
  func keeps(_ number: Int) throws(CinematicError) -> Bool {
    guard isThere(number) else { return false }
    keptCount += 1
    progress.advance()
    return true
  }

  /// Says that a frame's map, which is there, goes on where the next picture shows no disparity.
  func goOn(afterMapOf number: Int) async throws(CinematicError) {
    guard isThere(number), let path = path(number) else { return }
    let reader = try await FrameReader.open(path, options: ReadOptions(content: .disparity(.unit)))
    let map = try await reader.frame(number: 0).pixelBuffer.storedAsFloats()
    if map.dimensions == dimensions { latest = map }
  }

  /// Whether every frame of the clip has its map, not only those that were chosen.
  private var isWhole: Bool {
    job.source.reader.allFrameNumbers.allSatisfy { number in
      path(number).map(FileManager.default.fileExists(atPath:)) ?? true
    }
  }

  private func path(_ number: Int) -> String? {
    pattern?.path(job.source.reader.fileNumber(ofFrame: number))
  }

  /// - Throws: `incompatible` for a map of another size than the first one's.
  func write(_ number: Int, _ given: PixelBuffer) throws(CinematicError) {
    guard given.dimensions == dimensions else {
      throw CinematicError(
        .incompatible,
        "\(job.provider.name) made a map of \(given.dimensions) after one of \(dimensions)",
        remedy: "make every map of a clip of one size")
    }
    var map = given
    if let range { map = try range.shares(of: map) }
    if let extent = map.validExtent {
      let isInside = extent.lowerBound >= -0.005 && extent.upperBound <= 1.005
      if !holdsFloats, !isInside { cutCount += 1 }
      if let whole = try filled(map) {
        filledCount += 1
        map = whole
      }
    } else {
      // A black picture shows nothing: what was there before goes on.
      lostCount += 1
      if let latest {
        map = latest
      } else {
        map = try .map([Float](repeating: 0, count: dimensions.count), dimensions)
      }
    }
    // Before the first map: without its record it would be taken for one of any estimation.
    var isNewRecord = false
    if !hasWritten, let record = job.record { isNewRecord = try record.write() }
    latest = map
    let time = job.source.reader.timeRange(ofFrame: number)
    do throws(CinematicError) {
      try writer.append(
        try map.stored(as: pixelFormat), time: time.start, duration: time.duration,
        fileNumber: job.source.reader.fileNumber(ofFrame: number))
    } catch {
      // Maps that are there and stay are not of this estimation.
      if isNewRecord { job.record?.remove() }
      throw error
    }
    hasWritten = true
    progress.advance()
  }

  /// Ends the output, and says what is not in it.
  func finish() throws(CinematicError) {
    // Where all was there already, nothing is to be ended.
    if progress.done > 0, hasWritten || pattern == nil { try writer.finish() }
    progress.finish()
    if isWhole { job.record?.remove() }
    if cutCount > 0 {
      note(
        "\(counted(cutCount, "map")) of \(job.output) \(cutCount == 1 ? "reaches" : "reach") beyond the range"
          + " of the clip's samples and \(cutCount == 1 ? "is" : "are") cut there; .pfm and .exr keep all"
      )
    }
    if filledCount > 0 {
      note(
        "\(counted(filledCount, "map")) of \(job.output) \(filledCount == 1 ? "has" : "have") holes, which are filled"
          + " from what lies around them; .pfm and .exr keep them"
      )
    }
    if lostCount > 0 {
      note(
        "\(counted(lostCount, "frame")) of \(job.input) \(lostCount == 1 ? "shows" : "show") no disparity:"
          + " the map before, or the farthest, stands for it")
    }
  }

  /// A movie of maps: gray of 16 bits, every code as it is.
  private static func codeAsGray(_ settings: inout WriterSettings, _ source: SourceProperties) {
    settings.pixelFormat = .rgbaFloat
    settings.tags = .sRGB
    settings.codec = .ffv1
    settings.codedPixels = CodedPixels(.gray, bitDepth: 16, isFullRange: true)
    settings.timescale = source.timescale
    settings.nominalFrameDuration = source.nominalFrameDuration
    settings.timelineStart = -source.timelineStart
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
        let code = max(0, min(1, value))
        return [code, code, code, 1]
      }
      return try PixelBuffer(
        dimensions: dimensions, format: .rgbaFloat, tags: .sRGB, values: values)
    default: return self
    }
  }
}
