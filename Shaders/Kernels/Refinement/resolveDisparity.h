// SPDX-License-Identifier: Apache-2.0
//
// The circles of confusion of the refined map, which is bilinear where the map is flat, and the decided side's
// disparity inside edges. Grid: pixels.

#include "cell_pixels.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t line, int32_t z) {
  const FocalRefineSize s = p.size;
  const int32_t y = line + s.originY;
  if (x >= s.width || line >= focal_rows(s.rows, s.height)) return;
  const int32_t c = focal_cell_of(x, s.mapWidth, s.width);
  const int32_t i = focal_cell_of(y, s.mapHeight, s.height) * s.mapWidth + c;
  const FocalCellSlope slope = slopeOf(FOCAL_PASSES focal_row_pair(s, FOCAL_UINT(y)), c);
  const float v = mapAt(s, slope, c, focal_cell_begin(c, s.mapWidth, s.width), x);
  if (FOCAL_INT(kind[i]) == FocalCellFlat) {
    radius[line * s.width + x] = focal_circleRadius(p.circles, v);
    return;
  }
  const FocalCellSides sides = sidesOf(FOCAL_PASSES i);
  const float t = edgeShare(sides, v);
  const float odds = decision[((y >> p.decisionShift) - p.decisionOriginY) * p.decisionWidth +
                              (x >> p.decisionShift)];
  const bool has = sides.hasMiddle != 0, above = has && v > sides.middle;
  const bool inFront = focal_is_in_front(odds, t);
  const float side = inFront ? (has && !above ? sides.middle : sides.front)
                             : (above ? sides.middle : sides.back);
  const bool whole = inFront ? t > 1.0f - FOCAL_WHOLE : t < FOCAL_WHOLE;
  radius[line * s.width + x] = focal_circleRadius(p.circles, whole ? v : side);
}

FOCAL_ENTRY(resolveDisparity)
