// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalSample
import Testing

/// Disparity by two eyes.
@Suite struct StereoTests {
  /// The scene that both eyes see: without the figure that the left border cuts, which the right eye does not see, and
  /// the hair-thin near grass at the right. Two public pairs of photographs have .94 and .95, .043 and .026.
  @Test(arguments: [0, 4, 8]) func findsTheDisparityOfTheScene(seconds: Int64) async throws {
    let (input, truth) = try Pairs.terrace(at: seconds)
    let estimate = try await StereoProvider().estimate(input)
    let agreement = Agreement(estimate.map, truth, Pairs.size)
    let isClose = agreement.correlation >= 0.9 && agreement.meanError <= 0.05
    #expect(isClose, "\(agreement)")
    #expect(estimate.kind == .shift)
    let isWhole = estimate.map.cells.allSatisfy { !$0.isNaN }
    #expect(isWhole)
    let confidence = try #require(estimate.confidence)
    let areShares = confidence.cells.allSatisfy { (0...1).contains($0) }
    #expect(areShares)
    #expect(confidence.dimensions == estimate.map.dimensions)
  }

  /// Shares of the width by which points move: the eyes' distance times the focal length, by depth.
  @Test func measuresShiftsInSharesOfTheWidth() async throws {
    let (input, truth) = try Pairs.terrace()
    let map = try await StereoProvider().estimate(input).map
    // Relative disparity is affine in reciprocal depth: 1/1.3 at 1, 1/40 at 0. The focal length is 1.3737 widths.
    let expected = truth.map { 0.15 * 1.373_739 * ($0 * (1 / 1.3 - 1 / 40) + 1 / 40) }
    var errors: [Float] = []
    let values = map.cells
    for y in 0..<map.height {
      for x in 0..<map.width {
        let (u, v) = (x * Pairs.size.width / map.width, y * Pairs.size.height / map.height)
        errors.append(abs(values[y * map.width + x] - expected[v * Pairs.size.width + u]))
      }
    }
    errors.sort()
    // Half of all lies within half a pixel of the compared size.
    #expect(errors[errors.count / 2] < 0.5 / Float(map.width))
  }

  @Test func putsCamerasRightThatAreNotLevel() async throws {
    let (input, truth) = try Pairs.terrace()
    var tilted = input
    tilted.otherEye = try Pairs.moved(input.otherEye!, down: 7, turn: 90)
    let provider = StereoProvider()
    let notes = try await provider.prepare(for: [tilted])
    let saysSo = notes.contains { $0.contains("put right") }
    #expect(saysSo, "\(notes)")
    let agreement = Agreement(try await provider.estimate(tilted).map, truth, Pairs.size)
    let isClose = agreement.correlation >= 0.9 && agreement.meanError <= 0.05
    #expect(isClose, "\(agreement)")
    let level = try await StereoProvider().prepare(for: [input])
    #expect(level.isEmpty)
  }

  /// Black pictures decide nothing, neither among samples nor where pictures come one by one.
  @Test func aBlackStartLeavesCamerasToBePutRight() async throws {
    let (input, truth) = try Pairs.terrace()
    var tilted = input
    tilted.otherEye = try Pairs.moved(input.otherEye!, down: 7, turn: 90)
    let black = EstimationInput(
      picture: try Pairs.plain(Pairs.size, 0), otherEye: try Pairs.plain(Pairs.size, 0))
    for samples in [[black, black, tilted], [black]] {
      let provider = StereoProvider()
      let notes = try await provider.prepare(for: samples)
      let expected = samples.count > 1 ? "put right" : "too plain"
      #expect(notes.count == 1)
      #expect(notes.first?.contains(expected) == true, "\(notes)")
      _ = try await provider.estimate(black)
      let agreement = Agreement(try await provider.estimate(tilted).map, truth, Pairs.size)
      let isClose = agreement.correlation >= 0.9 && agreement.meanError <= 0.05
      #expect(isClose, "\(agreement)")
    }
  }

  /// A right eye that sees half of the scene.
  @Test func saysWhatIsHardlyCertain() async throws {
    let (input, _) = try Pairs.terrace()
    var random = SeededGenerator(seed: 11)
    let other = try #require(input.otherEye)
    let stride = other.planes[0].bytesPerRow
    other.withUnsafeMutableBytes { bytes in
      for index in (other.height / 2 * stride)..<bytes.count {
        bytes[index] = UInt8(truncatingIfNeeded: random.next())
      }
    }
    let notes = try await StereoProvider().prepare(for: [input])
    let saysSo = notes.contains { $0.contains("% is certain, where pairs usually have") }
    #expect(saysSo, "\(notes)")
  }

  /// The same picture for both eyes; a clip with one such moment has parallax.
  @Test func tellsOfPicturesWithoutParallax() async throws {
    let (input, _) = try Pairs.terrace()
    let same = EstimationInput(picture: input.picture, otherEye: input.picture)
    let notes = try await StereoProvider().prepare(for: [same])
    #expect(notes.count == 1)
    #expect(notes.first?.contains("without parallax") == true, "\(notes)")
    let mixed = try await StereoProvider().prepare(for: [same, input])
    #expect(mixed.isEmpty, "\(mixed)")
  }

  @Test func tellsOfExchangedEyes() async throws {
    let (input, _) = try Pairs.terrace()
    let exchanged = EstimationInput(picture: input.otherEye!, otherEye: input.picture)
    let notes = try await StereoProvider().prepare(for: [exchanged])
    let saysSo = notes.contains { $0.contains("exchanged") }
    #expect(saysSo, "\(notes)")
  }

  /// Eyes so close together that the disparities fit either way: the map would be inverted, and nothing uncertain.
  @Test func tellsOfExchangedEyesThatFitEitherWay() async throws {
    let pairs = try [0, 4, 8].map { try Pairs.terrace(at: $0, eye: 0.025).input }
    let notes = try await StereoProvider().prepare(for: pairs)
    #expect(notes.isEmpty, "\(notes)")
    let exchanged = pairs.map { EstimationInput(picture: $0.otherEye!, otherEye: $0.picture) }
    let told = try await StereoProvider().prepare(for: exchanged)
    let saysSo = told.contains { $0.contains("exchanged") && $0.contains("one eye alone") }
    #expect(saysSo, "\(told)")
  }

  /// The right eye's own map. More of the thin grass lies in the part that is looked at: .88 and .028.
  @Test func mapsTheRightEye() async throws {
    let (input, _) = try Pairs.terrace()
    let truth = try SampleScene().frame(
      at: Time(value: 2, timescale: 1), dimensions: Pairs.size, samplesPerPixel: 1, eye: 0.15)
    var pair = EstimationInput(picture: input.otherEye!, otherEye: input.picture)
    pair.isRightEye = true
    let notes = try await StereoProvider().prepare(for: [pair])
    #expect(notes.isEmpty)
    let map = try await StereoProvider().estimate(pair).map
    let agreement = Agreement(map, truth.disparity.cells, Pairs.size)
    let isClose = agreement.correlation >= 0.85 && agreement.meanError <= 0.05
    #expect(isClose, "\(agreement)")
  }

  @Test(arguments: StereoLayout.allCases, QuarterTurn.allCases)
  func takesTheEyesOutOfOnePicture(layout: StereoLayout, turn: QuarterTurn) throws {
    let size = Dimensions(width: 8, height: 6)
    let (left, right) = (try Pairs.plain(size, 50), try Pairs.plain(size, 200))
    // As stored: turned back from how it is shown.
    let isAcross = (layout == .sideBySide) == (turn == .identity || turn == .clockwise180)
    let whole = try PixelBuffer(
      dimensions: Dimensions(width: isAcross ? 16 : 8, height: isAcross ? 6 : 12), format: .rgba8)
    let shownFirst = NormalizedPoint(
      x: layout == .sideBySide ? 0.25 : 0.5, y: layout == .sideBySide ? 0.5 : 0.25)
    let stored = turn.inverse.applied(to: shownFirst)
    let isFirstInFront = isAcross ? stored.x < 0.5 : stored.y < 0.5
    Pairs.copy(isFirstInFront ? left : right, to: whole)
    Pairs.copy(
      isFirstInFront ? right : left, to: whole, x: isAcross ? 8 : 0, y: isAcross ? 0 : 6)
    for exchanged in [false, true] {
      let eyes = try layout.eyes(of: whole, turn: turn, exchanged: exchanged)
      let code = eyes.picture.withUnsafeBytes { $0[0] }
      let other = try #require(eyes.otherEye).withUnsafeBytes { $0[0] }
      #expect(code == (exchanged ? 200 : 50))
      #expect(other == (exchanged ? 50 : 200))
      #expect(eyes.picture.dimensions == size)
    }
  }

  @Test func refusesPicturesThatAreNoPair() async throws {
    let (input, _) = try Pairs.terrace()
    var random = SeededGenerator(seed: 5)
    let noise = try PixelBuffer(
      dimensions: Pairs.size, format: .rgba8,
      values: (0..<4 * Pairs.size.count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    let other = EstimationInput(picture: input.picture, otherEye: noise)
    let mixed = await #expect(throws: CinematicError.self) {
      _ = try await StereoProvider().prepare(for: [other])
    }
    #expect(mixed?.code == .incompatible)
    let alone = await #expect(throws: CinematicError.self) {
      _ = try await StereoProvider().estimate(EstimationInput(picture: input.picture))
    }
    #expect(alone?.code == .incomplete)
    let shape = await #expect(throws: CinematicError.self) {
      _ = try await StereoProvider().estimate(
        EstimationInput(
          picture: input.picture,
          otherEye: try Pairs.plain(Dimensions(width: 360, height: 360), 0)))
    }
    #expect(shape?.code == .incompatible)
    let narrow = #expect(throws: CinematicError.self) {
      _ = try StereoLayout.sideBySide.eyes(of: try Pairs.plain(Dimensions(width: 1, height: 4), 0))
    }
    #expect(narrow?.code == .incompatible)
  }

  /// Sizes at which windows and vectors are larger than the picture; pictures that show nothing.
  @Test(arguments: [1, 2, 3, 5, 17, 33], [1, 2, 7, 31]) func takesEverySize(
    width: Int, height: Int
  ) async throws {
    let size = Dimensions(width: width, height: height)
    var random = SeededGenerator(seed: UInt64(width * 100 + height))
    let noise = try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: (0..<4 * size.count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    for pair in [
      EstimationInput(picture: noise, otherEye: noise),
      EstimationInput(picture: try Pairs.plain(size, 0), otherEye: try Pairs.plain(size, 0)),
    ] {
      let estimate = try await StereoProvider().estimate(pair)
      #expect(estimate.map.dimensions == size)
    }
  }

  @Test func isTheSameEveryTime() async throws {
    let (input, _) = try Pairs.terrace(Dimensions(width: 320, height: 180))
    let first = try await StereoProvider().estimate(input).map.cells
    let second = try await StereoProvider().estimate(input).map.cells
    let isSame = first == second
    #expect(isSame)
  }
}
