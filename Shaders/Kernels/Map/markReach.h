// SPDX-License-Identifier: Apache-2.0
//
// Reach 1 where an edge cell lies within `radius` cells, else 0. Grid: cells.

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t left = focal_max_int(x - p.radius, 0);
  const int32_t right = focal_min_int(x + p.radius, p.width - 1);
  const int32_t top = focal_max_int(y - p.radius, 0);
  const int32_t bottom = focal_min_int(y + p.radius, p.height - 1);
  bool reached = false;
  for (int32_t ny = top; ny <= bottom; ny++) {
    for (int32_t nx = left; nx <= right; nx++) {
      reached = reached || FOCAL_INT(kind[ny * p.width + nx]) != FocalCellFlat;
    }
  }
  reach[y * p.width + x] = FOCAL_BYTE(reached ? 1 : 0);
}

FOCAL_ENTRY(markReach)
