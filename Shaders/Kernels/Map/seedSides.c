// SPDX-License-Identifier: Apache-2.0
//
// Plateaus, level or slanted, get their own value as both labels and kind flat; all else no label and kind edge.
// Grid: cells.

#define FOCAL_BODY seedSides
#include "kernel.h"
#include "map_range.h"

// Whether a cell whose 3x3 cells span `span` lies on a slanted surface, be it as narrow as 5 cells.
FOCAL_FUNCTION bool isSlanted(FOCAL_TAKES int32_t x, int32_t y, float span) {
  if (span >= FOCAL_SLANTED_PLATEAU * p.edgeThreshold) return false;
  const MapRange range = rangeOfMap(FOCAL_PASSES x, y, 2);
  const float wide = range.high - range.low;
  return wide > FOCAL_NARROW_SPAN * span &&
         bendAround(FOCAL_PASSES x, y, 2) < FOCAL_SLANT_BEND * wide;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t i = y * p.width + x;
  const MapRange range = rangeAround(FOCAL_PASSES x, y);
  const float span = range.high - range.low;
  const bool plateau = span < FOCAL_PLATEAU_SHARE * p.edgeThreshold ||
                       isSlanted(FOCAL_PASSES x, y, span);
  front[i] = plateau ? map[i] : FOCAL_NO_LABEL;
  back[i] = plateau ? map[i] : -FOCAL_NO_LABEL;
  kind[i] = FOCAL_BYTE(plateau ? FocalCellFlat : FocalCellEdge);
}

FOCAL_ENTRY(seedSides)
