// SPDX-License-Identifier: Apache-2.0
//
// The nearer and the farther side of every edge of a map with sharp edges. Grid: cells.

#define FOCAL_BODY findSidesSharp
#include "kernel.h"
#include "map_range.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t i = y * p.width + x;
  const MapRange range = rangeAround(FOCAL_PASSES x, y);
  const float d = map[i], t = p.edgeThreshold, span = range.high - range.low;
  const bool edge = span > t && bendAround(FOCAL_PASSES x, y, 1) > FOCAL_SLANT_BEND * span;
  const bool middle = range.high - d > t && d - range.low > t;
  front[i] = edge ? range.high : d;
  back[i] = edge ? range.low : d;
  kind[i] = FOCAL_BYTE(!edge ? FocalCellFlat : middle ? FocalCellEdgeWithMiddle : FocalCellEdge);
}

FOCAL_ENTRY(findSidesSharp)
