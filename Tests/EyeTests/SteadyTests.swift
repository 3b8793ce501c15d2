// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalSample
import Testing

/// Maps of a clip that keep still.
@Suite struct SteadyTests {
  private static let size = Dimensions(width: 320, height: 180)

  /// A provider of the caller's own: the truth, with the scale, offset and noise that a model would add.
  private struct Flickering: DisparityProvider {
    let name = "flickering"
    var truth: [UInt8: [Float]]
    var isNoisy: Bool
    var kind: DisparityEstimate.Kind

    func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
      // Pictures carry their number in their first byte.
      let number = input.picture.withUnsafeBytes { $0[0] }
      var values = truth[number]!
      if isNoisy {
        var random = SeededGenerator(seed: UInt64(number) + 1)
        func unit() -> Float { Float(random.next() >> 40) * 0x1p-24 - 0.5 }
        let (gain, offset) = (1 + 0.2 * unit(), 0.1 * unit())
        for index in values.indices {
          values[index] = gain * values[index] + offset + 0.04 * unit()
        }
      }
      return DisparityEstimate(
        map: try PixelBuffer(
          dimensions: SteadyTests.size, format: .disparityFloat, tags: .linearBT709, values: values),
        kind: kind)
    }
  }

  private struct Clip {
    var pictures: [PixelBuffer] = []
    var truth: [[Float]] = []

    func provider(
      isNoisy: Bool, _ kind: DisparityEstimate.Kind = .relative
    ) -> Flickering {
      Flickering(
        truth: Dictionary(
          uniqueKeysWithValues: truth.enumerated().map { (UInt8($0.offset), $0.element) }),
        isNoisy: isNoisy, kind: kind)
    }

    /// The maps, in order; by default every one.
    func maps(
      _ provider: any DisparityProvider, every interval: Int, of part: Range<Int>? = nil,
      _ kind: DisparityEstimate.Kind = .relative
    ) async throws -> [[Float]] {
      let steady = SteadyEstimator(
        provider, interval: interval, size: SteadyTests.size, kind: kind)
      let all = 0..<pictures.count
      let wanted = part ?? all
      var maps: [[Float]] = []
      try await steady.estimate(wanted, of: all) { number throws(CinematicError) in
        EstimationInput(picture: pictures[number])
      } _: { number, map throws(CinematicError) in
        #expect(number == wanted.lowerBound + maps.count)
        maps.append(map.cells)
      }
      return maps
    }
  }

  /// Frames of a scene a thirtieth of a second apart.
  private static func clip(_ scene: SampleScene, count: Int, from clip: Clip = Clip()) throws
    -> Clip
  {
    var clip = clip
    for number in 0..<count {
      let frame = try scene.frame(
        at: Time(value: Int64(60 + number), timescale: 30), dimensions: size, samplesPerPixel: 4)
      let picture = try Pairs.screen(frame.image)
      picture.withUnsafeMutableBytes { $0[0] = UInt8(clip.pictures.count) }
      clip.pictures.append(picture)
      clip.truth.append(frame.disparity.cells)
    }
    return clip
  }

  /// The mean change of a map's error from picture to picture.
  private static func flicker(_ maps: [[Float]], _ truth: [[Float]]) -> Double {
    var (sum, count) = (0.0, 0)
    for number in 1..<maps.count {
      for index in maps[number].indices {
        let now = maps[number][index] - truth[number][index]
        let before = maps[number - 1][index] - truth[number - 1][index]
        sum += Double(abs(now - before))
        count += 1
      }
    }
    return sum / Double(count)
  }

  /// To a third, whether every picture has a map of its own or some are carried.
  @Test(arguments: [1, 3]) func takesTheFlickerOut(interval: Int) async throws {
    let clip = try Self.clip(SampleScene(), count: 16)
    let provider = clip.provider(isNoisy: true)
    var raw: [[Float]] = []
    for picture in clip.pictures {
      raw.append(try await provider.estimate(EstimationInput(picture: picture)).map.cells)
    }
    let maps = try await clip.maps(provider, every: interval)
    let (before, after) = (Self.flicker(raw, clip.truth), Self.flicker(maps, clip.truth))
    #expect(after < before / 3, "\(before) became \(after)")
  }

  /// The scene's disparities go from 0 to about 0.9, and it has hair and grass as thin as a pixel, whose maps no flow
  /// carries whole: .0025 to .0043 by picture. A filmed clip with its reference maps has .0020.
  @Test func carriesMapsOverFivePictures() async throws {
    let clip = try Self.clip(SampleScene(), count: 11)
    let maps = try await clip.maps(clip.provider(isNoisy: false), every: 5)
    #expect(maps.count == 11)
    for number in maps.indices {
      let errors = zip(maps[number], clip.truth[number]).map { abs($0 - $1) }
      let mean = errors.reduce(0, +) / Float(errors.count)
      #expect(mean < 0.006, "picture \(number)")
    }
  }

  /// An ellipse with a bar 8 pixels wide through it, which moves 4.6 pixels a picture over a ground that moves .6. Both are
  /// textured with random colours in steps of 4 and 5 pixels, and linear between; a pixel is the mean of four points.
  private static func movingThing(count: Int) throws -> Clip {
    var random = SeededGenerator(seed: 1)
    let side = 64
    func lattice() -> [SIMD3<Float>] {
      (0..<side * side).map { _ in
        let (red, green, blue) = (random.next(), random.next(), random.next())
        return SIMD3(Float(red >> 40), Float(green >> 40), Float(blue >> 40)) * 0x1p-24
      }
    }
    let (ofGround, ofThing) = (lattice(), lattice())
    func texture(_ lattice: [SIMD3<Float>], _ x: Float, _ y: Float) -> SIMD3<Float> {
      let (left, top) = (x.rounded(.down), y.rounded(.down))
      let (i, j) = (Int(left) & 63, Int(top) & 63)
      let (right, below) = ((i + 1) & 63, (j + 1) & 63)
      let (a, b) = (x - left, y - top)
      let upper = lattice[j * side + i] * (1 - a) + lattice[j * side + right] * a
      let lower = lattice[below * side + i] * (1 - a) + lattice[below * side + right] * a
      return upper * (1 - b) + lower * b
    }
    var clip = Clip()
    for number in 0..<count {
      let time = Float(number)
      var codes: [UInt8] = []
      var truth: [Float] = []
      for place in 0..<size.count {
        var (color, disparity) = (SIMD3<Float>(repeating: 0), Float(0))
        for point in 0..<4 {
          let x = Float(place % size.width) + 0.25 + 0.5 * Float(point % 2)
          let y = Float(place / size.width) + 0.25 + 0.5 * Float(point / 2)
          let (u, v) = (x - 110 - 4.3 * time, y - 75 - 1.7 * time)
          let isEllipse = u * u / 1444 + v * v / 900 < 1
          if isEllipse || (abs(u) < 4 && abs(v) < 55) {
            color += 0.35 + 0.35 * texture(ofThing, u / 4, v / 4) * SIMD3(1, 0.8, 0.6)
            disparity += 0.75
          } else {
            color +=
              0.25 + 0.35 * texture(ofGround, (x + 0.6 * time) / 5, y / 5) * SIMD3(0.8, 1, 0.9)
            disparity += 0.15 + 0.2 * y / 180
          }
        }
        let code = color * (255 / 4)
        codes += [UInt8(code.x + 0.5), UInt8(code.y + 0.5), UInt8(code.z + 0.5), 255]
        truth.append(disparity / 4)
      }
      codes[0] = UInt8(number)
      clip.pictures.append(
        try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB, values: codes))
      clip.truth.append(truth)
    }
    return clip
  }

  /// Whether the map changes by more than a tenth of the range within a pixel's eight neighbours.
  private static func isEdge(_ map: [Float], _ place: Int) -> Bool {
    let (x, y) = (place % size.width, place / size.width)
    var (low, high) = (map[place], map[place])
    for row in max(0, y - 1)...min(size.height - 1, y + 1) {
      for column in max(0, x - 1)...min(size.width - 1, x + 1) {
        low = min(low, map[row * size.width + column])
        high = max(high, map[row * size.width + column])
      }
    }
    return high - low > 0.1
  }

  /// Maps between two that lie five pictures apart. The mask is the edges of the picture's own exact map: pixels with more
  /// than .1 between the least and the largest of the 3x3 around them. They are steps of half the range, of which a twelfth
  /// of a pixel is .04. Over the eight pictures .0007 is left in the mean, and .036 at the edges; linear sampling, luma
  /// alone and the flow of whole patches leave .0015 and .062.
  @Test func carriedMapsKeepTheirEdges() async throws {
    let clip = try Self.movingThing(count: 11)
    let maps = try await clip.maps(clip.provider(isNoisy: false, .metric), every: 5, .metric)
    var (all, pixels, atEdges, edges): (Double, Double, Double, Double) = (0, 0, 0, 0)
    for number in [1, 2, 3, 4, 6, 7, 8, 9] {
      let (map, truth) = (maps[number], clip.truth[number])
      for place in map.indices {
        let error = Double(abs(map[place] - truth[place]))
        all += error
        pixels += 1
        if Self.isEdge(truth, place) {
          atEdges += error
          edges += 1
        }
      }
    }
    let (mean, atEdge) = (all / pixels, atEdges / edges)
    #expect(mean < 0.001)
    #expect(atEdge < 0.047)
  }

  @Test func beginsAnewAtCuts() async throws {
    var clip = try Self.clip(SampleScene(), count: 7)
    clip = try Self.clip(SampleScene(.street), count: 6, from: clip)
    let maps = try await clip.maps(clip.provider(isNoisy: false), every: 5)
    #expect(maps.count == 13)
    // The first map behind the cut is the provider's own.
    let isOwn = maps[7] == clip.truth[7]
    #expect(isOwn)
    let last = zip(maps[6], clip.truth[6]).map { abs($0 - $1) }.reduce(0, +) / Float(maps[6].count)
    #expect(last < 0.0035)
  }

  /// Maps of one measure are carried, and neither fitted nor averaged: those that are asked for stay what they are.
  @Test func carriesMetricMapsAsTheyAre() async throws {
    let clip = try Self.clip(SampleScene(), count: 7)
    let provider = clip.provider(isNoisy: true, .metric)
    let maps = try await clip.maps(provider, every: 3, .metric)
    #expect(maps.count == 7)
    for number in [0, 3, 6] {
      let own = try await provider.estimate(EstimationInput(picture: clip.pictures[number]))
      let isOwn = maps[number] == own.map.cells
      #expect(isOwn, "picture \(number)")
    }
    let isCarried = maps[4] != maps[3] && maps[4] != maps[6]
    #expect(isCarried)
  }

  @Test func refusesMapsOfSeveralKinds() async throws {
    let clip = try Self.clip(SampleScene(), count: 2)
    let provider = clip.provider(isNoisy: false, .metric)
    let error = await #expect(throws: CinematicError.self) {
      _ = try await clip.maps(provider, every: 1)
    }
    #expect(error?.code == .incompatible)
    #expect(error?.message.contains("metric disparity after one of relative") == true)
  }

  /// Before a cut, across one and behind it, to the bit.
  @Test func mapsOfAPartAreThoseOfTheWholeClip() async throws {
    var clip = try Self.clip(SampleScene(), count: 8)
    clip = try Self.clip(SampleScene(.street), count: 8, from: clip)
    let provider = clip.provider(isNoisy: true)
    let whole = try await clip.maps(provider, every: 3)
    for part in [2..<5, 6..<10, 12..<14, 15..<16] {
      let maps = try await clip.maps(provider, every: 3, of: part)
      #expect(maps.count == part.count)
      for (number, map) in zip(part, maps) {
        let isSame = map.map(\.bitPattern) == whole[number].map(\.bitPattern)
        #expect(isSame, "picture \(number) of \(part)")
      }
    }
  }

  /// Pictures beside those whose maps are wanted need not be readable.
  @Test func aPartNeedsNoOtherPictures() async throws {
    let clip = try Self.clip(SampleScene(), count: 7)
    let steady = SteadyEstimator(
      clip.provider(isNoisy: false), interval: 5, size: Self.size)
    var numbers: [Int] = []
    try await steady.estimate(3..<5, of: 0..<7) { number throws(CinematicError) in
      guard (2..<5).contains(number) else { throw CinematicError(.malformed, "no picture") }
      return EstimationInput(picture: clip.pictures[number])
    } _: { number, _ throws(CinematicError) in
      numbers.append(number)
    }
    #expect(numbers == [3, 4])
  }

  /// A provider of the caller's own, of one map.
  private struct Still: DisparityProvider {
    let name = "still"
    var map: PixelBuffer

    func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
      DisparityEstimate(map: map, kind: .relative)
    }
  }

  /// The map that comes of one picture.
  private static func steadied(_ map: PixelBuffer, after: PixelBuffer?) async throws -> [Float] {
    let steady = SteadyEstimator(Still(map: map), interval: 1, size: size)
    let input = EstimationInput(picture: try Pairs.plain(size, 90))
    if let after { try steady.go(onAfter: 0, input, map: after) }
    var cells: [Float] = []
    try await steady.estimate(1..<2) { _ throws(CinematicError) in
      input
    } _: { _, map throws(CinematicError) in
      cells = map.cells
    }
    return cells
  }

  @Test func takesMapsOfHalves() async throws {
    let values = (0..<Self.size.count).map { Float($0 % Self.size.width) / 512 }
    let map = try PixelBuffer.map(values, Self.size)
    let halves = try map.storedAsHalves()
    let areOwn = try await Self.steadied(halves, after: nil) == values
    #expect(areOwn)
    let found = try await Self.steadied(halves, after: halves)
    let expected = try await Self.steadied(map, after: map)
    let areSteady = found == expected
    #expect(areSteady)
    let range = EstimatedRange(low: 0, high: 2)
    let areShares = try range.shares(of: halves).cells == range.shares(of: map).cells
    #expect(areShares)
    let areValues = try range.values(of: halves).cells == range.values(of: map).cells
    #expect(areValues)
    #expect(EstimatedRange(of: [halves]) == EstimatedRange(of: [map]))
  }

  @Test func refusesMapsOfNoDisparity() async throws {
    let gray = try PixelBuffer(dimensions: Self.size, format: .gray8)
    let range = EstimatedRange(low: 0, high: 2)
    let ofShares = #expect(throws: CinematicError.self) { _ = try range.shares(of: gray) }
    #expect(ofShares?.code == .unsupported)
    let ofValues = #expect(throws: CinematicError.self) { _ = try range.values(of: gray) }
    #expect(ofValues?.code == .unsupported)
    let made = await #expect(throws: CinematicError.self) {
      _ = try await Self.steadied(gray, after: nil)
    }
    #expect(made?.code == .unsupported)
    let given = await #expect(throws: CinematicError.self) {
      _ = try await Self.steadied(gray, after: gray)
    }
    #expect(given?.code == .unsupported)
  }

  @Test func refusesRangesWithoutExtent() throws {
    let map = try PixelBuffer.map([0.2, 0.5], Dimensions(width: 2, height: 1))
    let ends: [(Float, Float)] = [
      (0.5, 0.5), (0, -0.0), (.nan, .nan), (0, .nan), (0, .infinity), (-.infinity, .infinity),
      (-3e38, 3e38), (0, .leastNonzeroMagnitude),
    ]
    for (low, high) in ends {
      let range = EstimatedRange(low: low, high: high)
      let error = #expect(throws: CinematicError.self) { _ = try range.shares(of: map) }
      #expect(error?.code == .invalidParameter, "\(low) to \(high)")
    }
    let shares = try EstimatedRange(low: 0.5, high: 0).shares(of: map).cells
    #expect(abs(shares[0] - 0.6) < 1e-6 && shares[1] == 0)
  }

  @Test func refusesMapsOfSeveralSizes() async throws {
    let clip = try Self.clip(SampleScene(), count: 2)
    let steady = SteadyEstimator(
      clip.provider(isNoisy: false), interval: 1, size: Dimensions(width: 160, height: 90))
    let error = await #expect(throws: CinematicError.self) {
      try await steady.estimate(0..<2) { number throws(CinematicError) in
        EstimationInput(picture: clip.pictures[number])
      } _: { _, _ throws(CinematicError) in
      }
    }
    #expect(error?.code == .incompatible)
  }
}
