// SPDX-License-Identifier: Apache-2.0
//
// Completes the labels of a blurred map's edges; what turns out to be a slanted surface is flat
// after all. Grid: cells.

#include "map_range.h"
#include "unreached_side.h"

// `range` widened by the labels of the 3 x 3 cells.
FOCAL_FUNCTION MapRange rangeOfLabels(FOCAL_TAKES int32_t x, int32_t y, MapRange range) {
  for (int32_t ny = focal_max_int(y - 1, 0); ny <= focal_min_int(y + 1, p.height - 1); ny++) {
    for (int32_t nx = focal_max_int(x - 1, 0); nx <= focal_min_int(x + 1, p.width - 1); nx++) {
      const float f = frontIn[ny * p.width + nx], b = backIn[ny * p.width + nx];
      if (f < FOCAL_NO_LABEL) range.high = focal_max(range.high, f);
      if (b > -FOCAL_NO_LABEL) range.low = focal_min(range.low, b);
    }
  }
  return range;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t i = y * p.width + x;
  const float own = map[i];
  if (FOCAL_INT(kind[i]) == FocalCellFlat) {
    front[i] = own;
    back[i] = own;
    return;
  }
  const MapRange wide = rangeOfMap(FOCAL_PASSES x, y, 3);
  float f = frontIn[i], b = backIn[i];
  if (f >= FOCAL_NO_LABEL) f = unreachedSide(FOCAL_PASSES x, y, 1.0f);
  if (b <= -FOCAL_NO_LABEL) b = unreachedSide(FOCAL_PASSES x, y, -1.0f);
  const bool isSlope = f >= FOCAL_NO_LABEL || b <= -FOCAL_NO_LABEL;
  if (f - b <= p.edgeThreshold) {
    const MapRange labels = {b, f};
    const MapRange range = rangeOfLabels(FOCAL_PASSES x, y, labels);
    if (range.high - f > b - range.low) {
      f = range.high;
    } else {
      b = range.low;
    }
  }
  const MapRange close = rangeAround(FOCAL_PASSES x, y);
  const float span = wide.high - wide.low;
  const bool slanted = span > FOCAL_SLANT_SPAN * (close.high - close.low) &&
                       bendAround(FOCAL_PASSES x, y, 3) < FOCAL_WIDE_BEND * span;
  const bool edge = f - b > p.edgeThreshold && !slanted && !isSlope;
  kind[i] = FOCAL_BYTE(edge ? FocalCellEdge : FocalCellFlat);
  front[i] = edge ? f : own;
  back[i] = edge ? b : own;
}

FOCAL_ENTRY(finishSides)
