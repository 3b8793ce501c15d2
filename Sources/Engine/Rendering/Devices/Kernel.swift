// SPDX-License-Identifier: Apache-2.0

/// The closed list of kernels. A backend runs each of them, from a source file of the same name.
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
  /// A tile's slices, viewed from every lens point and averaged.
  case blurTiles
  /// The blurred layers and what is in focus, put together.
  case composite

  /// Linear RGBA to a picture of one plane.
  case pack
  /// Linear RGBA to luma and chroma planes.
  case packBiPlanar

  package var name: String { rawValue }

  /// Invocations of a workgroup on a graphics device: wide, so that neighbours in a row read
  /// neighbouring memory.
  package var workgroup: Grid { Grid(32, 4) }
}
