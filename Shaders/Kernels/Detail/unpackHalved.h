// SPDX-License-Identifier: Apache-2.0
//
// Rows of a stored picture to linear RGBA, and to half their size. Grid: pixels of the half.

#include "stored_pixel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t rows = focal_rows(p.rows, p.height);
  if (2 * x >= p.width || 2 * y >= rows) return;
  const int32_t right = focal_min_int(2 * x + 1, p.width - 1);
  const int32_t below = focal_min_int(2 * y + 1, rows - 1);
  const float4 own = storedPixel(FOCAL_PASSES 2 * x, 2 * y + p.top);
  const float4 aside = storedPixel(FOCAL_PASSES right, 2 * y + p.top);
  const float4 beyond = storedPixel(FOCAL_PASSES 2 * x, below + p.top);
  const float4 corner = storedPixel(FOCAL_PASSES right, below + p.top);
  linear[2 * y * p.width + 2 * x] = own;
  linear[2 * y * p.width + right] = aside;
  linear[below * p.width + 2 * x] = beyond;
  linear[below * p.width + right] = corner;
  // In pairs, as `halve` adds them.
  halved[y * ((p.width + 1) >> 1) + x] = 0.25f * ((own + beyond) + (aside + corner));
}

FOCAL_ENTRY(unpackHalved)
