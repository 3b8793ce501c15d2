// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalSample

@Suite struct GeometryTests {
  private let ray = Ray(origin: .zero, direction: Vector(0, 0, 1))

  @Test func disparityOfAKnownSphereIsExact() throws {
    var stage = emptyStage()
    stage.addSphere(Vector(0, 0.86, 5), 1, .plain, Vector(repeating: 0.5))
    let size = Dimensions(width: 33, height: 17)
    let map = try PixelBuffer(dimensions: size, format: .disparityFloat)
    let view = LensView(
      camera: stage.camera, width: 33, height: 17, lensRadius: 0, focusReciprocal: 0)
    SceneRenderer(stage: stage, view: view, threads: nil).disparity(into: map)
    let values = floats(map)
    for y in 0..<17 {
      for x in 0..<33 {
        // (t d - c)² = 1 with d = (u, v, 1) and c = (0, 0, 5).
        let u = (Double(x) + 0.5 - 16.5) / (Double(Camera.focalLength) * 33)
        let v = (Double(y) + 0.5 - 8.5) / (Double(Camera.focalLength) * 33)
        let a = u * u + v * v + 1
        let h = 25 - 24 * a
        // The sphere, or the floor 0.86 below the camera up to its end, or the backdrop.
        let floor = v > 0 ? 0.86 / v : .infinity
        let ground = floor < Double(Stage.terraceEnd) ? floor : Double(Camera.farDepth)
        let z = h < 0 ? ground : min(ground, (5 - h.squareRoot()) / a)
        let expected =
          (1 / z - 1 / Double(Camera.farDepth))
          / (1 / Double(Camera.nearDepth) - 1 / Double(Camera.farDepth))
        // Single precision loses digits where a ray grazes the sphere.
        let tolerance = h > 0.5 || h < 0 ? 1e-5 : 1e-3
        #expect(near(Double(values[y * 33 + x]), expected, within: tolerance))
      }
    }
  }

  @Test func relativeDisparityIsOneNearAndZeroFar() {
    #expect(near(Camera.disparity(atDepth: Camera.nearDepth), 1, within: 1e-6))
    #expect(Camera.disparity(atDepth: Camera.farDepth) == 0)
    for d: Float in [0, 0.25, 0.8, 1] {
      let z = 1 / Camera.reciprocalDepth(ofDisparity: d)
      #expect(near(Camera.disparity(atDepth: z), d, within: 1e-6))
    }
  }

  @Test func solidsAreHitWhereTheyStand() {
    func solid(_ shape: Primitive.Shape) -> Primitive {
      Primitive(shape: shape, material: .plain, center: Vector(0, 0, 10), color: .zero)
    }
    var sphere = solid(.sphere)
    sphere.radius = 2
    #expect(sphere.intersect(ray) == 8)
    var ellipsoid = solid(.ellipsoid)
    ellipsoid.size = Vector(1, 1, 3)
    #expect(near(ellipsoid.intersect(ray), 7, within: 1e-5))
    var box = solid(.box)
    box.size = Vector(1, 1, 4)
    #expect(near(box.intersect(ray), 6, within: 1e-5))
    var capsule = solid(.capsule)
    capsule.center = Vector(-1, 0, 10)
    capsule.end = Vector(1, 0, 10)
    capsule.radius = 0.5
    #expect(near(capsule.intersect(ray), 9.5, within: 1e-5))
    capsule.center = Vector(0, 0, 10)
    capsule.end = Vector(0, 0, 14)
    #expect(near(capsule.intersect(ray), 9.5, within: 1e-5))
    var cylinder = solid(.revolution)
    cylinder.center = Vector(0, -1, 10)
    cylinder.size = Vector(0, 2, 0)
    cylinder.profile = Vector(2.25, 0, 0)
    #expect(near(cylinder.intersect(ray), 8.5, within: 1e-5))
    let past = Ray(origin: Vector(5, 0, 0), direction: Vector(0, 0, 1))
    for miss in [sphere, ellipsoid, box, capsule, cylinder] {
      #expect(miss.intersect(past) == .infinity)
    }
  }

  @Test func normalsAreUnitVectorsThatFaceTheRay() {
    let stage = SampleScene().stage(at: .zero)
    let view = LensView(
      camera: stage.camera, width: 40, height: 24, lensRadius: 0, focusReciprocal: 0)
    for y in stride(from: 1, to: 24, by: 4) {
      for x in stride(from: 1, to: 40, by: 4) {
        let ray = view.ray(Float(x), Float(y), lens: .zero)
        for solid in stage.solids where solid.radius > 0.02 || solid.size.min() > 0.02 {
          let t = solid.intersect(ray)
          if t == .infinity { continue }
          let n = solid.normal(at: ray.origin + ray.direction * t)
          #expect(near(length(n), 1, within: 1e-2))
          #expect(dot(n, ray.direction) < 0.05)
        }
      }
    }
  }

  @Test func everySolidLiesBetweenNearAndFar() {
    for seconds in [0.0, 3, 7, 10] {
      let stage = SampleScene().stage(at: Time(seconds: seconds))
      for solid in stage.solids {
        let (a, b, radius) = solid.bounds
        let depths = [stage.camera.toCamera(a).z, stage.camera.toCamera(b).z]
        #expect(depths.min()! - radius > Camera.nearDepth)
        #expect(depths.max()! + radius < Camera.farDepth)
      }
    }
  }

  @Test func tilesListEverythingThatCanBeSeen() {
    // Tracing through a tile's list finds what tracing through all solids finds, lens included.
    let stage = SampleScene().stage(at: Time(value: 5, timescale: 1))
    let view = LensView(
      camera: stage.camera, width: 64, height: 36,
      lensRadius: LensView.lensRadius(blurScale: 0.3, fNumber: 1.4),
      focusReciprocal: Camera.reciprocalDepth(ofDisparity: 0.3))
    let tiles = TileLists(stage.solids, view: view)
    for i in 0..<60 {
      let p = hammersley(i, 60, .zero) * SIMD2(64, 36)
      let lens = Aperture.disc.point(plasticSequence(i, .zero)) * view.lensRadius
      let ray = view.ray(p.x, p.y, lens: lens)
      let tile = Int(p.y) / TileLists.side * tiles.columns + Int(p.x) / TileLists.side
      let list = tiles.lists[Int(tiles.starts[tile])..<Int(tiles.starts[tile + 1])]
      let all = stage.solids.map { $0.intersect(ray) }.min()!
      let listed = list.map { stage.solids[Int($0)].intersect(ray) }.min() ?? .infinity
      #expect(all == listed)
    }
  }
}
