// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

/// The closed list of kernels. A backend runs each of them, from a source file of the same name; of
/// those marked as fused and as parts it runs either the ones or the others, as
/// ``DeviceBackend/fusesTiles`` says.
package enum Kernel: String, CaseIterable, Sendable {
  /// A stored picture to linear RGBA.
  case unpack
  /// A stored map to floats, holes marked.
  case unpackDisparity
  /// A linear picture at another size.
  case resample

  // Disparity refinement: a map's cells to the picture's pixels, edges following the picture.
  /// A map to half its size, holes left out.
  case reduceDisparity
  /// Holes from the next coarser map.
  case fillDisparity
  /// The nearer and the farther side of every edge of a map with sharp edges.
  case findSidesSharp
  /// Of a map with blurred edges: plateaus, spread into the edges between them.
  case seedSides
  case spreadSides
  case finishSides
  /// Cells near an edge.
  case markReach
  /// The picture in eight bits, near edges.
  case makeGuide
  /// Colour sums and colour models of the sides of each cell.
  case sumColours
  case fitSides
  /// To which side each pixel belongs.
  case decideSides
  case smoothDecision
  /// The full-resolution map.
  case resolveDisparity

  // Blur: the picture's layers viewed through the lens.
  /// Disparities to signed radii in pixels.
  case circleOfConfusion
  /// At edges, how much of each pixel belongs to the nearer surface, and what lies behind.
  case matte
  /// Two surfaces a pixel at the layers' resolution.
  case gatherLayers
  /// What lies behind, extended under what hides it.
  case pyramidBase
  case pyramidDown
  case pyramidUp
  case pyramidStore
  /// How far each surface goes on below its own slice.
  case connectSlices
  /// Which slices and lens points each tile needs.
  case classifyBlocks
  case classifyTiles
  /// A tile's slices, viewed from every lens point and averaged. Fused.
  case blurTiles
  /// The parts of blurTiles: slices cut from the layers, spread over their lens cell, and viewed.
  case assembleSlices
  case prefilterSlices
  case lensViews
  /// The blurred layers and what is in focus, put together. Fused.
  case composite
  /// The parts of composite: what each tile holds, then its pixels.
  case classifyFocus
  case compose

  /// Linear RGBA to a picture of one plane.
  case pack
  /// Linear RGBA to luma and chroma planes.
  case packBiPlanar

  package var name: String { rawValue }

  /// Invocations of a workgroup on a graphics device: wide, so that neighbours in a row read
  /// neighbouring memory. Some kernels share memory that is laid out for it.
  package var workgroup: Grid {
    switch self {
    case .classifyTiles: Grid(Int(FOCAL_CLASSIFY_GROUP))
    case .assembleSlices, .prefilterSlices, .lensViews:
      Grid(Int(FOCAL_CELL_WIDTH), Int(FOCAL_CELL_HEIGHT))
    case .classifyFocus: Grid(Int(FOCAL_FOCUS_GROUP))
    case .compose: Grid(Int(FOCAL_COMPOSE_WIDTH), Int(FOCAL_COMPOSE_HEIGHT))
    default: Grid(Int(FOCAL_GROUP_WIDTH), Int(FOCAL_GROUP_HEIGHT))
    }
  }

  /// Whether it does a tile from end to end while it is in a processor's cache.
  package var isFused: Bool { self == .blurTiles || self == .composite }

  /// Whether it is a part of a fused kernel.
  package var isPart: Bool {
    switch self {
    case .assembleSlices, .prefilterSlices, .lensViews, .classifyFocus, .compose: true
    default: false
    }
  }
}
