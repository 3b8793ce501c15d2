// SPDX-License-Identifier: Apache-2.0
//
// Marks where a near line about a pixel wide may be: a pixel there is nearer than those two above and below it, or to
// its left and right. Grid: blocks.

#define FOCAL_BODY markLines
#include "kernel.h"
#include "focal_lines.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t across = (p.width + FOCAL_LINE_BLOCK - 1) / FOCAL_LINE_BLOCK;
  const int32_t down = (p.height + FOCAL_LINE_BLOCK - 1) / FOCAL_LINE_BLOCK;
  if (x >= across || y >= down) return;
  const int32_t left = x * FOCAL_LINE_BLOCK, top = y * FOCAL_LINE_BLOCK;
  const int32_t right = focal_min_int(left + FOCAL_LINE_BLOCK, p.width);
  const int32_t bottom = focal_min_int(top + FOCAL_LINE_BLOCK, p.height);
  const int32_t first = focal_max_int(left, FOCAL_LINE_RIM);
  const int32_t last = focal_min_int(right, p.width - FOCAL_LINE_RIM);
  const int32_t step = FOCAL_LINE_RIM * p.width;
  int32_t any = 0;
  for (int32_t j = top; j < bottom; j++) {
    const int32_t row = j * p.width;
    for (int32_t i = first; i < last; i++) {
      const float least = radius[row + i] - p.edge;
      const bool isNearer = radius[row + i - FOCAL_LINE_RIM] < least &&
                            radius[row + i + FOCAL_LINE_RIM] < least;
      any |= isNearer ? 1 : 0;
    }
    if (j < FOCAL_LINE_RIM || j + FOCAL_LINE_RIM >= p.height) continue;
    for (int32_t i = left; i < right; i++) {
      const float least = radius[row + i] - p.edge;
      const bool isNearer = radius[row + i - step] < least && radius[row + i + step] < least;
      any |= isNearer ? 1 : 0;
    }
  }
  marks[y * across + x] = FOCAL_BYTE(any);
}

FOCAL_ENTRY(markLines)
