// SPDX-License-Identifier: Apache-2.0
//
// The least, the greatest and the mean light of each block. Grid: blocks.
//
// The least is that of the farthest surface: where leaves or hair stand before a window, the window is
// what shows between them, and no light. Sums run column by column, as the processor's lanes do.

#include "focal_lights.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.blocksAcross || y >= p.blocksDown) return;
  const int32_t left = x * FOCAL_LIGHT_BLOCK, top = y * FOCAL_LIGHT_BLOCK;
  const int32_t columns = focal_min_int(p.width - left, FOCAL_LIGHT_BLOCK);
  const int32_t rows = focal_min_int(p.height - top, FOCAL_LIGHT_BLOCK);
  float lowest = 1.0e30f;
  for (int32_t j = 0; j < rows; j++) {
    for (int32_t i = 0; i < columns; i++) {
      lowest = focal_min(lowest, radius[(top + j) * p.width + left + i]);
    }
  }
  const float limit = lowest + focal_edgeStep(p.edge, lowest, lowest);
  float least = 1.0e30f, most = 0.0f, total = 0.0f;
  for (int32_t i = 0; i < columns; i++) {
    float sum = 0.0f;
    for (int32_t j = 0; j < rows; j++) {
      const int32_t q = (top + j) * p.width + left + i;
      const float4 c = source[q];
      const float light = focal_max(c.x, focal_max(c.y, c.z));
      least = radius[q] <= limit ? focal_min(least, light) : least;
      most = focal_max(most, light);
      sum += light;
    }
    total += sum;
  }
  const float share = focal_reciprocal(FOCAL_FLOAT(columns * rows));
  blocks[y * p.blocksAcross + x] = FOCAL_FLOAT4(focal_max(least, 0.0f), most, total * share, 0.0f);
}

FOCAL_ENTRY(measureLights)
