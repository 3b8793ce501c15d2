// SPDX-License-Identifier: Apache-2.0
//
// A linear picture to half its size. Grid: pixels of the half.

#define FOCAL_BODY halve
#include "kernel.h"
#include "focal_detail.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.rows) return;
  const int32_t right = focal_min_int(2 * x + 1, p.sourceWidth - 1);
  const int32_t upper = 2 * y * p.sourceWidth;
  const int32_t lower = focal_min_int(2 * y + 1, p.sourceRows - 1) * p.sourceWidth;
  // In pairs, so that a mirrored picture gives mirrored means to the bit.
  result[y * p.width + x] = 0.25f * ((source[upper + 2 * x] + source[lower + 2 * x]) +
                                     (source[upper + right] + source[lower + right]));
}

FOCAL_ENTRY(halve)
