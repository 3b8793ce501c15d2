// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The blur: the picture is taken apart into layers, viewed from many points of the lens, and put
/// together again.
///
/// A *matte* tells at every edge how much of a pixel belongs to the nearer surface. The *layers* hold
/// two surfaces a pixel, the nearer and the one it hides, which a pyramid extends under it. *Slices*
/// of like radius are shifted by the lens point times their radius and composed from near to far: the
/// mean over the lens points is what the lens sees, with exact occlusion. Pixels nearly in focus are
/// drawn at the picture's own resolution.
extension FramePasses {
  /// A window of the picture at its own resolution, made ready for layers and composite.
  struct Surfaces {
    var picture: PassList.Buffer
    var radius: PassList.Buffer
    var matte: PassList.Buffer
    var flags: PassList.Buffer
    /// The picture that the window is the half of; `nil` of one that was not halved.
    var full: PassList.Buffer?
    /// The disparities behind the radii, where they were asked for or are the map's own.
    var refined: Window?
    /// The rows that the other buffers hold.
    var rows: Range<Int>
  }

  /// A window of the layers.
  struct Layers {
    var buffer: PassList.Buffer
    /// Of the whole picture's layers.
    var size: Dimensions
    /// The rows that the buffer holds.
    var rows: Range<Int>

    /// The buffer's content as a picture of its own.
    var window: Dimensions { Dimensions(width: size.width, height: rows.count) }
  }

  /// Pixels around those that a matte is exact for: its window with a rim, and the rows at a window's
  /// border that chroma may spoil.
  private static let matteMargin = 5
  /// The same around those that are put together, with the focus plate's circles.
  private static let compositeMargin = 5 + Int(FOCAL_COMPOSITE_APRON)

  /// The passes of a frame with a blur.
  ///
  /// Band by band the layers are gathered strip by strip and viewed; then each strip is made ready
  /// once more, put together with the views, and packed. The whole picture is made ready once.
  mutating func render(_ blur: Blur, _ tile: Tile?) {
    let map = prepareMap(blur)
    let scale = Int(blur.settings.scale)
    let layerSize = layerSize(blur)
    let bands = FrameCut.pieces(
      of: tile.map { workedRows($0.rows) } ?? 0..<size.height, step: cut.bandRows, phase: phase)
    let slices = Slices(blur)
    let tiles = Tiles(layerSize)
    var coarse: [BackPyramid] = []
    if let tile {
      coarse = tile.backdrop.map { BackPyramid(coarseOf: layerSize, in: $0, blur) }
    } else if bands.count > 1 {
      for part in parts {
        self.part = part
        coarse.append(coarseBacks(map, layerSize, blur))
      }
    }

    for band in bands {
      let strips = strips(of: band)
      let seen = tiles.rows(
        under: drawn(band), margin: Self.compositeMargin, slices, blur)
      let rows = coarse.isEmpty ? 0..<layerSize.height : seen.layers
      var seenParts: [Seen] = []
      for (index, part) in parts.enumerated() {
        self.part = part
        let layers = Layers(
          buffer: list.buffer(
            of: Float.self, count: layerSize.width * rows.count * Int(FocalLayerPlanes)),
          size: layerSize, rows: rows)
        var ready: Surfaces?
        let lights =
          drawsLights(blur)
          ? self.lights(
            in: scale * rows.lowerBound..<min(scale * rows.upperBound, size.height), blur)
          : nil
        let gathered = FrameCut.pieces(
          of: rows, step: strips.count > 1 ? cut.stripRows.map { max($0 / scale, 16) } : nil)
        for rows in gathered {
          let surfaces = makeReady(layerRows: rows, of: map, lights: lights, blur)
          gatherLayers(surfaces, rows, into: layers, scale: scale)
          if strips.count == 1 { ready = surfaces }
          if gathered.count > 1 { list.cut() }
        }
        extendBacks(
          of: layers, coarse: coarse.indices.contains(index) ? coarse[index] : nil, blur)
        connectSlices(of: layers, slices, blur)
        let views = viewTiles(of: layers, tiles, rows: seen.tiles, slices, blur)
        seenParts.append(
          Seen(part: part, layers: layers, lights: lights, views: views, ready: ready))
      }
      for strip in strips {
        let drawn = drawn(strip)
        let packed = fullRows(strip).clamped(to: tile?.rows ?? 0..<frame.fullSize.height)
        let written =
          frame.isHalved
          ? FrameCut.widened(packed, by: chromaRows, unit: 2, height: frame.fullSize.height)
          : drawn
        var pictures: [Window] = []
        for seen in seenParts {
          part = seen.part
          let surfaces =
            seen.ready
            ?? makeReady(
              widened(drawn, by: Self.compositeMargin + lightsMargin(blur)), of: map, lights: nil,
              keeping: 0..<0, blur)
          let result = composite(surfaces, drawn, seen.layers, views: seen.views.planes, blur)
          if let lights = seen.lights {
            drawLights(
              lights, onto: result, rows: drawn, surfaces, seen.layers, seen.views, blur)
          }
          if let view = frame.view {
            show(view, surfaces, of: nil, on: result, isRendered: true, rows: drawn, blur)
          }
          pictures.append(
            addDetail(
              to: result, of: surfaces, drawn: drawn, rows: written, seen.layers,
              views: seen.views.planes, blur))
        }
        finish(pictures, written: written, packing: packed)
        list.cut()
      }
    }
  }

  /// The size of the layers of the whole picture.
  func layerSize(_ blur: Blur) -> Dimensions {
    let scale = Int(blur.settings.scale)
    return Dimensions(
      width: (size.width + scale - 1) / scale, height: (size.height + scale - 1) / scale)
  }

  /// A part of the picture in a band, seen through the lens.
  private struct Seen {
    var part: Part
    var layers: Layers
    /// The lights that were taken out of the band and its apron.
    var lights: Lights?
    var views: Views
    /// The band's surfaces where they are one strip.
    var ready: Surfaces?
  }

  /// Rows beside those that are packed which chroma is made of.
  private var chromaRows: Int { frame.destination.planes.count > 1 ? Self.packMargin : 0 }

  /// The rows that must be put together to pack `rows`: whole tiles.
  func drawn(_ rows: Range<Int>) -> Range<Int> {
    // Enlarging reads a row more, and packing may begin at an odd one.
    widened(rows, by: chromaRows + (frame.isHalved ? 2 : 0))
  }

  /// The surfaces that rows of the layers are gathered from.
  private mutating func makeReady(
    layerRows: Range<Int>, of map: PreparedMap?, lights: Lights?, _ blur: Blur
  ) -> Surfaces {
    let scale = Int(blur.settings.scale)
    let rows = scale * layerRows.lowerBound..<min(scale * layerRows.upperBound, size.height)
    return makeReady(
      widened(rows, by: Self.matteMargin + lightsMargin(blur)), of: map, lights: lights,
      keeping: rows, blur)
  }

  private func lightsMargin(_ blur: Blur) -> Int { drawsLights(blur) ? Self.lightsMargin : 0 }

  /// Rows of the picture: linear light, the circles of confusion, and a matte of the edges.
  ///
  /// - Parameter lights: where the small lights of the rows `kept` are written, if they are not known.
  mutating func makeReady(
    _ rows: Range<Int>, of map: PreparedMap?, lights: Lights?, keeping kept: Range<Int>,
    _ blur: Blur
  ) -> Surfaces {
    let rows = rowsOfCircles(for: rows, of: map)
    let picture = linear(rows)
    let (radius, refined) = circlesOfConfusion(of: map, picture: picture, blur)
    let window = Dimensions(width: size.width, height: rows.count)
    if drawsLights(blur) {
      takeLights(of: picture, radius: radius, into: lights, keeping: kept, blur)
    }

    let flagColumns = (window.width + Int(FOCAL_FLAG_BLOCK) - 1) / Int(FOCAL_FLAG_BLOCK)
    let flags = list.buffer(of: UInt8.self, count: flagColumns * window.height)
    let matte = list.buffer(
      of: Float.self, count: window.count * (1 + Int(FocalMatteRecordFloats)))
    list.add(
      Kernel.Matte(
        source: .buffer(picture.buffer), radius: .buffer(radius), matte: .buffer(matte),
        flags: .buffer(flags)),
      FocalMatteParameters(
        width: Int32(window.width), height: Int32(window.height), focus: BlurSettings.focusRange,
        edge: BlurSettings.edge, trust: BlurSettings.matteTrust,
        impure: BlurSettings.matteImpurity, window: blur.settings.matteWindow), over: window)
    return Surfaces(
      picture: picture.buffer, radius: radius, matte: matte, flags: flags,
      full: picture.full, refined: refined, rows: rows)
  }

  /// Rows of the layers, two surfaces a pixel, into their place.
  private mutating func gatherLayers(
    _ surfaces: Surfaces, _ rows: Range<Int>, into layers: Layers, scale: Int
  ) {
    let first = surfaces.rows.lowerBound / scale
    list.add(
      Kernel.GatherLayers(
        source: .buffer(surfaces.picture), radius: .buffer(surfaces.radius),
        matte: .buffer(surfaces.matte), layers: .buffer(layers.buffer),
        flags: .buffer(surfaces.flags)),
      FocalGatherLayersParameters(
        width: Int32(size.width), height: Int32(surfaces.rows.count),
        layerWidth: Int32(layers.size.width), layerHeight: Int32(layers.rows.count),
        scale: Int32(scale), edge: BlurSettings.edge,
        layerOriginY: Int32(first - layers.rows.lowerBound),
        firstRow: Int32(rows.lowerBound - first), rows: Int32(rows.count)),
      over: Dimensions(width: layers.size.width, height: rows.count))
  }

  /// The coarse levels of what lies behind, of the whole picture: bands are too low for their cells.
  private mutating func coarseBacks(
    _ map: PreparedMap?, _ layerSize: Dimensions, _ blur: Blur
  ) -> BackPyramid {
    let pyramid = BackPyramid(coarseOf: layerSize, &list, blur)
    addBacks(0..<layerSize.height, to: pyramid, map, blur)
    pyramid.addCoarseLevels(to: &list)
    return pyramid
  }

  /// Adds rows of the layers to the finest of the coarse levels.
  mutating func addBacks(
    _ rows: Range<Int>, to pyramid: BackPyramid, _ map: PreparedMap?, _ blur: Blur
  ) {
    let layerSize = layerSize(blur)
    // Cells of the fine levels are not parted.
    let unit = BackPyramid.unit
    let step = (cut.stripRows ?? cut.bandRows).map {
      max($0 / Int(blur.settings.scale) / unit, 1) * unit
    }
    for rows in FrameCut.pieces(of: rows, step: step) {
      let layers = Layers(
        buffer: list.buffer(
          of: Float.self, count: layerSize.width * rows.count * Int(FocalLayerPlanes)),
        size: layerSize, rows: rows)
      gatherLayers(
        makeReady(layerRows: rows, of: map, lights: nil, blur), rows, into: layers,
        scale: Int(blur.settings.scale))
      pyramid.addFineLevels(of: layers, to: &list)
      list.cut()
    }
  }

  /// Extends what lies behind each edge under the nearer surface, as far as the lens can see it.
  private mutating func extendBacks(of layers: Layers, coarse: BackPyramid?, _ blur: Blur) {
    let pyramid = coarse ?? BackPyramid(wholeOf: layers.size, &list, blur)
    pyramid.extendBacks(of: layers, in: &list)
  }
}
