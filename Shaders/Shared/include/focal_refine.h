// SPDX-License-Identifier: Apache-2.0
//
// Disparity refinement, pixel by pixel: the kernels in Shaders/Kernels/Refinement. A map of w x h
// cells is brought to the W x H pixels of the picture; cell c of a row covers the pixels whose
// centres fall into it.
#pragma once

#include "focal_blur.h"
#include "focal_colours.h"
#include "focal_sides.h"

/// Sizes that every kernel of the refinement takes first. `cellsPerPixelX` is w/W, `cellsPerPixelY`
/// h/H.
///
/// Of a window, buffers with a value a pixel hold `rows` rows from `originY` on; 0 for all. The map and what is
/// found of it alone is there whole.
FOCAL_STRUCT(FocalRefineSize) {
  int32_t mapWidth, mapHeight, width, height;
  float cellsPerPixelX, cellsPerPixelY;
  int32_t originY, rows;
};

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
FOCAL_STRUCT(FocalMakeGuideParameters) {
  FocalRefineSize size;
  int32_t sourceWidth, sourceHeight, halve;
  int32_t firstRow, rows;  ///< of the guide, that are made; 0 for all
  int32_t sourceOriginY;   ///< row of the picture that the source's buffer begins with
};
/// The picture in eight bits, in reach of edges, of half the size with `halve`; and the bilinear map,
/// FOCAL_NO_LABEL out of their reach. Pixels of the guide.
#define FOCAL_KERNEL_makeGuide(_)         \
  _(parameters, FocalMakeGuideParameters) \
  _(reads, float4, source)                \
  _(reads, float, map)                    \
  _(reads, uint8_t, reach)                \
  _(writes, uint32_t, guide)              \
  _(writes, float, values)
FOCAL_KERNEL(makeGuide)

/// Neighbours are looked at in steps of `stepX` and `stepY` pixels, `across` and `down` of them each way as focal_tap
/// says, those that are no more than `farthest` steps (squared) away. Guide and values are a window as FocalRefineSize says; decisions are made
/// for rows of the picture from `firstRow` on.
FOCAL_STRUCT(FocalDecideSidesParameters) {
  FocalRefineSize size;
  int32_t stepX, stepY, across, down, dense, farthest;
  int32_t firstRow, decidedRows;
  float perThreshold;  ///< 1 / the least step of disparity that counts as an edge
  /// Radius of the ring in which a far surface in focus is looked at, pixels, see FocalRing.
  int32_t ringX, ringY;
  FocalCircles circles;
};
/// To which side each pixel of an edge cell belongs. Pixels.
#define FOCAL_KERNEL_decideSides(_)         \
  _(parameters, FocalDecideSidesParameters) \
  _(reads, float, map)                      \
  _(reads, float, front)                    \
  _(reads, float, back)                     \
  _(reads, uint8_t, kind)                   \
  _(reads, uint32_t, guide)                 \
  _(reads, float, values)                   \
  _(writes, float, decision)                \
  _(shares, float, weights, FOCAL_MOST_TAPS)
FOCAL_KERNEL(decideSides)

/// The decision of pixel (x, y) is read at (x, y) >> decisionShift: 1 where it was made at half the
/// size.
FOCAL_STRUCT(FocalResolveDisparityParameters) {
  FocalRefineSize size;
  int32_t decisionWidth, decisionShift;
  int32_t decisionOriginY;  ///< row that the decision's buffer begins with
  FocalCircles circles;
};
/// The circles of confusion of the map at the picture's resolution, signed radii in pixels; the refined map itself
/// with circles of one pixel a unit around 0. Pixels.
#define FOCAL_KERNEL_resolveDisparity(_)         \
  _(parameters, FocalResolveDisparityParameters) \
  _(reads, float, map)                           \
  _(reads, float, front)                         \
  _(reads, float, back)                          \
  _(reads, uint8_t, kind)                        \
  _(reads, float, decision)                      \
  _(writes, float, radius)
FOCAL_KERNEL(resolveDisparity)
