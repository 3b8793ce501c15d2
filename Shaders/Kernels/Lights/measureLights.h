// SPDX-License-Identifier: Apache-2.0
//
// The least, the greatest and the mean light of each block. Grid: columns of pixels by rows of blocks, in workgroups of
// FOCAL_GROUP_WIDTH x FOCAL_GROUP_HEIGHT.
//
// The least is that of the farthest surface: where leaves or hair stand before a window, the window is
// what shows between them, and no light. A lane goes down a column of a block; the block's first lane joins its columns,
// in order, as the processor does.

#include "focal_lights.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t lane = FOCAL_LANE(), own = x % FOCAL_LIGHT_BLOCK, first = lane - own;
  const int32_t top = y * FOCAL_LIGHT_BLOCK;
  const int32_t rows =
      x < p.width ? focal_min_int(p.height - top, FOCAL_LIGHT_BLOCK) : 0;
  float low = 1.0e30f;
  for (int32_t j = 0; j < rows; j++) low = focal_min(low, radius[(top + j) * p.width + x]);
  columnLow[lane] = low;
  FOCAL_BARRIER();
  float lowest = 1.0e30f;
  for (int32_t i = 0; i < FOCAL_LIGHT_BLOCK; i++) lowest = focal_min(lowest, columnLow[first + i]);
  const float limit = lowest + focal_edgeStep(p.edge, lowest, lowest);
  float least = 1.0e30f, most = 0.0f, sum = 0.0f;
  for (int32_t j = 0; j < rows; j++) {
    const int32_t q = (top + j) * p.width + x;
    const float4 c = source[q];
    const float light = focal_max(c.x, focal_max(c.y, c.z));
    least = radius[q] <= limit ? focal_min(least, light) : least;
    most = focal_max(most, light);
    sum += light;
  }
  columnLeast[lane] = least;
  columnMost[lane] = most;
  columnSum[lane] = sum;
  FOCAL_BARRIER();
  if (own != 0 || rows <= 0) return;
  const int32_t columns = focal_min_int(p.width - x, FOCAL_LIGHT_BLOCK);
  float total = sum;
  for (int32_t i = 1; i < columns; i++) {
    least = focal_min(least, columnLeast[lane + i]);
    most = focal_max(most, columnMost[lane + i]);
    total += columnSum[lane + i];
  }
  const float share = focal_reciprocal(FOCAL_FLOAT(columns * rows));
  blocks[y * p.blocksAcross + x / FOCAL_LIGHT_BLOCK] =
      FOCAL_FLOAT4(focal_max(least, 0.0f), most, total * share, 0.0f);
}

FOCAL_ENTRY(measureLights)
