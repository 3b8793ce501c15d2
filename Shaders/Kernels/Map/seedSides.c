// SPDX-License-Identifier: Apache-2.0
//
// Plateaus get their own value as both labels and kind flat; all else no label and kind edge. Grid:
// cells.

#define FOCAL_BODY seedSides
#include "kernel.h"
#include "map_range.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t i = y * p.width + x;
  const MapRange range = rangeAround(FOCAL_PASSES x, y);
  const bool plateau = range.high - range.low < FOCAL_PLATEAU_SHARE * p.edgeThreshold;
  front[i] = plateau ? map[i] : FOCAL_NO_LABEL;
  back[i] = plateau ? map[i] : -FOCAL_NO_LABEL;
  kind[i] = FOCAL_BYTE(plateau ? FocalCellFlat : FocalCellEdge);
}

FOCAL_ENTRY(seedSides)
