// SPDX-License-Identifier: Apache-2.0
//
// Common to the kernels over the pixels of edge cells: the sides that a pixel decides between, and
// the share of the way from back to front that the map itself gives it.
//
// The processor's versions work on groups of FOCAL_CELL_LANES pixels from a cell's first one on; a
// pixel's place along the map is that of its group's first pixel plus its number in the group, and
// must be rounded the same way here.
#pragma once

#include "cell_sides.h"

FOCAL_FUNCTION FocalCellSlope slopeOf(FOCAL_TAKES FocalRowPair r, int32_t c) {
  const int32_t w = p.size.mapWidth, a = r.first * w, b = r.second * w;
  const int32_t l = c > 0 ? c - 1 : c, n = c + 1 < w ? c + 1 : c;
  const float here = map[a + c] + (map[b + c] - map[a + c]) * r.weight;
  const float left = map[a + l] + (map[b + l] - map[a + l]) * r.weight;
  const float right = map[a + n] + (map[b + n] - map[a + n]) * r.weight;
  const FocalCellSlope slope = {here, here - left, right - here};
  return slope;
}

// The bilinear map at pixel x of cell c, whose first pixel is x0.
FOCAL_FUNCTION float mapAt(FocalRefineSize s, FocalCellSlope slope, int32_t c, int32_t x0,
                           int32_t x) {
  const int32_t k = (x - x0) & (FOCAL_CELL_LANES - 1);
  const float origin = (FOCAL_FLOAT(x - k) + 0.5f) * s.cellsPerPixelX - (FOCAL_FLOAT(c) + 0.5f);
  return focal_slope_at(slope, origin + FOCAL_FLOAT(k) * s.cellsPerPixelX);
}

// The share of the way from back to front, 0...1, of a pixel whose bilinear map is v.
FOCAL_FUNCTION float edgeShare(FocalCellSides sides, float v) {
  const bool has = sides.hasMiddle != 0, above = has && v > sides.middle;
  const float upper = has ? focal_reciprocal(sides.front - sides.middle) : 0.0f;
  const float lower = focal_reciprocal((has ? sides.middle : sides.front) - sides.back);
  return focal_unit(above ? (v - sides.middle) * upper : (v - sides.back) * lower);
}

FOCAL_FUNCTION float guideRed(uint32_t c) { return FOCAL_FLOAT(FOCAL_INT(c & 255u)); }
FOCAL_FUNCTION float guideGreen(uint32_t c) { return FOCAL_FLOAT(FOCAL_INT((c >> 8) & 255u)); }
FOCAL_FUNCTION float guideBlue(uint32_t c) { return FOCAL_FLOAT(FOCAL_INT((c >> 16) & 255u)); }
