// SPDX-License-Identifier: Apache-2.0
//
// A line around what a mask covers. Grid: pixels of the mask.
//
// The second pass of the distance transform that reachDown begins: the nearest covered pixel lies in the column for which
// the squares of both ways sum up to the least. Columns are looked at outwards until none can be nearer.

#define FOCAL_BODY outlineMask
#include "kernel.h"
#include "focal_effects.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t row = y * p.width;
  int32_t least = ways[row + x] * ways[row + x];
  for (int32_t k = 1; k <= p.reach && k * k < least; k++) {
    if (x >= k) {
      const int32_t way = ways[row + x - k];
      least = focal_min_int(least, way * way + k * k);
    }
    if (x + k < p.width) {
      const int32_t way = ways[row + x + k];
      least = focal_min_int(least, way * way + k * k);
    }
  }
  // Covered pixels end half a pixel before the next one's middle.
  const float away = focal_sqrt(FOCAL_FLOAT(least));
  const float share = focal_unit((p.lineWidth - away) * p.perSoftness + 0.5f);
  outline[row + x] = least == 0 ? 1.0f : share;
}

FOCAL_ENTRY(outlineMask)
