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

// What the kernels of the refinement decide by. A constant expression in them is one that gives the
// same float in single and in double precision, rounded once: a compiler of shaders may fold it in
// either. A quotient of small whole numbers does, a longer expression need not.
//
// Where a constant says what it trades, `focal bench --quality-only` measures it: PSNR with a blurred
// 320x180 map, and the band along the subject's outline.

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

/// A side's model from the weighted sums over its neighbourhood, whose disparity is a mean over less
/// than the colours are; a Gaussian of one variance for the three channels.
FOCAL_FUNCTION FocalSideModel focal_sideModel(FocalSideSums total, float disparity,
                                              float disparityCount, float ownDisparity) {
  FocalSideModel m = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, ownDisparity, 0.0f};
  if (total.count < 1e-3f) return m;
  const float inverse = focal_reciprocal(total.count);
  m.count = total.count;
  m.red = total.red * inverse;
  m.green = total.green * inverse;
  m.blue = total.blue * inverse;
  const float spread =
      total.squares * inverse - (m.red * m.red + m.green * m.green + m.blue * m.blue);
  const float variance = focal_max(spread, 0.0f) * (1.0f / 3.0f) + FOCAL_LEAST_VARIANCE;
  m.perVariance = 0.5f * focal_reciprocal(variance);
  m.logNorm = -1.0397208f * focal_log2(variance);  // -1.5 ln 2
  if (disparityCount > 1e-3f) m.disparity = disparity * focal_reciprocal(disparityCount);
  return m;
}

/// ln of front's over back's likelihood for a colour; 0 where one side has no model.
FOCAL_FUNCTION float focal_colourOdds(FocalSideModel nearer, FocalSideModel farther, float r,
                                      float g, float b) {
  const float known = nearer.count > 0.0f && farther.count > 0.0f ? 1.0f : 0.0f;
  const float norm = nearer.logNorm - farther.logNorm;
  const float fr = r - nearer.red, fg = g - nearer.green, fb = b - nearer.blue;
  const float br = r - farther.red, bg = g - farther.green, bb = b - farther.blue;
  const float f =
      focal_min((fr * fr + fg * fg + fb * fb) * nearer.perVariance, FOCAL_COLOUR_CUTOFF);
  const float k =
      focal_min((br * br + bg * bg + bb * bb) * farther.perVariance, FOCAL_COLOUR_CUTOFF);
  return known * focal_clamp(k - f + norm, -FOCAL_COLOUR_MOST, FOCAL_COLOUR_MOST);
}

// The kernels, in the order in which they run.

FOCAL_STRUCT(FocalReduceDisparityParameters) {
  int32_t sourceWidth, sourceHeight, width, height;
  float spread;
};
/// A map at half its size, for one that is larger than the analysis needs; holes count for nothing.
/// Cells of the result.
#define FOCAL_KERNEL_reduceDisparity(_)         \
  _(parameters, FocalReduceDisparityParameters) \
  _(reads, float, source)                       \
  _(writes, float, result)
FOCAL_KERNEL(reduceDisparity)

FOCAL_STRUCT(FocalFillDisparityParameters) { int32_t width, height, coarseWidth, coarseHeight; };
/// Holes of a map from the next coarser level, which is whole already. Cells; in place.
#define FOCAL_KERNEL_fillDisparity(_)         \
  _(parameters, FocalFillDisparityParameters) \
  _(writes, float, map)                       \
  _(reads, float, coarse)
FOCAL_KERNEL(fillDisparity)

FOCAL_STRUCT(FocalFindSidesParameters) {
  int32_t width, height;
  float edgeThreshold;
};
/// The nearer and the farther side of every edge of a map with sharp edges: the nearest and the
/// farthest of the 3x3 neighbours. Cells.
#define FOCAL_KERNEL_findSidesSharp(_)    \
  _(parameters, FocalFindSidesParameters) \
  _(reads, float, map)                    \
  _(writes, float, front)                 \
  _(writes, float, back)                  \
  _(writes, uint8_t, kind)
FOCAL_KERNEL(findSidesSharp)

/// Of a map with blurred edges: plateaus, which are spread several times and then finished. Cells.
#define FOCAL_KERNEL_seedSides(_)         \
  _(parameters, FocalFindSidesParameters) \
  _(reads, float, map)                    \
  _(writes, float, front)                 \
  _(writes, float, back)                  \
  _(writes, uint8_t, kind)
FOCAL_KERNEL(seedSides)

/// Plateaus spread by a cell into the edges between them. Cells.
#define FOCAL_KERNEL_spreadSides(_)       \
  _(parameters, FocalFindSidesParameters) \
  _(reads, float, map)                    \
  _(reads, float, frontIn)                \
  _(reads, float, backIn)                 \
  _(writes, float, front)                 \
  _(writes, float, back)
FOCAL_KERNEL(spreadSides)

/// The sides of a blurred map's edges, completed; what is a slanted surface is no edge. Cells.
#define FOCAL_KERNEL_finishSides(_)       \
  _(parameters, FocalFindSidesParameters) \
  _(reads, float, map)                    \
  _(reads, float, frontIn)                \
  _(reads, float, backIn)                 \
  _(writes, float, front)                 \
  _(writes, float, back)                  \
  _(writes, uint8_t, kind)
FOCAL_KERNEL(finishSides)

FOCAL_STRUCT(FocalMarkReachParameters) { int32_t width, height, radius; };
/// Cells in reach of an edge cell: only there are colours looked at. Cells.
#define FOCAL_KERNEL_markReach(_)         \
  _(parameters, FocalMarkReachParameters) \
  _(reads, uint8_t, kind)                 \
  _(writes, uint8_t, reach)
FOCAL_KERNEL(markReach)

FOCAL_STRUCT(FocalMakeGuideParameters) {
  FocalRefineSize size;
  int32_t sourceWidth, sourceHeight, halve;
  int32_t firstRow, rows;  ///< of the guide, that are made; 0 for all
  int32_t sourceOriginY;   ///< row of the picture that the source's buffer begins with
};
/// The picture in eight bits, in reach of edges; of half the size with `halve`. Pixels of the guide.
#define FOCAL_KERNEL_makeGuide(_)         \
  _(parameters, FocalMakeGuideParameters) \
  _(reads, float4, source)                \
  _(reads, uint8_t, reach)                \
  _(writes, uint32_t, guide)
FOCAL_KERNEL(makeGuide)

FOCAL_STRUCT(FocalSumColoursParameters) {
  FocalRefineSize size;
  int32_t decided;  ///< 0: sides by the map alone, 1: by the decision
};
/// Colour sums of the sides of each cell. Cells.
#define FOCAL_KERNEL_sumColours(_)         \
  _(parameters, FocalSumColoursParameters) \
  _(reads, float, map)                     \
  _(reads, float, front)                   \
  _(reads, float, back)                    \
  _(reads, uint8_t, kind)                  \
  _(reads, uint8_t, reach)                 \
  _(reads, uint32_t, guide)                \
  _(reads, float, decision)                \
  _(writes, FocalSideSums, sums)
FOCAL_KERNEL(sumColours)

FOCAL_STRUCT(FocalFitSidesParameters) {
  int32_t width, height, radius;
  float edgeThreshold;
  int32_t originY, rows;  ///< rows of cells that sums and models hold, 0 for all
};
/// Colour models of the sides of each edge cell, from the sums of its neighbourhood. Cells.
#define FOCAL_KERNEL_fitSides(_)         \
  _(parameters, FocalFitSidesParameters) \
  _(reads, float, map)                   \
  _(reads, float, front)                 \
  _(reads, float, back)                  \
  _(reads, uint8_t, kind)                \
  _(reads, FocalSideSums, sums)          \
  _(writes, FocalSideModel, models)
FOCAL_KERNEL(fitSides)

FOCAL_STRUCT(FocalDecideSidesParameters) {
  FocalRefineSize size;
  float colourWeight, mapWeight;
};
/// To which side each pixel of an edge cell belongs. Pixels.
#define FOCAL_KERNEL_decideSides(_)         \
  _(parameters, FocalDecideSidesParameters) \
  _(reads, float, map)                      \
  _(reads, float, front)                    \
  _(reads, float, back)                     \
  _(reads, uint8_t, kind)                   \
  _(reads, uint8_t, reach)                  \
  _(reads, uint32_t, guide)                 \
  _(reads, FocalSideModel, models)          \
  _(writes, float, decision)
FOCAL_KERNEL(decideSides)

FOCAL_STRUCT(FocalSmoothDecisionParameters) { FocalRefineSize size; };
/// The mean of the decision over the 3x3 pixels of like colour. Pixels.
#define FOCAL_KERNEL_smoothDecision(_)         \
  _(parameters, FocalSmoothDecisionParameters) \
  _(reads, uint8_t, kind)                      \
  _(reads, uint32_t, guide)                    \
  _(reads, float, source)                      \
  _(writes, float, result)
FOCAL_KERNEL(smoothDecision)

/// The decision of pixel (x, y) is read at (x, y) >> decisionShift: 1 where it was made at half the
/// size.
FOCAL_STRUCT(FocalResolveDisparityParameters) {
  FocalRefineSize size;
  int32_t decisionWidth, decisionShift;
  int32_t decisionOriginY;  ///< row that the decision's buffer begins with
};
/// The map at the picture's resolution. Pixels.
#define FOCAL_KERNEL_resolveDisparity(_)         \
  _(parameters, FocalResolveDisparityParameters) \
  _(reads, float, map)                           \
  _(reads, float, front)                         \
  _(reads, float, back)                          \
  _(reads, uint8_t, kind)                        \
  _(reads, FocalSideModel, models)               \
  _(reads, float, decision)                      \
  _(writes, float, result)
FOCAL_KERNEL(resolveDisparity)
