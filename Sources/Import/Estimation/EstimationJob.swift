// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia

/// Estimates the disparity of one input and writes it. A frame's map is the same, whichever frames are chosen with it;
/// only a shot without any disparity that a choice begins in lacks the map of the shot before.
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
  /// What numbered maps are of, for the caller's own.
  var record: EstimationRecord?
  /// Where the map is kept that numbered ones go on from.
  var anchor: KeptAnchor?
  /// Whether floats are stored as halves.
  var storesHalves = false
  /// The maps that are made beside those of the chosen frames.
  var surroundings = EstimationSurroundings()
  /// How many pictures of a clip further the provider is asked; `nil` leaves that to its speed if its disparity is
  /// relative, and asks for every picture if not.
  var interval: Int?
  var events: ImportEvents

  private var note: Notes { events.note }

  /// How many pictures of a clip say what its range is.
  static let sampleCount = 5
  /// A provider that takes longer for a picture than this is asked for fewer: about as long as it takes to carry
  /// a map.
  static let shortTime = 0.04
  /// Maps carried over five pictures are wrong by a five hundredth of the range, and at edges by a sixty-seventh; over eight
  /// by a four hundredth and a fifty-fifth.
  static let mostInterval = 5

  /// The result of the job.
  struct Outcome: Sendable {
    /// As it was named; of one numbered map the file.
    var output: String
    var dimensions: Dimensions
    var frames: Int
    /// How many of them were there already.
    var kept: Int
    var kind: DisparityEstimate.Kind
    /// How many pictures further the provider was asked.
    var interval: Int
    /// The disparities that became 0 and 1; `nil` where values are the provider's.
    var range: EstimatedRange?
  }

  /// Estimates of pictures from all over the clip.
  private struct Samples {
    var estimates: [Int: DisparityEstimate] = [:]
    /// For a picture, but the first.
    var seconds = 0.0
  }

  func run() async throws(CinematicError) -> Outcome {
    let progress = events.begin(.maps)
    let format = try OutputFormat(path: output)
    let chosen = source.reader.frameNumbers
    if case .still = format, chosen.count > 1 {
      throw CinematicError(
        .invalidParameter, "\(output) holds one map, and \(input) has \(chosen.count) frames",
        remedy: "number them, as in maps/%04d.exr, or choose one with \(parameter: .frames)")
    }
    let samples = try await samples()
    let sampled = samples.estimates.sorted { $0.key < $1.key }.map(\.value)
    guard let first = sampled.first else {
      throw CinematicError(.malformed, "\(input) holds no picture")
    }
    for sample in sampled { try sample.check(first.kind, by: provider.name) }
    let maps = sampled.map(\.map)
    let range = keepsValues ? nil : EstimatedRange(of: maps)
    guard keepsValues || range != nil else {
      throw CinematicError(
        .incomplete, "\(provider.name) found no disparity in \(input)",
        remedy: """
          choose another way with \(parameter: .estimationWay), or give a map with \
          \(parameter: .givenMap)
          """)
    }
    if range?.cutsOutliers == true {
      note("single values of the map of \(input) lie far beyond all others, and are cut")
    }
    var parts: [Range<Int>] = []
    for part in surroundings.parts(around: chosen, of: source.reader.allFrameNumbers) {
      if part.overlaps(chosen) {
        parts.append(try await source.readable(part))
      } else {
        parts.append(part)
      }
    }
    let count = parts.reduce(0) { $0 + $1.count }
    let target = try MapOutput(
      self, format, first.map.dimensions, range: range, count: count, progress)
    defer { target.cancel() }
    let isClip = source.reader.allFrameNumbers.count > 1
    let isRelative = first.kind == .relative
    let usualInterval = isRelative ? Self.interval(seconds: samples.seconds) : 1
    // By speed, work that was ended may have had another one.
    let kept = resumes ? anchor?.found(first.map.dimensions) : nil
    let interval = isClip ? self.interval ?? kept?.interval ?? usualInterval : 1
    for part in parts {
      target.beginPart()
      if isClip, isRelative || interval > 1 {
        try await writeCarried(part, to: target, first.kind, every: interval, after: kept)
      } else {
        try await writeEach(part, to: target, first.kind, samples.estimates)
      }
    }
    try target.finish()
    return Outcome(
      output: target.writtenPath, dimensions: first.map.dimensions, frames: count,
      kept: target.keptCount, kind: first.kind, interval: interval, range: range)
  }

  /// Evenly spread, the first one included.
  static func sampledNumbers(_ numbers: Range<Int>) -> [Int] {
    let count = min(sampleCount, numbers.count)
    return (0..<count).map { numbers.lowerBound + $0 * numbers.count / count }
  }

  static func interval(seconds: Double) -> Int {
    Int(max(1, min(Double(mostInterval), (seconds / shortTime).rounded(.up))))
  }

  /// Estimates that settle the range: of the whole clip, whichever frames are chosen. A picture that is not chosen and
  /// cannot be read settles nothing.
  private func samples() async throws(CinematicError) -> Samples {
    let chosen = source.reader.frameNumbers
    var inputs: [(number: Int, input: EstimationInput)] = []
    for number in Self.sampledNumbers(source.reader.allFrameNumbers) {
      do throws(CinematicError) {
        inputs.append((number, try await source.input(number)))
      } catch {
        guard error.code != .cancelled, !chosen.contains(number) else { throw error }
        note(
          "the maps' range is settled without frame \(source.reader.fileNumber(ofFrame: number)): \(error.message)"
        )
      }
    }
    if inputs.isEmpty {
      inputs.append((chosen.lowerBound, try await source.input(chosen.lowerBound)))
    }
    for text in try await provider.prepare(for: inputs.map(\.input)) {
      note("\(provider.name): \(text)")
    }
    var result = Samples()
    for (number, input) in inputs {
      let begin = ContinuousClock.now
      result.estimates[number] = try await provider.estimate(input)
      let seconds = (ContinuousClock.now - begin) / .seconds(1)
      // The first one also loads and starts things.
      result.seconds =
        result.estimates.count < 3 ? seconds : min(result.seconds, seconds)
    }
    return result
  }

  /// - Throws: what the provider throws; `incompatible` for an estimate of another kind.
  private func estimate(
    _ input: EstimationInput, _ kind: DisparityEstimate.Kind
  ) async throws(CinematicError) -> DisparityEstimate {
    let estimate = try await provider.estimate(input)
    try estimate.check(kind, by: provider.name)
    return estimate
  }

  /// Maps that do not depend on each other.
  private func writeEach(
    _ numbers: Range<Int>, to target: MapOutput, _ kind: DisparityEstimate.Kind,
    _ known: [Int: DisparityEstimate]
  ) async throws(CinematicError) {
    var known = known
    for number in numbers {
      if try target.keeps(number) { continue }
      let estimate: DisparityEstimate
      if let sample = known.removeValue(forKey: number) {
        estimate = sample
      } else {
        estimate = try await self.estimate(try await source.input(number), kind)
      }
      if !target.goesOn, target.isEmpty(estimate.map),
        let before = try await lastMap(before: number, kind, like: target)
      {
        try target.goOn(after: before)
      }
      try target.write(number, estimate.map)
    }
  }

  /// The last map before a frame that holds a disparity; `nil` if there is none, or a frame on the way cannot be read.
  private func lastMap(
    before number: Int, _ kind: DisparityEstimate.Kind, like target: MapOutput
  ) async throws(CinematicError) -> PixelBuffer? {
    for earlier in (0..<number).reversed() {
      guard let input = try await source.input(ifReadable: earlier) else { return nil }
      let map = try await estimate(input, kind).map
      if map.dimensions == target.dimensions, !target.isEmpty(map) { return map }
    }
    return nil
  }

  /// Maps that are carried between pictures, and steadied where their scale changes from one to the next.
  ///
  /// - Parameter kept: the map to go on from, where work was ended. Without it, and farther behind it, maps begin with the
  ///   cut before them, and are the same.
  private func writeCarried(
    _ numbers: Range<Int>, to target: MapOutput, _ kind: DisparityEstimate.Kind,
    every interval: Int, after kept: KeptAnchor.Found?
  ) async throws(CinematicError) {
    let steady = SteadyEstimator(
      provider, interval: interval, size: target.dimensions, kind: kind)
    var latest = kept?.number ?? -1
    var next = numbers.lowerBound
    while next < numbers.upperBound {
      if try target.keeps(next) {
        next += 1
        continue
      }
      var end = next + 1
      while end < numbers.upperBound, !target.isThere(end) { end += 1 }
      // Maps behind the anchor are carried once more, those that are there already as well. The next anchor's may be
      // among them, if it was not kept any more.
      var begin = next
      if let kept, (max(0, next - 2 * interval)..<next).contains(kept.number),
        let input = try await source.input(ifReadable: kept.number)
      {
        try steady.go(onAfter: kept.number, input, map: kept.map)
        begin = kept.number + 1
      }
      if next > numbers.lowerBound { try await target.goOn(afterMapOf: next - 1) }
      let missing = next..<end
      try await steady.estimate(begin..<end, of: source.reader.allFrameNumbers) {
        number async throws(CinematicError) in
        try await source.input(number)
      } _: { number, map throws(CinematicError) in
        guard missing.contains(number) else { return }
        try target.write(number, map)
        guard let anchor, number > latest, let made = steady.latest, made.number == number else {
          return
        }
        try anchor.write(number, every: interval, made.values, target.dimensions)
        latest = number
      }
      next = end
    }
  }
}
