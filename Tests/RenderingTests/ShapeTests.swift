// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import FocalSample
import Foundation
import Testing

/// Openings of every shape and lenses of every character, against direct formulas and lens-sampled scenes.
@Suite struct ShapeTests {
  private static let size = Dimensions(width: 192, height: 128)

  /// A lens, and how much light comes through a point of it, apart from a factor, as the picture shows a
  /// highlight behind the focus: x to the right and y up, at a place in half diagonals, y up.
  struct Lens: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var shape = ApertureShape.disc
    var character = LensCharacter()
    /// Whether the light is seen behind the focus.
    var light: @Sendable (SIMD2<Double>, _ isBehind: Bool, _ place: SIMD2<Double>) -> SIMD3<Double>
  }

  private static func length(_ v: SIMD2<Double>) -> Double { (v * v).sum().squareRoot() }
  private static func even(_ isOpen: Bool) -> SIMD3<Double> { SIMD3(repeating: isOpen ? 1 : 0) }

  /// A polygon whose blades are arcs through its corners and the point `middle` on their axes.
  private struct Blades {
    private let axes: [SIMD2<Double>]
    /// How far from the middle the blades' straight lines are; of arcs, their centres and their radius.
    private let near: Double
    private var arc: (centre: Double, radius: Double)?

    init(count: Int, rotation: Double, roundness: Double) {
      axes = (0..<count).map { blade in
        let angle = .pi / 2 + rotation + 2 * .pi * (Double(blade) + 0.5) / Double(count)
        return SIMD2(cos(angle), sin(angle))
      }
      near = cos(.pi / Double(count))
      guard roundness > 0 else { return }
      // A circle through (near, ±s) and (middle, 0): its centre is as far from both.
      let middle = near + roundness * (1 - near)
      let s = sin(.pi / Double(count))
      let centre = (near * near + s * s - middle * middle) / (2 * (near - middle))
      arc = (centre, middle - centre)
    }

    func contain(_ p: SIMD2<Double>) -> Bool {
      axes.allSatisfy { axis in
        guard let arc else { return (p * axis).sum() <= near }
        return length(p - arc.centre * axis) <= arc.radius
      }
    }
  }

  private static func character(_ change: (inout LensCharacter) -> Void) -> LensCharacter {
    var character = LensCharacter()
    change(&character)
    return character
  }

  /// Light that grows with the square of the distance, or falls, and its mean on a disc.
  private static func profile(_ amount: Double, _ square: Double) -> Double {
    let (base, slope) = amount > 0 ? (1 - amount, amount) : (1, amount)
    return max(base + slope * square, 0) / (base + slope / 2)
  }

  private static let rounded: [Lens] = [
    (5, 0.3, 0.5), (3, 1, 0.2), (8, 0, 0.9), (6, 0.5, 1),
  ].map { (count: Int, rotation: Double, roundness: Double) -> Lens in
    let blades = Blades(count: count, rotation: rotation, roundness: roundness)
    return Lens(
      testDescription: "\(count) blades of roundness \(roundness)",
      shape: ApertureShape(
        bladeCount: count, rotation: Float(rotation), roundness: Float(roundness))
    ) { p, _, _ in even(length(p) <= 1 && blades.contain(p)) }
  }

  private static let squeezed: [Lens] = [1.33, 1.5, 2].map { (squeeze: Double) -> Lens in
    Lens(
      testDescription: "squeeze \(squeeze)",
      shape: ApertureShape(bladeCount: 0, squeeze: Float(squeeze))
    ) { p, _, _ in even(length(SIMD2(p.x * squeeze, p.y)) <= 1) }
  }

  private static let profiled: [Lens] = [-1.0, -0.5, 0.6, 1].map { (amount: Double) -> Lens in
    Lens(testDescription: "profile \(amount)", character: character { $0.profile = Float(amount) })
    {
      p, isBehind, _ in
      guard length(p) <= 1 else { return .zero }
      return SIMD3(repeating: profile(isBehind ? amount : -amount, (p * p).sum()))
    }
  }

  private static let hexagon = Blades(count: 6, rotation: 0.2, roundness: 0.3)
  private static let pentagon = Blades(count: 5, rotation: 0, roundness: 0.4)

  private static let others: [Lens] = [
    Lens(
      testDescription: "a squeezed hexagon",
      shape: ApertureShape(bladeCount: 6, rotation: 0.2, roundness: 0.3, squeeze: 1.6)
    ) { p, _, _ in
      even(hexagon.contain(SIMD2(p.x * 1.6, p.y)))
    },
    Lens(
      testDescription: "an image", shape: ApertureShape(image: letter, rotation: .pi / 2)
    ) { p, _, _ in
      // Turned by a quarter counter-clockwise: what was at the right is at the top.
      even(isOfLetter(SIMD2(p.y, -p.x)))
    },
    Lens(testDescription: "fringes", character: character { $0.fringes = 0.7 }) { p, isBehind, _ in
      guard length(p) <= 1 else { return .zero }
      let green = profile(isBehind ? 0.7 : -0.7, (p * p).sum())
      let others = profile(isBehind ? -0.7 : 0.7, (p * p).sum())
      return SIMD3(others, green, others)
    },
    Lens(testDescription: "cat's eyes", character: character { $0.catEye = 0.8 }) { p, _, place in
      // Behind the focus the lens' point is the opposite of the highlight's.
      let moved: SIMD2<Double> = 0.8 * place - p
      return even(length(p) <= 1 && length(moved) <= 1)
    },
    Lens(testDescription: "barn doors", character: character { $0.barnDoors = 0.9 }) {
      p, _, place in
      let moved: SIMD2<Double> = 0.9 * place - p
      return even(length(p) <= 1 && abs(moved.x) <= 1 && abs(moved.y) <= 1)
    },
    Lens(testDescription: "swirl", character: character { $0.swirl = 1 }) { p, _, place in
      let along = (p * place).sum()
      let square = (p * p).sum() + 3 * along * along
      return even(square <= 1)
    },
    Lens(
      testDescription: "a cut pentagon with rings",
      shape: ApertureShape(bladeCount: 5, roundness: 0.4),
      character: character { ($0.catEye, $0.profile) = (0.6, 0.5) }
    ) { p, isBehind, place in
      let moved: SIMD2<Double> = 0.6 * place - p
      guard length(moved) <= 1, pentagon.contain(p) else { return .zero }
      return SIMD3(repeating: profile(isBehind ? 0.5 : -0.5, (p * p).sum()))
    },
  ]

  static let lenses = rounded + squeezed + profiled + others

  /// A place of a square of -1 to 1, in rows of `steps`.
  private static func place(_ index: Int, of steps: Int) -> SIMD2<Double> {
    let x = (Double(index % steps) + 0.5) / Double(steps)
    let y = (Double(index / steps) + 0.5) / Double(steps)
    return SIMD2(2 * x - 1, 2 * y - 1)
  }

  /// An L that touches the circle, with its centre of mass in the middle.
  private static func isOfLetter(_ p: SIMD2<Double>) -> Bool {
    let q = p * 1.2 + SIMD2(-0.2, 0.2)
    return (q.x > -0.6 && q.x < -0.1 && abs(q.y) < 0.8)
      || (q.x > -0.6 && q.x < 0.6 && q.y > -0.8 && q.y < -0.3)
  }

  private static let letter: ApertureImage = {
    let side = ApertureImage.side
    let codes = (0..<side * side).map { index -> UInt8 in
      let cell = place(index, of: side)
      let count = (0..<64).count {
        let at = cell + place($0, of: 8) / Double(side)
        return isOfLetter(SIMD2(at.x, -at.y))
      }
      return UInt8(min(count * 4, 255))
    }
    do {
      return try ApertureImage(codes: codes)
    } catch {
      preconditionFailure("the letter is a table: \(error)")
    }
  }()

  /// With a disparity of `radius` / 64 a pixel has that radius.
  private func render(
    _ picture: PixelBuffer, _ map: PixelBuffer, _ quality: RenderingQuality, _ lens: Lens,
    on device: Device = .cpu()
  ) throws -> [SIMD3<Double>] {
    var renderCase = RenderCase(
      source: picture, disparity: map, focusDisparity: 0, fNumber: 1,
      blurScale: 128 / Float(picture.width), apertureShape: lens.shape, quality: quality)
    renderCase.session.lensCharacter = lens.character
    let floats = try renderCase.render(on: device).floats()
    return stride(from: 0, to: floats.count, by: 4).map {
      SIMD3(Double(floats[$0]), Double(floats[$0 + 1]), Double(floats[$0 + 2]))
    }
  }

  /// A pixel's place in half diagonals from the middle, y up.
  private func place(_ x: Double, _ y: Double) -> SIMD2<Double> {
    let (width, height) = (Double(Self.size.width), Double(Self.size.height))
    return SIMD2(2 * x - width, height - 2 * y) / (width * width + height * height).squareRoot()
  }

  /// A light off the middle becomes the opening's picture: 40 dB of its own light, and within half a
  /// percent of its energy.
  @Test(arguments: lenses, RenderingQuality.allCases)
  func aLightShowsTheOpening(_ lens: Lens, _ quality: RenderingQuality) throws {
    for radius in [-22.0, 22] {
      let (x, y) = (136, 42)
      let at = place(Double(x) + 0.5, Double(y) + 0.5)
      func light(_ p: SIMD2<Double>) -> SIMD3<Double> {
        // In front of the focus it is upside down.
        lens.light(radius < 0 ? p : -p, radius < 0, at)
      }
      // The whole light of each channel, from its places on the lens.
      let steps = 300
      var whole = SIMD3<Double>.zero
      for index in 0..<steps * steps {
        whole += light(Self.place(index, of: steps))
      }
      whole *= 4 / Double(steps * steps) * radius * radius
      let source = try PixelBuffer.linear(Self.size.width, Self.size.height) { px, py in
        px == x && py == y ? SIMD3<Float>(whole) : .zero
      }
      let map = try PixelBuffer.disparity(24, 16) { _, _ in Float(radius / 64) }
      let found = try render(source, map, quality, lens)
      var squares = 0.0
      for py in 0..<Self.size.height {
        for px in 0..<Self.size.width {
          var expected = SIMD3<Double>.zero
          let away = SIMD2(Double(px - x), Double(y - py))
          if max(abs(away.x), abs(away.y)) < 25 {
            for index in 0..<64 {
              let inPixel = Self.place(index, of: 8) * 0.5
              expected += light((away + inPixel) / abs(radius)) / 64
            }
          }
          let difference = found[py * Self.size.width + px] - expected
          squares += (difference * difference).sum() / 3
        }
      }
      let error = squares / Double(Self.size.count)
      #expect(error < 1e-4, "\(error) at \(radius)")
      let energy = found.reduce(.zero, +) / whole
      let lost = max(abs(energy.x - 1), abs(energy.y - 1), abs(energy.z - 1))
      #expect(lost < 0.005, "\(energy) of the light is left at \(radius)")
    }
  }

  /// A near disc before a far plane: from many points of the lens, each weighing what comes through it.
  @Test(arguments: lenses, [RenderingQuality.export, .exportHigh])
  func planesAreSeenThroughTheOpening(_ lens: Lens, _ quality: RenderingQuality) throws {
    let (near, far) = (9.0, -11.0)
    @Sendable func background(_ p: SIMD2<Double>) -> SIMD3<Double> {
      let slanted = p.x + 2 * p.y
      let wave = sin(p.x / 7) * sin(p.y / 6) + 0.5 * sin(slanted / 11)
      return SIMD3(0.35 + 0.12 * wave, 0.3 - 0.1 * wave, 0.4 + 0.08 * wave)
    }
    @Sendable func foreground(_ p: SIMD2<Double>) -> SIMD3<Double> {
      let wave = sin(p.x / 9 + p.y / 8)
      return SIMD3(0.5, 0.45, 0.3) + 0.08 * wave
    }
    @Sendable func isNear(_ p: SIMD2<Double>) -> Bool {
      let away = p - SIMD2(120, 60)
      return (away * away).sum() < 32 * 32
    }
    func centre(_ x: Int, _ y: Int) -> SIMD2<Double> { SIMD2(Double(x) + 0.5, Double(y) + 0.5) }
    let source = try PixelBuffer.linear(Self.size.width, Self.size.height) { x, y in
      let p = centre(x, y)
      return SIMD3<Float>(isNear(p) ? foreground(p) : background(p))
    }
    let map = try PixelBuffer.disparity(Self.size.width, Self.size.height) { x, y in
      Float((isNear(centre(x, y)) ? near : far) / 64)
    }
    let found = try render(source, map, quality, lens)

    // Even points of the square, those that are open.
    let steps = 28
    let points = (0..<steps * steps).map { Self.place($0, of: steps) }.filter {
      ($0 * $0).sum() <= 1.1
    }
    var squares = 0.0
    var count = 0.0
    for y in stride(from: 16, to: Self.size.height - 16, by: 3) {
      for x in stride(from: 16, to: Self.size.width - 16, by: 3) {
        let at = centre(x, y)
        let around = self.place(at.x, at.y)
        var front = SIMD3<Double>.zero
        var back = SIMD3<Double>.zero
        var (frontWeight, backWeight) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
        var (frontShare, backShare) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
        for p in points {
          // Of the lens, y down: a highlight behind the focus is upside down.
          let u = SIMD2(-p.x, p.y)
          let (w, v) = (lens.light(p, false, around), lens.light(p, true, around))
          frontWeight += w
          backWeight += v
          if isNear(at - u * near) {
            front += w * foreground(at - u * near)
            frontShare += w
          } else {
            back += v * background(at - u * far)
            backShare += v
          }
        }
        let share = frontShare / frontWeight
        let seen = back / (backShare.replacing(with: 1, where: backShare .<= 0))
        let expected = front / frontWeight + (SIMD3(repeating: 1) - share) * seen
        let difference = found[y * Self.size.width + x] - expected
        squares += (difference * difference).sum() / 3
        count += 1
      }
    }
    let decibels = -10 * log10(squares / count)
    #expect(decibels > 40, "\(decibels) dB")
  }

  /// An even picture stays even, whatever the lens.
  @Test(arguments: lenses, RenderingQuality.allCases)
  func anEvenPictureStaysEven(_ lens: Lens, _ quality: RenderingQuality) throws {
    let source = try PixelBuffer.linear(Self.size.width, Self.size.height) { _, _ in
      SIMD3(0.5, 0.25, 0.125)
    }
    let map = try PixelBuffer.disparity(Self.size.width, Self.size.height) { x, y in
      (x / 40 + y / 40) % 2 == 0 ? -0.2 : 0.15
    }
    let found = try render(source, map, quality, lens)
    let most = found.reduce(0.0) {
      let difference = $1 - SIMD3(0.5, 0.25, 0.125)
      return max($0, abs(difference.x), abs(difference.y), abs(difference.z))
    }
    #expect(most < 2e-3, "\(most)")
  }

  /// Values that say the same as none are none, to the bit.
  @Test(arguments: RenderingQuality.allCases) func offIsOff(_ quality: RenderingQuality) throws {
    var renderCase = try CutScene.renderCase(.blurred, quality, width: 200, radius: 14)
    let plain = try renderCase.render(on: .cpu()).pixelBytes()
    renderCase.session.apertureShape = ApertureShape(bladeCount: 6, rotation: 0.5, roundness: 1)
    renderCase.session.lensCharacter = LensCharacter()
    (renderCase.session.nearStrength, renderCase.session.farStrength) = (1, 1)
    let same = try renderCase.render(on: .cpu()).pixelBytes()
    #expect(zip(plain, same).count { $0 != $1 } == 0)
  }

  /// Twice the strength on one side is half the f-number there.
  @Test func strengthsAreOfOneSide() throws {
    let source = try PixelBuffer.linear(Self.size.width, Self.size.height) { x, y in
      SIMD3(repeating: (x / 6 + y / 6) % 2 == 0 ? 0.1 : 0.8)
    }
    for (side, disparity) in [("near", Float(0.2)), ("far", -0.2)] {
      let map = try PixelBuffer.disparity(24, 16) { _, _ in disparity }
      var renderCase = RenderCase(
        source: source, disparity: map, focusDisparity: 0, fNumber: 2, blurScale: 0.5)
      let plain = try renderCase.render(on: .cpu()).pixelBytes()
      renderCase.session.nearStrength = side == "near" ? 2 : 0.5
      renderCase.session.farStrength = side == "near" ? 0.5 : 2
      let strong = try renderCase.render(on: .cpu()).pixelBytes()
      renderCase.session = .init(blurScale: 1)
      let expected = try renderCase.render(on: .cpu()).pixelBytes()
      #expect(strong == expected && strong != plain, "\(side)")
    }
  }

  /// The layered scene, with lights, hair and leaves, against its picture through each lens.
  @Test(arguments: lenses) func theLayeredSceneIsSeenThroughTheLens(_ lens: Lens) throws {
    let scene = try LayeredScene(dimensions: Dimensions(width: 480, height: 270))
    let truth = try PictureComparison.displayPicture(
      ofLinear: scene.groundTruth(lensPoints: 200, light: lens.light))
    var renderCase = RenderCase(
      source: try scene.image(), disparity: try scene.disparity(),
      focusDisparity: Float(LayeredScene.focusDisparity), fNumber: Float(LayeredScene.fNumber),
      blurScale: Float(LayeredScene.blurScale), apertureShape: lens.shape)
    renderCase.session.lensCharacter = lens.character
    let found = try PictureComparison.displayPicture(
      ofLinear: renderCase.render(on: .cpu()).linearRGBA())
    let psnr = try PictureComparison(found, reference: truth, includesSSIM: false).psnr
    #expect(psnr > 40, "\(psnr) dB")
  }

  /// Lenses that are their own mirror images give mirrored pictures, but for the order of sums.
  @Test(arguments: RenderingQuality.allCases)
  func aMirroredSceneGivesAMirroredPicture(_ quality: RenderingQuality) throws {
    func rendered(isMirrored: Bool) throws -> [Float] {
      let picture = try PixelBuffer.linear(96, 64) { x, y in
        let column = isMirrored ? 95 - x : x
        return SIMD3(repeating: (column * 7 + y * 5) % 31 == 0 ? 20 : 0.1 + Float(column) / 200)
      }
      let map = try PixelBuffer.disparity(96, 64) { x, _ in
        (isMirrored ? 95 - x : x) < 40 ? -0.2 : 0.25
      }
      var renderCase = RenderCase(
        source: picture, disparity: map, focusDisparity: 0, fNumber: 1, blurScale: 0.7,
        apertureShape: ApertureShape(bladeCount: 6, roundness: 0.3, squeeze: 1.4),
        quality: quality)
      renderCase.session.lensCharacter = Self.character {
        ($0.catEye, $0.barnDoors, $0.swirl, $0.profile) = (0.7, 0.4, 0.5, 0.6)
      }
      let result = try renderCase.render(on: .cpu())
      return try (isMirrored ? result.mirrored() : result).floats()
    }
    let differences = zip(try rendered(isMirrored: false), try rendered(isMirrored: true)).map {
      abs($0 - $1)
    }
    let most = differences.max() ?? 0
    #expect(most < 1e-3, "\(most)")
  }
}
