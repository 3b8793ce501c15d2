// SPDX-License-Identifier: Apache-2.0
//
// The bilinear map at the pixels of a cell.
//
// The processor's versions work on groups of FOCAL_CELL_LANES pixels from a cell's first one on; a
// pixel's place along the map is that of its group's first pixel plus its number in the group, and
// must be rounded the same way here.
#pragma once

// Reads `map` and the sizes of the refinement.
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
