// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalSample

@Suite struct LensTests {
  /// A lamp in front of the backdrop, at a disparity, and what the lens adds for it.
  private func disc(
    lampDisparity: Float, focus: Float, width: Int, aperture: Aperture
  ) throws -> [Float] {
    let size = Dimensions(width: width, height: width * 5 / 8)
    var stage = emptyStage()
    let z = 1 / Camera.reciprocalDepth(ofDisparity: lampDisparity)
    stage.addSphere(Vector(0.03 * z, 0.88, z), 0.0012 * z, .bulb, Vector(repeating: 1))
    stage.solids[0].emission = 100
    let view = LensView(
      camera: stage.camera, width: size.width, height: size.height,
      lensRadius: LensView.lensRadius(blurScale: 0.3, fNumber: 1.5),
      focusReciprocal: Camera.reciprocalDepth(ofDisparity: focus))
    func render(_ stage: Stage) throws -> [Float] {
      let image = try PixelBuffer(dimensions: size, format: .rgbaFloat)
      SceneRenderer(stage: stage, view: view, threads: nil)
        .lens(into: image, aperture: aperture, samples: 1)
      return floats(image)
    }
    let lit = try render(stage)
    // The same lamp without light hides the same and adds nothing.
    stage.solids[0].material = .plain
    stage.solids[0].emission = 1e-9
    let dark = try render(stage)
    return stride(from: 1, to: lit.count, by: 4).map { lit[$0] - dark[$0] }
  }

  @Test(arguments: [(0.1, 0.4), (0.05, 0.6), (0.7, 0.3), (0.5, 0.62)] as [(Float, Float)])
  func aLampBecomesADiscOfTheFormulasDiameter(_ lamp: Float, _ focus: Float) throws {
    let width = 96
    let light = try disc(lampDisparity: lamp, focus: focus, width: width, aperture: .disc)
    let expected = Float(width) * 0.3 / 1.5 * abs(lamp - focus)
    // The plateau is the mean of the bright half; a disc's edge crosses half of it.
    let peak = light.max()!
    let bright = light.filter { $0 > peak * 0.5 }
    let plateau = bright.reduce(0, +) / Float(bright.count)
    let area = light.reduce(0) { $0 + min(1, $1 / plateau) }
    let measured = 2 * (area / .pi).squareRoot()
    #expect(near(measured, expected, within: 1), "measured \(measured), formula \(expected)")
  }

  @Test func aPolygonsDiscHasThePolygonsArea() throws {
    let round = try disc(lampDisparity: 0.1, focus: 0.5, width: 96, aperture: .disc)
    let hexagon = try disc(
      lampDisparity: 0.1, focus: 0.5, width: 96, aperture: .polygon(blades: 6, rotation: 0.02))
    let energy = round.reduce(0, +)
    // The same light, whatever the opening: what it loses in area it gains in brightness.
    #expect(near(hexagon.reduce(0, +) / energy, 1, within: 0.05))
    let covered = Float(hexagon.filter { $0 > hexagon.max()! * 0.4 }.count)
    let coveredRound = Float(round.filter { $0 > round.max()! * 0.4 }.count)
    let ratio = Aperture.polygon(blades: 6, rotation: 0.02).area / Aperture.disc.area
    #expect(near(covered / coveredRound, ratio, within: 0.08))
  }

  @Test func lampsSampledThroughTheLensKeepTheirEnergy() throws {
    // A lamp's light through the lens is what the pinhole picture shows of it, spread.
    let blurred = try disc(lampDisparity: 0.1, focus: 0.4, width: 96, aperture: .disc)
    let z = 1 / Camera.reciprocalDepth(ofDisparity: 0.1)
    let radius = 0.0012 * z / z * Camera.focalLength * 96
    // Mean of 0.3 + 0.7 cos² over the disc that the sphere shows: 0.3 + 0.7 / 2.
    let expected = Float.pi * radius * radius * 100 * 0.65
    #expect(near(blurred.reduce(0, +) / expected, 1, within: 0.06))
  }

  @Test(arguments: [
    Aperture.disc, .polygon(blades: 5, rotation: 0.3), .polygon(blades: 8, rotation: 0),
  ])
  func pointsOfAnApertureLieInItAndFillIt(_ aperture: Aperture) {
    var centre = SIMD2<Float>.zero
    for i in 0..<512 {
      let p = aperture.point(hammersley(i, 512, .zero))
      // Off the very edge, where rounding decides.
      #expect(aperture.contains(p * 0.999))
      centre += p
    }
    #expect(abs(centre.x / 512) < 0.02 && abs(centre.y / 512) < 0.02)
    var inside = 0
    for i in 0..<4096 {
      let p = hammersley(i, 4096, .zero) * 2 - SIMD2(1, 1)
      if aperture.contains(p) { inside += 1 }
    }
    #expect(near(Float(inside) / 4096 * 4, aperture.area, within: 0.03))
  }
}
