// SPDX-License-Identifier: Apache-2.0
//
// Joins the dashes of near lines about a pixel wide, where the blocks around are marked. Grid: pixels.

#include "line_across.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t across = (p.width + FOCAL_LINE_BLOCK - 1) / FOCAL_LINE_BLOCK;
  const int32_t down = (p.height + FOCAL_LINE_BLOCK - 1) / FOCAL_LINE_BLOCK;
  const int32_t column = x / FOCAL_LINE_BLOCK, line = y / FOCAL_LINE_BLOCK;
  int32_t any = 0;
  for (int32_t j = focal_max_int(line - 1, 0); j <= focal_min_int(line + 1, down - 1); j++) {
    for (int32_t i = focal_max_int(column - 1, 0); i <= focal_min_int(column + 1, across - 1); i++) {
      any |= FOCAL_INT(marks[j * across + i]);
    }
  }
  const int32_t q = y * p.width + x;
  joined[q] = any != 0 ? radiusWithLines(FOCAL_PASSES x, y) : radius[q];
}

FOCAL_ENTRY(joinLines)
