// SPDX-License-Identifier: Apache-2.0
//
// Rows of light and coverage as a picture with alpha, in the place of the light. Grid: pixels of the rows.

#define FOCAL_BODY joinAlpha
#include "kernel.h"
#include "focal_alpha.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t row, int32_t z) {
  if (x >= p.width || row >= p.rows) return;
  const int32_t o = 4 * ((p.firstRow + row) * p.width + x);
  const float alpha = focal_alpha(coverage[o]);
  const bool divides = p.divides != 0 && alpha >= FOCAL_LEAST_ALPHA;
  const float factor = divides ? focal_quotient(1.0f, divides ? alpha : 1.0f) : 1.0f;
  light[o] = light[o] * factor;
  light[o + 1] = light[o + 1] * factor;
  light[o + 2] = light[o + 2] * factor;
  light[o + 3] = alpha;
}

FOCAL_ENTRY(joinAlpha)
