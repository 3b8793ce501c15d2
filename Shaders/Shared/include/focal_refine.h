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

#include <stddef.h>
#include "focal_math.h"

/// Kind of a cell (uint8): flat, an edge between front and back, or an edge with the cell's own
/// value in the middle.
enum { FocalCellFlat = 0, FocalCellEdge = 1, FocalCellEdgeWithMiddle = 2 };
/// Sides, in the order of their records.
enum { FocalSideFront = 0, FocalSideBack = 1, FocalSideMiddle = 2, FocalSideCount = 3 };
/// Decision of the flat cells around an edge: none.
#define FOCAL_UNDECIDED 1e30f
/// A label that no plateau has reached yet.
#define FOCAL_NO_LABEL 1e30f

/// Colour sums of one side of a cell; colours in codes 0...255 of the guide. `squares` is the sum
/// over the channels.
struct FocalSideSums {
  float count, red, green, blue, squares, unused0, unused1, unused2;
};
/// Colour model of one side of a cell. `precision` is 1/(2 variance), `logNorm` is -1.5
/// ln(variance); count 0 = none.
struct FocalSideModel {
  float count, red, green, blue, precision, logNorm, disparity, unused;
};

/// Sizes that every kernel of the refinement takes first. `cellsPerPixelX` is w/W, `cellsPerPixelY`
/// h/H.
struct FocalRefineSize {
  int32_t mapWidth, mapHeight, width, height;
  float cellsPerPixelX, cellsPerPixelY;
};

/// First pixel of cell c along an axis of `cells` cells and `pixels` pixels (both below 46000: 32
/// bits, the division is a large part of a small cell's cost).
FOCAL_FUNCTION int32_t focal_cell_begin(int32_t c, int32_t cells, int32_t pixels) {
  return (int32_t)((2u * (uint32_t)c * (uint32_t)pixels + (uint32_t)cells - 1u) /
                   (2u * (uint32_t)cells));
}

/// Walks the cells of a row from the left without divisions: `end` is the first pixel after the
/// cell.
struct FocalCellWalk {
  int32_t end, whole;
  uint32_t rest, step, unit;
};
FOCAL_FUNCTION struct FocalCellWalk focal_cell_walk(int32_t cells, int32_t pixels) {
  const uint32_t unit = 2u * (uint32_t)cells;
  const struct FocalCellWalk k = {0, pixels / cells, (uint32_t)cells - 1u,
                                  2u * (uint32_t)(pixels % cells), unit};
  return k;
}
FOCAL_FUNCTION void focal_cell_next(struct FocalCellWalk *k) {
  k->end += k->whole;
  k->rest += k->step;
  if (k->rest >= k->unit) {
    k->rest -= k->unit;
    k->end += 1;
  }
}

/// The cell that holds the centre of pixel x.
FOCAL_FUNCTION int32_t focal_cell_of(int32_t x, int32_t cells, int32_t pixels) {
  return (int32_t)(((2u * (uint32_t)x + 1u) * (uint32_t)cells) / (2u * (uint32_t)pixels));
}

/// The two map rows around the centre of pixel row y, and the weight of the second.
struct FocalRowPair {
  int32_t first, second;
  float weight;
};
FOCAL_FUNCTION struct FocalRowPair focal_row_pair(const struct FocalRefineSize *s, uint32_t y) {
  float v = ((float)y + 0.5f) * s->cellsPerPixelY - 0.5f;
  v = focal_clamp(v, 0.0f, (float)(s->mapHeight - 1));
  const int32_t first = (int32_t)v;
  const struct FocalRowPair r = {first, first + 1 < s->mapHeight ? first + 1 : first,
                                 v - (float)first};
  return r;
}

/// The bilinear map along one pixel row inside one cell: value at the cell's centre and the slopes
/// to both sides.
struct FocalCellSlope {
  float centre, left, right;
};
FOCAL_FUNCTION struct FocalCellSlope focal_cell_slope(const float *map, int32_t w,
                                                      const struct FocalRowPair *r, int32_t c) {
  const float *a = map + (size_t)r->first * w, *b = map + (size_t)r->second * w;
  const int32_t l = c > 0 ? c - 1 : c, n = c + 1 < w ? c + 1 : c;
  const float vc = a[c] + (b[c] - a[c]) * r->weight;
  const float vl = a[l] + (b[l] - a[l]) * r->weight;
  const float vr = a[n] + (b[n] - a[n]) * r->weight;
  const struct FocalCellSlope s = {vc, vc - vl, vr - vc};
  return s;
}
FOCAL_FUNCTION float focal_slope_at(struct FocalCellSlope s, float offset) {
  return s.centre + (offset < 0 ? s.left : s.right) * offset;
}

// Buffers by index and parameters, kernel by kernel. "rows" says what begin..<end counts.

/// Halves a map that is larger than the analysis needs; holes count for nothing. Rows of the
/// result.
enum { FocalReduceDisparitySource, FocalReduceDisparityResult };
struct FocalReduceDisparityParameters {
  int32_t sourceWidth, sourceHeight, width, height;
  float spread;
};

/// Fills holes of a map from the next coarser level (already whole). Rows of the map; in place.
enum { FocalFillDisparityMap, FocalFillDisparityCoarse };
struct FocalFillDisparityParameters {
  int32_t width, height, coarseWidth, coarseHeight;
};

/// Sides of the edges of a sharp map: the nearest and farthest of the 3x3 neighbours. Rows of the
/// map. Sides of a blurred one: seed plateaus, spread them (several times, ping-pong), finish. Rows
/// of the map.
enum {
  FocalFindSidesMap,
  FocalFindSidesFront,
  FocalFindSidesBack,
  FocalFindSidesKind,
  FocalFindSidesFrontIn,
  FocalFindSidesBackIn
};
struct FocalFindSidesParameters {
  int32_t width, height;
  float edgeThreshold;
};

/// Cells in reach of an edge cell: only there are colours looked at. Rows of the map.
enum { FocalMarkReachKind, FocalMarkReachReach };
struct FocalMarkReachParameters {
  int32_t width, height, radius;
};

/// Eight-bit guide picture from linear RGBA, in reach of edges; with `halve` of half the size. Rows
/// of the guide.
enum { FocalMakeGuideSource, FocalMakeGuideReach, FocalMakeGuideResult };
struct FocalMakeGuideParameters {
  struct FocalRefineSize size;
  int32_t sourceWidth, sourceHeight, halve;
};

/// Colour sums of the sides of each cell. Rows of the map. `decided` 0: from the map alone, 1: from
/// the decision.
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
struct FocalSumColoursParameters {
  struct FocalRefineSize size;
  int32_t decided, step;
};

/// Colour models of the sides of each edge cell from the sums of its neighbourhood. Rows of the
/// map.
enum {
  FocalFitSidesMap,
  FocalFitSidesFront,
  FocalFitSidesBack,
  FocalFitSidesKind,
  FocalFitSidesSums,
  FocalFitSidesModels
};
struct FocalFitSidesParameters {
  int32_t width, height, radius;
  float edgeThreshold;
};

/// Decision for each pixel of an edge cell. Rows of the picture.
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
struct FocalDecideSidesParameters {
  struct FocalRefineSize size;
  float colourWeight, mapWeight;
};

/// Mean of the decision over the 3x3 pixels of like colour. Rows of the picture.
enum {
  FocalSmoothDecisionKind,
  FocalSmoothDecisionGuide,
  FocalSmoothDecisionSource,
  FocalSmoothDecisionResult
};
struct FocalSmoothDecisionParameters {
  struct FocalRefineSize size;
};

/// The refined map. Rows of the picture. The
/// decision of pixel (x, y) is read at (x, y) >> decisionShift: 1 where it was made at half the
/// size.
enum {
  FocalResolveDisparityMap,
  FocalResolveDisparityFront,
  FocalResolveDisparityBack,
  FocalResolveDisparityKind,
  FocalResolveDisparityModels,
  FocalResolveDisparityDecision,
  FocalResolveDisparityResult
};
struct FocalResolveDisparityParameters {
  struct FocalRefineSize size;
  int32_t decisionWidth, decisionShift;
};
