// SPDX-License-Identifier: Apache-2.0
//
// Disparity refinement: what its kernels share. A map of w x h cells is brought to the W x H pixels
// of the picture.
//
// Conventions. Pixel (x, y) covers [x, x+1) x [y, y+1); cell c of a row covers the pixels whose
// centres fall into it. Disparity: larger is nearer. Every edge has a *front* (nearer) and a *back*
// side; a cell of a map with sharp edges that lies between both has a *middle* too. A decision is a
// log-odds: positive = the pixel belongs to the front.
//
// Reference for the idea of snapping to one of two local disparities instead of averaging: shared
// with bimodal upsampling; the colour models are Gaussians of each side, fitted twice (expectation
// maximisation).
#pragma once

#include "focal_math.h"

/// Kind of a cell (uint8): flat, an edge between front and back, or an edge with the cell's own
/// value in the middle.
FOCAL_CONSTANT(FocalCellFlat, 0)
FOCAL_CONSTANT(FocalCellEdge, 1)
FOCAL_CONSTANT(FocalCellEdgeWithMiddle, 2)
/// Sides, in the order of their records.
FOCAL_CONSTANT(FocalSideFront, 0)
FOCAL_CONSTANT(FocalSideBack, 1)
FOCAL_CONSTANT(FocalSideMiddle, 2)
FOCAL_CONSTANT(FocalSideCount, 3)
/// Decision of the flat cells around an edge: none.
#define FOCAL_UNDECIDED 1e30f
/// A label that no plateau has reached yet.
#define FOCAL_NO_LABEL 1e30f

/// Colour sums of one side of a cell; colours in codes 0...255 of the guide. `squares` is the sum
/// over the channels.
FOCAL_STRUCT(FocalSideSums) { float count, red, green, blue, squares, unused0, unused1, unused2; };
/// Colour model of one side of a cell. `perVariance` is 1/(2 variance), `logNorm` is -1.5
/// ln(variance); count 0 = none.
FOCAL_STRUCT(FocalSideModel) {
  float count, red, green, blue, perVariance, logNorm, disparity, unused;
};

// What the kernels of the refinement decide by. Constant expressions are kept out of them: a
// compiler of shaders may fold those in double precision, and so to another last bit.

/// A plateau's 3x3 range is below this share of the edge threshold. Larger: haze around hair counts
/// as a plateau.
#define FOCAL_PLATEAU_SHARE 0.5f
/// Cells whose bend is below this share of their range are a slanted surface. Larger: weak edges
/// are averaged again; 0: table tops turn into terraces.
#define FOCAL_SLANT_BEND 0.25f
/// The same for a blurred map, over 7x7 cells; the foot of a blurred edge bends by 0.7 or more.
#define FOCAL_WIDE_BEND 0.4f
/// A slanted surface spans three times as much over 7x7 cells as over 3x3, the middle of a blurred
/// edge 1.5 times.
#define FOCAL_SLANT_SPAN 2.2f
/// Labels may lie this share of the threshold on the wrong side of a cell's value (noise of the
/// map).
#define FOCAL_LABEL_SLACK 0.15f
/// Codes 0...255 of the guide stand for 0...2 times display white, by their square root.
#define FOCAL_GUIDE_SCALE 180.0f
/// Pixels count for a side in the first fit where the map gives them wholly to it: from this share
/// on, in full 1 / FOCAL_PER_PURITY above. Lower: mixed pixels of a blurred edge spoil both models.
#define FOCAL_PURE_FROM 0.70f
#define FOCAL_PER_PURITY 4.0f
/// Neighbours further away (in cells, squared) count less by 1/(1 + FALLOFF r²).
#define FOCAL_FIT_FALLOFF 0.15f
/// A neighbour's side is the same surface if it is within this share of the cell's own edge.
#define FOCAL_SAME_SURFACE 0.35f
/// Largest neighbourhood of a fit in cells.
#define FOCAL_MOST_FIT_RADIUS 3
/// Least variance, in squared guide codes: noise and the shading of a plain surface.
#define FOCAL_LEAST_VARIANCE 19.4f
/// A colour further than this from both models (half squared distance in deviations) tells nothing:
/// both are cut off alike, and the map decides. Higher: small lamps go to whichever side varies
/// more.
#define FOCAL_COLOUR_CUTOFF 6.0f
/// Most that the colour may say. Below what the map says of a pixel that is wholly on one side, so
/// that a map that is exact already keeps its every value.
#define FOCAL_COLOUR_MOST 8.0f
#define FOCAL_SHARE_LEAST 0.01f
#define FOCAL_LN2 0.69314718f
/// Difference of colour (squared guide codes) at which a neighbour no longer counts.
#define FOCAL_UNLIKE 900.0f
/// One pixel's decision counts no more than this in the mean.
#define FOCAL_DECISION_MOST 6.0f
/// Within this share of a side the map is that side's own value, slope included.
#define FOCAL_WHOLE 0.02f

/// Sizes that every kernel of the refinement takes first. `cellsPerPixelX` is w/W, `cellsPerPixelY`
/// h/H.
///
/// Of a window, buffers with a value a pixel (guide, decision, result) hold `rows` rows from
/// `originY` on, buffers of sums and models `mapRows` rows of cells from `mapOriginY` on; 0 for
/// all. The map and what is found of it alone is there whole. The window stands for the picture: at
/// its border the outermost rows repeat.
FOCAL_STRUCT(FocalRefineSize) {
  int32_t mapWidth, mapHeight, width, height;
  float cellsPerPixelX, cellsPerPixelY;
  int32_t originY, rows, mapOriginY, mapRows;
};

/// First row after the window.
FOCAL_FUNCTION int32_t focal_window_end(FocalRefineSize s) {
  return s.originY + focal_rows(s.rows, s.height);
}

/// First pixel of cell c along an axis of `cells` cells and `pixels` pixels (both below 46000: 32
/// bits, the division is a large part of a small cell's cost).
FOCAL_FUNCTION int32_t focal_cell_begin(int32_t c, int32_t cells, int32_t pixels) {
  return FOCAL_INT((2u * FOCAL_UINT(c) * FOCAL_UINT(pixels) + FOCAL_UINT(cells) - 1u) /
                   (2u * FOCAL_UINT(cells)));
}

/// Pixels of a row inside one cell that the processor's kernels handle together. Cells are 3 to 6
/// pixels wide as a rule, so that wider groups would be mostly empty.
#define FOCAL_CELL_LANES 8

/// The disparities of a cell's two or three sides. Without a middle, `middle` equals `back`, and no
/// value is above the middle and below the back, so that the one rule "above the middle: front and
/// middle, else middle and back" serves both kinds.
FOCAL_STRUCT(FocalCellSides) {
  float front, back, middle;
  int32_t hasMiddle;
};
/// The cell that holds the centre of pixel x.
FOCAL_FUNCTION int32_t focal_cell_of(int32_t x, int32_t cells, int32_t pixels) {
  return FOCAL_INT(((2u * FOCAL_UINT(x) + 1u) * FOCAL_UINT(cells)) / (2u * FOCAL_UINT(pixels)));
}

/// The two map rows around the centre of pixel row y, and the weight of the second.
FOCAL_STRUCT(FocalRowPair) {
  int32_t first, second;
  float weight;
};
FOCAL_FUNCTION FocalRowPair focal_row_pair(FocalRefineSize s, uint32_t y) {
  float v = (FOCAL_FLOAT(y) + 0.5f) * s.cellsPerPixelY - 0.5f;
  v = focal_clamp(v, 0.0f, FOCAL_FLOAT(s.mapHeight - 1));
  const int32_t first = FOCAL_INT(v);
  const FocalRowPair r = {first, first + 1 < s.mapHeight ? first + 1 : first,
                          v - FOCAL_FLOAT(first)};
  return r;
}

/// The bilinear map along one pixel row inside one cell: value at the cell's centre and the slopes
/// to both sides.
FOCAL_STRUCT(FocalCellSlope) { float centre, left, right; };
FOCAL_FUNCTION float focal_slope_at(FocalCellSlope s, float offset) {
  return s.centre + (offset < 0 ? s.left : s.right) * offset;
}

// Buffers by index and parameters, kernel by kernel. "rows" says what begin..<end counts.

/// Halves a map that is larger than the analysis needs; holes count for nothing. Rows of the
/// result.
#if defined(FOCAL_HOST)
enum { FocalReduceDisparitySource, FocalReduceDisparityResult };
#endif
FOCAL_STRUCT(FocalReduceDisparityParameters) {
  int32_t sourceWidth, sourceHeight, width, height;
  float spread;
};

/// Fills holes of a map from the next coarser level (already whole). Rows of the map; in place.
#if defined(FOCAL_HOST)
enum { FocalFillDisparityMap, FocalFillDisparityCoarse };
#endif
FOCAL_STRUCT(FocalFillDisparityParameters) { int32_t width, height, coarseWidth, coarseHeight; };

/// Sides of the edges of a sharp map: the nearest and farthest of the 3x3 neighbours. Rows of the
/// map. Sides of a blurred one: seed plateaus, spread them (several times, ping-pong), finish. Rows
/// of the map.
#if defined(FOCAL_HOST)
enum {
  FocalFindSidesMap,
  FocalFindSidesFront,
  FocalFindSidesBack,
  FocalFindSidesKind,
  FocalFindSidesFrontIn,
  FocalFindSidesBackIn
};
#endif
FOCAL_STRUCT(FocalFindSidesParameters) {
  int32_t width, height;
  float edgeThreshold;
};

/// Cells in reach of an edge cell: only there are colours looked at. Rows of the map.
#if defined(FOCAL_HOST)
enum { FocalMarkReachKind, FocalMarkReachReach };
#endif
FOCAL_STRUCT(FocalMarkReachParameters) { int32_t width, height, radius; };

/// Eight-bit guide picture from linear RGBA, in reach of edges; with `halve` of half the size. Rows
/// of the guide.
#if defined(FOCAL_HOST)
enum { FocalMakeGuideSource, FocalMakeGuideReach, FocalMakeGuideResult };
#endif
FOCAL_STRUCT(FocalMakeGuideParameters) {
  FocalRefineSize size;
  int32_t sourceWidth, sourceHeight, halve;
  int32_t firstRow, rows;  ///< of the guide, that are made; 0 for all
  int32_t sourceOriginY;   ///< row of the picture that the source's buffer begins with
};

/// Colour sums of the sides of each cell. Rows of the map. `decided` 0: from the map alone, 1: from
/// the decision.
#if defined(FOCAL_HOST)
enum {
  FocalSumColoursMap,
  FocalSumColoursFront,
  FocalSumColoursBack,
  FocalSumColoursKind,
  FocalSumColoursReach,
  FocalSumColoursGuide,
  FocalSumColoursDecision,
  FocalSumColoursSums
};
#endif
FOCAL_STRUCT(FocalSumColoursParameters) {
  FocalRefineSize size;
  int32_t decided, step;
};

/// Colour models of the sides of each edge cell from the sums of its neighbourhood. Rows of the
/// map.
#if defined(FOCAL_HOST)
enum {
  FocalFitSidesMap,
  FocalFitSidesFront,
  FocalFitSidesBack,
  FocalFitSidesKind,
  FocalFitSidesSums,
  FocalFitSidesModels
};
#endif
FOCAL_STRUCT(FocalFitSidesParameters) {
  int32_t width, height, radius;
  float edgeThreshold;
  int32_t originY, rows;  ///< rows of cells that sums and models hold, 0 for all
};

/// Decision for each pixel of an edge cell. Rows of the picture.
#if defined(FOCAL_HOST)
enum {
  FocalDecideSidesMap,
  FocalDecideSidesFront,
  FocalDecideSidesBack,
  FocalDecideSidesKind,
  FocalDecideSidesReach,
  FocalDecideSidesGuide,
  FocalDecideSidesModels,
  FocalDecideSidesDecision
};
#endif
FOCAL_STRUCT(FocalDecideSidesParameters) {
  FocalRefineSize size;
  float colourWeight, mapWeight;
};

/// Mean of the decision over the 3x3 pixels of like colour. Rows of the picture.
#if defined(FOCAL_HOST)
enum {
  FocalSmoothDecisionKind,
  FocalSmoothDecisionGuide,
  FocalSmoothDecisionSource,
  FocalSmoothDecisionResult
};
#endif
FOCAL_STRUCT(FocalSmoothDecisionParameters) { FocalRefineSize size; };

/// The refined map. Rows of the picture. The
/// decision of pixel (x, y) is read at (x, y) >> decisionShift: 1 where it was made at half the
/// size.
#if defined(FOCAL_HOST)
enum {
  FocalResolveDisparityMap,
  FocalResolveDisparityFront,
  FocalResolveDisparityBack,
  FocalResolveDisparityKind,
  FocalResolveDisparityModels,
  FocalResolveDisparityDecision,
  FocalResolveDisparityResult
};
#endif
FOCAL_STRUCT(FocalResolveDisparityParameters) {
  FocalRefineSize size;
  int32_t decisionWidth, decisionShift;
  int32_t decisionOriginY;  ///< row that the decision's buffer begins with
};
