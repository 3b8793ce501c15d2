// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Renders a stage: a pinhole picture, a disparity map, or the picture through a lens.
struct SceneRenderer {
  let view: LensView
  let threads: Int?
  private let solids: [Primitive]
  private let nearDepths: [Float]
  private let sampled: [Bool]
  private let occluders: [Stage.Occluder]
  private let grid: ShadowGrid
  private let tiles: TileLists
  private let noise: NoiseField
  private let backdrop: Backdrop
  private let groundEnd: Float
  private let evening: Float

  init(stage: Stage, view: LensView, threads: Int?) {
    self.view = view
    self.threads = threads
    // Nearest first; equal depths keep their order, so that no sort can change the picture.
    let near = stage.solids.map { (solid: Primitive) -> Float in
      let (a, b, radius) = solid.bounds
      return min(view.camera.toCamera(a).z, view.camera.toCamera(b).z) - radius
    }
    let order = near.indices.sorted { near[$0] != near[$1] ? near[$0] < near[$1] : $0 < $1 }
    let solids = order.map { stage.solids[$0] }
    self.solids = solids
    nearDepths = order.map { near[$0] }
    sampled = solids.map { view.samplesBulb($0) }
    // The tracer needs an address even where nothing casts a shadow.
    occluders =
      stage.occluders.isEmpty
      ? [Stage.Occluder(start: .zero, end: .zero, radius: 0)] : stage.occluders
    grid = ShadowGrid(stage.occluders)
    tiles = TileLists(solids, view: view)
    noise = stage.noise
    backdrop = stage.backdrop
    groundEnd = stage.groundEnd
    evening = stage.evening
  }

  /// Calls `body` for each tile, in parallel, with what it needs to trace rays in it.
  private func forEachTile(
    _ body: (Tracer, UnsafeBufferPointer<Int32>, Range<Int>, Range<Int>) -> Void
  ) {
    let width = Int(view.size.x)
    let height = Int(view.size.y)
    solids.withUnsafeBufferPointer { solids in
      nearDepths.withUnsafeBufferPointer { nearDepths in
        sampled.withUnsafeBufferPointer { sampled in
          occluders.withUnsafeBufferPointer { occluders in
            grid.withView { gridView in
              let tracer = Tracer(
                solids: solids.baseAddress!, nearDepths: nearDepths.baseAddress!,
                sampledBulbs: sampled.baseAddress!, occluders: occluders.baseAddress!,
                grid: gridView, noise: noise, backdrop: backdrop, groundEnd: groundEnd,
                evening: evening)
              tiles.lists.withUnsafeBufferPointer { lists in
                parallelFor(tiles.columns * tiles.rows, threads: threads) { tile in
                  let start = Int(tiles.starts[tile])
                  let end = Int(tiles.starts[tile + 1])
                  let x = tile % tiles.columns * TileLists.side
                  let y = tile / tiles.columns * TileLists.side
                  body(
                    tracer, UnsafeBufferPointer(rebasing: lists[start..<end]),
                    x..<min(x + TileLists.side, width), y..<min(y + TileLists.side, height))
                }
              }
            }
          }
        }
      }
    }
  }

  /// The antialiased picture of a pinhole: the mean of `samples` rays spread evenly over each
  /// pixel, the same positions in all of them.
  func pinhole(into picture: PixelBuffer, samples: Int) {
    precondition(samples >= 1, "a pixel takes at least one sample")
    let offsets = (0..<samples).map { hammersley($0, samples, SIMD2(0, 0.5 / Float(samples))) }
    let rowFloats = picture.planes[0].bytesPerRow / 4
    picture.withUnsafeMutableBytes { bytes in
      let pixels = UncheckedPointer(bytes.baseAddress!.assumingMemoryBound(to: Float.self))
      forEachTile { tracer, list, xs, ys in
        for y in ys {
          for x in xs {
            var sum = Vector.zero
            for offset in offsets {
              let ray = view.ray(Float(x) + offset.x, Float(y) + offset.y, lens: .zero)
              sum += tracer.radiance(ray, tracer.trace(ray, list))
            }
            pixels.store(sum * (1 / Float(samples)), at: y * rowFloats + x * 4)
          }
        }
      }
    }
  }

  /// Relative disparity at the pixels' centres.
  func disparity(into map: PixelBuffer) {
    let rowFloats = map.planes[0].bytesPerRow / 4
    map.withUnsafeMutableBytes { bytes in
      let pixels = UncheckedPointer(bytes.baseAddress!.assumingMemoryBound(to: Float.self))
      forEachTile { tracer, list, xs, ys in
        for y in ys {
          for x in xs {
            let ray = view.ray(Float(x) + 0.5, Float(y) + 0.5, lens: .zero)
            let depth = tracer.trace(ray, list).depth
            pixels.address[y * rowFloats + x] = Camera.disparity(atDepth: depth)
          }
        }
      }
    }
  }

  /// The picture through the lens: the mean of `samples` rays a pixel, each from its own point of
  /// the lens and through its own point of the pixel; bulbs out of focus by way of their discs.
  func lens(into picture: PixelBuffer, aperture: Aperture, samples: Int) {
    precondition(samples >= 1, "a pixel takes at least one sample")
    let rowFloats = picture.planes[0].bytesPerRow / 4
    picture.withUnsafeMutableBytes { bytes in
      let pixels = UncheckedPointer(bytes.baseAddress!.assumingMemoryBound(to: Float.self))
      forEachTile { tracer, list, xs, ys in
        let bulbs = list.filter { sampled[Int($0)] }.map { BulbDisc($0, solids[Int($0)], view) }
        for y in ys {
          for x in xs {
            // Each pixel moves the same even points by its own offset: what is left of the error
            // is noise, not a pattern that all pixels share.
            let key = Int32(y)
            let lensShift = SIMD2(hashUnit(Int32(x), key, 1), hashUnit(Int32(x), key, 2))
            let pixelShift = SIMD2(hashUnit(Int32(x), key, 3), hashUnit(Int32(x), key, 4))
            var sum = Vector.zero
            for i in 0..<samples {
              let point = aperture.point(hammersley(i, samples, lensShift)) * view.lensRadius
              let inside = plasticSequence(i, pixelShift)
              let ray = view.ray(Float(x) + inside.x, Float(y) + inside.y, lens: point)
              sum += tracer.radiance(ray, tracer.trace(ray, list))
            }
            sum *= 1 / Float(samples)
            for bulb in bulbs {
              sum += bulb.light(
                x: x, y: y, view: view, aperture: aperture, tracer: tracer, list: list,
                shift: lensShift, pixelShift: pixelShift)
            }
            pixels.store(sum, at: y * rowFloats + x * 4)
          }
        }
      }
    }
  }
}

/// An address that several threads write through, each its own part.
// @unchecked Sendable: the tiles of a picture do not overlap.
struct UncheckedPointer: @unchecked Sendable {
  let address: UnsafeMutablePointer<Float>

  init(_ address: UnsafeMutablePointer<Float>) { self.address = address }

  @inline(__always)
  func store(_ color: Vector, at offset: Int) {
    address[offset] = color.x
    address[offset + 1] = color.y
    address[offset + 2] = color.z
    address[offset + 3] = 1
  }
}
