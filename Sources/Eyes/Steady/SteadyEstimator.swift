// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore

/// Maps of a clip from a provider that sees every so many pictures, and steady ones where its scale changes from picture to
/// picture, as those of models do.
///
/// Each map of relative disparity is brought to the one before by a line (the scale and
/// the offset that fit best where both show the same), and averaged with it along the optical flow; what was hidden
/// before is taken as it is. Maps of one measure in every picture stay as they are. Maps between two of them are carried by the flow from both sides, each weighted by how well
/// the pictures agree. At cuts everything begins anew: a map depends on nothing before the last cut.
///
/// Pictures come in rising order, and the maps in the same. Where only some maps of a clip are wanted, pictures before and
/// behind them are looked at, and the maps are those of the whole clip.
public final class SteadyEstimator {
  /// Where the pictures come from.
  public typealias Source = (_ number: Int) async throws(CinematicError) -> EstimationInput
  /// Where the maps go, one after the other.
  public typealias Sink = (_ number: Int, _ map: PixelBuffer) async throws(CinematicError) -> Void

  /// The part of a new map in the mean, of each picture since the one before.
  private static let newPart: Float = 0.25
  /// Pictures differ so much, in parts of white, where something hid the place.
  private static let hidden: Float = 0.06
  /// Scales of two maps of one scene.
  private static let gains: ClosedRange<Float> = 0.7...1.4
  /// Offsets, as parts of the range.
  private static let mostOffset: Float = 0.25
  /// A fit goes this part of the way back, so that scales do not drift away.
  private static let leak: Float = 0.05
  /// How many pictures at a time are read on the way back to a cut.
  private static let lookedBack = 64

  /// A picture, as far as it is needed once its map is made.
  private struct Look {
    var luma: [UInt8]
    /// As ``EyePicture/bytes``.
    var bytes: [UInt8]
    var colors: SceneColors
  }

  /// A map that stands, with the picture that it is of.
  private struct Anchor {
    var number: Int
    var look: Look
    var values: [Float]
  }

  /// How many pictures further the next map is made.
  public let interval: Int
  private let provider: any DisparityProvider
  private let size: Dimensions
  private let kind: DisparityEstimate.Kind
  private var anchor: Anchor?

  /// - Parameters:
  ///   - interval: 1 for a map of every picture.
  ///   - size: of the provider's maps.
  ///   - kind: of the provider's maps.
  public init(
    _ provider: any DisparityProvider, interval: Int, size: Dimensions,
    kind: DisparityEstimate.Kind = .relative
  ) {
    (self.provider, self.size, self.kind) = (provider, size, kind)
    self.interval = max(1, interval)
  }

  /// The map that the next ones go on from, in the provider's numbers, and the number of its picture; `nil` for none. It is
  /// known when its map goes to the sink.
  package var latest: (number: Int, values: [Float])? { anchor.map { ($0.number, $0.values) } }

  /// Goes on after a map that is there already.
  ///
  /// - Throws: as ``FocalEyes/DisparityProvider/estimate(_:)``; `unsupported` for a map of neither disparity format.
  public func go(
    onAfter number: Int, _ input: EstimationInput, map: PixelBuffer
  ) throws(CinematicError) {
    guard map.dimensions == size else {
      anchor = nil
      return
    }
    anchor = try Anchor(
      number: number, look: look(at: input), values: map.storedAsFloats().cells)
  }

  /// The maps of pictures that follow each other.
  ///
  /// - Parameters:
  ///   - numbers: the pictures whose maps are wanted.
  ///   - clip: the pictures that there are. Unless a map right before the wanted ones is known, maps are estimated from the
  ///     cut before them on; the last one is carried from the next picture that the provider sees. Pictures that are not
  ///     wanted and cannot be read end the clip. `nil` if there are no others.
  /// - Throws: what the source, the provider and the sink throw; `incompatible` for maps of several sizes or kinds,
  ///   `unsupported` for maps of neither disparity format.
  public func estimate(
    _ numbers: Range<Int>, of clip: Range<Int>? = nil, _ source: Source, _ sink: Sink
  ) async throws(CinematicError) {
    let clip = clip ?? numbers
    var next = numbers.lowerBound
    if let anchor, anchor.number != next - 1 { self.anchor = nil }
    if anchor == nil, !numbers.isEmpty, next > clip.lowerBound {
      next = try await beginning(ofSceneAt: next, in: clip, source)
    }
    // One picture ahead, where a cut was found.
    var ahead: (input: EstimationInput, look: Look)?
    while next < numbers.upperBound {
      var looks: [Look] = []
      var latest: EstimationInput?
      let most = anchor == nil ? 1 : interval
      while looks.count < most, next + looks.count < clip.upperBound {
        let input: EstimationInput
        let look: Look
        if let held = ahead {
          (input, look) = held
          ahead = nil
        } else {
          let place = next + looks.count
          guard
            let read = try await Self.picture(place, of: next..<numbers.upperBound, source)
          else { break }
          input = read
          look = try self.look(at: input)
        }
        if let before = looks.last ?? anchor?.look, look.colors.beginScene(after: before.colors) {
          ahead = (input, look)
          break
        }
        looks.append(look)
        latest = input
      }
      guard let latest, let last = looks.last else {
        // The cut is right here.
        anchor = nil
        continue
      }
      let estimate = try await provider.estimate(latest)
      try estimate.check(kind, by: provider.name)
      let made = try estimate.map.storedAsFloats()
      guard made.dimensions == size else {
        throw CinematicError(
          .incompatible, "\(provider.name) made a map of \(made.dimensions) after one of \(size)",
          remedy: "make every map of a clip of one size")
      }
      let end = next + looks.count - 1
      var values = made.cells
      if kind == .relative { values = try steady(values, of: last.luma, after: looks.count) }
      let new = Anchor(number: end, look: last, values: values)
      for number in next..<end where numbers.contains(number) {
        let values = try between(looks[number - next], number, anchor, new)
        try await sink(number, try .map(values, size))
      }
      anchor = new
      if numbers.contains(end) { try await sink(end, try .map(new.values, size)) }
      next = end + 1
    }
  }

  /// A picture; `nil` for one that is not needed and cannot be read.
  private static func picture(
    _ number: Int, of needed: Range<Int>, _ source: Source
  ) async throws(CinematicError) -> EstimationInput? {
    do throws(CinematicError) {
      return try await source(number)
    } catch {
      guard !needed.contains(number), error.code != .cancelled else { throw error }
      return nil
    }
  }

  /// The first picture of the scene that a picture is of: no map before it counts.
  private func beginning(
    ofSceneAt number: Int, in clip: Range<Int>, _ source: Source
  ) async throws(CinematicError) -> Int {
    // The first picture that was looked at, and its colours.
    var (first, following): (Int, SceneColors?) = (number + 1, nil)
    while first > clip.lowerBound {
      let start = max(clip.lowerBound, first - Self.lookedBack)
      // `nil` for a picture that cannot be read.
      var colors: [SceneColors?] = []
      for place in start..<first {
        guard let input = try await Self.picture(place, of: number..<(number + 1), source)
        else {
          colors.append(nil)
          continue
        }
        colors.append(try look(at: input).colors)
      }
      if let following { colors.append(following) }
      for index in colors.indices.dropFirst().reversed() {
        guard let before = colors[index - 1], let after = colors[index],
          !after.beginScene(after: before)
        else { return start + index }
      }
      following = colors[0]
      first = start
    }
    return clip.lowerBound
  }

  private func look(at input: EstimationInput) throws(CinematicError) -> Look {
    let picture = try EyePicture(input.picture, turn: input.turn, dimensions: size)
    return Look(luma: picture.luma, bytes: picture.bytes, colors: SceneColors(picture))
  }

  /// A new map, brought to the one before and averaged with it.
  private func steady(
    _ values: [Float], of luma: [UInt8], after count: Int
  ) throws(CinematicError) -> [Float] {
    guard let anchor else { return values }
    let (carried, errors) = try carry(anchor, to: luma)
    var fit: [Float] = [1, 0]
    let counted = focal_fit_line(
      values, carried, errors, Self.hidden, Int32(values.count), &fit)
    let spread = Self.spread(carried)
    var (gain, offset) = (fit[0], fit[1])
    // A line that is none: the pictures have little in common.
    if Int(counted) < values.count / 20 || !Self.gains.contains(gain)
      || !(abs(offset + (gain - 1) * Self.middle(carried)) <= Self.mostOffset * spread)
    {
      (gain, offset) = (1, 0)
    }
    gain += Self.leak * (1 - gain)
    offset -= Self.leak * offset
    let part = 1 - Self.power(1 - Self.newPart, count)
    return values.indices.map { index in
      let new = gain * values[index] + offset
      let old = carried[index]
      if old.isNaN || !(errors[index] <= Self.hidden) { return new }
      if new.isNaN { return old }
      // A value that changed more than noise changes is new.
      let change = abs(new - old) / max(spread, 1e-6)
      let weight = max(part, min(1, 4 * change))
      return old + weight * (new - old)
    }
  }

  /// The map of a picture between two maps. The nearer one in time is moved less and counts more.
  private func between(
    _ look: Look, _ number: Int, _ first: Anchor?, _ second: Anchor
  ) throws(CinematicError) -> [Float] {
    let (after, afterErrors) = try carrySharply(second, to: look)
    guard let first else { return after }
    let (before, beforeErrors) = try carrySharply(first, to: look)
    let (sinceFirst, toSecond) = (Float(number - first.number), Float(second.number - number))
    return before.indices.map { index in
      let (a, b) = (before[index], after[index])
      if a.isNaN { return b }
      if b.isNaN { return a }
      let wa = toSecond * Self.weight(beforeErrors[index])
      let wb = sinceFirst * Self.weight(afterErrors[index])
      return (wa * a + wb * b) / (wa + wb)
    }
  }

  private static func weight(_ error: Float) -> Float {
    let floored = error.isFinite ? max(error, 0.004) : 10
    return 1 / (floored * floored)
  }

  /// A map as it lies in another picture, and how far both pictures agree: for averages of maps, in which single pixels at
  /// edges count little.
  private func carry(
    _ anchor: Anchor, to luma: [UInt8]
  ) throws(CinematicError) -> (values: [Float], errors: [Float]) {
    let (width, height) = (Int32(size.width), Int32(size.height))
    var values = [Float](repeating: 0, count: size.count)
    var errors = values
    let flow = try flow(from: luma, to: anchor)
    guard
      focal_carry(
        anchor.values, flow, luma, anchor.look.luma, width, height, &values, &errors) == 0
    else { throw .noMemory(for: size) }
    return (values, errors)
  }

  /// The same for a map that stands by itself, with the picture's edges.
  private func carrySharply(
    _ anchor: Anchor, to look: Look
  ) throws(CinematicError) -> (values: [Float], errors: [Float]) {
    let (width, height) = (Int32(size.width), Int32(size.height))
    var values = [Float](repeating: 0, count: size.count)
    var errors = values
    let flow = try flow(from: look.luma, to: anchor)
    guard
      focal_carry_map(
        anchor.values, flow, look.bytes, anchor.look.bytes, width, height, &values, &errors) == 0
    else { throw .noMemory(for: size) }
    return (values, errors)
  }

  /// Where each pixel of a picture lies in the anchor's.
  private func flow(from luma: [UInt8], to anchor: Anchor) throws(CinematicError) -> [Float] {
    var flow = [Float](repeating: 0, count: 2 * size.count)
    guard
      focal_flow(luma, anchor.look.luma, Int32(size.width), Int32(size.height), &flow) == 0
    else { throw .noMemory(for: size) }
    return flow
  }

  /// From a twentieth to nineteen twentieths of the values.
  private static func spread(_ values: [Float]) -> Float {
    let sorted = sample(values)
    guard sorted.count > 1 else { return 0 }
    return sorted[sorted.count * 19 / 20] - sorted[sorted.count / 20]
  }

  private static func middle(_ values: [Float]) -> Float {
    let sorted = sample(values)
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  private static func sample(_ values: [Float]) -> [Float] {
    stride(from: 0, to: values.count, by: max(1, values.count / 2048)).map { values[$0] }
      .filter { !$0.isNaN }.sorted()
  }

  private static func power(_ base: Float, _ count: Int) -> Float {
    (0..<count).reduce(1) { product, _ in product * base }
  }
}
